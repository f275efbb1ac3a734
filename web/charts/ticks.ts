import { ticks as nice } from 'd3-array'
import { fixed } from '../../src/shared/numbers.js'

/** The values at both ends of an axis. */
interface Range {
  readonly from: number
  readonly to: number
}

/** Round values for an axis, about one for `pixels` of it, but at least two: one value alone shows no scale. */
export function ticks({ from, to }: Range, length: number, pixels = 80): number[] {
  // There are no two round values between numbers that differ only by rounding.
  if (isSame(from, to)) return [from]
  // A chart without rows may have no finite length.
  const room = Number.isFinite(length) ? Math.round(length / pixels) : 0
  for (let wanted = Math.max(2, room); ; wanted++) {
    const values = nice(from, to, wanted)
    if (values.length > 1) return values
  }
}

/** Whether two values differ only by floating-point rounding, or their difference is not a finite number. */
function isSame(one: number, other: number): boolean {
  return !(Math.abs(one - other) > 1e-9 * Math.max(Math.abs(one), Math.abs(other)))
}

/** The least and the greatest of values, with a margin of a share of their distance. Undefined ones are skipped. */
export function extent(values: Iterable<number | null | undefined>, margin = 0.05): [number, number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    if (value === null || value === undefined) continue
    least = Math.min(least, value)
    greatest = Math.max(greatest, value)
  }
  if (least > greatest) return [0, 1]
  const space = isSame(least, greatest) ? Math.abs(least) * 0.1 || 1 : margin * (greatest - least)
  return [least - space, greatest + space]
}

const MOST_DECIMALS = 12

/** As many decimals as the ticks have, the same for all of them. */
export function tickText(values: readonly number[]): (value: number) => string {
  const step = Math.abs((values.at(-1) ?? 0) - (values[0] ?? 0)) / (values.length - 1) || 1
  const has = (decimals: number) =>
    values.every((value) => Math.abs(Number(value.toFixed(decimals)) - value) < step * 1e-6)
  let decimals = 0
  while (decimals < MOST_DECIMALS && !has(decimals)) decimals++
  return (value) => (value === 0 ? '0' : fixed(value, decimals))
}
