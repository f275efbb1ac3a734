import { drawBinomial } from './binomial.js'
import { type BootstrapOptions, type Interval, percentileInterval } from './bootstrap.js'
import { createRandom, type Random } from './random.js'

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
  { seed, resamples = 1000 }: Omit<BootstrapOptions, 'onProgress'>,
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
