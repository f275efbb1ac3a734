/**
 * Rarefied statistics: the expected value of a statistic over random subsets of m images (as species counts are compared in
 * ecology: Hurlbert 1971, "The nonconcept of species diversity", Ecology 52). It does not depend on the number N of images,
 * unlike a mean over words, of which more images have more words with figures that are less biased.
 *
 * The mean over random subsets estimates it without bias. It is a U-statistic of degree m (Hoeffding 1948). By the law of
 * total variance its variance is that of the statistic of one subset, which follows from subsets without a common image, minus
 * that between subsets of the images at hand. This difference is without bias but noisy, so that it counts as at least a
 * share of its upper bound m / N times the former; bench/SIMULATION.md has the coverage.
 */

import { studentQuantile } from './distributions.js'
import { judgeSampleSize, MIN_IMAGES } from './interval.js'
import {
  ARCSINE,
  type Estimate,
  type GroupSizes,
  IDENTITY,
  type ImageGroups,
  type Replicates,
  ROUNDING,
} from './jackknife.js'
import { mean } from './mean.js'
import { createRandom, shuffle } from './random.js'

/** Random subsets of equal size. */
export interface Subsets {
  /** m */
  readonly size: number
  readonly imageCount: number
  /** Number of subsets of a division: consecutive ones, without a common image. */
  readonly disjoint: number
  /** A subset is what remains without the second group of its partition. */
  readonly groups: ImageGroups
}

/** Random divisions of the images into as many subsets as they have. */
const DIVISIONS = 20

/** Degrees of freedom of rarefied statistics. */
export const RAREFIED_FREEDOM = DIVISIONS

/** The lowest variance as a share of its upper bound: lower ones are mostly chance. */
const LOWEST_SHARE = 0.85

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
  const disjoint = Math.floor(imageCount / size)
  const partitions = DIVISIONS * disjoint
  const groupOf = new Uint16Array(partitions * imageCount)
  const sizes = Uint32Array.from({ length: 2 * partitions }, (_, group) =>
    group % 2 === 0 ? size : imageCount - size,
  )
  const random = createRandom(seed)
  const order = Uint32Array.from({ length: imageCount }, (_, image) => image)
  for (let division = 0; division < DIVISIONS; division++) {
    shuffle(order, random)
    order.forEach((image, place) => {
      for (let subset = 0; subset < disjoint; subset++) {
        const partition = division * disjoint + subset
        const isChosen = Math.floor(place / size) === subset
        groupOf[image * partitions + partition] = 2 * partition + (isChosen ? 0 : 1)
      }
    })
  }
  return { size, imageCount, disjoint, groups: { partitions, sizes, groupOf } }
}

/**
 * Groups of images, and those of the subsets if there are any, as one division: a statistic is then computed once for both.
 * {@link splitReplicates} is the inverse of its replicates.
 */
export function joinSubsets(groups: ImageGroups, subsets: Subsets | null): ImageGroups {
  if (subsets === null) return groups
  const { partitions: before, sizes } = groups
  const partitions = before + subsets.groups.partitions
  const groupOf = new Uint16Array(partitions * subsets.imageCount)
  for (let image = 0; image < subsets.imageCount; image++) {
    for (let partition = 0; partition < partitions; partition++) {
      groupOf[image * partitions + partition] =
        partition < before
          ? groups.groupOf[image * before + partition]
          : sizes.length + subsets.groups.groupOf[image * (partitions - before) + partition - before]
    }
  }
  return { partitions, sizes: Uint32Array.of(...sizes, ...subsets.groups.sizes), groupOf }
}

/** The replicates of the groups and, null without subsets, of these, from those of {@link joinSubsets}. */
export function splitReplicates(
  replicates: Replicates,
  { sizes }: GroupSizes,
): { readonly ofGroups: Replicates; readonly ofSubsets: Replicates | null } {
  const end = sizes.length + 1
  const hasSubsets = replicates.length > end
  return {
    ofGroups: replicates.slice(0, end),
    ofSubsets: hasSubsets ? Float64Array.of(replicates[0], ...replicates.subarray(end)) : null,
  }
}

/**
 * A rarefied statistic with its 95 % interval. Null where a subset has no value.
 *
 * @param replicates without each group of the subsets
 * @param isShare whether the statistic is between 0 and 1; otherwise it is a difference
 */
export function rarefiedEstimate(
  replicates: Replicates,
  subsets: Subsets,
  isShare: boolean,
): Estimate | null {
  const { imageCount, groups } = subsets
  const { transform, restore } = isShare ? ARCSINE : IDENTITY
  const values = Float64Array.from({ length: groups.partitions }, (_, subset) => replicates[2 * subset + 2])
  if (values.some(Number.isNaN)) return null
  const value = mean(values)
  const standardError = Math.sqrt(varianceOfMean(values.map(transform), subsets))
  const judged = judgeSampleSize(imageCount)
  if (standardError <= ROUNDING)
    return { value, standardError: null, interval: null, ...judged, undefinedReason: 'NO_VARIATION' }
  const margin = studentQuantile(RAREFIED_FREEDOM) * standardError
  return {
    value,
    standardError: Math.sqrt(varianceOfMean(values, subsets)),
    interval: { lower: restore(transform(value) - margin), upper: restore(transform(value) + margin) },
    ...judged,
  }
}

/** The variance of the mean over subsets. */
function varianceOfMean(values: Float64Array, { size, imageCount, disjoint }: Subsets): number {
  const divisions = Array.from({ length: values.length / disjoint }, (_, division) =>
    values.subarray(division * disjoint, (division + 1) * disjoint),
  )
  const ofSubset = mean(divisions.map(varianceOf))
  const betweenDivisions = varianceOf(divisions.map(mean))
  const unbiased = ofSubset / disjoint - betweenDivisions * (1 - 1 / divisions.length)
  return Math.max(unbiased, (LOWEST_SHARE * size * ofSubset) / imageCount)
}

function varianceOf(values: ArrayLike<number>): number {
  const center = mean(values)
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += (values[i] - center) ** 2
  return squares / (values.length - 1)
}
