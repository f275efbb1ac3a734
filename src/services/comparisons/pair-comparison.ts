import { type ProvenanceRecord, type ReferenceRange, signatureOf } from '../../core/metrics/provenance.js'
import { studentQuantile } from '../../core/stats/distributions.js'
import type { Interval } from '../../core/stats/interval.js'
import { IDENTITY, restoreInterval, type Scale } from '../../core/stats/jackknife.js'
import { LEVEL, testTable, type Uncertainty } from '../../core/stats/min-p.js'
import { VERSION } from '../../project.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import type { System } from '../../store/schema/system-tables.js'
import type { RarefiedMean } from '../words/compute-word-means.js'

/** Two of the subjects on the images that both have, by one figure. */
export interface PairComparison extends Difference {
  /** Positions among the systems, people after the last. `first` precedes `second`, except that a baseline is `second`. */
  readonly first: number
  readonly second: number
}

export type Better = 'FIRST' | 'SECOND' | null

/** How two differ on the images that both have. */
export interface Difference {
  readonly firstScore: number | null
  readonly secondScore: number | null
  /** First minus second. */
  readonly difference: number | null
  readonly alone: TestResult
  readonly together: TestResult
  readonly imageCount: number
  /** Of means over words: the words that both have a figure for. */
  readonly wordCount: number | null
  /** The difference of means over words that is expected for random subsets of the images, with an interval as `together`. */
  readonly rarefied: RarefiedMean | null
  /** Of the shared images. */
  readonly references: ReferenceRange | null
  /** Images that document frequencies were counted in; null where there are none. */
  readonly frequencyImageCount: number | null
  /** Whether there are so few images that intervals and tests are approximate. */
  readonly isSmall: boolean
  /** Why there is no interval. */
  readonly undefinedReason: UndefinedReason | null
  /** How the figures were made, with the images that were compared; null where nothing was. */
  readonly signature: string | null
}

/** What a test says of a pair by one figure, alone or as one of a table: a probability of 5 % covers all that is wrong in it. */
export interface TestResult {
  /** Of the difference: all intervals of the table hold together with 95 %. Null with a reason. */
  readonly interval: Interval | null
  /** Two-sided, of Student's t, corrected for the tests of the table. 1 for equal figures; null with a reason. */
  readonly pValue: number | null
  /** The side with the better score, where the p-value is below .05. */
  readonly better: Better
  /** Tests of the table: 1 alone, unless there is no test. */
  readonly tests: number
  /** The probability outside of each interval: .05 / `level` independent tests would need the same. Null without a test. */
  readonly level: number | null
}

/** Two subjects that were measured, before the table that they are in is tested. */
export interface MeasuredPair extends Omit<Difference, 'alone' | 'together' | 'rarefied' | 'signature'> {
  /** Positions among the systems, people after the last. */
  readonly first: number
  readonly second: number
  readonly higherIsBetter: boolean
  /** Null where there is no test. */
  readonly uncertainty: Uncertainty | null
  /** On which the uncertainty is. Default: that of the difference. */
  readonly scale?: Scale
  readonly rarefied: RarefiedDifference | null
  readonly record: ProvenanceRecord | null
}

/** A difference of means over words that is expected for random subsets of m images. */
export interface RarefiedDifference extends Pick<RarefiedMean, 'imageCount' | 'value'> {
  /** Null where all subsets have the same. */
  readonly standardError: number | null
  /** Degrees of freedom. */
  readonly freedom: number
}

/**
 * The pairs of a table with what tests say of each, alone and together.
 *
 * @param table in an order, and with sides, that do not depend on who asks; see `testTable`
 */
export function judgeTable(table: readonly MeasuredPair[]): PairComparison[] {
  const tested = table.flatMap((pair) => {
    const { difference, uncertainty, scale = IDENTITY } = pair
    return difference === null || uncertainty === null
      ? []
      : [{ pair, difference: scale.transform(difference), ...uncertainty }]
  })
  const { tests, level, rows } = testTable(tested)
  const verdicts = new Map(tested.map(({ pair }, index) => [pair, rows[index]]))
  return table.map((measured) => {
    const { higherIsBetter, uncertainty: _, scale = IDENTITY, rarefied, record, ...pair } = measured
    const { alone, together } = verdicts.get(measured) ?? UNTESTED
    const betterBy = (pValue: number | null): Better =>
      !pair.difference || pValue === null || pValue >= LEVEL
        ? null
        : pair.difference > 0 === higherIsBetter
          ? 'FIRST'
          : 'SECOND'
    const resultOf = ({ interval, pValue }: Pick<TestResult, 'interval' | 'pValue'>) => ({
      interval: interval && restoreInterval(pair.difference as number, interval, scale),
      pValue,
      better: betterBy(pValue),
    })
    const isTested = alone.interval !== null
    return {
      ...pair,
      alone: { ...resultOf(alone), tests: isTested ? 1 : 0, level: isTested ? LEVEL : null },
      together: { ...resultOf(together), tests, level },
      rarefied: rarefied && withInterval(rarefied, level ?? LEVEL),
      signature: record && signatureOf(record, VERSION),
    }
  })
}

const NO_TEST = { interval: null, pValue: null }
const UNTESTED = { alone: NO_TEST, together: NO_TEST }

function withInterval(
  { imageCount, value, standardError, freedom }: RarefiedDifference,
  level: number,
): RarefiedMean {
  if (standardError === null) return { imageCount, value, interval: null }
  const margin = studentQuantile(freedom, level) * standardError
  return { imageCount, value, interval: { lower: value - margin, upper: value + margin } }
}

/** A system with its position in the request. */
export interface PlacedSystem {
  readonly position: number
  readonly system: System
}

/** The sides of a table. */
export interface ComparedSides {
  /** Position of the side that all others are compared with. Absent: every pair. */
  readonly baseline?: number
  /** Position of people; null without them. */
  readonly people: number | null
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
export function orientPairs(
  pairs: readonly PairComparison[],
  baseline: number | undefined,
): PairComparison[] {
  const isAsked = ({ first, second }: PairComparison) =>
    baseline === undefined ? first < second : second === baseline
  return pairs
    .map((pair) => (isAsked(pair) ? pair : reversed(pair)))
    .sort((one, other) => one.first - other.first || one.second - other.second)
}

function reversed(pair: PairComparison): PairComparison {
  const { first, second, firstScore, secondScore, difference, alone, together, rarefied } = pair
  const reverse = (tested: TestResult): TestResult => ({
    ...tested,
    interval: tested.interval && negative(tested.interval),
    better: tested.better && (tested.better === 'FIRST' ? 'SECOND' : 'FIRST'),
  })
  return {
    ...pair,
    first: second,
    second: first,
    firstScore: secondScore,
    secondScore: firstScore,
    difference: difference && -difference,
    alone: reverse(alone),
    together: reverse(together),
    rarefied: rarefied && {
      ...rarefied,
      // Subtracted from 0, as a negated 0 is −0.
      value: 0 - rarefied.value,
      interval: rarefied.interval && negative(rarefied.interval),
    },
  }
}

const negative = ({ lower, upper }: Interval): Interval => ({ lower: -upper, upper: -lower })

/** A pair without figures. */
export function withoutFigures(
  first: number,
  second: number,
  undefinedReason: UndefinedReason,
): MeasuredPair {
  return {
    first,
    second,
    higherIsBetter: true,
    firstScore: null,
    secondScore: null,
    difference: null,
    uncertainty: null,
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
