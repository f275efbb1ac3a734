/**
 * Rarefied statistics: the expected value of a statistic over random subsets of m images (as species counts are compared in
 * ecology: Hurlbert 1971, "The nonconcept of species diversity", Ecology 52). It does not depend on the number N of images,
 * unlike a mean over words, of which more images have more words with figures that are less biased.
 *
 * The mean over random subsets estimates it without bias. It is a U-statistic of degree m, whose variance is at most m / N
 * times that of the statistic of one subset (Hoeffding 1948), and close to it where images contribute by addition. The
 * latter follows from pairs of subsets without a common image.
 */
import { studentQuantile } from './distributions.js'
import { ARCSINE, type Estimate, IDENTITY, type ImageGroups, type Replicates, ROUNDING } from './jackknife.js'
import { createRandom, shuffle } from './random.js'
import { judgeSampleSize, MIN_IMAGES } from './sample-size.js'

/** Random subsets of equal size. */
export interface Subsets {
  /** m */
  readonly size: number
  readonly imageCount: number
  /** A subset is what remains without the second group of a partition; partitions 2i and 2i + 1 have disjoint ones. */
  readonly groups: ImageGroups
}

/** Pairs of disjoint subsets. */
const PAIRS = 20

/**
 * A number of images that is common, so that datasets can be compared: 10, 20, 50, 100, …, at most half of them. Null for
 * fewer images than two subsets of {@link MIN_IMAGES}.
 */
export function subsetSize(imageCount: number): number | null {
  if (imageCount < 2 * MIN_IMAGES) return null
  const magnitude = 10 ** Math.floor(Math.log10(imageCount / 2))
  return magnitude * ([5, 2].find((factor) => factor * magnitude <= imageCount / 2) ?? 1)
}

/** Draws subsets. Null where {@link subsetSize} is. */
export function drawSubsets(imageCount: number, seed: number): Subsets | null {
  const size = subsetSize(imageCount)
  if (size === null) return null
  const partitions = 2 * PAIRS
  const groupOf = new Uint16Array(partitions * imageCount)
  const sizes = Uint32Array.from({ length: 2 * partitions }, (_, group) =>
    group % 2 === 0 ? size : imageCount - size,
  )
  const random = createRandom(seed)
  const order = Uint32Array.from({ length: imageCount }, (_, image) => image)
  for (let pair = 0; pair < PAIRS; pair++) {
    shuffle(order, random)
    order.forEach((image, place) => {
      for (const half of [0, 1]) {
        const partition = 2 * pair + half
        const isChosen = place >= half * size && place < (half + 1) * size
        groupOf[image * partitions + partition] = 2 * partition + (isChosen ? 0 : 1)
      }
    })
  }
  return { size, imageCount, groups: { partitions, sizes, groupOf } }
}

/**
 * A rarefied statistic with its 95 % interval. Null where a subset has no value.
 *
 * @param replicates without each group of the subsets
 * @param isShare whether the statistic is between 0 and 1; otherwise it is a difference
 */
export function rarefiedEstimate(
  replicates: Replicates,
  { size, imageCount, groups }: Subsets,
  isShare: boolean,
): Estimate | null {
  const { transform, restore } = isShare ? ARCSINE : IDENTITY
  const values = Array.from({ length: groups.partitions }, (_, partition) => replicates[2 * partition + 2])
  if (values.some(Number.isNaN)) return null
  const value = values.reduce((sum, one) => sum + one, 0) / values.length
  const varianceOf = (scale: (value: number) => number) => {
    let squares = 0
    for (let i = 0; i < values.length; i += 2) squares += (scale(values[i]) - scale(values[i + 1])) ** 2
    return squares / values.length
  }
  const share = size / imageCount
  const standardError = Math.sqrt(share * varianceOf(transform))
  const judged = judgeSampleSize(imageCount)
  if (standardError <= ROUNDING)
    return { value, standardError: null, interval: null, ...judged, undefinedReason: 'NO_VARIATION' }
  const margin = studentQuantile(PAIRS) * standardError
  return {
    value,
    standardError: Math.sqrt(share * varianceOf(IDENTITY.transform)),
    interval: { lower: restore(transform(value) - margin), upper: restore(transform(value) + margin) },
    ...judged,
  }
}
