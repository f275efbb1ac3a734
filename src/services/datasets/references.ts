import { requireReferences } from '../../core/agreement/references.js'
import type { Dataset } from '../../store/schema/entities.js'

/**
 * The number of references k to use: as wanted, by default the maximum, K − 1.
 *
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ k ≤ K − 1
 */
export function chooseReferences(
  { captionsPerImage }: Pick<Dataset, 'captionsPerImage'>,
  wanted: number | null | undefined,
): number {
  const references = wanted ?? captionsPerImage - 1
  requireReferences(captionsPerImage, references)
  return references
}
