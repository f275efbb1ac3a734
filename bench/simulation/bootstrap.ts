/**
 * The bootstrap over images (Efron 1979; for translation metrics Koehn 2004), which Accord's intervals and tests are
 * compared with: a resample draws as many images as there are, with replacement, and its corpus score comes from the
 * sums of their sufficient statistics.
 */
import { percentileInterval } from '../../src/core/stats/bootstrap.js'
import type { Interval } from '../../src/core/stats/interval.js'
import type { Measurement, Scorer } from '../../src/core/stats/measurement.js'
import { createRandom } from '../../src/core/stats/random.js'

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

/** The difference of two figures, first minus second. */
interface PairedDifference {
  readonly difference: number
  /** Percentile 95 % interval. */
  readonly interval: Interval
  /** (b + 1) / (B + 1); see {@link comparePaired}. */
  readonly pValue: number
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

/** Rows of weights whose sums are computed together by {@link multiply}. */
const BLOCK = 4

/** Images that pass through the cache at once. */
const CHUNK = 1024

/**
 * sums[r, c] = Σ over images of weights[r, image] · columns[c, image], for the {@link BLOCK} rows of `weights`.
 *
 * @param columns column by column, an even number of columns
 */
function multiply(
  columns: Float64Array,
  columnCount: number,
  weights: Float64Array,
  images: number,
  sums: Float64Array,
): void {
  sums.fill(0)
  for (let start = 0; start < images; start += CHUNK) {
    const end = Math.min(start + CHUNK, images)
    for (let column = 0; column < columnCount; column += 2) {
      multiplyTile(columns, columnCount, column, weights, images, start, end, sums)
    }
  }
}

/** Four rows by two columns: eight sums stay in registers while six numbers are read per image. */
function multiplyTile(
  columns: Float64Array,
  columnCount: number,
  column: number,
  weights: Float64Array,
  images: number,
  start: number,
  end: number,
  sums: Float64Array,
): void {
  const columnStart = column * images
  let s00 = 0
  let s01 = 0
  let s10 = 0
  let s11 = 0
  let s20 = 0
  let s21 = 0
  let s30 = 0
  let s31 = 0
  for (let image = start; image < end; image++) {
    const left = columns[columnStart + image]
    const right = columns[columnStart + images + image]
    const first = weights[image]
    const second = weights[images + image]
    const third = weights[2 * images + image]
    const fourth = weights[3 * images + image]
    s00 += first * left
    s01 += first * right
    s10 += second * left
    s11 += second * right
    s20 += third * left
    s21 += third * right
    s30 += fourth * left
    s31 += fourth * right
  }
  sums[column] += s00
  sums[column + 1] += s01
  sums[columnCount + column] += s10
  sums[columnCount + column + 1] += s11
  sums[2 * columnCount + column] += s20
  sums[2 * columnCount + column + 1] += s21
  sums[3 * columnCount + column] += s30
  sums[3 * columnCount + column + 1] += s31
}

/**
 * The statistics that are summed, column by column, each of one entry per image; a column of zeros makes their
 * number even. Statistics of families whose scores need all rows are not summed.
 */
function gatherColumns(measurements: readonly Measurement[]): Float64Array {
  const images = countRows(measurements)
  const summed = measurements.filter(({ family }) => family.corpusScores.from === 'sums')
  const width = summed.reduce((sum, { family, trials }) => sum + family.width * trials.length, 0)
  const columns = new Float64Array((width + (width % 2)) * images)
  let start = 0
  for (const { family, trials } of summed) {
    for (const statistics of trials) {
      for (let column = 0; column < family.width; column++, start += images) {
        for (let image = 0; image < images; image++) {
          columns[start + image] = statistics[image * family.width + column]
        }
      }
    }
  }
  return columns
}

function countRows(measurements: readonly Measurement[]): number {
  const rows = new Set(
    measurements.flatMap(({ family, trials }) => trials.map((t) => t.length / family.width)),
  )
  const [images] = rows
  if (rows.size !== 1 || images === 0) {
    throw new RangeError(`expected measurements of the same images, but got [${[...rows]}] images`)
  }
  return images
}
