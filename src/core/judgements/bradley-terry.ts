/**
 * Strengths of systems from preferences between their captions: Bradley and Terry 1952. System i is preferred to j with
 * probability π_i / (π_i + π_j); a tie counts half for each. The strengths of maximum likelihood by Hunter's iteration
 * (2004, MM Algorithms for Generalized Bradley-Terry Models), on the scale of Elo ratings: a system that is 400 points
 * above another one is preferred ten times as often.
 */
import { percentileInterval } from '../stats/bootstrap.js'
import type { Interval } from '../stats/interval.js'
import { createRandom } from '../stats/random.js'
import { judgeSampleSize } from '../stats/sample-size.js'

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
  return rate(countWins(comparisons), comparisons.systemCount, anchor)
}

/**
 * Percentile 95 % intervals of ratings over resampled images; null for the anchor, below 10 images, and where a resample of
 * 40 or more has no ratings.
 */
export function rateResamples(
  comparisons: SystemComparisons,
  anchor: number,
  { seed, resamples }: { readonly seed: number; readonly resamples: number },
): (Interval | null)[] {
  const { systemCount, images, imageCount } = comparisons
  const none = Array.from({ length: systemCount }, () => null)
  if (judgeSampleSize(imageCount).undefinedReason !== null) return none
  const random = createRandom(seed)
  const rated: Float64Array[] = []
  for (let resample = 0; resample < resamples; resample++) {
    const draws = new Float64Array(imageCount)
    for (let draw = 0; draw < imageCount; draw++) draws[random.below(imageCount)]++
    const weights = Float64Array.from(images, (image) => draws[image])
    const ratings = rate(countWins(comparisons, weights), systemCount, anchor)
    if (ratings !== null) rated.push(ratings)
  }
  if (rated.length < resamples * (1 - MAX_UNRATED)) return none
  return none.map((_, system) =>
    system === anchor ? null : percentileInterval(Float64Array.from(rated, (ratings) => ratings[system])),
  )
}

/** Resamples without ratings would lie beyond the ends of an interval: at most half of what is beyond each of them. */
const MAX_UNRATED = 0.025

/** wins[i · n + j]: how often i is preferred to j. */
function countWins(
  { systemCount, first, second, outcomes }: SystemComparisons,
  weights?: Float64Array,
): Float64Array {
  const wins = new Float64Array(systemCount * systemCount)
  for (let index = 0; index < first.length; index++) {
    const weight = weights === undefined ? 1 : weights[index]
    wins[first[index] * systemCount + second[index]] += weight * outcomes[index]
    wins[second[index] * systemCount + first[index]] += weight * (1 - outcomes[index])
  }
  return wins
}

function rate(wins: Float64Array, count: number, anchor: number): Float64Array | null {
  if (!reachesAll(wins, count, false) || !reachesAll(wins, count, true)) return null
  let strengths = new Float64Array(count).fill(1)
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
