/**
 * The paired permutation test of two systems (approximate randomization; Noreen 1989; for translation metrics
 * Riezler and Maxwell 2005): if the systems do not differ, each image's rows of statistics could as well be those of
 * the other system. The rows of some images are swapped, both corpora are scored again, and p is the share of all
 * swaps whose difference is at least as large, in absolute value, as the observed one.
 *
 * Works for scores that are not means over images, such as BLEU. A comparison of a system with people swaps the rows
 * of all K folds of an image together.
 */
import { requireInteger } from '../../errors.js'
import { type Measurement, sumRows } from './measurement.js'
import { createRandom, type Random } from './random.js'

interface SwapTest {
  /** Two-sided, 0 < p ≤ 1. */
  readonly pValue: number
  /** Whether no swap reached the observed difference: the p-value is below `1 / resamples`, and is shown as that. */
  readonly isBound: boolean
  /** Whether all swaps were enumerated: the p-value is exact. */
  readonly isExact: boolean
  /** Number of swaps. */
  readonly resamples: number
}

/** The number of random swaps unless another is given. */
export const RESAMPLES = 1000

const MIN_RESAMPLES = 100
const MAX_RESAMPLES = 100_000

/** @throws AccordError OUT_OF_RANGE unless it is an integer from 100 to 100,000 */
export function checkResamples(resamples: number): void {
  requireInteger(resamples, MIN_RESAMPLES, MAX_RESAMPLES, 'resamples', 'invalid number of resamples')
}

export interface SwapOptions {
  readonly seed: number
  /** Number of random swaps, {@link RESAMPLES} when absent. Fewer images are enumerated. */
  readonly resamples?: number
  /** Receives the completed share, 0 to 1. An error that it throws ends the work. */
  readonly onProgress?: (share: number) => void
}

/** Number of swaps that are enumerated even if fewer resamples are asked for. */
const MIN_ENUMERATED = 4096

/** Resamples between two reports of progress, a multiple of `BLOCK`. */
const PROGRESS_STEP = 20

/** Scores of the same rows, added in another order, differ by less than this. */
const ROUNDING = 1e-12

/**
 * Tests the difference of two systems, one result per metric of the family.
 *
 * If m images have rows that differ, there are 2^(m−1) differences up to their sign; they are enumerated if they are
 * at most the number of resamples, or 4,096. Otherwise swaps are drawn at random and p = (b + 1) / (B + 1), where b
 * of B differences are at least as large as the observed one.
 *
 * @param first, second of the same family, with the same number of trials and the same images in the same order
 */
export function swapTests(
  first: Measurement,
  second: Measurement,
  { seed, resamples = RESAMPLES, onProgress }: SwapOptions,
): SwapTest[] {
  const pair = preparePair(first, second)
  const swaps = 2 ** Math.max(0, pair.different.length - 1)
  const isExact = swaps <= Math.max(MIN_ENUMERATED, resamples)
  const count = isExact ? swaps : resamples
  const draw = isExact ? enumerateSwaps(pair.different) : drawSwaps(pair.different, createRandom(seed))
  const reached = countReached(pair, draw, count, onProgress)
  return Array.from(reached, (atLeastAsLarge) =>
    isExact
      ? { pValue: atLeastAsLarge / count, isBound: false, isExact, resamples: count }
      : {
          pValue: (atLeastAsLarge + 1) / (count + 1),
          isBound: atLeastAsLarge === 0,
          isExact,
          resamples: count,
        },
  )
}

/** Two systems on the images where they differ. */
interface Pair {
  readonly first: Measurement
  readonly second: Measurement
  /** Number of all images. */
  readonly images: number
  /** Positions of the images with a row that differs. */
  readonly different: Uint32Array
}

function preparePair(first: Measurement, second: Measurement): Pair {
  const { width } = first.family
  const lengths = new Set([...first.trials, ...second.trials].map(({ length }) => length))
  const [length] = lengths
  if (first.family.width !== second.family.width || first.trials.length !== second.trials.length) {
    throw new RangeError('expected two measurements of one family with the same number of trials')
  }
  if (lengths.size !== 1 || length === 0) {
    throw new RangeError(`expected measurements of the same images, but got [${[...lengths]}] numbers`)
  }
  const isDifferent = (image: number) =>
    first.trials.some((rows, trial) => {
      const others = second.trials[trial]
      for (let cell = image * width; cell < (image + 1) * width; cell++) {
        if (rows[cell] !== others[cell]) return true
      }
      return false
    })
  const images = length / width
  const different = Uint32Array.from({ length: images }, (_, image) => image).filter(isDifferent)
  return { first, second, images, different }
}

/** Writes the next swap: 1 at `start` + image where an image's rows are swapped, otherwise 0. */
type DrawSwap = (swaps: Float64Array, start: number) => void

/** All swaps in which the last image that differs is not swapped: the others have the opposite difference. */
function enumerateSwaps(different: Uint32Array): DrawSwap {
  let next = 0
  return (swaps, start) => {
    for (let bit = 0; bit < different.length - 1; bit++) {
      swaps[start + different[bit]] = Math.floor(next / 2 ** bit) % 2
    }
    next++
  }
}

