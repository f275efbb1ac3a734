import { requireInteger } from '../../errors.js'

/** More digits do not change a number. */
const MAX_DIGITS = 17

/**
 * The numbers with so many significant digits, exact without `digits`. Undefined ones stay null.
 *
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ digits ≤ 17
 */
export function roundAll<Value extends number | null>(
  values: ArrayLike<Value>,
  digits: number | null | undefined,
): Value[] {
  if (digits == null) return Array.from(values)
  requireInteger(digits, 1, MAX_DIGITS, 'digits', 'invalid number of digits')
  return Array.from(values, (value) =>
    value === null ? value : (Number(value.toPrecision(digits)) as Value),
  )
}

/** Objects with their numbers rounded in the same way; other values, and objects that are null, stay. */
export function roundFields<Point extends object | null>(
  points: readonly Point[],
  digits: number | null | undefined,
): readonly Point[] {
  if (digits == null) return points
  return points.map((point) => {
    if (point === null) return point
    const fields = Object.entries(point).map(([name, value]) => [
      name,
      typeof value === 'number' ? roundAll([value], digits)[0] : value,
    ])
    return Object.fromEntries(fields) as Point
  })
}
