/**
 * Whether a metric ranks captions as people do: correlations and accuracy with ties within groups of captions, mean over
 * groups (Deutsch, Foster, Freitag 2023: Ties Matter, EMNLP). Within an image the difficulty of the image plays no part.
 *
 *     accuracy = (C + T_both) / (C + D + T_people + T_metric + T_both)
 *
 * C and D concordant and discordant pairs of captions; T pairs tied by people only, by the metric only, and by both. Tie
 * calibration: differences of the metric up to ε are ties, with the one ε that gives the highest accuracy.
 */
import { countPairs, type PairCounts, pearson, tauBOf } from '../stats/correlation.js'

/** Agreement on captions of the same group, mean over groups. */
export interface CaptionAgreement {
  /** Over the groups in which neither scores nor ratings are constant; null where there are none. */
  readonly pearson: number | null
  /** As for `pearson`. */
  readonly tauB: number | null
  /** 0 to 1, over groups of two captions and more; null where there are none. */
  readonly accuracy: number | null
}

/** Captions of the same group. */
export type Group = Int32Array

/** Captions by the position of their group, without those that have no score or no rating. */
export function groupCaptions(
  { scores, ratings }: ScoredRatings,
  positions: Int32Array,
  count: number,
): Group[] {
  const groups = Array.from({ length: count }, (): number[] => [])
  for (let caption = 0; caption < scores.length; caption++) {
    if (!Number.isNaN(scores[caption]) && !Number.isNaN(ratings[caption]))
      groups[positions[caption]].push(caption)
  }
  return groups.map((group) => Int32Array.from(group))
}

/** Per caption, the score of a metric, higher for better, and the mean rating; NaN where there is none. */
export interface ScoredRatings {
  readonly scores: Float64Array
  readonly ratings: Float64Array
}

/** Correlations and accuracy within groups. */
export function agreeOnCaptions(
  { scores, ratings }: ScoredRatings,
  groups: readonly Group[],
): CaptionAgreement {
  const measured = groups
    .filter((group) => group.length >= 2)
    .map((group) => {
      const [x, y] = [scores, ratings].map((values) => Float64Array.from(group, (caption) => values[caption]))
      const pairs = countPairs(x, y)
      return { pearson: pearson(x, y), tauB: tauBOf(pairs), accuracy: accuracyOf(pairs) }
    })
  const meanOf = (figure: keyof CaptionAgreement) => {
    const defined = measured.flatMap((group) => group[figure] ?? [])
    return defined.length === 0 ? null : defined.reduce((sum, value) => sum + value, 0) / defined.length
  }
  return { pearson: meanOf('pearson'), tauB: meanOf('tauB'), accuracy: meanOf('accuracy') }
}

function accuracyOf({ concordant, discordant, tiedX, tiedY, tiedBoth }: PairCounts): number {
  return (concordant + tiedBoth) / (concordant + discordant + tiedX + tiedY + tiedBoth)
}

/** The pairs of captions of the same group. */
export interface CaptionPairs {
  readonly first: Int32Array
  readonly second: Int32Array
  /** 1 where people rate the first caption higher, −1 where the second, 0 for a tie. */
  readonly preferred: Int8Array
  /** Of each pair in the mean over groups; the sum is 1. */
  readonly weights: Float64Array
}

/** All pairs of captions of the same group: the number of captions per group must be small. */
export function pairCaptions(ratings: Float64Array, groups: readonly Group[]): CaptionPairs {
  const used = groups.filter((group) => group.length >= 2)
  const size = used.reduce((sum, { length }) => sum + (length * (length - 1)) / 2, 0)
  const pairs = {
    first: new Int32Array(size),
    second: new Int32Array(size),
    preferred: new Int8Array(size),
    weights: new Float64Array(size),
  }
  let pair = 0
  for (const group of used) {
    const weight = 2 / (group.length * (group.length - 1) * used.length)
    for (let i = 0; i < group.length; i++) {
      for (let j = i + 1; j < group.length; j++) {
        pairs.first[pair] = group[i]
        pairs.second[pair] = group[j]
        pairs.preferred[pair] = Math.sign(ratings[group[i]] - ratings[group[j]])
        pairs.weights[pair++] = weight
      }
    }
  }
  return pairs
}

export interface CalibratedAccuracy {
  /** With differences of up to `tieThreshold` as ties. */
  readonly calibratedAccuracy: number
  /** ε: 0, or a difference of two scores. */
  readonly tieThreshold: number
}

/** Accuracies that differ by rounding alone are equal: the smallest threshold is taken. */
const ROUNDING = 1e-12

/**
 * Calibrates ties. Only concordant pairs lose, and only pairs that people tie gain, when the metric ties them; their
 * differences are sorted for each weight, as numbers without positions, so that a million pairs take less than a second.
 *
 * @returns null where there is no pair
 */
export function calibrateTies(
  { first, second, preferred, weights }: CaptionPairs,
  scores: Float64Array,
): CalibratedAccuracy | null {
  if (first.length === 0) return null
  const byWeight = new Map<number, { readonly tied: number[]; readonly concordant: number[] }>()
  const ties: number[] = []
  let accuracy = 0
  for (let pair = 0; pair < first.length; pair++) {
    const difference = scores[first[pair]] - scores[second[pair]]
    const weight = weights[pair]
    let own = byWeight.get(weight)
    if (own === undefined) {
      own = { tied: [], concordant: [] }
      byWeight.set(weight, own)
    }
    if (preferred[pair] === 0) {
      own.tied.push(Math.abs(difference))
      ties.push(Math.abs(difference))
    } else if (difference * preferred[pair] > 0) {
      own.concordant.push(Math.abs(difference))
      accuracy += weight
    }
  }
  const thresholds = Float64Array.from(ties).sort()
  const changes = new Float64Array(thresholds.length)
  for (const [weight, { tied, concordant }] of byWeight) {
    addCounts(changes, thresholds, Float64Array.from(tied).sort(), weight)
    addCounts(changes, thresholds, Float64Array.from(concordant).sort(), -weight)
  }
  let best = 0
  let tieThreshold = 0
  for (let place = 0; place < thresholds.length; place++) {
    if (changes[place] > best + ROUNDING) {
      best = changes[place]
      tieThreshold = thresholds[place]
    }
  }
  return { calibratedAccuracy: accuracy + best, tieThreshold }
}

/** Adds to each threshold the number of differences up to it, times a weight; both are ascending. */
function addCounts(
  changes: Float64Array,
  thresholds: Float64Array,
  differences: Float64Array,
  weight: number,
): void {
  let count = 0
  for (let place = 0; place < thresholds.length; place++) {
    while (count < differences.length && differences[count] <= thresholds[place]) count++
    changes[place] += weight * count
  }
}
