import { rankWord, type WordRanking } from './phr.js'

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
