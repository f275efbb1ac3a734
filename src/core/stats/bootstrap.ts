/**
 * Intervals and tests from resampled figures (Efron 1979; paired tests of two systems: Koehn 2004). Who resamples, and
 * what, is the caller's; both figures of a pair come from the same resamples.
 */
import type { Interval } from './interval.js'

/** The difference of two figures, first minus second. */
export interface PairedDifference {
  readonly difference: number
  /** Percentile 95 % interval. */
  readonly interval: Interval
  /** (b + 1) / (B + 1); see {@link comparePaired}. */
  readonly pValue: number
}

/**
 * The interval between the 2.5th and the 97.5th percentile of resampled scores, with linear
 * interpolation between neighbours.
 */
export function percentileInterval(scores: Float64Array): Interval {
  const sorted = scores.toSorted()
  return { lower: quantile(sorted, 0.025), upper: quantile(sorted, 0.975) }
}

/**
 * Two figures on the same resamples: their difference, its percentile 95 % interval, and a two-sided p-value for the
 * hypothesis that they do not differ.
 *
 * The resampled differences scatter around the observed difference; shifted to have mean 0 they show how
 * differences scatter where there is none (Riezler and Maxwell 2005). b counts the resamples whose shifted
 * difference is at least as large, in absolute value, as the observed one, and p = (b + 1) / (B + 1). Two
 * identical figures have p = 1; the smallest p is 1 / (B + 1).
 *
 * @param first, second the observed figures
 * @param firstScores, secondScores the figures on the same resamples
 */
export function comparePaired(
  first: number,
  second: number,
  firstScores: Float64Array,
  secondScores: Float64Array,
): PairedDifference {
  const differences = firstScores.map((score, resample) => score - secondScores[resample])
  const mean = differences.reduce((sum, difference) => sum + difference, 0) / differences.length
  const observed = Math.abs(first - second)
  let atLeastAsLarge = 0
  for (const difference of differences) if (Math.abs(difference - mean) >= observed) atLeastAsLarge++
  return {
    difference: first - second,
    interval: percentileInterval(differences),
    pValue: (atLeastAsLarge + 1) / (differences.length + 1),
  }
}

/** The value below which a share of sorted numbers lies, interpolated linearly between neighbours. */
function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1)
  const below = Math.floor(position)
  const above = Math.min(below + 1, sorted.length - 1)
  return sorted[below] + (position - below) * (sorted[above] - sorted[below])
}
