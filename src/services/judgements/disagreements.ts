import type { Threads } from '../../compute/pool.js'
import { meanRanks } from '../../core/stats/correlation.js'
import { AccordError } from '../../errors.js'
import type { Progress } from '../../progress.js'
import type { QueryHandler } from '../../queue/kind.js'
import type { Database } from '../../store/engine/session.js'
import { readJudgedCaptions, requireJudgementSet } from '../../store/judgements.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { tokenizationOf } from '../shared/tokens.js'
import { scoreJudgedCaptions } from './judged-scores.js'

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
  const choice = threads.registry.choose([metric], 'metric', tokenizationOf(dataset))
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