const BITS = 32

function drawSwaps(different: Uint32Array, random: Random): DrawSwap {
  return (swaps, start) => {
    let bits = 0
    for (let i = 0; i < different.length; i++) {
      if (i % BITS === 0) bits = random.below(0x1_0000_0000)
      swaps[start + different[i]] = bits & 1
      bits >>>= 1
    }
  }
}

/** Per metric, how many of `count` swaps have a difference at least as large as the observed one. */
function countReached(
  pair: Pair,
  draw: DrawSwap,
  count: number,
  onProgress: SwapOptions['onProgress'],
): Uint32Array {
  const { images, first } = pair
  const metrics = first.family.metrics.length
  const scoreSwap = first.family.corpusScores.from === 'sums' ? scorerOfSums(pair) : scorerOfRows(pair)
  const observed = scoreSwap(new Float64Array(BLOCK * images))[0]
  const thresholds = observed.map((difference) => Math.abs(difference) * (1 - 1e-9) - ROUNDING)
  const reached = new Uint32Array(metrics)
  const swaps = new Float64Array(BLOCK * images)
  for (let start = 0; start < count; start += BLOCK) {
    if (start % PROGRESS_STEP === 0) onProgress?.(start / count)
    const block = Math.min(BLOCK, count - start)
    for (let row = 0; row < block; row++) draw(swaps, row * images)
    const differences = scoreSwap(swaps)
    for (let row = 0; row < block; row++) {
      for (let metric = 0; metric < metrics; metric++) {
        if (Math.abs(differences[row][metric]) >= thresholds[metric]) reached[metric]++
      }
    }
  }
  onProgress?.(1)
  return reached
}

/** Differences of the corpus scores after `BLOCK` swaps, per swap one number per metric; the arrays are reused. */
type ScoreSwap = (swaps: Float64Array) => readonly Float64Array[]

/** A swap moves the differences of the swapped rows from the sums of one system to those of the other. */
function scorerOfSums({ first, second, images }: Pair): ScoreSwap {
  const { family } = first
  const { width } = family
  const trials = first.trials.map((rows, trial) =>
    rows.map((value, cell) => value - second.trials[trial][cell]),
  )
  const columns = gatherColumns([{ family, trials }])
  const columnCount = columns.length / images
  const totals = [first, second].map(({ trials: all }) => all.map((rows) => sumRows(rows, width)))
  const moved = new Float64Array(BLOCK * columnCount)
  const sums = new Float64Array(width)
  const scores = new Float64Array(family.metrics.length)
  const differences = Array.from({ length: BLOCK }, () => new Float64Array(family.metrics.length))
  const addScores = (total: Float64Array, start: number, sign: number, difference: Float64Array) => {
    for (let column = 0; column < width; column++) sums[column] = total[column] - sign * moved[start + column]
    family.corpusScores.score(sums, images, scores)
    for (let metric = 0; metric < scores.length; metric++) {
      difference[metric] += (sign * scores[metric]) / trials.length
    }
  }
  return (swaps) => {
    multiply(columns, columnCount, swaps, images, moved)
    differences.forEach((difference, row) => {
      difference.fill(0)
      for (let trial = 0; trial < trials.length; trial++) {
        const start = row * columnCount + trial * width
        addScores(totals[0][trial], start, 1, difference)
        addScores(totals[1][trial], start, -1, difference)
      }
    })
    return differences
  }
}

function scorerOfRows({ first, second, images }: Pair): ScoreSwap {
  const { family } = first
  const { width } = family
  const scores = new Float64Array(family.metrics.length)
  const differences = Array.from({ length: BLOCK }, () => new Float64Array(family.metrics.length))
  const addScores = (rows: Float64Array, sign: number, difference: Float64Array) => {
    family.corpusScores.score(rows, images, scores)
    for (let metric = 0; metric < scores.length; metric++) {
      difference[metric] += (sign * scores[metric]) / first.trials.length
    }
  }
  return (swaps) => {
    differences.forEach((difference, row) => {
      difference.fill(0)
      first.trials.forEach((rows, trial) => {
        const one = rows.slice()
        const other = second.trials[trial].slice()
        for (let image = 0; image < images; image++) {
          if (swaps[row * images + image] === 0) continue
          const [start, end] = [image * width, (image + 1) * width]
          one.set(second.trials[trial].subarray(start, end), start)
          other.set(rows.subarray(start, end), start)
        }
        addScores(one, 1, difference)
        addScores(other, -1, difference)
      })
    })
    return differences
  }
}

/** Rows of weights whose sums are computed together by {@link multiply}. */
export const BLOCK = 4

/** Images that pass through the cache at once. */
const CHUNK = 1024

/**
 * sums[r, c] = Σ over images of weights[r, image] · columns[c, image], for the {@link BLOCK} rows of `weights`.
 *
 * @param columns column by column, an even number of columns
 */
export function multiply(
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
export function gatherColumns(measurements: readonly Measurement[]): Float64Array {
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
