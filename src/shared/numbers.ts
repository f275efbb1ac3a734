/** How numbers are written for people, in tables and in sentences. */

const MINUS = '−'

/** Smaller p-values are shown as less than this. */
const MIN_SHOWN_P = 0.001

/** The level of the tests: no p-value below it is rounded to it. */
const LEVEL = 0.05

/** A figure with a fixed number of decimals, a real minus sign and no zero before the point: `−.250`. */
export function fixed(value: number, decimals = 3): string {
  const digits = Math.abs(value)
    .toFixed(decimals)
    .replace(/^0(?=\.)/, '')
  return value < 0 && /[1-9]/.test(digits) ? `${MINUS}${digits}` : digits
}

/** Scores below this are written with an exponent. */
const MIN_DECIMAL_SCORE = 1e-6

/** A score: as {@link fixed}, but one that would be 0 or nearly 0 has two digits, `.000098` or `2.1e−241`. */
export function scored(score: number, decimals = 3): string {
  const size = Math.abs(score)
  if (size === 0 || size >= 10 ** -decimals) return fixed(score, decimals)
  if (size < MIN_DECIMAL_SCORE) return score.toExponential(1).replaceAll('-', MINUS)
  return fixed(score, 1 - Math.floor(Math.log10(size)))
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

/** A p-value with three decimals, `–` for none; with `<` below the resolution of the test, and below .001. */
export function showP(
  pValue: number | null,
  { isBound = false }: { readonly isBound?: boolean } = {},
): string {
  if (pValue === null) return '–'
  const isBelow = isBound || pValue < MIN_SHOWN_P
  const shown = Math.max(pValue, MIN_SHOWN_P)
  const decimals = [3, 4, 5, 6].find((count) => pValue >= LEVEL || Number(shown.toFixed(count)) < LEVEL) ?? 6
  return isBelow && pValue < 1 ? `< ${fixed(shown, decimals)}` : fixed(shown, decimals)
}
