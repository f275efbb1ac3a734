/**
 * Strengths of systems from preferences between their captions: Bradley and Terry 1952. System i is preferred to j with
 * probability π_i / (π_i + π_j); a tie counts half for each. The strengths of maximum likelihood by Hunter's iteration
 * (2004, MM Algorithms for Generalized Bradley-Terry Models), on the scale of Elo ratings: a system that is 400 points
 * above another one is preferred ten times as often.
 */
import { studentQuantile } from '../stats/distributions.js'
import { type Interval, judgeSampleSize } from '../stats/interval.js'
import { ROUNDING } from '../stats/jackknife.js'

/** Comparisons of systems 0 … n − 1. */
export interface SystemComparisons {
  readonly systemCount: number
  readonly first: Int32Array
  readonly second: Int32Array
  /** Of the first system: 1 where it is preferred, 0 where the second is, 0.5 for a tie. */
  readonly outcomes: Float64Array
  /** Per comparison, the position of its image. */
  readonly images: Int32Array
  readonly imageCount: number
}

/** The rating of the anchor, to which all others are relative. */
const ANCHOR_RATING = 1000

/** Points for which the odds are ten times as high. */
const SCALE = 400

/** Relative change of strengths at which the iteration ends. */
const TOLERANCE = 1e-12

const MAX_ITERATIONS = 100_000

/**
 * Ratings of systems.
 *
 * @param anchor the system with the rating 1000
 * @returns null where no maximum exists: some systems are never preferred to the others, or are compared with none of them
 */
export function rateSystems(comparisons: SystemComparisons, anchor: number): Float64Array | null {
  const { systemCount } = comparisons
  const wins = countWins(comparisons)
  if (!reachesAll(wins, systemCount, false) || !reachesAll(wins, systemCount, true)) return null
  let strengths = new Float64Array(systemCount).fill(1)
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    const next = improve(wins, strengths)
    const change = next.reduce(
      (most, strength, system) => Math.max(most, Math.abs(strength / strengths[system] - 1)),
      0,
    )
    strengths = next
    if (change < TOLERANCE) break
  }
  return strengths.map((strength) => ANCHOR_RATING + SCALE * Math.log10(strength / strengths[anchor]))
}

/**
 * 95 % intervals of ratings relative to the anchor, by Student's t. The variance is that of images with all their comparisons: the
 * sandwich of the inverse of Fisher's information, for as many images as compare the system, or the anchor if these are fewer. Where
 * those of the system show no variance, as ties alone, it is that of independent comparisons, the inverse itself, which is larger.
 * bench/SIMULATION.md has the coverage.
 *
 * @param ratings as {@link rateSystems} has them
 * @returns null for the anchor, and for all systems below 10 images
 */
export function ratingIntervals(
  comparisons: SystemComparisons,
  ratings: Float64Array,
  anchor: number,
): (Interval | null)[] {
  const { systemCount, first, second, outcomes, images, imageCount } = comparisons
  if (judgeSampleSize(imageCount).undefinedReason !== null) return Array.from(ratings, () => null)
  const information = new Float64Array(systemCount * systemCount)
  const gradients = new Float64Array(imageCount * systemCount)
  const imagesOf = Array.from({ length: systemCount }, () => new Set<number>())
  for (let index = 0; index < first.length; index++) {
    const [one, other] = [first[index], second[index]]
    const expected = 1 / (1 + 10 ** ((ratings[other] - ratings[one]) / SCALE))
    const variance = expected * (1 - expected)
    imagesOf[one].add(images[index])
    imagesOf[other].add(images[index])
    information[one * systemCount + one] += variance
    information[other * systemCount + other] += variance
    information[one * systemCount + other] -= variance
    information[other * systemCount + one] -= variance
    gradients[images[index] * systemCount + one] += outcomes[index] - expected
    gradients[images[index] * systemCount + other] -= outcomes[index] - expected
  }
  const inverse = invertWithout(information, systemCount, anchor)
  return Array.from(ratings, (rating, system) => {
    if (system === anchor) return null
    const row = inverse.subarray(system * systemCount, (system + 1) * systemCount)
    let [clustered, own] = [0, 0]
    for (let image = 0; image < imageCount; image++) {
      own += gradients[image * systemCount + system] ** 2
      let sum = 0
      for (let other = 0; other < systemCount; other++)
        sum += row[other] * gradients[image * systemCount + other]
      clustered += sum * sum
    }
    const freedom = Math.max(1, Math.min(imagesOf[system].size, imagesOf[anchor].size) - 1)
    const variance = own > ROUNDING ? (clustered * (freedom + 1)) / freedom : row[system]
    const half = (studentQuantile(freedom) * SCALE * Math.sqrt(variance)) / Math.LN10
    return { lower: rating - half, upper: rating + half }
  })
}

/** The inverse of a symmetric matrix without a row and a column, which are 0 in it: Gauss-Jordan elimination. */
function invertWithout(matrix: Float64Array, size: number, left: number): Float64Array {
  const rest = matrix.slice()
  const inverse = new Float64Array(size * size)
  const kept = Array.from({ length: size }, (_, row) => row).filter((row) => row !== left)
  for (const row of kept) inverse[row * size + row] = 1
  for (const pivot of kept) {
    const scale = rest[pivot * size + pivot]
    for (const column of kept) {
      rest[pivot * size + column] /= scale
      inverse[pivot * size + column] /= scale
    }
    for (const row of kept) {
      const factor = rest[row * size + pivot]
      if (row === pivot || factor === 0) continue
      for (const column of kept) {
        rest[row * size + column] -= factor * rest[pivot * size + column]
        inverse[row * size + column] -= factor * inverse[pivot * size + column]
      }
    }
  }
  return inverse
}

/** wins[i · n + j]: how often i is preferred to j. */
function countWins({ systemCount, first, second, outcomes }: SystemComparisons): Float64Array {
  const wins = new Float64Array(systemCount * systemCount)
  for (let index = 0; index < first.length; index++) {
    wins[first[index] * systemCount + second[index]] += outcomes[index]
    wins[second[index] * systemCount + first[index]] += 1 - outcomes[index]
  }
  return wins
}

/** One step of the iteration: π_i = wins of i / Σ_j comparisons of i and j / (π_i + π_j), with a geometric mean of 1. */
function improve(wins: Float64Array, strengths: Float64Array): Float64Array<ArrayBuffer> {
  const count = strengths.length
  const next = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    let won = 0
    let expected = 0
    for (let j = 0; j < count; j++) {
      if (j === i) continue
      won += wins[i * count + j]
      expected += (wins[i * count + j] + wins[j * count + i]) / (strengths[i] + strengths[j])
    }
    next[i] = won / expected
  }
  const center = Math.exp(next.reduce((sum, strength) => sum + Math.log(strength), 0) / count)
  return next.map((strength) => strength / center)
}

/** Whether every system is preferred to another one, that one to another one and so on, up to system 0, or in reverse. */
function reachesAll(wins: Float64Array, count: number, isReversed: boolean): boolean {
  const reached = new Set([0])
  for (const system of reached) {
    for (let other = 0; other < count; other++) {
      const cell = isReversed ? system * count + other : other * count + system
      if (other !== system && wins[cell] > 0) reached.add(other)
    }
  }
  return reached.size === count
}
