/** How human scores grow with the number of references, extrapolated beyond the number that was measured. */

/** A score with k references. */
interface ScoreWithReferences {
  readonly references: number
  readonly mean: number
}

/** A score with more references than were measured: not a measurement. */
export interface Extrapolation {
  readonly references: number
  readonly value: number
  readonly method: typeof EXTRAPOLATION_METHOD
  /** By how much the same method, without the last point, misses the score of that point. */
  readonly error: number
}

/** Each further reference adds less than the one before: scores grow about as the logarithm of their number. */
export const EXTRAPOLATION_METHOD = 'line through the last two points, over ln k'

/** Two for the line and one to see how far it is off. */
const MIN_POINTS = 3

/**
 * Extrapolates scores with 1, 2 … references to another number of references. The next one or two are a fair guess, 40 are
 * not: a score is bounded, ln k is not.
 *
 * @param points by number of references, ascending
 * @returns null for fewer than 3 points
 */
export function extrapolate(
  points: readonly ScoreWithReferences[],
  references: number,
): Extrapolation | null {
  if (points.length < MIN_POINTS) return null
  const [before, previous, last] = points.slice(-MIN_POINTS)
  return {
    references,
    value: continueLine(previous, last, references),
    method: EXTRAPOLATION_METHOD,
    error: Math.abs(continueLine(before, previous, last.references) - last.mean),
  }
}

function continueLine(first: ScoreWithReferences, second: ScoreWithReferences, references: number): number {
  const slope = (second.mean - first.mean) / Math.log(second.references / first.references)
  return second.mean + slope * Math.log(references / second.references)
}
