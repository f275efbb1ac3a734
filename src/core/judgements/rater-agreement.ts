import type { UndefinedReason } from '../../shared/undefined-reason.js'
/**
 * How much raters agree. Krippendorff 2011 (Computing Krippendorff's
 * Alpha-Reliability), and Kendall's τ-b between two raters.
 */
import { createKendallCounter } from '../stats/correlation.js'
import type { Rating } from './judgement.js'

/** Two raters on the captions that both have rated. */
export interface RaterPair {
  readonly first: string
  readonly second: string
  readonly captionCount: number
  /** Null where they share fewer than two captions, or one of them rates all of these equally. */
  readonly tauB: number | null
}

export interface RaterAgreement {
  /** Number of raters; null where the source does not tell who gave which rating. */
  readonly raterCount: number | null
  /** Most ratings of one caption. */
  readonly mostRatings: number
  /** Krippendorff's α for ordinal data, at most 1; null with the reason. */
  readonly alpha: number | null
  /** Every two raters; empty where they are not known. */
  readonly pairs: readonly RaterPair[]
  /** Mean τ-b of pairs, weighted by captions; null where no pair has one. */
  readonly pairwiseTau: number | null
  /** Why α is null. */
  readonly undefinedReason: UndefinedReason | null
}

/** @param captions the ratings of each caption */
export function raterAgreement(captions: readonly (readonly Rating[])[]): RaterAgreement {
  const values = captions.map((ratings) => ratings.map(({ value }) => value))
  const pairs = pairsOfRaters(captions)
  const defined = pairs.filter(({ tauB }) => tauB !== null)
  const weight = defined.reduce((sum, { captionCount }) => sum + captionCount, 0)
  const total = defined.reduce((sum, { tauB, captionCount }) => sum + (tauB as number) * captionCount, 0)
  const alpha = krippendorffAlpha(values)
  return {
    raterCount: countRaters(captions),
    mostRatings: values.reduce((most, { length }) => Math.max(most, length), 0),
    alpha,
    pairs,
    pairwiseTau: weight === 0 ? null : total / weight,
    undefinedReason:
      alpha !== null ? null : values.some(({ length }) => length > 1) ? 'CONSTANT_RATINGS' : 'SINGLE_RATER',
  }
}

/**
 * Krippendorff's α for ordinal data: 1 − observed / expected disagreement, over the units with two ratings or more.
 * The squared difference of the values c < k is (Σ n_g − (n_c + n_k)/2)², g from c to k, n_g the number of ratings g.
 *
 * @returns null where no unit has two ratings, or all are equal
 */
export function krippendorffAlpha(units: readonly (readonly number[])[]): number | null {
  const paired = units.filter(({ length }) => length > 1)
  const values = [...new Set(paired.flat())].sort((one, other) => one - other)
  if (values.length < 2) return null
  const levelOf = new Map(values.map((value, level) => [value, level]))
  const levels = paired.map((unit) => unit.map((value) => levelOf.get(value) as number))
  const counts = new Float64Array(values.length)
  for (const unit of levels) for (const level of unit) counts[level]++
  const difference = ordinalDifference(counts)
  const total = counts.reduce((sum, count) => sum + count, 0)
  let observed = 0
  for (const unit of levels) {
    for (let one = 0; one < unit.length; one++) {
      for (let other = 0; other < one; other++) {
        observed += (2 * difference(unit[one], unit[other])) / (unit.length - 1)
      }
    }
  }
  let expected = 0
  for (let one = 0; one < counts.length; one++) {
    for (let other = 0; other < one; other++) {
      expected += (2 * counts[one] * counts[other] * difference(one, other)) / (total - 1)
    }
  }
  return 1 - observed / expected
}

/** The squared ordinal difference of two levels. */
function ordinalDifference(counts: Float64Array): (one: number, other: number) => number {
  const upTo = new Float64Array(counts.length + 1)
  for (let level = 0; level < counts.length; level++) upTo[level + 1] = upTo[level] + counts[level]
  return (one, other) => {
    const low = Math.min(one, other)
    const high = Math.max(one, other)
    return (upTo[high + 1] - upTo[low] - (counts[low] + counts[high]) / 2) ** 2
  }
}

function countRaters(captions: readonly (readonly Rating[])[]): number | null {
  const raters = new Set(captions.flatMap((ratings) => ratings.map(({ rater }) => rater)))
  return raters.has(null) ? null : raters.size
}

/** Every two raters that are known, with τ-b on the captions that both have rated. */
function pairsOfRaters(captions: readonly (readonly Rating[])[]): RaterPair[] {
  const ratingsOf = new Map<string, Map<number, number>>()
  for (const [caption, ratings] of captions.entries()) {
    for (const { rater, value } of ratings) {
      if (rater === null) continue
      const own = ratingsOf.get(rater) ?? new Map<number, number>()
      ratingsOf.set(rater, own.set(caption, value))
    }
  }
  const raters = [...ratingsOf].sort(([one], [other]) => (one < other ? -1 : 1))
  return raters.flatMap(([first, firstRatings], index) =>
    raters.slice(index + 1).map(([second, secondRatings]): RaterPair => {
      const shared = [...firstRatings].filter(([caption]) => secondRatings.has(caption))
      const scores = Float64Array.from(shared, ([, value]) => value)
      const ratings = Float64Array.from(shared, ([caption]) => secondRatings.get(caption) as number)
      const offsets = Int32Array.from({ length: shared.length + 1 }, (_, item) => item)
      const { tauB } = createKendallCounter({ scores, ratings, offsets }).tau()
      return { first, second, captionCount: shared.length, tauB }
    }),
  )
}
