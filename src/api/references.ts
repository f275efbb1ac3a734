import { AccordError } from '../errors.js'

/** Most points of a curve. */
export const MOST_POINTS = 1000

/** The number of references a field was asked for, by default K − 1. @throws AccordError OUT_OF_RANGE */
export function toReferences(captionsPerImage: number, references: number | null | undefined): number {
  const chosen = references ?? captionsPerImage - 1
  if (chosen < 1 || chosen >= captionsPerImage) {
    throw new AccordError('OUT_OF_RANGE', 'the number of references is not possible', {
      source: 'references',
      expected:
        captionsPerImage < 2
          ? 'a data set with at least two captions per image'
          : `1 to ${captionsPerImage - 1}, captionsPerImage − 1`,
      found: captionsPerImage < 2 ? `one with ${captionsPerImage}` : String(chosen),
    })
  }
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
