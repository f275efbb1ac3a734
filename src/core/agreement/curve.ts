import { AccordError } from '../../errors.js'

/** A point of a precision-recall curve. Both values are in 0..1. */
export interface CurvePoint {
  readonly recall: number
  readonly precision: number
}

/** A point of the curve of a system's scores for a word. */
export interface ScoreCurvePoint extends CurvePoint {
  /** The lowest score of the images that are predicted to have the word; null if images without a score are among them. */
  readonly threshold: number | null
}

/**
 * Checks the number of points of a curve, which has at least its two end points.
 *
 * @throws AccordError OUT_OF_RANGE unless points is an integer ≥ 2
 */
export function requirePoints(points: number): void {
  if (Number.isInteger(points) && points >= 2) return
  throw new AccordError('OUT_OF_RANGE', 'invalid number of points', {
    source: 'points',
    expected: 'an integer of at least 2',
    found: String(points),
  })
}
