import type { Threads } from '../../compute/pool.js'
import type { MetricOrder } from '../../compute/works.js'
import { type ContestFigures, type Contests, contestsOf } from '../../core/judgements/contest.js'
import type { Judgements } from '../../core/judgements/judgement.js'
import {
  compareJudged,
  type Judged,
  type MetricDifference,
  mainFigure,
} from '../../core/judgements/meta-evaluation.js'
import { type Cluster, clusterMetrics } from '../../core/judgements/metric-tests.js'
import { type RaterAgreement, raterAgreement } from '../../core/judgements/rater-agreement.js'
import { signatureOf } from '../../core/metrics/provenance.js'
import type { MetricRegistry } from '../../core/metrics/registry.js'
import { checkResamples, RESAMPLES } from '../../core/stats/permutation.js'
import { meanRanks } from '../../core/stats/rank-correlation.js'
import { AccordError } from '../../errors.js'
import { type Progress, part } from '../../progress.js'
import { VERSION } from '../../project.js'
import type { QueryHandler } from '../../queue/kind.js'
import type { Database, Session } from '../../store/engine/session.js'
import { readJudgedCaptions, readJudgedScores, requireJudgementSet } from '../../store/judgements.js'
import type { Dataset, JudgementSet } from '../../store/schema/entities.js'
import { requireDatasetById } from '../datasets/subjects.js'
import { SEED } from '../evaluations/record-provenance.js'
import { type Baselines, candidatesOf, compareWithBaselines, type JudgedCandidate } from './baselines.js'
import { type ScoredCaptions, scoreJudgedCaptions } from './judged-scores.js'
import { readJudgements } from './read-judgements.js'
import { type MetricRanking, rankByPreferences, type SystemStrengths } from './strengths.js'

export interface JudgeInput {
  /**
   * Names of metrics. Default: those of an evaluation, WMD, SPICE, SPIDEr, those of other programs whose scores are stored, and
   * the composite metrics.
   */
  readonly metrics?: readonly string[]
  /** Two names: the metrics to compare. They are judged even if `metrics` does not contain them. */
  readonly compare?: readonly [first: string, second: string]
  /** Of preferences between systems: the system with the rating 1000. Default: people, or the first system. */
  readonly anchor?: string
  /** Of the intervals and tests, 100 to 100,000. Default: 1,000. */
  readonly resamples?: number
}

export interface JudgedMetric {
  readonly metric: string
  readonly signature: string
  /** Captions for which the metric has no score: they are left out of correlations, and their preferences tie. */
  readonly unscoredCaptionCount: number
  readonly figures: Judged['figures']
  /** By τ-c or the mean accuracy; tests by paired bootstrap over images. */
  readonly cluster: Cluster
  /** On systems and on captions of the same image; null for preferences. */
  readonly contests: Contests<ClusteredFigures> | null
  /** Of a composite metric; otherwise null. */
  readonly baselines: Baselines | null
  /** Of preferences between systems: how the metric ranks them; otherwise null. */
  readonly ranking: MetricRanking | null
}

/** Figures with the clusters of permutation tests: by soft pairwise accuracy, and by calibrated accuracy. */
export interface ClusteredFigures extends Omit<ContestFigures, 'systemLevel' | 'byImage'> {
  readonly systemLevel: ClusteredSystems | null
  readonly byImage: Clustered<ContestFigures['byImage']>
}

export type ClusteredSystems = Clustered<NonNullable<ContestFigures['systemLevel']>>

type Clustered<Figures> = Figures & { readonly cluster: Cluster }

/** How well metrics agree with the human judgements of a dataset. */
export interface JudgeReport {
  readonly kind: Judgements['kind']
  /** Ratings, or preferences. */
  readonly judgementCount: number
  readonly captionCount: number
  readonly imageCount: number
  readonly equalPairCount: number
  /** Preferences in which people prefer no caption; they count in no accuracy. */
  readonly tiedPairCount: number
  /** The metric that agrees best with people first. */
  readonly rows: readonly JudgedMetric[]
  /** Composite metrics that are left out of the default, since a feature is computed in another way than in their training. */
  readonly staleMetrics: readonly string[]
  /** Of preferences between systems; otherwise null. */
  readonly strengths: SystemStrengths | null
  /** The noise ceiling: each rating compared with the others of its caption; null where no caption has two ratings. */
  readonly raters: Judged['figures'] | null
  /** Null for preferences. */
  readonly agreement: RaterAgreement | null
  /** Null where none is asked for, or a figure is undefined. */
  readonly comparison: NamedDifference | null
}

