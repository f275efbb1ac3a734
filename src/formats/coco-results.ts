import { wellFormed } from '../text/well-formed.js'
import type { ReadProgress } from './files.js'
import { readJsonArray } from './json-stream.js'
import { type Coverage, type KnownImages, missingImages, requireNewImage } from './known-images.js'
import { externalId, type Locate, locateElement, requireId, requireObject, requireString } from './values.js'

/** One caption of a system as it was handed in, before it is held against the data set. */
export interface SubmittedCaption {
  readonly imageId: string
  readonly text: string
  /** Where the image id stands, for errors. */
  readonly at: Locate
}

/** A system's captions, held against the data set. */
export interface CheckedResults {
  /** One per image, in the order they were handed in. */
  readonly captions: readonly { readonly imageId: string; readonly text: string }[]
  /** External ids of the images without one, in the order of the data set. */
  readonly missing: readonly string[]
}

/**
 * Reads a system's captions in COCO results format, `[{"image_id", "caption"}]`, as the COCO evaluation server
 * takes it; other keys are skipped. An empty caption is legal: systems write them, and they are scored.
 *
 * Throws what `readJsonArray` throws, and INVALID_SHAPE or INVALID_VALUE for a record that is not as above.
 */
export function* readCocoResults(file: string, onProgress?: ReadProgress): Generator<SubmittedCaption> {
  for (const { index, value } of readJsonArray(file, onProgress)) {
    const place = locateElement(file, '', index)
    const record = requireObject(value, place)
    const at = () => place('image_id')
    yield { imageId: requireId(record, 'image_id', place), text: requireString(record, 'caption', place), at }
  }
}

/**
 * A system's captions from an argument instead of a file; places read `captions[17].imageId`.
 *
 * Throws INVALID_VALUE for an empty id.
 */
export function* submittedResults(
  captions: Iterable<{ readonly imageId: string; readonly caption: string }>,
): Generator<SubmittedCaption> {
  let index = 0
  for (const { imageId, caption } of captions) {
    const place = locateElement(undefined, 'captions', index++)
    const at = () => place('imageId')
    yield { imageId: externalId(imageId, at), text: wellFormed(caption), at }
  }
}

/**
 * Holds a system's captions against the images of a data set.
 *
 * Throws UNKNOWN_IMAGE, DUPLICATE_ID, and MISSING_IMAGES where an image has no caption: always when no image
 * has one, otherwise unless `allowMissing`.
 */
export function checkResults(
  submitted: Iterable<SubmittedCaption>,
  images: KnownImages,
  coverage: Coverage,
): CheckedResults {
  const captions: { imageId: string; text: string }[] = []
  const seen = new Set<string>()
  for (const { imageId, text, at } of submitted) {
    requireNewImage(imageId, images, seen, at)
    captions.push({ imageId, text })
  }
  return { captions, missing: missingImages(images, seen, coverage) }
}
