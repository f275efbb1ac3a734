import { drawBinomial } from './binomial.js'
import { createRandom, type Random } from './random.js'

/** A confidence interval, lower ≤ upper. */
export interface Interval {
  readonly lower: number
  readonly upper: number
}

export interface BootstrapOptions {
  readonly seed: number
  /** Number of resamples, 1,000 where absent. */
  readonly resamples?: number
}

/** The level of all intervals: 95 %, the same share left out at either side. */
const TAIL = 0.025

/**
 * Percentile bootstrap intervals (95 %) of statistics that depend on a sample only through a histogram.
 * Drawing N observations with replacement is one multinomial draw over the histogram's cells, made here of
 * one binomial draw per cell. Resamples in which a statistic is undefined (null) do not count for it; where
 * it is undefined for the histogram itself, so is its interval.
 *
 * @param histogram observations per cell, whole numbers ≥ 0
 * @returns one interval per statistic, all from the same resamples
 */
export function histogramIntervals(
  histogram: ArrayLike<number>,
  statistics: readonly ((histogram: Float64Array) => number | null)[],
  { seed, resamples = 1000 }: BootstrapOptions,
): (Interval | null)[] {
  const random = createRandom(seed)
  const observed = Float64Array.from(histogram)
  const resampled = new Float64Array(histogram.length)
  const values = statistics.map(() => new Float64Array(resamples))
  const defined = statistics.map(() => 0)
  for (let resample = 0; resample < resamples; resample++) {
    resampleHistogram(random, observed, resampled)
    for (let index = 0; index < statistics.length; index++) {
      const value = statistics[index](resampled)
      if (value !== null) values[index][defined[index]++] = value
    }
  }
  return statistics.map((statistic, index) =>
    statistic(observed) === null || defined[index] === 0
      ? null
      : percentileInterval(values[index].subarray(0, defined[index])),
  )
}

/**
 * Draws as many observations as the histogram holds, with replacement, into `resampled`: cell by cell from
 * the last, each a binomial draw given what the cells before it left. A histogram of a word is mostly in its
 * cell 0, which then costs no draw.
 */
function resampleHistogram(random: Random, histogram: Float64Array, resampled: Float64Array): void {
  let observations = 0
  for (const count of histogram) observations += count
  let undrawn = observations
  for (let cell = histogram.length - 1; cell >= 0; cell--) {
    const drawn = observations === 0 ? 0 : drawBinomial(random, undrawn, histogram[cell] / observations)
    resampled[cell] = drawn
    undrawn -= drawn
    observations -= histogram[cell]
  }
}

function percentileInterval(values: Float64Array): Interval {
  values.sort()
  return { lower: quantile(values, TAIL), upper: quantile(values, 1 - TAIL) }
}

/** The quantile of sorted values at a share of 0..1, between two values by linear interpolation. */
function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1)
  const below = Math.floor(position)
  const above = Math.min(below + 1, sorted.length - 1)
  return sorted[below] + (position - below) * (sorted[above] - sorted[below])
}