/** The difference of two metrics, first minus second. */
export interface NamedDifference extends MetricDifference {
  /** Names. */
  readonly first: string
  readonly second: string
}

/**
 * Judges metrics by the human judgements of a dataset.
 *
 * @throws AccordError NOT_APPLICABLE where it has none; UNKNOWN_METRIC; OUT_OF_RANGE for `resamples`; what is wrong with
 *   a resource; UNKNOWN_SYSTEM for `anchor`
 */
export async function judgeMetrics(
  database: Database,
  threads: Threads,
  dataset: Dataset,
  { metrics, compare, anchor, resamples = RESAMPLES }: JudgeInput,
  progress: Progress,
): Promise<JudgeReport> {
  checkResamples(resamples)
  const set = await requireJudgementSet(database, dataset)
  const { registry } = threads
  const pair = compare?.map((name) => registry.require(name, 'compare').name)
  const compared = pair ?? []
  const { defaults, stale } = judgedByDefault(registry, await scoredExternally(database, set, registry))
  const names = metrics ?? (pair === undefined ? defaults : [])
  const choice = registry.choose([...names, ...compared])
  const composites = registry.stored.composites.filter(({ header }) => choice.includes(header))
  const features = composites.flatMap(({ header }) => header.features.map(({ metric }) => metric))
  progress(0, 'reading captions')
  const captions = await readJudgedCaptions(database, set.id)
  const judgements = await readJudgements(database, set, captions)
  const strengths =
    judgements.kind === 'PREFERENCES'
      ? rankByPreferences(judgements, anchor, { seed: SEED, resamples })
      : null
  const scoring = registry.choose([...names, ...compared, ...features])
  const computed = await scoreJudgedCaptions(
    database,
    threads,
    dataset,
    set,
    scoring,
    part(progress, 0.05, 0.6),
  )
  const interval = `bootstrap-${resamples}`
  const scored = computed.map(
    ({ metric, record, ...scores }): NamedScores => ({
      name: metric.name,
      signature: signatureOf({ ...record, interval, seed: SEED }, VERSION),
      isChosen: choice.includes(metric),
      ...scores,
    }),
  )
  const judging = part(progress, 0.6, 0.9)
  const placeOf = (name: string) => scored.findIndex((metric) => metric.name === name)
  const scoresOf = (name: string) => scored[placeOf(name)].scores
  const candidates = composites.map((composite) => candidatesOf(composite, judgements, scoresOf))
  const scores = [null, ...scored.map((metric) => metric.ordered)]
  const others = candidates.flat().map((candidate) => candidate.scores)
  const [raters, ...judged] = await threads.run(
    'judge',
    { judgements, scores, others, seed: SEED, resamples },
    scores.length + others.length,
    (share) => judging(share, 'resampling captions'),
  )
  const results = scored
    .map((metric, index) => ({ ...metric, judged: judged[index] as JudgedScores }))
    .filter(({ isChosen }) => isChosen)
  const judgedOthers = candidates
    .flat()
    .map(
      ({ kind, name }, index): JudgedCandidate => ({
        kind,
        name,
        judged: judged[scored.length + index] as Judged,
      }),
    )
  const baselinesOf = ({ name, judged: composite }: Result) => {
    const place = composites.findIndex(({ header }) => header.name === name)
    if (place < 0) return null
    const features = composites[place].header.features.map(({ metric }) => ({
      name: metric,
      judged: judged[placeOf(metric)] as Judged,
    }))
    const start = candidates.slice(0, place).flat().length
    const own = judgedOthers.slice(start, start + candidates[place].length)
    return compareWithBaselines(composites[place], { composite, features, others: own }, set.content)
  }
  const testing = part(progress, 0.9, 1)
  const clustered = await clusterContests(threads, judgements, results, resamples, (share) =>
    testing(share, 'testing metrics'),
  )
  const ordered = inOrder(results, ({ judged }) => mainFigure(judged.figures))
  const clusters = clusterMetrics(
    ordered,
    (better, worse) => compareJudged(better.judged, worse.judged)?.pValue ?? null,
  )
  const rows = ordered.map((result, place): JudgedMetric => {
    const { name, signature, scores, judged } = result
    return {
      metric: name,
      signature,
      unscoredCaptionCount: scores.filter(Number.isNaN).length,
      figures: judged.figures,
      cluster: clusters[place],
      contests: clustered.get(result) ?? null,
      baselines: baselinesOf(result),
      ranking: strengths?.rankBy(result.ordered) ?? null,
    }
  })
  return {
    kind: set.kind,
    judgementCount: set.judgementCount,
    captionCount: set.captionCount,
    imageCount: judgements.images.count,
    equalPairCount: set.equalPairCount,
    tiedPairCount: judgements.kind === 'PREFERENCES' ? set.judgementCount - judgements.preferred.length : 0,
    rows,
    strengths: strengths?.people ?? null,
    staleMetrics: metrics === undefined ? stale : [],
    raters: raters?.figures ?? null,
    agreement: set.kind === 'RATINGS' ? raterAgreement(captions.map(({ ratings }) => ratings)) : null,
    comparison: pair ? comparePair(pair, results) : null,
  }
}

