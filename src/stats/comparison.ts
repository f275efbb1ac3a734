import type { Interval, Measurement, Scorer } from './bootstrap.js'
import { differenceEstimates } from './jackknife.js'
import { type SwapOptions, type SwapTest, swapTests } from './permutation.js'
import type { SampleSize } from './sample-size.js'

/** Two systems, or a system and people, compared on the same images by one metric. */
export interface Comparison extends SampleSize {
  /** First minus second. */
  readonly difference: number
  /** Null with `undefinedReason`, as the other figures below. */
  readonly standardError: number | null
  /** 95 % confidence interval of the difference (jackknife, Student's t). */
  readonly interval: Interval | null
  /** Permutation test of the hypothesis that there is no difference. */
  readonly test: SwapTest | null
}

/**
 * Compares two measurements of one family, one result per metric. The images are in the same order, best that of
 * their ids: swaps are drawn by position. People are compared with a system by the K folds of either, in which
 * candidate and references differ: trial f of both has the f-th captions of people as candidates, or the system's,
 * against the same references.
 */
export function compareMeasurements(
  first: Measurement<Scorer>,
  second: Measurement<Scorer>,
  options: SwapOptions,
): Comparison[] {
  const estimates = differenceEstimates(first, second)
  const tests = estimates.some(({ interval }) => interval) ? swapTests(first, second, options) : null
  return estimates.map(({ value, standardError, interval, undefinedReason, isSmall }, metric) => ({
    difference: value,
    standardError,
    interval,
    test: tests?.[metric] ?? null,
    undefinedReason,
    isSmall,
  }))
}
