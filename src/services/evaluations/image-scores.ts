import { pearson, spearman } from '../../core/stats/correlation.js'
import { type Bin, type BinOptions, histogram, quantiles } from '../../core/stats/histogram.js'
import { yieldToEventLoop } from '../../event-loop.js'
import type { Direction, PagedRows } from '../../store/engine/keyset.js'
import { readExternalIds } from '../../store/images.js'
import type { AgreementScore } from '../../store/schema/score-tables.js'
import { type ImageScores, readFoldScores, readImageScores } from '../../store/scores.js'
import type { Accord } from '../shared/accord.js'
import { ofDatabase, pagedArray } from '../shared/groups.js'

/** Image scores by id of the corpus score. */
export const imageScoresById = ofDatabase(readImageScores)

/** Image scores of all folds by id of the row of a leave-one-out table. */
export const foldScoresById = ofDatabase(readFoldScores)

/** The mean score of people on each image over the folds that have one. */
export function meanOverFolds(
  { folds }: AgreementScore,
  { imageIds, scores: values }: ImageScores,
): ImageScores {
  const means = Float64Array.from(imageIds, (_, index) => {
    let [sum, count] = [0, 0]
    for (let fold = 0; fold < folds.length; fold++) {
      const value = values[fold * imageIds.length + index]
      if (Number.isNaN(value)) continue
      sum += value
      count++
    }
    return sum / count
  })
  return definedScores({ imageIds, scores: means })
}

/** The images whose score is defined. */
export function definedScores({ imageIds, scores: values }: ImageScores): ImageScores {
  if (!values.some(Number.isNaN)) return { imageIds, scores: values }
  return {
    imageIds: imageIds.filter((_, index) => !Number.isNaN(values[index])),
    scores: values.filter((value) => !Number.isNaN(value)),
  }
}

/** VALUE: by score, equal ones in the order of the dataset. IMAGE: in the order of the dataset. */
export interface ImageScoreOrder {
  readonly field: 'VALUE' | 'IMAGE'
  /** Default: ASC. */
  readonly direction?: Direction | null
}

export interface ImageScore {
  readonly imageId: number
  readonly value: number
}

/** The image scores of a corpus score, without images where it is undefined. Default: the lowest first. */
export function listImageScores(
  { imageIds, scores: values }: ImageScores,
  { field, direction }: ImageScoreOrder = { field: 'VALUE' },
): PagedRows<ImageScore> {
  const sign = direction === 'DESC' ? -1 : 1
  const sortValue = ({ value, imageId }: ImageScore) => (field === 'VALUE' ? value : imageId)
  const rows = Array.from(values, (value, index) => ({ imageId: imageIds[index], value }))
    .filter(({ value }) => !Number.isNaN(value))
    .sort((one, other) => sign * (sortValue(one) - sortValue(other)) || one.imageId - other.imageId)
  return pagedArray(rows, ({ imageId }) => imageId)
}

/** The score of one image; undefined if it has none. */
export function scoreOfImage({ imageIds, scores: values }: ImageScores, imageId: number): number | undefined {
  const index = findSorted(imageIds, imageId)
  return index < 0 ? undefined : definedScore(values[index])
}

/** The score of an image's human caption in the fold that holds it out; undefined if there is none. */
export function scoreOfHeldOut(
  { folds }: AgreementScore,
  { imageIds, scores: values }: ImageScores,
  imageId: number,
  position: number,
): number | undefined {
  const index = findSorted(imageIds, imageId)
  return index < 0 || position >= folds.length
    ? undefined
    : definedScore(values[position * imageIds.length + index])
}

function definedScore(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value
}

/** Index of a number in an ascending list, −1 if absent. */
function findSorted(numbers: Int32Array, wanted: number): number {
  let low = 0
  let high = numbers.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (numbers[middle] === wanted) return middle
    if (numbers[middle] < wanted) low = middle + 1
    else high = middle - 1
  }
  return -1
}

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
