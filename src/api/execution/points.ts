import { requireInteger } from '../../errors.js'

/** Maximum number of points of a curve. */
const MAX_POINTS = 1000

const DEFAULT_POINTS = 101

/** The requested number of points of a curve. @throws AccordError OUT_OF_RANGE unless 2 ≤ points ≤ {@link MAX_POINTS} */
export function toPoints(points: number | null | undefined): number {
  return requireInteger(points ?? DEFAULT_POINTS, 2, MAX_POINTS, 'points', 'invalid number of points')
}
