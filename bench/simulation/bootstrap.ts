/**
 * The bootstrap over images (Efron 1979; for translation metrics Koehn 2004), which Accord's intervals and tests are
 * compared with: a resample draws as many images as there are, with replacement, and its corpus score comes from the
 * sums of their sufficient statistics.
 */
import type { Measurement, Scorer } from '../../src/core/stats/measurement.js'
import { createRandom } from '../../src/core/stats/random.js'
import { BLOCK, gatherColumns, multiply } from '../../src/core/stats/weighted-sums.js'

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
