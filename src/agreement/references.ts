import { AccordError } from '../errors.js'

/**
 * Checks k, the number of references: one caption must be left to hold out, for people and for systems alike.
 *
 * @param captionsPerImage K
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1
 */
export function requireReferences(captionsPerImage: number, references: number): void {
  if (Number.isInteger(references) && references >= 1 && references < captionsPerImage) return
  throw new AccordError('OUT_OF_RANGE', 'the number of references is not possible', {
    source: 'references',
    ...(captionsPerImage < 2
      ? { expected: 'a data set with at least two captions per image', found: `one with ${captionsPerImage}` }
      : { expected: `a whole number from 1 to ${captionsPerImage - 1}`, found: String(references) }),
  })
}
