/**
 * Whether a metric ranks systems as people do. The score of a system is the mean of its captions. Pairwise accuracy:
 * Kocmi et al. 2021, To Ship or Not to Ship; soft pairwise accuracy: Thompson et al. 2024, Improving Statistical
 * Significance in Human Evaluation of Automatic Metrics via Soft Pairwise Accuracy.
 */

import { countPairs, pearson, tauBOf } from '../stats/correlation.js'
import { mean } from '../stats/mean.js'
import { createRandom } from '../stats/random.js'

/** A system with the means of its captions. */
export interface JudgedSystem {
  readonly name: string
  readonly score: number
  readonly rating: number
}

export interface SystemAgreement {
  readonly systems: readonly JudgedSystem[]
  /** Null where all systems have the same score. */
  readonly pearson: number | null
  /** Kendall's τ-b; null as for `pearson`. */
  readonly kendall: number | null
  /** The share of pairs of systems in which the metric prefers the one that people prefer. */
  readonly pairwiseAccuracy: number
  /**
   * 1 − mean over pairs of |p_people − p_metric|, p one-sided of a paired permutation test over images; null where no two systems
   * have captions of the same image.
   */
  readonly softPairwiseAccuracy: number | null
}

/** Values of captions: image i of system s at s · images + i; NaN where the system has no caption of the image. */
export interface SystemValues {
  readonly values: Float64Array
  readonly imageCount: number
  readonly systemCount: number
}

/** How people, or a metric, rank systems. */
export interface SystemRanking {
  readonly means: readonly number[]
  /** Per pair of systems; null where they have captions of no common image. */
  readonly pValues: readonly (number | null)[]
}

/** Random swaps of two systems on each image. */
export const PERMUTATIONS = 1000

/** The means and one-sided p-values of systems. Equal seeds swap the same images. */
export function rankSystems(systems: SystemValues, seed: number): SystemRanking {
  const { systemCount } = systems
  const means = Array.from({ length: systemCount }, (_, system) => mean(valuesOf(systems, system)))
  const pValues = systemPairs(systemCount).map(([one, other]) =>
    permutationPValue(pairedDifferences(systems, one, other), seed),
  )
  return { means, pValues }
}

/** Compares the ranking of two systems or more by a metric with that of people. */
export function agreeOnSystems(
  names: readonly string[],
  people: SystemRanking,
  metric: SystemRanking,
): SystemAgreement {
  const pairs = systemPairs(names.length)
  const [x, y] = [Float64Array.from(metric.means), Float64Array.from(people.means)]
  const agreeing = pairs.filter(
    ([one, other]) => Math.sign(x[one] - x[other]) === Math.sign(y[one] - y[other]),
  )
  const gaps = people.pValues.flatMap((pValue, pair) => {
    const other = metric.pValues[pair]
    return pValue === null || other === null ? [] : Math.abs(pValue - other)
  })
  return {
    systems: names.map((name, system) => ({ name, score: x[system], rating: y[system] })),
    pearson: pearson(x, y),
    kendall: tauBOf(countPairs(x, y)),
    pairwiseAccuracy: agreeing.length / pairs.length,
    softPairwiseAccuracy: gaps.length === 0 ? null : 1 - mean(gaps),
  }
}

/** All pairs of systems, in the order of their positions. */
export function systemPairs(count: number): (readonly [one: number, other: number])[] {
  return Array.from({ length: count }, (_, one) =>
    Array.from({ length: count - one - 1 }, (_, next) => [one, one + next + 1] as const),
  ).flat()
}

function valuesOf({ values, imageCount }: SystemValues, system: number): Float64Array {
  return values
    .subarray(system * imageCount, (system + 1) * imageCount)
    .filter((value) => !Number.isNaN(value))
}

/** On the images of which both systems have a caption. */
function pairedDifferences({ values, imageCount }: SystemValues, one: number, other: number): Float64Array {
  return values
    .subarray(one * imageCount, (one + 1) * imageCount)
    .map((value, image) => value - values[other * imageCount + image])
    .filter((difference) => !Number.isNaN(difference))
}

const BITS = 32

/** Sums of the same differences, added in another order, differ by less than this share. */
const ROUNDING = 1e-12

/** The share of permuted sums of differences that are at least the observed one; null where there are none. */
function permutationPValue(differences: Float64Array, seed: number): number | null {
  if (differences.length === 0) return null
  const random = createRandom(seed)
  const observed = differences.reduce((sum, difference) => sum + difference, 0)
  const threshold = observed - ROUNDING * differences.reduce((sum, value) => sum + Math.abs(value), 0)
  let atLeast = 0
  for (let permutation = 0; permutation < PERMUTATIONS; permutation++) {
    let sum = 0
    for (let image = 0, bits = 0; image < differences.length; image++) {
      if (image % BITS === 0) bits = random.below(0x1_0000_0000)
      sum += (1 - 2 * (bits & 1)) * differences[image]
      bits >>>= 1
    }
    if (sum >= threshold) atLeast++
  }
  return atLeast / PERMUTATIONS
}
