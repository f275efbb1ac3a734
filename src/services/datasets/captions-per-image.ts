import { AccordError } from '../../errors.js'

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
  if (Number.isInteger(requested) && requested >= 1 && requested <= limit) return requested
  const summary =
    requested > largest
      ? 'no image has this many captions'
      : 'statistics cannot use this many captions per image'
  throw new AccordError('OUT_OF_RANGE', summary, {
    source: 'captions per image',
    expected: `an integer from 1 to ${limit}`,
    found: String(requested),
  })
}
