import { AccordError, requireInteger } from '../../errors.js'

/** Maximum number of points of a curve. */
const MAX_POINTS = 1000

const DEFAULT_POINTS = 101

/** The requested number of points of a curve. @throws AccordError OUT_OF_RANGE unless 2 ≤ points ≤ {@link MAX_POINTS} */
export function toPoints(points: number | null | undefined): number {
  return requireInteger(points ?? DEFAULT_POINTS, 2, MAX_POINTS, 'points', 'invalid number of points')
}

/**
 * The error for an argument that has no effect beside the others, which would otherwise mislead.
 *
 * @param source the argument
 * @param reason why it has none
 * @param expected when it has one
 */
export function unusedArgument(source: string, reason: string, expected: string): AccordError {
  return new AccordError('NOT_APPLICABLE', reason, { source, expected })
}

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
