import type { Interval } from './interval.js'
import { findRoot } from './optimise.js'

/**
 * 95 % interval of a ratio of expectations, Σ p_c·a_c / Σ p_c·b_c, of which a sample is known as a histogram: the
 * ratios that are not rejected by a likelihood-ratio test in which the probabilities p_c of all cells, observed or
 * not, are free (profile likelihood of the multinomial distribution; Owen 2001, Empirical Likelihood, sections 2.3
 * and 2.9). Its width is never 0, because cells that were not observed may have a probability: one observation leaves
 * most of the range possible. The threshold is the 95th percentile of the χ² distribution with one degree of freedom.
 *
 * @param histogram observations per cell, integers ≥ 0
 * @param numerator a_c, 0 ≤ a_c ≤ b_c
 * @param denominator b_c ≥ 0; observations of cells where it is 0 have no influence
 * @returns null if no observation has b_c > 0
 */
export function profileInterval(
  histogram: ArrayLike<number>,
  numerator: ArrayLike<number>,
  denominator: ArrayLike<number>,
): Interval | null {
  const cells = Array.from(numerator, (_, cell) => cell).filter((cell) => denominator[cell] > 0)
  const sample: Sample = {
    observed: Float64Array.from(cells, (cell) => histogram[cell]),
    numerator: Float64Array.from(cells, (cell) => numerator[cell]),
    denominator: Float64Array.from(cells, (cell) => denominator[cell]),
  }
  if (sample.observed.every((observations) => observations === 0)) return null
  const estimate = dot(sample.observed, sample.numerator) / dot(sample.observed, sample.denominator)
  const ratios = cells.map((cell) => numerator[cell] / denominator[cell])
  const end = (limit: number) => {
    if (limit === estimate) return limit
    const excess = (ratio: number) => likelihoodRatio(sample, ratio) - THRESHOLD
    const inside = limit + (estimate - limit) * EDGE
    return excess(inside) <= 0 ? limit : findRoot(excess, inside, estimate)
  }
  return { lower: end(Math.min(...ratios)), upper: end(Math.max(...ratios)) }
}

/** Cells with a denominator above 0. */
interface Sample {
  readonly observed: Float64Array
  readonly numerator: Float64Array
  readonly denominator: Float64Array
}

/** 95th percentile of the χ² distribution with one degree of freedom. */
const THRESHOLD = 3.841458820694124

/** Distance from the end of the range, as a share, at which its likelihood is computed. */
const EDGE = 1e-9

/**
 * −2 ln of the likelihood ratio of a value strictly inside the range: with z_c = a_c − ratio·b_c, twice the maximum
 * over λ of Σ observed_c · ln(1 + λ·z_c), where 1 + λ·z_c ≥ 0 in every cell.
 */
function likelihoodRatio({ observed, numerator, denominator }: Sample, ratio: number): number {
  const z = numerator.map((a, cell) => a - ratio * denominator[cell])
  const slope = (lambda: number) => {
    let total = 0
    for (let cell = 0; cell < z.length; cell++) {
      if (observed[cell] > 0) total += (observed[cell] * z[cell]) / (1 + lambda * z[cell])
    }
    return total
  }
  // The logarithm of an observed cell tends to −∞ at a limit of λ, of an unobserved one it does not matter.
  const least = -(1 - Number.EPSILON) / Math.max(...z)
  const greatest = -(1 - Number.EPSILON) / Math.min(...z)
  const atLeast = slope(least)
  const lambda = atLeast <= 0 ? least : slope(greatest) >= 0 ? greatest : findRoot(slope, least, greatest)
  let total = 0
  for (let cell = 0; cell < z.length; cell++) {
    if (observed[cell] > 0) total += observed[cell] * Math.log1p(lambda * z[cell])
  }
  return 2 * total
}

function dot(one: Float64Array, other: Float64Array): number {
  let total = 0
  for (let i = 0; i < one.length; i++) total += one[i] * other[i]
  return total
}