type JudgedScores = Judged & { readonly contests: Contests<ContestFigures> | null }

/** The scores of all judged captions. */
interface NamedScores extends Pick<ScoredCaptions, 'scores' | 'ordered'> {
  readonly name: string
  readonly signature: string
  /** Whether the metric has a row; features of composites need not. */
  readonly isChosen: boolean
}

/** A metric with what was found about it. */
interface Result extends NamedScores {
  readonly judged: JudgedScores
}

/** Metrics that are judged in addition to those of an evaluation. */
const JUDGED_TOO: ReadonlySet<string> = new Set(['WMD', 'SPICE', 'SPIDEr'])

/** Names of the metrics of other programs with stored scores of a set. */
async function scoredExternally(
  session: Session,
  { id }: JudgementSet,
  { stored }: MetricRegistry,
): Promise<ReadonlySet<string>> {
  const names = stored.externals.map(({ name }) => name)
  if (names.length === 0) return new Set()
  return new Set((await readJudgedScores(session, id, names)).map(({ record }) => record.metric))
}

/**
 * The metrics that are judged where none are named.
 *
 * @param external those of other programs that can be
 */
function judgedByDefault(
  registry: MetricRegistry,
  external: ReadonlySet<string>,
): { readonly defaults: string[]; readonly stale: string[] } {
  const composites = registry.stored.composites.map(({ header: { name, features } }) => ({
    name,
    isUsable: features.every(
      ({ metric, signature }) => registry.has(metric) && registry.load(metric).featureSignature === signature,
    ),
  }))
  const named = registry.metrics.filter(
    ({ name, isDefault }) => isDefault || JUDGED_TOO.has(name) || external.has(name),
  )
  const usable = composites.filter(({ isUsable }) => isUsable)
  return {
    defaults: [...named, ...usable].map(({ name }) => name),
    stale: composites.filter(({ isUsable }) => !isUsable).map(({ name }) => name),
  }
}

/** Sorts by a figure, the highest first, undefined ones last. */
function inOrder<Item>(items: readonly Item[], figureOf: (item: Item) => number | null): Item[] {
  const value = (item: Item) => figureOf(item) ?? Number.NEGATIVE_INFINITY
  return items.toSorted((one, other) => (value(one) < value(other) ? 1 : value(one) > value(other) ? -1 : 0))
}

/** The contests of each metric with significance clusters; empty for preferences. */
async function clusterContests(
  threads: Threads,
  judgements: Judgements,
  results: readonly Result[],
  resamples: number,
  onProgress: (share: number) => void,
): Promise<Map<Result, Contests<ClusteredFigures>>> {
  if (judgements.kind !== 'RATINGS') return new Map()
  const contests = contestsOf(judgements)
  const chains = (['all', 'withoutPeople'] as const).flatMap((name) => {
    const contest = contests[name]
    if (contest === null) return []
    const figuresOf = ({ judged }: Result) => judged.contests?.[name] as ContestFigures
    const chain = (figure: MetricOrder['figure'], figureOf: (figures: ContestFigures) => number | null) => {
      const order = inOrder(results, (result) => figureOf(figuresOf(result)))
      return { name, figure, contest, order, scores: order.map(({ ordered }) => ordered) }
    }
    return [
      chain('CAPTIONS', ({ byImage }) => byImage.calibratedAccuracy),
      ...(contest.systems !== null && contest.systems.names.length >= 2
        ? [chain('SYSTEMS', ({ systemLevel }) => systemLevel?.softPairwiseAccuracy ?? null)]
        : []),
    ]
  })
  const orders = chains.map(({ contest, figure, scores }) => ({ contest, figure, scores }))
  const clusters = await threads.run(
    'clusterMetrics',
    { orders, seed: SEED, resamples },
    orders.length,
    onProgress,
  )
  const clusterOf = (result: Result, name: string, figure: MetricOrder['figure']) => {
    const chain = chains.findIndex((one) => one.name === name && one.figure === figure)
    return { cluster: clusters[chain][chains[chain].order.indexOf(result)] }
  }
  const complete = (result: Result, name: 'all' | 'withoutPeople'): ClusteredFigures | null => {
    const figures = result.judged.contests?.[name]
    if (!figures) return null
    const { systemLevel, byImage } = figures
    return {
      ...figures,
      systemLevel: systemLevel && { ...systemLevel, ...clusterOf(result, name, 'SYSTEMS') },
      byImage: { ...byImage, ...clusterOf(result, name, 'CAPTIONS') },
    }
  }
  return new Map(
    results.map((result) => [
      result,
      { all: complete(result, 'all') as ClusteredFigures, withoutPeople: complete(result, 'withoutPeople') },
    ]),
  )
}

