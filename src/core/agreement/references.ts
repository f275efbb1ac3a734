import { AccordError } from '../../errors.js'

/**
 * Checks the number of references k. At most K − 1, because one caption is held out; the same limit applies to
 * systems, so that they are compared with people under equal conditions.
 *
 * @param captionsPerImage K
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1
 */
export function requireReferences(captionsPerImage: number, references: number): void {
  if (Number.isInteger(references) && references >= 1 && references < captionsPerImage) return
  throw new AccordError('OUT_OF_RANGE', 'invalid number of references', {
    source: 'references',
    ...(captionsPerImage < 2
      ? { expected: 'a dataset with at least 2 captions per image', found: String(captionsPerImage) }
      : { expected: `an integer from 1 to ${captionsPerImage - 1}`, found: String(references) }),
  })
}
