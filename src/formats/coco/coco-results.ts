import { type InputFile, nameOf, type ReadProgress } from '../io/files.js'
import { readJsonArray } from '../io/json-stream.js'
import {
  captionText,
  type Locate,
  locateElement,
  requireId,
  requireObject,
  requireString,
} from '../io/values.js'
import { type Coverage, type KnownImages, missingImages, requireNewImage } from './known-images.js'

/** A system's caption before it is compared with the dataset. */
export interface SubmittedCaption {
  readonly imageId: string
  readonly text: string
  /** The place of the image id, for errors. Default: the source of the captions. */
  readonly at?: Locate
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
    const text = captionText(requireString(record, 'caption', place), () => place('caption'))
    yield { imageId: requireId(record, 'image_id', place), text, at }
  }
}

/**
 * Checks a system's captions against the images of a dataset.
 *
 * @param consume called with each caption, in the order of submission
 * @returns the external ids of the images without a caption, in the order of the dataset
 * @throws AccordError UNKNOWN_IMAGE; DUPLICATE_ID; MISSING_IMAGES if an image has no caption, with `isMissingAllowed` only
 *   if no image has one
 */
export function checkResults(
  submitted: Iterable<SubmittedCaption>,
  images: KnownImages,
  coverage: Coverage,
  consume: (imageId: string, text: string) => void,
): string[] {
  const seen = new Set<string>()
  const source: Locate = () => ({ source: nameOf(coverage.source) })
  for (const { imageId, text, at = source } of submitted) {
    requireNewImage(imageId, images, seen, at)
    consume(imageId, text)
  }
  return missingImages(images, seen, coverage)
}
