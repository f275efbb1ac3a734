import type { Threads } from '../../compute/pool.js'
import type { Contests } from '../../core/judgements/contest.js'
import type { Judgements } from '../../core/judgements/judgement.js'
import {
  compareJudged,
  type Judged,
  mainFigure,
  type RaterFigures,
} from '../../core/judgements/meta-evaluation.js'
import type { Cluster } from '../../core/judgements/metric-tests.js'
import { type RaterAgreement, raterAgreement } from '../../core/judgements/rater-agreement.js'
import { checkResamples, RESAMPLES } from '../../core/judgements/resampling.js'
import { signatureOf } from '../../core/metrics/provenance.js'
import type { MetricRegistry } from '../../core/metrics/registry.js'
import type { Tokenization } from '../../core/text/tokenization.js'
import { AccordError, quote } from '../../errors.js'
import { type Progress, part } from '../../progress.js'
import { VERSION } from '../../project.js'
import type { QueryHandler } from '../../queue/kind.js'
import type { Database, Session } from '../../store/engine/session.js'
import { readJudgedCaptions, readJudgedScores, requireJudgementSet } from '../../store/judgements.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { JudgementSet } from '../../store/schema/judgement-tables.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { SEED } from '../provenance/record-provenance.js'
import { tokenizationOf } from '../shared/tokens.js'
import {
  type Baselines,
  candidatesOf,
  compareWithBaselines,
  isChosenBy,
  type JudgedCandidate,
} from './baselines.js'
import * as contest from './cluster-contests.js'
import { findOwnReferences, readJudgements, scoreJudgedCaptions } from './judged-scores.js'
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
  /**
   * Whether the metric was trained on these judgements, or chosen by them: its figures say little, and it is compared with no
   * other metric.
   */
  readonly isChosenByJudgements: boolean
  /** The p-value of its figures, by Holm's correction for all metrics that are compared; null where there is none. */
  readonly chancePValue: number | null
  /**
   * By τ-c or the mean accuracy; tests by paired bootstrap over images. Null where the figure is undefined, and for a metric that
   * is chosen by the judgements.
   */
  readonly cluster: Cluster | null
  /** On systems and on captions of the same image; null for preferences. */
  readonly contests: Contests<contest.ClusteredFigures> | null
  /** Of a composite metric; otherwise null. */
  readonly baselines: Baselines | null
  /** Of preferences between systems: how the metric ranks them; otherwise null. */
  readonly ranking: MetricRanking | null
}

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
  /** Judged captions that are among the references of their image, as every metric reads them. */
  readonly referenceCaptionCount: number
  /** Whether references that are captions of a preference are left out of its references. */
  readonly areOwnReferencesLeftOut: boolean
  /** The highest figure first; metrics that are chosen by the judgements come last. */
  readonly rows: readonly JudgedMetric[]
  /** Composite metrics that are left out of the default, since a feature is computed in another way than in their training. */
  readonly staleMetrics: readonly string[]
  /** Metrics that are judged by default, and do not exist for the language or tokens of the captions. */
  readonly omittedMetrics: readonly string[]
  /** Of preferences between systems; otherwise null. */
  readonly strengths: SystemStrengths | null
  /** Null where no caption has two ratings. */
  readonly raters: RaterFigures | null
  /** Null for preferences. */
  readonly agreement: RaterAgreement | null
  /** Null where none is asked for, or a figure is undefined. */
  readonly comparison: contest.NamedDifference | null
}

