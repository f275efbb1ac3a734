import { pearson, spearman } from '../../core/stats/correlation.js'
import { type Bin, type BinOptions, histogram, quantiles } from '../../core/stats/histogram.js'
import { yieldToEventLoop } from '../../event-loop.js'
import { readExternalIds } from '../../store/images.js'
import type { ImageScores } from '../../store/scores.js'
import type { Accord } from '../shared/accord.js'

/** External ids of images, aligned to them. */
export function externalIdsOf(
  { database }: Accord,
  datasetId: number,
  { imageIds }: { readonly imageIds: ArrayLike<number> },
): Promise<string[]> {
  return readExternalIds(database, datasetId, imageIds)
}

/** Number of bins of a histogram by default. */
const DEFAULT_BINS = 20

/** Counts of scores in bins of equal width. @throws AccordError OUT_OF_RANGE */
export function binsOf(
  { scores }: ImageScores,
  { count, from, to }: Omit<BinOptions, 'bins'> & { readonly count?: number | null },
): Bin[] {
  return histogram(scores, { bins: count ?? DEFAULT_BINS, from, to })
}

/** Quantiles of scores, in the order of the probabilities. @throws AccordError OUT_OF_RANGE for a probability */
export function quantilesOf(
  { scores }: ImageScores,
  at: readonly number[],
): { readonly at: number; readonly value: number }[] {
  if (scores.length === 0) return []
  return quantiles(scores, at).map((value, index) => ({ at: at[index], value }))
}

/** Correlation of two metrics over the images that have a score by both. */
export interface MetricCorrelation {
  readonly first: string
  readonly second: string
  readonly imageCount: number
  /** Pearson's r, −1..1. Null if one of the metrics does not vary, or for fewer than two images. */
  readonly pearson: number | null
  /** Spearman's ρ: Pearson's r of the ranks. */
  readonly spearman: number | null
}

/**
 * Each pair of metrics, in the given order.
 *
 * @param scores image scores by name of the metric
 * @param turn awaited before each pair
 */
export async function correlateMetrics(
  scores: ReadonlyMap<string, ImageScores>,
  turn: () => Promise<unknown> = yieldToEventLoop,
): Promise<MetricCorrelation[]> {
  const all = [...scores]
  const correlations: MetricCorrelation[] = []
  for (const [index, [first, one]] of all.entries()) {
    for (const [second, other] of all.slice(index + 1)) {
      await turn()
      const [x, y] = shared(one, other)
      correlations.push({
        first,
        second,
        imageCount: x.length,
        pearson: pearson(x, y),
        spearman: spearman(x, y),
      })
    }
  }
  return correlations
}

/** The scores of the images that both have. Ids ascend in both. */
function shared(one: ImageScores, other: ImageScores): [Float64Array, Float64Array] {
  const x: number[] = []
  const y: number[] = []
  for (let i = 0, j = 0; i < one.imageIds.length && j < other.imageIds.length; ) {
    const difference = one.imageIds[i] - other.imageIds[j]
    if (difference === 0) {
      x.push(one.scores[i])
      y.push(other.scores[j])
    }
    if (difference <= 0) i++
    if (difference >= 0) j++
  }
  return [Float64Array.from(x), Float64Array.from(y)]
}
