import { drawBinomial } from './binomial.js'
import { type BootstrapOptions, type Interval, percentileInterval } from './bootstrap.js'
import { createRandom, type Random } from './random.js'

/**
 * Computes 95 % percentile bootstrap intervals of statistics that depend on a sample only through a histogram.
 * Drawing N observations with replacement is a multinomial draw over the cells of the histogram, implemented as
 * one binomial draw per cell. Resamples for which a statistic is undefined (null) are ignored for that statistic.
 * The interval is null if the statistic of the histogram itself is undefined.
 *
 * @param histogram number of observations per cell, integers ≥ 0
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
 * Draws as many observations as the histogram contains, with replacement, into `resampled`. Cells are drawn from
 * the last to the first, each by a binomial draw conditional on the previous ones. Most observations of a word
 * histogram are in cell 0, which is drawn last and receives the remaining observations without a random draw.
 */
function resampleHistogram(random: Random, histogram: Float64Array, resampled: Float64Array): void {
  let observations = 0
  for (const count of histogram) observations += count
  let remaining = observations
  for (let cell = histogram.length - 1; cell >= 0; cell--) {
    const drawn = observations === 0 ? 0 : drawBinomial(random, remaining, histogram[cell] / observations)
    resampled[cell] = drawn
    remaining -= drawn
    observations -= histogram[cell]
  }
}
