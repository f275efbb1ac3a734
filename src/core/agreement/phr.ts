import { AccordError } from '../../errors.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { predictionWeights } from './weights.js'

/** A point of a precision-recall curve. Both values are in 0..1. */
export interface CurvePoint {
  readonly recall: number
  readonly precision: number
}

/** A point of the curve of a system's scores for a word. */
export interface ScoreCurvePoint extends CurvePoint {
  /** The lowest score of the images that are predicted to have the word; null if images without a score are among them. */
  readonly threshold: number | null
}

/**
 * Checks the number of points of a curve, which has at least its two end points.
 *
 * @throws AccordError OUT_OF_RANGE unless points is an integer ≥ 2
 */
export function requirePoints(points: number): void {
  if (Number.isInteger(points) && points >= 2) return
  throw new AccordError('OUT_OF_RANGE', 'invalid number of points', {
    source: 'points',
    expected: 'an integer of at least 2',
    found: String(points),
  })
}

/**
 * The images ranked by a system's scores for one word, reduced to the counts that precision and recall need.
 * Images with tied scores share one threshold. Thresholds at which recall does not increase are omitted: they
 * have the same recall as the previous threshold and a lower precision.
 */
export interface WordRanking {
  /** h_0 … h_K over all images, with or without a score. */
  readonly histogram: Float64Array
  /**
   * Row-major, one row per threshold (highest first), K + 1 columns: column c is the number of images at or
   * above the threshold in which exactly c of the K human captions contain the word.
   */
  readonly cumulative: Uint32Array
  /** The score threshold of each row, highest first. The last row has none if it is that of images without a score. */
  readonly thresholds: Float64Array
}

type Scores = Float32Array | Float64Array

/** PHR and average precision of a system's scores for one word, with `references` of the K human captions. */
interface WordScoreResult {
  readonly references: number
  /** Precision at Human Recall: precision at the highest threshold whose recall is ≥ human recall, 0..1. */
  readonly precisionAtHumanRecall: number | null
  /** Average precision, 0..1: area under the interpolated precision-recall curve, all points. */
  readonly averagePrecision: number | null
  /** Why PHR, or both values, are null. */
  readonly undefinedReason: UndefinedReason | null
}

/**
 * Ranks the images by a system's scores for one word, highest first. 0 and −0 are tied.
 *
 * @param scores one score per scored image, never NaN
 * @param counts number of the K human captions of each scored image that contain the word, 0..K, same order
 * @param unscored h_0 … h_K of the images without a score, which are tied at the lowest rank
 */
export function rankWord(scores: Scores, counts: Uint8Array, unscored: ArrayLike<number>): WordRanking {
  const columns = unscored.length
  const positives = sortPositives(scores, counts, columns)
  const rows = mergePositives(positives)
  countNegatives(scores, counts, rows)

  const { cumulative, thresholds } = rows
  const { starts } = positives
  const histogram = Float64Array.from(unscored, (images, count) => images + starts[count + 1] - starts[count])
  histogram[0] += scores.length - starts[columns]
  return {
    histogram,
    thresholds: Float64Array.from(thresholds),
    cumulative: hasPositive(unscored) ? append(cumulative, histogram) : cumulative,
  }
}

/** One {@link WordScoreResult} for each number of references 1 … K − 1, in ascending order. */
export function wordScoreResults(ranking: WordRanking): WordScoreResult[] {
  const captionsPerImage = ranking.histogram.length - 1
  return Array.from({ length: captionsPerImage - 1 }, (_, index) => wordScoreResult(ranking, index + 1))
}

/** @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1 */
export function wordScoreResult(ranking: WordRanking, references: number): WordScoreResult {
  const row = humanRecallRow(ranking)
  const precisions = precisionsByThreshold(ranking, references)
  return {
    references,
    precisionAtHumanRecall: row === null ? null : precisions[row],
    averagePrecision: averagePrecision(ranking, precisions),
    undefinedReason:
      precisions.length === 0 ? 'NO_CAPTION_USES_WORD' : row === null ? 'HUMAN_RECALL_ZERO' : null,
  }
}

/**
 * Precision-recall curve over the thresholds of a ranking, recall ascending. Empty if no caption uses the
 * word. If there are more thresholds than `points`, returns evenly spaced ones including the first and last.
 *
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1 and points ≥ 2
 */
export function scoreCurve(ranking: WordRanking, references: number, points: number): ScoreCurvePoint[] {
  requirePoints(points)
  const precisions = precisionsByThreshold(ranking, references)
  const recalls = recallsByThreshold(ranking)
  const last = precisions.length - 1
  return Array.from({ length: Math.min(points, precisions.length) }, (_, point) => {
    const row = precisions.length <= points ? point : Math.round((point * last) / (points - 1))
    return { recall: recalls[row], precision: precisions[row], threshold: ranking.thresholds[row] ?? null }
  })
}

