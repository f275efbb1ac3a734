/** Intervals and tests from resampled figures (Efron 1979). Who resamples, and what, is the caller's. */
import { studentPValue, studentQuantile } from './distributions.js'
import type { Interval } from './interval.js'

/**
 * The interval between the 2.5th and the 97.5th percentile of resampled scores, with linear
 * interpolation between neighbours.
 */
export function percentileInterval(scores: Float64Array): Interval {
  const sorted = scores.toSorted()
  return { lower: quantile(sorted, 0.025), upper: quantile(sorted, 0.975) }
}

/**
 * The 95 % interval of a figure, and the two-sided p-value of the hypothesis that it is 0, by Student's t from the standard
 * deviation of resampled figures. Unlike a share of resamples, the p-value has no smallest value, which corrections for many tests
 * need.
 *
 * @param resampled the figure on resamples
 * @param freedom degrees of freedom: one less than what is resampled
 * @returns null without resamples; a figure that does not vary has no interval, and p is 1 if it is 0, otherwise 2^−freedom: so
 *   often would all signs agree by chance
 */
export function studentEstimate(
  figure: number,
  resampled: Float64Array,
  freedom: number,
): { readonly interval: Interval | null; readonly pValue: number } | null {
  if (resampled.length === 0) return null
  const center = resampled.reduce((sum, value) => sum + value, 0) / resampled.length
  const squares = resampled.reduce((sum, value) => sum + (value - center) ** 2, 0)
  const deviation = Math.sqrt(squares / Math.max(1, resampled.length - 1))
  if (deviation < ROUNDING) {
    return { interval: null, pValue: Math.abs(figure) < ROUNDING ? 1 : 2 ** -freedom }
  }
  const half = studentQuantile(freedom) * deviation
  return {
    interval: { lower: figure - half, upper: figure + half },
    pValue: studentPValue(figure / deviation, freedom),
  }
}

/** Equal figures, computed from other sums, differ by less than this. */
const ROUNDING = 1e-12

/** The value below which a share of sorted numbers lies, interpolated linearly between neighbours. */
function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1)
  const below = Math.floor(position)
  const above = Math.min(below + 1, sorted.length - 1)
  return sorted[below] + (position - below) * (sorted[above] - sorted[below])
}
