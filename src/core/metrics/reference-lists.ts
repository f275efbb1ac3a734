import { AccordError } from '../../errors.js'

/** Per image, the positions of its reference captions in a corpus. */
export interface ReferenceLists {
  readonly references: Int32Array
  readonly referenceOffsets: Int32Array
}

/**
 * The number of images of a trial or of reference lists. Every `measure` starts here: an image without a
 * reference has no score, and is refused with `NOT_APPLICABLE`.
 */
export function countImages({ referenceOffsets }: ReferenceLists): number {
  const images = referenceOffsets.length - 1
  for (let image = 0; image < images; image++) {
    if (referenceOffsets[image + 1] > referenceOffsets[image]) continue
    throw new AccordError('NOT_APPLICABLE', 'an image without references has no score', {
      place: `image ${image} of the trial`,
      expected: 'at least one reference',
      found: 'none',
    })
  }
  return images
}

/** The smallest and the largest number of references of an image. */
export function rangeOfReferences(lists: ReferenceLists): { readonly least: number; readonly most: number } {
  const imageCount = countImages(lists)
  let least = Number.POSITIVE_INFINITY
  let most = 0
  for (let image = 0; image < imageCount; image++) {
    const count = lists.referenceOffsets[image + 1] - lists.referenceOffsets[image]
    least = Math.min(least, count)
    most = Math.max(most, count)
  }
  return { least, most }
}
