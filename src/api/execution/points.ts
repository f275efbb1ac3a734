import { AccordError } from '../../errors.js'

/** Maximum number of points of a curve. */
const MAX_POINTS = 1000

const DEFAULT_POINTS = 101

/** The requested number of points of a curve. @throws AccordError OUT_OF_RANGE unless 2 ≤ points ≤ {@link MAX_POINTS} */
export function toPoints(points: number | null | undefined): number {
  const chosen = points ?? DEFAULT_POINTS
  if (chosen >= 2 && chosen <= MAX_POINTS) return chosen
  throw new AccordError('OUT_OF_RANGE', 'invalid number of points', {
    source: 'points',
    expected: `an integer from 2 to ${MAX_POINTS}`,
    found: String(chosen),
  })
}
