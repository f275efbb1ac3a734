import { measureTrials } from '../../compute/measuring.js'
import type { Threads } from '../../compute/pool.js'
import { type Judgements, preferencesOf, ratingsOf } from '../../core/judgements/judgement.js'
import { compareJudged, type Judged, type MetricDifference } from '../../core/judgements/meta-evaluation.js'
import { type RaterAgreement, raterAgreement } from '../../core/judgements/rater-agreement.js'
import { type Metric, scoreImages, type Trial } from '../../core/metrics/metric.js'
import { type ProvenanceRecord, signatureOf } from '../../core/metrics/provenance.js'
import { rangeOfReferences } from '../../core/metrics/reference-lists.js'
import type { MetricChoice } from '../../core/metrics/registry.js'
import { RESAMPLES } from '../../core/stats/permutation.js'
import { meanRanks } from '../../core/stats/rank-correlation.js'
import { type Corpus, concatenate } from '../../core/text/sequences.js'
import { AccordError } from '../../errors.js'
import { type Progress, part } from '../../progress.js'
import { VERSION } from '../../project.js'
import type { QueryHandler } from '../../queue/kind.js'
import type { Session } from '../../store/engine/session.js'
import { readReferenceCaptions } from '../../store/images.js'
import {
  readJudgedCaptions,
  readJudgedTokens,
  readPreferences,
  requireJudgementSet,
} from '../../store/judgements.js'
import type { Dataset, JudgedCaption, JudgementSet } from '../../store/schema/entities.js'
import { readTokenTexts } from '../../store/tokens.js'
import { requireDatasetById } from '../datasets/subjects.js'
import { recordDocuments, recordScore, SEED } from '../evaluations/record-provenance.js'
import { listReferences } from '../evaluations/reference-lists.js'

export interface JudgeInput {
  /** Names of metrics. Default: those of an evaluation. */
  readonly metrics?: readonly string[]
  /** Two names: the metrics to compare. They are judged even if `metrics` does not contain them. */
  readonly compare?: readonly [first: string, second: string]
  /** Of the intervals and tests, 100 to 100,000. Default: 1,000. */
  readonly resamples?: number
}

export interface JudgedMetric {
  readonly metric: string
  readonly signature: string
  /** Captions for which the metric has no score: they are left out of correlations, and their preferences tie. */
  readonly unscoredCaptionCount: number
  readonly figures: Judged['figures']
}

