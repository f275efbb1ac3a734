import { requireReferences } from '../../core/agreement/references.js'
import type { Dataset } from '../../store/schema/entities.js'
import type { UndefinedReason } from '../../undefined-reason.js'

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

/** Why a dataset has no human agreement: no caption can be held out. Null if it has. */
export function whyNoAgreement({
  captionsPerImage,
}: Pick<Dataset, 'captionsPerImage'>): UndefinedReason | null {
  return captionsPerImage === 0 ? 'NO_CAPTIONS' : captionsPerImage === 1 ? 'ONE_CAPTION' : null
}
