import type { InputFile, ReadProgress } from '../io/files.js'
import { readJsonArray } from '../io/json-stream.js'
import {
  externalId,
  type Locate,
  locateElement,
  requireId,
  requireObject,
  requireString,
  storableText,
} from '../io/values.js'
import { type Coverage, type KnownImages, missingImages, requireNewImage } from './known-images.js'

/** A system's caption as it was submitted, before it is compared with the dataset. */
export interface SubmittedCaption {
  readonly imageId: string
  readonly text: string
  /** The place of the image id, for errors. */
  readonly at: Locate
}

/**
 * Reads a system's captions in COCO results format, `[{"image_id", "caption"}]`, the format of the COCO evaluation
 * server; other keys are ignored. An empty caption is valid: systems produce them, and they are scored.
 *
 * @throws AccordError the errors of `readJsonArray`; INVALID_SHAPE and INVALID_VALUE for an invalid record
 */
export function* readCocoResults(file: InputFile, onProgress?: ReadProgress): Generator<SubmittedCaption> {
  for (const { index, value } of readJsonArray(file, onProgress)) {
    const place = locateElement(file, '', index)
    const record = requireObject(value, place)
    const at = () => place('image_id')
    yield { imageId: requireId(record, 'image_id', place), text: requireString(record, 'caption', place), at }
  }
}

/**
 * A system's captions from an argument instead of a file; places are `captions[17].imageId`.
 *
 * @throws AccordError INVALID_VALUE for an empty id, or a text with the character U+0000
 */
export function* submittedResults(
  captions: Iterable<{ readonly imageId: string; readonly caption: string }>,
): Generator<SubmittedCaption> {
  let index = 0
  for (const { imageId, caption } of captions) {
    const place = locateElement(undefined, 'captions', index++)
    const at = () => place('imageId')
    yield { imageId: externalId(imageId, at), text: storableText(caption, () => place('caption')), at }
  }
}

/**
 * Checks a system's captions against the images of a dataset.
 *
 * @param consume called with each caption, in the order of submission
 * @returns the external ids of the images without a caption, in the order of the dataset
 * @throws AccordError UNKNOWN_IMAGE; DUPLICATE_ID; MISSING_IMAGES if an image has no caption, with `allowMissing` only
 *   if no image has one
 */
export function checkResults(
  submitted: Iterable<SubmittedCaption>,
  images: KnownImages,
  coverage: Coverage,
  consume: (imageId: string, text: string) => void,
): string[] {
  const seen = new Set<string>()
  for (const { imageId, text, at } of submitted) {
    requireNewImage(imageId, images, seen, at)
    consume(imageId, text)
  }
  return missingImages(images, seen, coverage)
}
