/** How numbers are written for people, in tables and in sentences. */

const MINUS = '−'

/** Smaller p-values are shown as less than this. */
const MIN_SHOWN_P = 0.0001

/** The level of the tests: no p-value below it is rounded to it. */
const LEVEL = 0.05

/** A figure with a fixed number of decimals, a real minus sign and no zero before the point: `−.250`. */
export function fixed(value: number, decimals = 3): string {
  const digits = Math.abs(value)
    .toFixed(decimals)
    .replace(/^0(?=\.)/, '')
  return value < 0 && /[1-9]/.test(digits) ? `${MINUS}${digits}` : digits
}

/** A score: as {@link fixed}, but a positive one that is nearly 0 is `< .001`, since its digits say nothing and it is not 0. */
export function scored(score: number, decimals = 3): string {
  const least = 10 ** -decimals
  return score > 0 && score < least ? `< ${fixed(least, decimals)}` : fixed(score, decimals)
}

/** A whole number with thousands separators: 25,014. */
export function grouped(count: number): string {
  const digits = String(Math.abs(count)).replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return count < 0 ? `${MINUS}${digits}` : digits
}

/** A count and its noun, in the plural unless the count is 1. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : plural}`
}

/** A p-value with three decimals, with four below .001, `< .0001` below that, and `–` for none. */
export function showP(pValue: number | null): string {
  if (pValue === null) return '–'
  if (pValue < MIN_SHOWN_P) return `< ${fixed(MIN_SHOWN_P, 4)}`
  const decimals = [3, 4, 5, 6].find(
    (count) => (count > 3 || pValue >= 0.001) && (pValue >= LEVEL || Number(pValue.toFixed(count)) < LEVEL),
  )
  return fixed(pValue, decimals ?? 6)
}

/** The ends of an interval. */
export interface Interval {
  readonly lower: number
  readonly upper: number
}

/** Decimals of a figure without an interval. */
const DIGITS = 3

/** Decimals that an interval supports: up to the first digit of its half width, or the second if the first is 1. 1 to 4. */
export function decimalsOf(interval: Interval | null | undefined): number {
  const half = interval ? (interval.upper - interval.lower) / 2 : 0
  if (!(half > 0)) return DIGITS
  const decimals = Math.ceil(-Math.log10(half))
  return Math.min(4, Math.max(1, half * 10 ** decimals < 2 ? decimals + 1 : decimals))
}

/** A difference: with its sign. */
export function signed(value: number, decimals = DIGITS): string {
  const text = fixed(value, decimals)
  return value > 0 ? `+${text}` : text
}

/** A difference with the decimals that its interval supports, and the interval in brackets. */
export function signedWithInterval(
  value: number,
  interval: Interval | null | undefined,
  decimals = decimalsOf(interval),
): string {
  const text = signed(value, decimals)
  return interval
    ? `${text} [${signed(interval.lower, decimals)}, ${signed(interval.upper, decimals)}]`
    : text
}
