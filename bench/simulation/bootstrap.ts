/**
 * The bootstrap over images (Efron 1979; for translation metrics Koehn 2004), which Accord's intervals and tests are
 * compared with: a resample draws as many images as there are, with replacement, and its corpus score comes from the
 * sums of their sufficient statistics.
 */
import type { Interval } from '../../src/stats/interval.js'
import type { Measurement, Scorer } from '../../src/stats/measurement.js'
import { createRandom } from '../../src/stats/random.js'
import { BLOCK, gatherColumns, multiply } from '../../src/stats/weighted-sums.js'

export interface BootstrapOptions {
  readonly seed: number
  readonly resamples: number
}

/**
 * Corpus scores on resampled images: per measurement, per metric of its family, one score per resample; the mean over
 * trials. Scores must come from sums.
 */
export function bootstrap(
  measurements: readonly Measurement<Scorer>[],
  { seed, resamples }: BootstrapOptions,
): Float64Array[][] {
  const columns = gatherColumns(measurements)
  const images = measurements[0].trials[0].length / measurements[0].family.width
  const columnCount = columns.length / images
  const counts = new Float64Array(BLOCK * images)
  const sums = new Float64Array(BLOCK * columnCount)
  const random = createRandom(seed)
  const all = measurements.map(({ family }) => family.metrics.map(() => new Float64Array(resamples)))
  for (let start = 0; start < resamples; start += BLOCK) {
    counts.fill(0)
    const block = Math.min(BLOCK, resamples - start)
    for (let row = 0; row < block; row++) {
      for (let draw = 0; draw < images; draw++) counts[row * images + random.below(images)]++
    }
    multiply(columns, columnCount, counts, images, sums)
    for (let row = 0; row < block; row++) {
      const rowSums = sums.subarray(row * columnCount, (row + 1) * columnCount)
      scoreResample(measurements, rowSums, images, all, start + row)
    }
  }
  return all
}

function scoreResample(
  measurements: readonly Measurement<Scorer>[],
  sums: Float64Array,
  images: number,
  all: readonly Float64Array[][],
  resample: number,
): void {
  let start = 0
  measurements.forEach(({ family: { width, metrics, corpusScores }, trials }, measurement) => {
    const scores = new Float64Array(metrics.length)
    for (let trial = 0; trial < trials.length; trial++, start += width) {
      corpusScores.score(sums.subarray(start, start + width), images, scores)
      scores.forEach((score, metric) => {
        all[measurement][metric][resample] += score / trials.length
      })
    }
  })
}

/** The interval between the 2.5th and the 97.5th percentile, with linear interpolation between neighbours. */
export function percentileInterval(scores: Float64Array): Interval {
  const sorted = scores.toSorted()
  return { lower: quantile(sorted, 0.025), upper: quantile(sorted, 0.975) }
}

/**
 * Two-sided p-value of the hypothesis that two systems do not differ, from their scores on the same resamples. The
 * resampled differences, shifted to have mean 0, show how differences scatter where there is none (Riezler and Maxwell
 * 2005): p = (b + 1) / (B + 1), where b of B are at least as large, in absolute value, as the observed one.
 */
export function comparePaired(
  observed: number,
  firstScores: Float64Array,
  secondScores: Float64Array,
): number {
  const differences = firstScores.map((score, resample) => score - secondScores[resample])
  const mean = differences.reduce((sum, difference) => sum + difference, 0) / differences.length
  const reached = differences.filter((difference) => Math.abs(difference - mean) >= Math.abs(observed))
  return (reached.length + 1) / (differences.length + 1)
}

function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1)
  const below = Math.floor(position)
  const above = Math.min(below + 1, sorted.length - 1)
  return sorted[below] + (position - below) * (sorted[above] - sorted[below])
}
