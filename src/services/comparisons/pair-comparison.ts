import type { ReferenceRange } from '../../core/metrics/provenance.js'
import type { Interval } from '../../core/stats/interval.js'
import { holm } from '../../core/stats/multiple-testing.js'
import type { UndefinedReason } from '../../undefined-reason.js'
import type { RarefiedMean } from '../words/rarefied-mean.js'

/** Two of the subjects on the images that both have. */
export interface PairComparison {
  /** Positions among the systems, people after the last. `first` precedes `second`, except that a baseline is `second`. */
  readonly first: number
  readonly second: number
  readonly firstScore: number | null
  readonly secondScore: number | null
  /** First minus second. */
  readonly difference: number | null
  /** 95 %, of the difference. */
  readonly interval: Interval | null
  readonly pValue: number | null
  /** By Holm's correction for all pairs of the comparison. */
  readonly adjustedPValue: number | null
  /** Whether the p-value is below what the resamples can show: it is less than `1 / resamples`. */
  readonly isBound: boolean
  /** Whether all swaps were enumerated. */
  readonly isExact: boolean
  /** Swaps of the permutation test; null for figures of words, whose test is of Student's t. */
  readonly resamples: number | null
  readonly imageCount: number
  /** Of means over words: the words that both have a figure for. */
  readonly wordCount: number | null
  /** The difference of means over words that is expected for random subsets of the images. */
  readonly rarefied: RarefiedMean | null
  /** Of the shared images. */
  readonly references: ReferenceRange | null
  /** Images that document frequencies were counted in; null where there are none. */
  readonly frequencyImageCount: number | null
  /** Whether there are so few images that interval and test are approximate. */
  readonly isSmall: boolean
  readonly undefinedReason: UndefinedReason | null
  /** How the figures were made, with the images that were compared; null where there is none. */
  readonly signature: string | null
}

/** A comparison before the correction for all pairs. */
export type UncorrectedPair = Omit<PairComparison, 'adjustedPValue'>

/** P-values with Holm's correction for all comparisons that have one. */
export function adjustPValues<Pair extends { readonly pValue: number | null }>(
  pairs: readonly Pair[],
): (Pair & { readonly adjustedPValue: number | null })[] {
  const tested = pairs.filter(({ pValue }) => pValue !== null)
  const adjusted = holm(tested.map(({ pValue }) => pValue as number))
  return pairs.map((pair) => ({ ...pair, adjustedPValue: adjusted[tested.indexOf(pair)] ?? null }))
}

/** Every pair of subjects, in their order; with a baseline, only those of which it is a part. */
export function pairsOf<Subject extends { readonly position: number }>(
  subjects: readonly Subject[],
  baseline: number | undefined,
): { readonly first: Subject; readonly second: Subject }[] {
  return subjects
    .flatMap((first, index) => subjects.slice(index + 1).map((second) => ({ first, second })))
    .filter(
      ({ first, second }) => baseline === undefined || [first.position, second.position].includes(baseline),
    )
}

/** Pairs in the order of positions, each with the smaller position first; with a baseline, it is second. */
export function orientPairs<Pair extends UncorrectedPair>(
  pairs: readonly Pair[],
  baseline: number | undefined,
): Pair[] {
  const isAsked = ({ first, second }: Pair) => (baseline === undefined ? first < second : second === baseline)
  return pairs
    .map((pair) => (isAsked(pair) ? pair : reversed(pair)))
    .sort((one, other) => one.first - other.first || one.second - other.second)
}

function reversed<Pair extends UncorrectedPair>(pair: Pair): Pair {
  const { first, second, firstScore, secondScore, difference, interval, rarefied } = pair
  return {
    ...pair,
    first: second,
    second: first,
    firstScore: secondScore,
    secondScore: firstScore,
    difference: difference && -difference,
    interval: negated(interval),
    rarefied: rarefied && { ...rarefied, value: 0 - rarefied.value, interval: negated(rarefied.interval) },
  }
}

/** Subtracted from 0, as a negated 0 is −0. */
function negated(interval: Interval | null): Interval | null {
  return interval && { lower: 0 - interval.upper, upper: 0 - interval.lower }
}

/** A pair without figures. */
export function withoutFigures(
  first: number,
  second: number,
  undefinedReason: UndefinedReason,
): UncorrectedPair {
  return {
    first,
    second,
    firstScore: null,
    secondScore: null,
    difference: null,
    interval: null,
    pValue: null,
    isBound: false,
    isExact: false,
    resamples: null,
    imageCount: 0,
    wordCount: null,
    rarefied: null,
    references: null,
    frequencyImageCount: null,
    isSmall: false,
    undefinedReason,
    signature: null,
  }
}