/** How well metrics agree with the human judgements of a dataset. */
export interface JudgeReport {
  readonly kind: Judgements['kind']
  /** Ratings, or preferences. */
  readonly judgementCount: number
  readonly captionCount: number
  readonly equalPairCount: number
  readonly rows: readonly JudgedMetric[]
  /** The raters' row: each rating compared with the others of its caption; null where no caption has two ratings. */
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

const MIN_RESAMPLES = 100
const MAX_RESAMPLES = 100_000

/**
 * Judges metrics by the human judgements of a dataset.
 *
 * @throws AccordError NOT_APPLICABLE where it has none; UNKNOWN_METRIC; OUT_OF_RANGE for `resamples`; what is wrong with
 *   a resource
 */
export async function judgeMetrics(
  session: Session,
  threads: Threads,
  dataset: Dataset,
  { metrics, compare, resamples = RESAMPLES }: JudgeInput,
  progress: Progress,
): Promise<JudgeReport> {
  if (!Number.isInteger(resamples) || resamples < MIN_RESAMPLES || resamples > MAX_RESAMPLES) {
    const expected = `an integer from ${MIN_RESAMPLES} to ${MAX_RESAMPLES}`
    const detail = { source: 'resamples', expected, found: String(resamples) }
    throw new AccordError('OUT_OF_RANGE', 'invalid number of resamples', detail)
  }
  const set = await requireJudgementSet(session, dataset)
  const { registry } = threads
  const pair = compare?.map((name) => registry.require(name, 'compare').name)
  const names = metrics ?? (pair === undefined ? undefined : [])
  const choice = registry.choose(names && [...names, ...(pair ?? [])])
  progress(0, 'reading captions')
  const captions = await readJudgedCaptions(session, set.id)
  const judgements = await readJudgements(session, set, captions)
  const scored = await scoreJudgedCaptions(session, threads, dataset, set, choice, part(progress, 0.05, 0.6))
  const judging = part(progress, 0.6, 1)
  const scores = [null, ...scored.map((metric) => metric.ordered)]
  const [raters, ...judged] = await threads.run(
    'judge',
    { judgements, scores, seed: SEED, resamples },
    scores.length,
    (share) => judging(share, 'resampling captions'),
  )
  const rows = scored.map(({ metric, record, scores }, index): JudgedMetric => {
    const { figures } = judged[index] as Judged
    return {
      metric: metric.name,
      signature: signatureOf({ ...record, interval: `bootstrap-${resamples}`, seed: SEED }, VERSION),
      unscoredCaptionCount: scores.filter(Number.isNaN).length,
      figures,
    }
  })
  return {
    kind: set.kind,
    judgementCount: set.judgementCount,
    captionCount: set.captionCount,
    equalPairCount: set.equalPairCount,
    rows,
    raters: raters?.figures ?? null,
    agreement: set.kind === 'RATINGS' ? raterAgreement(captions.map(({ ratings }) => ratings)) : null,
    comparison: pair ? comparePair(pair, scored, judged as Judged[]) : null,
  }
}

function comparePair(
  [first, second]: readonly string[],
  scored: readonly ScoredCaptions[],
  judged: readonly Judged[],
): JudgeReport['comparison'] {
  const find = (name: string) => judged[scored.findIndex(({ metric }) => metric.name === name)]
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
  session: Session,
  threads: Threads,
  dataset: Dataset,
  { metric, count }: { readonly metric: string; readonly count: number },
  progress: Progress,
): Promise<readonly RankedDifferently[]> {
  const set = await requireJudgementSet(session, dataset)
  if (set.kind !== 'RATINGS') {
    throw new AccordError('NOT_APPLICABLE', 'preferences do not rank the captions', {
      source: 'dataset',
      expected: 'a dataset with ratings',
      found: JSON.stringify(dataset.name),
    })
  }
  const choice = threads.registry.choose([metric])
  const captions = await readJudgedCaptions(session, set.id)
  const [{ scores, ordered }] = await scoreJudgedCaptions(session, threads, dataset, set, choice, progress)
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

/** The judgements of a set, captions numbered in the order of the source. */
async function readJudgements(
  session: Session,
  { id, kind }: JudgementSet,
  captions: readonly JudgedCaption[],
): Promise<Judgements> {
  if (kind === 'RATINGS') return ratingsOf(captions.map(({ ratings }) => ratings))
  const positions = new Map(captions.map((caption, position) => [caption.id, position]))
  const rows = await readPreferences(session, id)
  return preferencesOf(
    rows.map(({ firstId, secondId, preferred, category }) => ({
      first: positions.get(firstId) as number,
      second: positions.get(secondId) as number,
      preferred: preferred === 0 ? 0 : 1,
      category,
    })),
  )
}

/** The scores of all judged captions by one metric. */
export interface ScoredCaptions {
  readonly metric: Metric
  readonly record: ProvenanceRecord
  readonly scores: Float64Array
  /** The scores, negated where lower ones are better. */
  readonly ordered: Float64Array
}

/**
 * Scores every judged caption as an image of its own, against the human captions of its image. The two captions of
 * preferences are in two corpora: in each, document frequencies count one image per preference.
 */
export async function scoreJudgedCaptions(
  session: Session,
  threads: Threads,
  dataset: Dataset,
  set: JudgementSet,
  choice: MetricChoice,
  progress: Progress,
): Promise<ScoredCaptions[]> {
  progress(0, 'reading captions')
  const { corpus, trials } = await readJudgedTrials(session, dataset, set)
  const { statistics } = await measureTrials(threads, corpus, trials, choice.families, (share, stage) =>
    progress(share, stage),
  )
  const { revision } = dataset
  const images = { count: set.captionCount, of: set.captionCount, hash: null }
  const documents = { ...images, count: set.captionCount / trials.length }
  const context = {
    dataset: revision,
    subject: { kind: 'judgements', content: set.content },
    references: { count: null, ...rangeOfReferences(trials[0]), folds: null },
    images,
    documentFrequencies: recordDocuments(`${revision} ${set.content}`, documents, 'own'),
  } as const
  return choice.families.flatMap((family, index) => {
    const columns = statistics[index].map((rows) => scoreImages(family, rows))
    return family.metrics.flatMap((metric, column): ScoredCaptions[] => {
      if (!choice.includes(metric)) return []
      const scores = interleave(columns.map((ofTrial) => ofTrial[column]))
      return [
        {
          metric,
          record: recordScore(threads.registry, family, metric, context),
          scores,
          ordered: metric.higherIsBetter ? scores : scores.map((score) => -score),
        },
      ]
    })
  })
}

/** Reads the judged captions of ratings as one trial, those of preferences as two: caption c is in trial c mod 2. */
async function readJudgedTrials(
  session: Session,
  { id }: Dataset,
  set: JudgementSet,
): Promise<{ readonly corpus: Corpus; readonly trials: readonly Trial[] }> {
  const judged = await readJudgedTokens(session, set.id)
  const captions = await readReferenceCaptions(session, id)
  const placeOfImage = new Map(Array.from(captions.imageIds, (imageId, image) => [imageId, image]))
  const captionCount = captions.sequences.offsets.length - 1
  const trialCount = set.kind === 'RATINGS' ? 1 : 2
  const positions = Array.from(judged.imageIds, (_, position) => position)
  return {
    corpus: { ...concatenate([captions.sequences, judged.sequences]), texts: await readTokenTexts(session) },
    trials: Array.from({ length: trialCount }, (_, trial) => {
      const own = positions.filter((position) => position % trialCount === trial)
      const lists = listReferences(
        captions,
        own.map((position) => placeOfImage.get(judged.imageIds[position]) as number),
      )
      return { ...lists, candidates: Int32Array.from(own, (position) => captionCount + position) }
    }),
  }
}

/** Value i of array a at the position i · arrays + a. */
function interleave(arrays: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(arrays.length * arrays[0].length)
  for (const [index, values] of arrays.entries()) {
    for (let i = 0; i < values.length; i++) all[i * arrays.length + index] = values[i]
  }
  return all
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
