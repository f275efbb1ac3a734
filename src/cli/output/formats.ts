import type { Interval } from '../../core/stats/interval.js'
import { counted, fixed, grouped, scored, showP } from '../../shared/numbers.js'

/** How values are shown to people. */

/** How the values of a column are shown. */
export interface Format<Value = never> {
  readonly align: 'left' | 'right'
  /** Properties of a value that have columns of their own in CSV. Without any, only JSON has the value. Default: the value itself. */
  readonly keys?: readonly string[]
  /** Instead of null. Default: `–`. */
  readonly none?: string
  show(value: Value, numbers: NumberStyle): string
}

/** How scores are shown. */
export interface NumberStyle {
  share(value: number): string
  /** The same, but never 0 where it is not: of a score, not of a difference or an end of an interval. */
  score(value: number): string
  /** Whether scores are multiplied by 100. */
  readonly isPercent?: true
}

/** Three decimals, without a leading 0. */
export const FRACTIONS: NumberStyle = { share: (value) => fixed(value), score: (value) => scored(value) }

/** Multiplied by 100, with one decimal. */
export const PERCENTAGES: NumberStyle = {
  share: (value) => withZero(fixed(100 * value, 1)),
  score: (value) => withZero(scored(100 * value, 1)),
  isPercent: true,
}

function withZero(text: string): string {
  return text.replace(/(?<!\d)\./, '0.')
}

/** Instead of an undefined value. */
export const NONE = '–'

export const text: Format<string> = { align: 'left', none: '', show: String }

/** Texts, separated by semicolons in CSV. */
export const list = (separator: string): Format<readonly string[]> => ({
  align: 'left',
  show: (texts) => texts.join(separator),
})

/** Counts, a column of CSV for each. */
export const counts = (length: number): Format<readonly number[]> => ({
  align: 'left',
  keys: Array.from({ length }, (_, index) => String(index)),
  show: (numbers) => numbers.map(grouped).join(' '),
})

/** A whole number that is not a count, such as a rank. */
export const ordinal: Format<number> = { align: 'right', none: '', show: String }

export const count: Format<number> = { align: 'right', show: grouped }

export const decimals = (digits: number): Format<number> => ({
  align: 'right',
  show: (value) => (digits === 0 ? grouped(Math.round(value)) : fixed(value, digits)),
})

/** A score, a share or a difference of them. */
export const share: Format<number> = { align: 'right', show: (value, numbers) => numbers.share(value) }

/** A score, of which one that is nearly 0 is not shown as 0. */
export const score: Format<number> = { align: 'right', show: (value, numbers) => numbers.score(value) }

/** An interval: `[.023, .207]`, as in sentences. */
export function showInterval({ lower, upper }: Interval, show: (end: number) => string): string {
  return `[${show(lower)}, ${show(upper)}]`
}

/** An interval of scores. */
export const interval: Format<Interval> = {
  align: 'right',
  keys: ['lower', 'upper'],
  show: (ends, numbers) => showInterval(ends, numbers.share),
}

/** A figure that may have an interval. */
export interface Spread {
  readonly value: number | null
  readonly interval: Interval | null
}

/**
 * The interval of a figure, as the distance of its ends from it where this is the same on both sides for all figures of a column, and
 * otherwise as its ends.
 *
 * @param column the figures that it stands with
 */
export function showSpread(
  { value, interval }: Spread,
  column: readonly Spread[],
  numbers: NumberStyle,
): string {
  if (value === null || interval === null) return ''
  const isSymmetric = column.every(({ value: middle, interval: ends }) => {
    if (middle === null || ends === null) return true
    const [below, above] = [middle - ends.lower, ends.upper - middle].map(numbers.share)
    return below === above
  })
  return isSymmetric ? `±${numbers.share(interval.upper - value)}` : showInterval(interval, numbers.share)
}

/** Numbers of references of images. */
interface Range {
  readonly least: number
  readonly most: number
}

/** References per image. */
export const references: Format<Range> = {
  align: 'right',
  keys: ['least', 'most', 'folds'],
  show: ({ least, most }) => (least === most ? String(least) : `${least}–${most}`),
}

/** The same within a sentence. */
export function countedReferences({ least, most }: Range): string {
  return least === most ? counted(least, 'reference') : `${least} to ${most} references`
}

/** An object that people do not see. CSV has these of its properties. */
export const object = (...keys: readonly string[]): Format => ({ align: 'left', keys, show: String })

/** What only JSON has. */
export const jsonOnly = object()

export const pValue: Format<number> = { align: 'right', show: (value) => showP(value) }

/** A score within a sentence or a cell. */
export function shown(value: number | null | undefined, numbers: NumberStyle = FRACTIONS): string {
  return value == null ? NONE : numbers.share(value)
}

/** The same, but never 0 where it is not. */
export function shownScore(value: number | null | undefined, numbers: NumberStyle = FRACTIONS): string {
  return value == null ? NONE : numbers.score(value)
}

/** A difference of scores in the direction of the metric: positive where the first is better. */
export function improvement(difference: number, higherIsBetter: boolean): number {
  return higherIsBetter ? difference : -difference
}

/** Text with control characters replaced, so that it cannot control a terminal, nor show other text in another order. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\u{fffd}')
}
