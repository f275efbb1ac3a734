import { requireReferences } from '../../core/agreement/weights.js'
import { requireInteger } from '../../errors.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'

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

/** Counts of an image's captions are stored in a byte; one value is reserved. */
const MAX_CAPTIONS_PER_IMAGE = 254

/**
 * Chooses K: the requested number, or the number of captions that most images have; if several are equally frequent,
 * the smallest. At least one image has a caption.
 */
export function chooseCaptionsPerImage(captionCounts: Int32Array, requested: number | undefined): number {
  const frequencies = new Map<number, number>()
  for (const captions of captionCounts) {
    if (captions > 0) frequencies.set(captions, (frequencies.get(captions) ?? 0) + 1)
  }
  const [[usual]] = [...frequencies].sort(
    ([captions, images], [otherCaptions, otherImages]) => otherImages - images || captions - otherCaptions,
  )
  if (requested === undefined) return Math.min(usual, MAX_CAPTIONS_PER_IMAGE)
  const largest = Math.max(...frequencies.keys())
  const limit = Math.min(largest, MAX_CAPTIONS_PER_IMAGE)
  const summary =
    requested > largest
      ? 'no image has this many captions'
      : 'statistics cannot use this many captions per image'
  return requireInteger(requested, 1, limit, 'captions per image', summary)
}
