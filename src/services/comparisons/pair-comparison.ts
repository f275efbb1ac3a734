import { type ProvenanceRecord, type ReferenceRange, signatureOf } from '../../core/metrics/provenance.js'
import type { Interval } from '../../core/stats/interval.js'
import { holm, type StudentEstimate, simultaneousIntervals } from '../../core/stats/multiple-testing.js'
import { VERSION } from '../../project.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import type { RarefiedMean } from '../words/compute-word-means.js'

/** Two of the subjects on the images that both have. */
export interface PairComparison extends Difference {
  /** Positions among the systems, people after the last. `first` precedes `second`, except that a baseline is `second`. */
  readonly first: number
  readonly second: number
}

/** How two differ on the images that both have. */
export interface Difference {
  readonly firstScore: number | null
  readonly secondScore: number | null
  /** First minus second. */
  readonly difference: number | null
  /** Of the difference; null where it has no interval. */
  readonly standardError: number | null
  /** Degrees of freedom of the difference; null where there is no difference. */
  readonly freedom: number | null
  readonly pValue: number | null
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
  readonly rarefied: RarefiedDifference | null
  /** Of the shared images. */
  readonly references: ReferenceRange | null
  /** Images that document frequencies were counted in; null where there are none. */
  readonly frequencyImageCount: number | null
  /** Whether there are so few images that intervals and tests are approximate. */
  readonly isSmall: boolean
  readonly undefinedReason: UndefinedReason | null
  /** How the figures were made, with the images that were compared; null where there is none. */
  readonly record: ProvenanceRecord | null
}

/** A difference of means over words that is expected for random subsets of m images. */
export interface RarefiedDifference extends StudentEstimate, Pick<RarefiedMean, 'imageCount'> {}

/** A corrected p-value below this shows a difference. */
export const SIGNIFICANCE = 0.05

/** What a table says of one of its comparisons: all of them are true together with a probability of at least 95 %. */
export interface Verdict {
  /** Of the difference, with Bonferroni's correction for all intervals of the table; null where there is none. */
  readonly interval: Interval | null
  /** Its intervals are corrected as those of differences are. */
  readonly rarefied: RarefiedMean | null
  /** Null where nothing was compared. */
  readonly signature: string | null
  /** By Holm's correction for all tests of the table. */
  readonly adjustedPValue: number | null
  /** The side with the better score. Null unless `adjustedPValue` is below {@link SIGNIFICANCE}. */
  readonly better: 'FIRST' | 'SECOND' | null
}

/** A comparison as its table shows it. */
export type Judged<Pair extends Difference> = Omit<Pair, 'rarefied' | 'record'> & Verdict

/** The comparisons of one table with their verdicts. */
export function withVerdicts<Pair extends Difference>(
  table: readonly Pair[],
  isHigherBetter: (pair: Pair) => boolean,
): Judged<Pair>[] {
  const tested = table.filter(({ pValue }) => pValue !== null)
  const adjusted = holm(tested.map(({ pValue }) => pValue as number))
  const intervals = simultaneousIntervals(table.map(differenceOf))
  const count = intervals.filter((interval) => interval !== null).length
  const ofRarefied = simultaneousIntervals(table.map(({ rarefied }) => rarefied))
  return table.map((pair, index) => {
    const { rarefied, record, ...rest } = pair
    const adjustedPValue = adjusted[tested.indexOf(pair)] ?? null
    return {
      ...rest,
      interval: intervals[index],
      rarefied: rarefied && {
        imageCount: rarefied.imageCount,
        value: rarefied.value,
        interval: ofRarefied[index],
      },
      signature: record && signatureOf(withCorrection(record, count), VERSION),
      adjustedPValue,
      better: betterSide(pair, adjustedPValue, isHigherBetter(pair)),
    }
  })
}

function differenceOf({ difference, standardError, freedom }: Difference): StudentEstimate | null {
  return difference === null || freedom === null ? null : { value: difference, standardError, freedom }
}

/** The record of a comparison whose interval is one of several. */
function withCorrection(record: ProvenanceRecord, count: number): ProvenanceRecord {
  return count < 2 ? record : { ...record, interval: `${record.interval}-bonferroni-${count}` }
}

function betterSide(
  { difference }: Pick<Difference, 'difference'>,
  adjustedPValue: number | null,
  isHigherBetter: boolean,
): Verdict['better'] {
  if (!difference || adjustedPValue === null || adjustedPValue >= SIGNIFICANCE) return null
  return difference > 0 === isHigherBetter ? 'FIRST' : 'SECOND'
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
export function orientPairs<Pair extends PairComparison>(
  pairs: readonly Pair[],
  baseline: number | undefined,
): Pair[] {
  const isAsked = ({ first, second }: Pair) => (baseline === undefined ? first < second : second === baseline)
  return pairs
    .map((pair) => (isAsked(pair) ? pair : reversed(pair)))
    .sort((one, other) => one.first - other.first || one.second - other.second)
}

function reversed<Pair extends PairComparison>(pair: Pair): Pair {
  const { first, second, firstScore, secondScore, difference, rarefied } = pair
  return {
    ...pair,
    first: second,
    second: first,
    firstScore: secondScore,
    secondScore: firstScore,
    difference: difference && -difference,
    // Subtracted from 0, as a negated 0 is −0.
    rarefied: rarefied && { ...rarefied, value: 0 - rarefied.value },
  }
}

/** A pair without figures. */
export function withoutFigures(
  first: number,
  second: number,
  undefinedReason: UndefinedReason,
): PairComparison {
  return {
    first,
    second,
    firstScore: null,
    secondScore: null,
    difference: null,
    standardError: null,
    freedom: null,
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
    record: null,
  }
}