/**
 * Judges metrics by the human judgements of a dataset.
 *
 * @throws AccordError NOT_APPLICABLE where it has none, and for an `anchor` beside ratings; UNKNOWN_METRIC; OUT_OF_RANGE for `resamples`; what is wrong with
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
  const tokenization = tokenizationOf(dataset)
  const external = await scoredExternally(database, set, registry)
  const { defaults, stale, omitted } = judgedByDefault(registry, external, tokenization)
  const names = metrics ?? (pair === undefined ? defaults : [])
  const choice = registry.choose([...names, ...compared], 'metrics', tokenization)
  const composites = registry.stored.composites.filter(({ header }) => choice.includes(header))
  const features = composites.flatMap(({ header }) => header.features.map(({ metric }) => metric))
  progress(0, 'reading captions')
  const captions = await readJudgedCaptions(database, set.id)
  const judgements = await readJudgements(database, set, captions)
  if (anchor !== undefined && judgements.kind !== 'PREFERENCES')
    throw new AccordError('NOT_APPLICABLE', 'ratings of captions have no anchor', {
      source: 'anchor',
      expected: 'a value for preferences between systems',
      found: quote(anchor),
    })
  const strengths = judgements.kind === 'PREFERENCES' ? rankByPreferences(judgements, anchor) : null
  const scoring = registry.choose([...names, ...compared, ...features], 'metrics', tokenization)
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
    ({ metric, record, ...scores }): contest.NamedScores => ({
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
  const scores = scored.map((metric) => metric.ordered)
  const others = candidates.flat().map((candidate) => candidate.scores)
  const resampling = { judgements, seed: SEED, resamples }
  const judged = await threads.run(
    'judge',
    { ...resampling, scores, others },
    scores.length + others.length,
    (share) => judging(share, 'resampling captions'),
  )
  const [raters] = await threads.run('judgeRaters', resampling, 1)
  const results = scored
    .map((metric, index): contest.Result => {
      const composite = composites.find(({ header }) => header.name === metric.name)
      const isChosenByJudgements = composite !== undefined && isChosenBy(composite, set.content)
      return { ...metric, judged: judged[index], isChosenByJudgements }
    })
    .filter(({ isChosen }) => isChosen)
  const judgedOthers = candidates
    .flat()
    .map(({ kind, name }, index): JudgedCandidate => ({ kind, name, judged: judged[scored.length + index] }))
  const baselinesOf = ({ name, judged: composite }: contest.Result) => {
    const place = composites.findIndex(({ header }) => header.name === name)
    if (place < 0) return null
    const features = composites[place].header.features.map(({ metric }) => ({
      name: metric,
      judged: judged[placeOf(metric)],
    }))
    const start = candidates.slice(0, place).flat().length
    const own = judgedOthers.slice(start, start + candidates[place].length)
    return compareWithBaselines(composites[place], { composite, features, others: own }, set.content)
  }
  const testing = part(progress, 0.9, 1)
  const clustered = await contest.clusterContests(threads, judgements, results, resamples, (share) =>
    testing(share, 'testing metrics'),
  )
  const figureOf = ({ judged }: contest.Result) => mainFigure(judged.figures)
  const order = contest.orderCompared(results, figureOf)
  const clusters = contest.clustersOf(
    results,
    figureOf,
    (better, worse) => compareJudged(order[better].judged, order[worse].judged)?.pValue ?? null,
  )
  const chance = contest.chancePValues(results)
  const ordered = [
    ...contest.inOrder(results.filter(contest.isCompared), figureOf),
    ...contest.inOrder(
      results.filter((result) => !contest.isCompared(result)),
      figureOf,
    ),
  ]
  const rows = ordered.map((result): JudgedMetric => {
    const { name, signature, scores, judged, isChosenByJudgements } = result
    return {
      metric: name,
      signature,
      unscoredCaptionCount: scores.filter(Number.isNaN).length,
      figures: judged.figures,
      isChosenByJudgements,
      chancePValue: chance.get(result) ?? null,
      cluster: clusters.get(result) ?? null,
      contests: clustered.get(result) ?? null,
      baselines: baselinesOf(result),
      ranking: strengths?.rankBy(result.ordered) ?? null,
    }
  })
  const own = await findOwnReferences(database, dataset, set)
  return {
    kind: set.kind,
    judgementCount: set.judgementCount,
    captionCount: set.captionCount,
    imageCount: judgements.images.count,
    equalPairCount: set.equalPairCount,
    tiedPairCount: judgements.kind === 'PREFERENCES' ? set.judgementCount - judgements.preferred.length : 0,
    referenceCaptionCount: own.captionCount,
    areOwnReferencesLeftOut: own.areLeftOut,
    rows,
    strengths: strengths?.people ?? null,
    staleMetrics: metrics === undefined ? stale : [],
    omittedMetrics: metrics === undefined ? omitted : [],
    raters: raters && { another: raters.another.figures, others: raters.others.figures },
    agreement: set.kind === 'RATINGS' ? raterAgreement(captions.map(({ ratings }) => ratings)) : null,
    comparison: pair ? contest.comparePair(pair, results) : null,
  }
}

/** Metrics that are judged in addition to those of an evaluation. */
const JUDGED_TOO: ReadonlySet<string> = new Set([
  ...['WMD', 'SPICE', 'SPIDEr'],
  ...['CHAIR-i', 'object-recall'],
  ...['coverage', 'consensus-coverage', 'confirmed-share'],
])

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

/** The metrics that are judged where none are named. @param external those of other programs that can be */
function judgedByDefault(
  registry: MetricRegistry,
  external: ReadonlySet<string>,
  tokenization: Tokenization,
): { readonly defaults: string[]; readonly stale: string[]; readonly omitted: string[] } {
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
  const names = [...named, ...usable].map(({ name }) => name)
  return {
    defaults: names.filter((name) => registry.applies(name, tokenization)),
    omitted: names.filter((name) => !registry.applies(name, tokenization)),
    stale: composites.filter(({ isUsable }) => !isUsable).map(({ name }) => name),
  }
}

/** Judges metrics on the judgements of a dataset. */
export const judgeQuery: QueryHandler<JudgeInput & { readonly datasetId: number }, JudgeReport> = async ({
  input: { datasetId, ...input },
  database,
  threads,
  progress,
}) => judgeMetrics(database, await threads(), await requireDatasetById(database, datasetId), input, progress)
