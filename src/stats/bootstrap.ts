/**
 * The bootstrap over images (Efron 1979; for translation metrics Koehn 2004): a resample draws as many images
 * as there are, with replacement, and its corpus score comes from the sums of their sufficient statistics.
 * All metrics, all trials and all systems that go through one call, or through calls with the same seed and
 * number of images, are measured on the same resamples.
 */
import type { MetricFamily } from '../metrics/metric.js'
import { createRandom } from './random.js'
import { BLOCK, multiply } from './weighted-sums.js'

/** What the bootstrap uses of a family: how many scores there are, and how they are computed. */
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
  /** Number of resamples, {@link RESAMPLES} when absent. */
  readonly resamples?: number
  /** Receives the completed share, 0 to 1, every few milliseconds. An error that it throws ends the work. */
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

/** The number of resamples unless another is given. */
export const RESAMPLES = 1000

/** Resamples between two reports of progress, a multiple of `BLOCK`. */
const PROGRESS_STEP = 20

/**
 * Corpus scores on resampled images: per measurement, per metric of its family, one score per resample. The
 * score of a measurement of several trials is the mean over its trials.
 *
 * Time: resamples × images × columns of statistics, half a nanosecond each.
 */
export function bootstrap(
  measurements: readonly Measurement<Scorer>[],
  { seed, resamples = RESAMPLES, onProgress }: BootstrapOptions,
): Float64Array[][] {
  const { scoreRange } = createResampler(measurements, gatherColumns(measurements), seed)
  const all = measurements.map(({ family }) => family.metrics.map(() => new Float64Array(resamples)))
  for (let start = 0; start < resamples; start += PROGRESS_STEP) {
    onProgress?.(start / resamples)
    const count = Math.min(PROGRESS_STEP, resamples - start)
    scoreRange(start, count).forEach((scores, measurement) => {
      scores.forEach((values, metric) => {
        all[measurement][metric].set(values, start)
      })
    })
  }
  onProgress?.(1)
  return all
}

export interface Resampler {
  /** Scores of the resamples `start` … `start + count − 1`. Ranges must be asked for in increasing order. */
  scoreRange(start: number, count: number): Float64Array[][]
}

/**
 * Scores resamples range by range: the same scores as {@link bootstrap} however the ranges are distributed over
 * several resamplers.
 *
 * @param columns what {@link gatherColumns} returns for the measurements
 */
export function createResampler(
  measurements: readonly Measurement<Scorer>[],
  columns: Float64Array,
  seed: number,
): Resampler {
  const images = countRows(measurements)
  const columnCount = columns.length / images
  const counts = new Float64Array(BLOCK * images)
  const sums = new Float64Array(BLOCK * columnCount)
  const random = createRandom(seed)
  /** The resample that is drawn next. */
  let next = 0

  function scoreRange(start: number, count: number): Float64Array[][] {
    if (start < next) throw new RangeError(`expected a range from resample ${next} on, but got ${start}`)
    for (; next < start; next++) random.skip(images)
    const scores = measurements.map(({ family }) => family.metrics.map(() => new Float64Array(count)))
    for (let first = 0; first < count; first += BLOCK) {
      const block = Math.min(BLOCK, count - first)
      counts.fill(0)
      for (let row = 0; row < block; row++, next++) random.tally(images, images, counts, row * images)
      multiply(columns, columnCount, counts, images, sums)
      for (let row = 0; row < block; row++) {
        const draws = counts.subarray(row * images, (row + 1) * images)
        const rowSums = sums.subarray(row * columnCount, (row + 1) * columnCount)
        scoreResample(measurements, rowSums, draws, scores, first + row)
      }
    }
    return scores
  }

  return { scoreRange }
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

/**
 * The statistics that are summed, column by column, each of one entry per image; a column of zeros makes their
 * number even. Statistics of families whose scores need all rows are not summed.
 *
 * @param allocate returns an array of zeros of a length
 */
export function gatherColumns(
  measurements: readonly Measurement<Scorer>[],
  allocate: (length: number) => Float64Array = (length) => new Float64Array(length),
): Float64Array {
  const images = countRows(measurements)
  const summed = measurements.filter(({ family }) => family.corpusScores.from === 'sums')
  const width = summed.reduce((sum, { family, trials }) => sum + family.width * trials.length, 0)
  const columns = allocate((width + (width % 2)) * images)
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

/** Scores one resample from its sums, or from the rows of the images that were drawn. */
function scoreResample(
  measurements: readonly Measurement<Scorer>[],
  sums: Float64Array,
  draws: Float64Array,
  scores: readonly Float64Array[][],
  resample: number,
): void {
  let start = 0
  measurements.forEach(({ family, trials }, measurement) => {
    const { width, corpusScores } = family
    const trialScores = new Float64Array(family.metrics.length)
    for (const statistics of trials) {
      if (corpusScores.from === 'sums') {
        corpusScores.score(sums.subarray(start, start + width), draws.length, trialScores)
        start += width
      } else corpusScores.score(drawRows(statistics, width, draws), draws.length, trialScores)
      trialScores.forEach((score, metric) => {
        scores[measurement][metric][resample] += score / trials.length
      })
    }
  })
}

/** The rows of a resample in image order, each as often as its image was drawn. */
function drawRows(statistics: Float64Array, width: number, draws: Float64Array): Float64Array {
  const rows = new Float64Array(statistics.length)
  let end = 0
  for (let image = 0; image < draws.length; image++) {
    const row = statistics.subarray(image * width, (image + 1) * width)
    for (let drawn = 0; drawn < draws[image]; drawn++, end += width) rows.set(row, end)
  }
  return rows
}

/** The value below which a share of sorted numbers lies, interpolated linearly between neighbours. */
function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1)
  const below = Math.floor(position)
  const above = Math.min(below + 1, sorted.length - 1)
  return sorted[below] + (position - below) * (sorted[above] - sorted[below])
}
