/**
 * The bootstrap over images (Efron 1979; for translation metrics Koehn 2004): a resample draws as many images
 * as there are, with replacement, and its corpus score comes from the sums of their sufficient statistics.
 * All metrics, all trials and all systems that go through one call, or through calls with the same seed and
 * number of images, are measured on the same resamples.
 */
import type { MetricFamily } from '../metrics/metric.js'
import { createRandom, type Random } from './random.js'

/** What the bootstrap asks of a family: how many scores there are, and how they come from sums. */
export interface Scorer extends Pick<MetricFamily, 'width' | 'corpusScores'> {
  /** One entry per score. */
  readonly metrics: readonly unknown[]
}

/** What a family measured on the images: one array of rows per trial, the same images in the same order. */
export interface Measurement<Family extends Scorer = MetricFamily> {
  readonly family: Family
  readonly trials: readonly Float64Array[]
}

export interface BootstrapOptions {
  readonly seed: number
  /** Number of resamples, 1,000 when absent. */
  readonly resamples?: number
  /** Told the share done, 0 to 1, every few milliseconds. What it throws ends the work. */
  readonly onProgress?: (share: number) => void
}

export interface Interval {
  readonly lower: number
  readonly upper: number
}

/** The difference of two systems' corpus scores, first minus second. */
export interface PairedDifference extends Interval {
  readonly difference: number
  /** (b + 1) / (B + 1); see {@link comparePaired}. */
  readonly pValue: number
}

const RESAMPLES = 1000

/** Resamples whose sums are computed together, and images that pass through the cache at once. */
const BLOCK = 4
const CHUNK = 1024

/** Resamples between two reports of progress, a multiple of `BLOCK`. */
const PROGRESS_STEP = 20

/**
 * Corpus scores on resampled images: per measurement, per metric of its family, one score per resample. The
 * score of a measurement of several trials is the mean over its trials.
 *
 * Time: resamples × images × columns of statistics, about half a nanosecond each.
 */
export function bootstrap(
  measurements: readonly Measurement<Scorer>[],
  { seed, resamples = RESAMPLES, onProgress }: BootstrapOptions,
): Float64Array[][] {
  const images = countRows(measurements)
  const columns = gatherColumns(measurements, images)
  const columnCount = columns.length / images
  const counts = new Float64Array(BLOCK * images)
  const sums = new Float64Array(BLOCK * columnCount)
  const scores = measurements.map(({ family }) => family.metrics.map(() => new Float64Array(resamples)))
  const random = createRandom(seed)
  for (let start = 0; start < resamples; start += BLOCK) {
    if (start % PROGRESS_STEP === 0) onProgress?.(start / resamples)
    const block = Math.min(BLOCK, resamples - start)
    drawCounts(random, images, block, counts)
    multiply(columns, columnCount, counts, images, sums)
    for (let resample = 0; resample < block; resample++) {
      scoreResample(measurements, sums, resample * columnCount, images, scores, start + resample)
    }
  }
  onProgress?.(1)
  return scores
}

/**
 * The interval between two percentiles of resampled scores, by default the 2.5th and the 97.5th, with linear
 * interpolation between neighbours.
 */
export function percentileInterval(scores: Float64Array, level = 0.95): Interval {
  const sorted = scores.toSorted()
  return { lower: quantile(sorted, (1 - level) / 2), upper: quantile(sorted, (1 + level) / 2) }
}

/**
 * Two systems on the same resamples: the difference of their scores, its percentile 95 % interval, and a
 * two-sided p-value for the hypothesis that they do not differ.
 *
 * The resampled differences scatter around the observed difference; shifted to have mean 0 they show how
 * differences scatter where there is none (Riezler and Maxwell 2005). b counts the resamples whose shifted
 * difference is at least as large, in absolute value, as the observed one, and p = (b + 1) / (B + 1). Two
 * identical systems have p = 1; the smallest p is 1 / (B + 1).
 *
 * @param first, second the observed corpus scores
 * @param firstScores, secondScores their scores on the same resamples
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
    ...percentileInterval(differences),
    pValue: (atLeastAsLarge + 1) / (differences.length + 1),
  }
}

function countRows(measurements: readonly Measurement<Scorer>[]): number {
  const rows = new Set(
    measurements.flatMap(({ family, trials }) => trials.map((t) => t.length / family.width)),
  )
  const [images] = rows
  if (rows.size !== 1 || images === 0) {
    throw new RangeError(`expected measurements of the same images, but got [${[...rows]}] images`)
  }
  return images
}

/** The statistics column by column, each of `images` entries; a column of zeros makes their number even. */
function gatherColumns(measurements: readonly Measurement<Scorer>[], images: number): Float64Array {
  const width = measurements.reduce((sum, { family, trials }) => sum + family.width * trials.length, 0)
  const columns = new Float64Array((width + (width % 2)) * images)
  let start = 0
  for (const { family, trials } of measurements) {
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

/** Draws resamples: how often each image is in each, one row of `images` counts per resample. */
function drawCounts(random: Random, images: number, resamples: number, counts: Float64Array): void {
  counts.fill(0)
  for (let resample = 0; resample < resamples; resample++) {
    random.tally(images, images, counts, resample * images)
  }
}

/** sums[r, c] = Σ over images of counts[r, image] · columns[c, image], for the `BLOCK` rows of `counts`. */
function multiply(
  columns: Float64Array,
  columnCount: number,
  counts: Float64Array,
  images: number,
  sums: Float64Array,
): void {
  sums.fill(0)
  for (let start = 0; start < images; start += CHUNK) {
    const end = Math.min(start + CHUNK, images)
    for (let column = 0; column < columnCount; column += 2) {
      multiplyTile(columns, columnCount, column, counts, images, start, end, sums)
    }
  }
}

/** Four rows by two columns: eight sums stay in registers while six numbers are read per image. */
function multiplyTile(
  columns: Float64Array,
  columnCount: number,
  column: number,
  counts: Float64Array,
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
    const first = counts[image]
    const second = counts[images + image]
    const third = counts[2 * images + image]
    const fourth = counts[3 * images + image]
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

/** Scores one resample from its row of sums. */
function scoreResample(
  measurements: readonly Measurement<Scorer>[],
  sums: Float64Array,
  row: number,
  images: number,
  scores: Float64Array[][],
  resample: number,
): void {
  let start = row
  measurements.forEach(({ family, trials }, measurement) => {
    const trialScores = new Float64Array(family.metrics.length)
    for (let trial = 0; trial < trials.length; trial++, start += family.width) {
      family.corpusScores(sums.subarray(start, start + family.width), images, trialScores)
      trialScores.forEach((score, metric) => {
        scores[measurement][metric][resample] += score / trials.length
      })
    }
  })
}

/** The value below which a share of sorted numbers lies, interpolated linearly between neighbours. */
function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1)
  const below = Math.floor(position)
  const above = Math.min(below + 1, sorted.length - 1)
  return sorted[below] + (position - below) * (sorted[above] - sorted[below])
}
