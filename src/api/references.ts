import { requireReferences } from '../agreement/references.js'
import { AccordError } from '../errors.js'

/** Most points of a curve. */
export const MOST_POINTS = 1000

/** The number of references a field was asked for, by default K − 1. @throws AccordError OUT_OF_RANGE */
export function toReferences(captionsPerImage: number, references: number | null | undefined): number {
  const chosen = references ?? captionsPerImage - 1
  requireReferences(captionsPerImage, chosen)
  return chosen
}

/** The number of points a curve was asked for. @throws AccordError OUT_OF_RANGE */
export function toPoints(points: number | null | undefined): number {
  const chosen = points ?? 101
  if (chosen < 2 || chosen > MOST_POINTS) {
    throw new AccordError('OUT_OF_RANGE', 'the number of points is not possible', {
      source: 'points',
      expected: `2 to ${MOST_POINTS}`,
      found: String(chosen),
    })
  }
  return chosen
}