function comparePair(
  [first, second]: readonly string[],
  results: readonly Result[],
): JudgeReport['comparison'] {
  const find = (metric: string) => (results.find(({ name }) => name === metric) as Result).judged
  const difference = compareJudged(find(first), find(second))
  return difference && { first, second, ...difference }
}

/** A judged caption that a metric ranks differently from people. */
export interface RankedDifferently {
  readonly captionId: number
  readonly score: number
  /** The mean rating of the caption. */
  readonly rating: number
  /** Ranks among all judged captions, as shares from 0 for the lowest to 1; ties have their mean rank. */
  readonly scoreRank: number
  readonly ratingRank: number
}

/**
 * The captions that a metric ranks most differently from people, by the absolute difference of ranks.
 *
 * @throws AccordError NOT_APPLICABLE for preferences, which do not rank captions; UNKNOWN_METRIC
 */
export async function findDisagreements(
  database: Database,
  threads: Threads,
  dataset: Dataset,
  { metric, count }: { readonly metric: string; readonly count: number },
  progress: Progress,
): Promise<readonly RankedDifferently[]> {
  const set = await requireJudgementSet(database, dataset)
  if (set.kind !== 'RATINGS') {
    throw new AccordError('NOT_APPLICABLE', 'preferences do not rank the captions', {
      source: 'dataset',
      expected: 'a dataset with ratings',
      found: JSON.stringify(dataset.name),
    })
  }
  const choice = threads.registry.choose([metric])
  const captions = await readJudgedCaptions(database, set.id)
  const [{ scores, ordered }] = await scoreJudgedCaptions(database, threads, dataset, set, choice, progress)
  const rated = captions.flatMap(({ id, ratings }, index) => {
    if (ratings.length === 0 || Number.isNaN(scores[index])) return []
    const rating = ratings.reduce((sum, { value }) => sum + value, 0) / ratings.length
    return [{ captionId: id, score: scores[index], ordered: ordered[index], rating }]
  })
  const scoreRanks = rankShares(rated.map((caption) => caption.ordered))
  const ratingRanks = rankShares(rated.map(({ rating }) => rating))
  return rated
    .map(({ captionId, score, rating }, index) => ({
      captionId,
      score,
      rating,
      scoreRank: scoreRanks[index],
      ratingRank: ratingRanks[index],
    }))
    .sort(
      (one, other) =>
        Math.abs(other.scoreRank - other.ratingRank) - Math.abs(one.scoreRank - one.ratingRank) ||
        one.captionId - other.captionId,
    )
    .slice(0, count)
}

function rankShares(values: readonly number[]): Float64Array {
  const last = Math.max(1, values.length - 1)
  return meanRanks(Float64Array.from(values)).map((rank) => (rank - 1) / last)
}

/** Judges metrics on the judgements of a dataset. */
export const judgeQuery: QueryHandler<JudgeInput & { readonly datasetId: number }, JudgeReport> = async ({
  input: { datasetId, ...input },
  database,
  threads,
  progress,
}) => judgeMetrics(database, await threads(), await requireDatasetById(database, datasetId), input, progress)

export interface DisagreementsInput {
  readonly datasetId: number
  /** Name. */
  readonly metric: string
  readonly count: number
}

/** The captions that a metric ranks most differently from people. */
export const disagreementsQuery: QueryHandler<DisagreementsInput, readonly RankedDifferently[]> = async ({
  input: { datasetId, ...input },
  database,
  threads,
  progress,
}) =>
  findDisagreements(database, await threads(), await requireDatasetById(database, datasetId), input, progress)
