/** What a comparison says, in one sentence that the dashboard, the API and the command line print. */

import { counted, decimalsOf, type Interval, showP, signed } from './numbers.js'
import { REASON_PHRASES, type UndefinedReason } from './undefined-reason.js'

/** Instead of the name of a system. */
export const PEOPLE = 'people'

/** Marks of scores in a table of systems and metrics, which its legend explains. */
export const WORSE_THAN_BEST = '*'
export const ABOVE_PEOPLE = '↑'
export const BELOW_PEOPLE = '↓'

/** The metric by which systems are compared first, unless another is chosen. */
export const MAIN_METRIC = 'CIDEr-D'

/** Two sides by one figure, as if nothing else was asked. */
export interface Question {
  /** Names of the sides; {@link PEOPLE} for people. */
  readonly first: string
  readonly second: string
  /** Name of the figure. */
  readonly figure: string
  /** First minus second. */
  readonly difference: number | null
  readonly alone: {
    readonly interval: Interval | null
    readonly pValue: number | null
    readonly better: 'FIRST' | 'SECOND' | null
  }
  readonly imageCount: number
  readonly undefinedReason: UndefinedReason | null
}

/**
 * The answer to the question which of two sides is better by one figure: `mine is better than baseline by CIDEr-D: +.115
 * [+.023, +.207], p = .015, 200 images.` A difference is that of the side which is named first minus the other.
 *
 * @param isPercent whether differences are multiplied by 100
 */
export function conclude(question: Question, isPercent = false): string {
  const { first, second, figure, difference, alone, imageCount, undefinedReason } = question
  const reason = REASON_PHRASES[undefinedReason ?? 'UNDEFINED_FIGURE']
  if (difference === null) return `${first} and ${second} cannot be compared by ${figure}: ${reason}.`
  const { interval, pValue, better } = alone
  const decimals = Math.max(DIGITS, decimalsOf(interval))
  const show = (value: number) => showDifference(value, decimals, isPercent)
  if (interval === null || pValue === null) {
    if (pValue !== null) return `${first} and ${second} have the same scores by ${figure}.`
    const why = undefinedReason === 'NO_VARIATION' ? 'it is the same whichever images are left out' : reason
    return `The difference between ${first} and ${second} by ${figure}, ${show(difference)}, has no test: ${why}.`
  }
  const isSecond = better === 'SECOND'
  const ends = isSecond ? [-interval.upper, -interval.lower] : [interval.lower, interval.upper]
  const [best, other] = isSecond ? [second, first] : [first, second]
  const verdict =
    better === null
      ? `${first} and ${second} do not differ significantly`
      : `${best} ${best === PEOPLE ? 'are' : 'is'} better than ${other}`
  const figures = `${show(isSecond ? -difference : difference)} [${ends.map(show).join(', ')}]`
  return `${verdict} by ${figure}: ${figures}, ${pText(pValue)}, ${counted(imageCount, 'image')}.`
}

/** Decimals of a difference, unless its interval supports more. */
const DIGITS = 3

function showDifference(value: number, decimals: number, isPercent: boolean): string {
  return isPercent ? signed(100 * value, decimals - 2).replace(/^([+−]?)\./, '$10.') : signed(value, decimals)
}

/**
 * The row of a table that answers the question which was asked: of a single pair by the metric that is named first, by
 * default the main one. Null for several pairs.
 *
 * @param pairCount number of pairs of the table
 * @param named the metric that is named first
 */
export function askedRow<Row extends { readonly metric?: string | null }>(
  rows: readonly Row[],
  pairCount: number,
  named: string = MAIN_METRIC,
): Row | null {
  if (pairCount !== 1) return null
  return rows.find(({ metric }) => metric === named) ?? rows.at(0) ?? null
}

/** A p-value within a sentence. */
export function pText(pValue: number): string {
  const text = showP(pValue)
  return text.startsWith('<') ? `p ${text}` : `p = ${text}`
}

/** A table of tests. */
export interface Correction {
  readonly tests: number
  /** The probability outside of each interval. */
  readonly level: number | null
}

/** How a table is corrected, within a sentence: `corrected for 130 tests (worth 45 independent ones)`. Null for a single test. */
export function describeCorrection({ tests, level }: Correction): string | null {
  if (tests < 2 || level === null) return null
  const independent = Math.round(0.05 / level)
  return `corrected for ${counted(tests, 'test')} (worth ${independent} independent ${independent === 1 ? 'one' : 'ones'})`
}

/** A figure that is compared. */
export interface NamedFigure {
  readonly kind: 'METRIC' | 'PHR' | 'AVERAGE_PRECISION' | 'WORD_PRECISION'
  readonly metric?: string | null
  readonly word?: string | null
  /** Of the images. */
  readonly subset?: { readonly field: string; readonly value: string }
}

const NAMES = { PHR: 'PHR', AVERAGE_PRECISION: 'AP', WORD_PRECISION: 'word precision' } as const

/** The name of a figure: `CIDEr-D`, `CIDEr-D, domain: near`, `mean PHR`, `PHR of dog`. */
export function figureName({ kind, metric, word, subset }: NamedFigure): string {
  if (kind === 'METRIC') return subset ? `${metric}, ${subset.field}: ${subset.value}` : String(metric)
  return word == null ? `mean ${NAMES[kind]}` : `${NAMES[kind]} of ${word}`
}