/**
 * The threshold of {@link WordScoreResult.precisionAtHumanRecall}. Null if human recall is undefined or 0; its `threshold`
 * is null if human recall is reached only together with the images without a score.
 */
export function humanRecallThreshold(ranking: WordRanking): { readonly threshold: number | null } | null {
  const row = humanRecallRow(ranking)
  return row === null ? null : { threshold: ranking.thresholds[row] ?? null }
}

/** Scores of the images with the word, grouped by count c in `starts[c]` … `starts[c + 1]`, each group ascending. */
interface PositiveScores {
  readonly scores: Scores
  readonly starts: Uint32Array
}

function sortPositives(scores: Scores, counts: Uint8Array, columns: number): PositiveScores {
  const starts = new Uint32Array(columns + 1)
  for (const count of counts) if (count > 0) starts[count + 1]++
  for (let count = 0; count < columns; count++) starts[count + 1] += starts[count]
  const next = starts.slice()
  const sorted = scores.slice(0, starts[columns])
  for (let image = 0; image < scores.length; image++) {
    if (counts[image] > 0) sorted[next[counts[image]]++] = scores[image]
  }
  for (let count = 1; count < columns; count++) sorted.subarray(starts[count], starts[count + 1]).sort()
  return { scores: sorted, starts }
}

/** Rows of a {@link WordRanking} with the score threshold of each row, highest first. */
interface Rows {
  readonly thresholds: Scores
  readonly cumulative: Uint32Array
  readonly columns: number
}

/** One row per distinct score of images with the word. Column 0 (images without the word) is still 0. */
function mergePositives({ scores, starts }: PositiveScores): Rows {
  const columns = starts.length - 1
  const thresholds = scores.slice()
  const cumulative = new Uint32Array(scores.length * columns)
  // The scores of count c that have not been merged yet end before ends[c].
  const ends = starts.slice(1)
  let rows = 0
  for (let taken = 0; taken < scores.length; rows++) {
    let threshold = -Infinity
    for (let count = 1; count < columns; count++) {
      if (ends[count] > starts[count]) threshold = Math.max(threshold, scores[ends[count] - 1])
    }
    for (let count = 1; count < columns; count++) {
      while (ends[count] > starts[count] && scores[ends[count] - 1] >= threshold) {
        ends[count]--
        taken++
      }
      cumulative[rows * columns + count] = starts[count + 1] - ends[count]
    }
    thresholds[rows] = threshold
  }
  return {
    thresholds: thresholds.subarray(0, rows),
    cumulative: cumulative.subarray(0, rows * columns),
    columns,
  }
}

/**
 * Fills column 0: the number of images without the word at or above each threshold. Most images do not have
 * the word, so a binary search for the threshold of each is cheaper than sorting them.
 */
function countNegatives(scores: Scores, counts: Uint8Array, { thresholds, cumulative, columns }: Rows): void {
  for (let image = 0; image < scores.length; image++) {
    if (counts[image] > 0) continue
    const row = firstAtOrBelow(thresholds, scores[image])
    if (row < thresholds.length) cumulative[row * columns]++
  }
  for (let cell = columns; cell < cumulative.length; cell += columns) {
    cumulative[cell] += cumulative[cell - columns]
  }
}

/** Index of the first threshold (descending) that is ≤ score; `thresholds.length` if there is none. */
export function firstAtOrBelow(thresholds: ArrayLike<number>, score: number): number {
  let low = 0
  let high = thresholds.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (thresholds[middle] <= score) high = middle
    else low = middle + 1
  }
  return low
}

function append(cumulative: Uint32Array, row: Float64Array): Uint32Array {
  const extended = new Uint32Array(cumulative.length + row.length)
  extended.set(cumulative)
  extended.set(row, cumulative.length)
  return extended
}

function hasPositive(histogram: ArrayLike<number>): boolean {
  for (let count = 1; count < histogram.length; count++) if (histogram[count] > 0) return true
  return false
}

/**
 * The first row with recall ≥ human recall. Null if human recall is undefined or 0. Recall is
 * Σ c·row_c / Σ c·h_c and human recall is Σ c(c−1)·h_c / ((K−1)·Σ c·h_c), both independent of the number of
 * references. They are compared as integers, multiplied by the denominators, so that rounding cannot skip the
 * threshold. The last row has recall 1, so there always is such a row.
 */
