import { AccordError } from '../errors.js'

/** A point of a precision-recall curve, both 0..1. */
export interface CurvePoint {
  readonly recall: number
  readonly precision: number
}

/** A curve has at least its two ends. @throws AccordError OUT_OF_RANGE where it would have fewer */
export function requirePoints(points: number): void {
  if (Number.isInteger(points) && points >= 2) return
  throw new AccordError('OUT_OF_RANGE', 'the number of points is not possible', {
    source: 'points',
    expected: 'a whole number from 2 on',
    found: String(points),
  })
}
