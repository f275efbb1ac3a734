import type { Trial } from '../../core/metrics/metric.js'
import type { ReferenceLists } from '../../core/metrics/reference-lists.js'
import type { ReferenceCaptions } from '../../store/images.js'

/** All captions of some images. @param images positions in `imageIds` of the captions */
export function listReferences(
  { firstCaption }: Pick<ReferenceCaptions, 'firstCaption'>,
  images: readonly number[],
): ReferenceLists {
  const referenceOffsets = new Int32Array(images.length + 1)
  for (const [index, image] of images.entries()) {
    referenceOffsets[index + 1] = referenceOffsets[index] + firstCaption[image + 1] - firstCaption[image]
  }
  const references = new Int32Array(referenceOffsets[images.length])
  for (const [index, image] of images.entries()) {
    const start = referenceOffsets[index]
    for (let i = start; i < referenceOffsets[index + 1]; i++) references[i] = firstCaption[image] + i - start
  }
  return { references, referenceOffsets }
}

/** All captions of all images that have one, and the ids of these images. */
export function listAllReferences({ imageIds, firstCaption }: ReferenceCaptions): {
  readonly imageIds: Int32Array
  readonly lists: ReferenceLists
} {
  const images = Array.from(imageIds, (_, image) => image)
  const described = images.filter((image) => firstCaption[image + 1] > firstCaption[image])
  return {
    imageIds: Int32Array.from(described, (image) => imageIds[image]),
    lists: listReferences({ firstCaption }, described),
  }
}

/**
 * A trial with only the numbers of images and references, for signatures and warnings when the captions are not in
 * memory.
 */
export function trialOfCounts(
  captionCounts: Int32Array,
  documentFrequencies?: Trial['documentFrequencies'],
): Trial {
  const referenceOffsets = new Int32Array(captionCounts.length + 1)
  for (const [image, count] of captionCounts.entries())
    referenceOffsets[image + 1] = referenceOffsets[image] + count
  return {
    candidates: new Int32Array(captionCounts.length),
    references: new Int32Array(0),
    referenceOffsets,
    documentFrequencies,
  }
}