function humanRecallRow({ histogram, cumulative }: WordRanking): number | null {
  const columns = histogram.length
  const agreeingPairs = countAgreeingPairs(histogram)
  if (agreeingPairs === 0) return null
  let row = 0
  while (captionsInRow(cumulative, row, columns) * (columns - 2) < agreeingPairs) row++
  return row
}

function countAgreeingPairs(histogram: ArrayLike<number>): number {
  let pairs = 0
  for (let count = 2; count < histogram.length; count++) pairs += count * (count - 1) * histogram[count]
  return pairs
}

/**
 * Whether a system reaches human recall only together with the images that it did not score, which are tied at the lowest
 * rank: its PHR is then the precision of predicting the word for every image.
 *
 * @param histogram h_0 … h_K over all images
 * @param scoredCaptions number of the first K captions of the scored images that contain the word
 */
export function needsUnscoredImages(histogram: ArrayLike<number>, scoredCaptions: number): boolean {
  return scoredCaptions * (histogram.length - 2) < countAgreeingPairs(histogram)
}

function precisionsByThreshold({ histogram, cumulative }: WordRanking, references: number): Float64Array {
  const columns = histogram.length
  const { truePositive, falsePositive } = predictionWeights(columns - 1, references)
  const precisions = new Float64Array(cumulative.length / columns)
  for (let row = 0; row < precisions.length; row++) {
    let truePositives = 0
    let falsePositives = 0
    for (let count = 0; count < columns; count++) {
      const images = cumulative[row * columns + count]
      truePositives += images * truePositive[count]
      falsePositives += images * falsePositive[count]
    }
    precisions[row] = truePositives / (truePositives + falsePositives)
  }
  return precisions
}

function recallsByThreshold({ histogram, cumulative }: WordRanking): Float64Array {
  const columns = histogram.length
  const recalls = new Float64Array(cumulative.length / columns)
  const captions = captionsInRow(histogram, 0, columns)
  for (let row = 0; row < recalls.length; row++) {
    recalls[row] = captionsInRow(cumulative, row, columns) / captions
  }
  return recalls
}

/** The number of human captions that contain the word, over the images of a row. */
function captionsInRow(rows: ArrayLike<number>, row: number, columns: number): number {
  let captions = 0
  for (let count = 1; count < columns; count++) captions += count * rows[row * columns + count]
  return captions
}

function averagePrecision(ranking: WordRanking, precisions: Float64Array): number | null {
  if (precisions.length === 0) return null
  const recalls = recallsByThreshold(ranking)
  let area = 0
  let highest = 0
  for (let row = precisions.length - 1; row >= 0; row--) {
    highest = Math.max(highest, precisions[row])
    area += highest * (recalls[row] - (row === 0 ? 0 : recalls[row - 1]))
  }
  // Sums of rounded terms can exceed 1.
  return Math.min(1, area)
}

/** Marks ids that do not belong to an image of the statistics. */
export const NOT_COUNTED = 255

/**
 * The number of the first K captions of each image that contain a word. The image `id` has entry
 * `id − firstId`; entries of ids without an image in the statistics are {@link NOT_COUNTED}. K is at most 254.
 */
export interface ImageCounts {
  readonly firstId: number
  readonly counts: Uint8Array
}

/**
 * Counts of 0 for every image of the statistics.
 *
 * @param imageIds ids of the images of the statistics, ascending
 */
export function emptyCounts(imageIds: Int32Array): ImageCounts {
  const firstId = imageIds.at(0) ?? 0
  const counts = new Uint8Array((imageIds.at(-1) ?? firstId - 1) - firstId + 1).fill(NOT_COUNTED)
  for (const id of imageIds) counts[id - firstId] = 0
  return { firstId, counts }
}

/**
 * Ranks the images by a system's scores for a word. Scored images that are not in the statistics are ignored;
 * images of the statistics without a score are tied at the lowest rank.
 *
 * @param imageIds ids of the scored images, without duplicates
 * @param scores one score per entry of `imageIds`
 * @param histogram h_0 … h_K over all images of the statistics
 */
export function rankScores(
  imageIds: Int32Array,
  scores: Float32Array | Float64Array,
  { firstId, counts }: ImageCounts,
  histogram: ArrayLike<number>,
): WordRanking {
  const unscored = Float64Array.from(histogram)
  const countedScores = scores.slice()
  const countOfScore = new Uint8Array(scores.length)
  let scored = 0
  for (let i = 0; i < imageIds.length; i++) {
    const count = counts[imageIds[i] - firstId] ?? NOT_COUNTED
    if (count === NOT_COUNTED) continue
    unscored[count]--
    countOfScore[scored] = count
    countedScores[scored++] = scores[i]
  }
  return rankWord(countedScores.subarray(0, scored), countOfScore.subarray(0, scored), unscored)
}
