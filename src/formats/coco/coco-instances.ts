import type { BoundingBox, Box, BoxedImage, BoxSource } from '../../core/selection/scenes.js'
import { quote } from '../../errors.js'
import {
  duplicateId,
  finishSource,
  fitBoxes,
  optionalSize,
  requireBbox,
  requireImage,
  requireWords,
  startTally,
} from '../boxes/boxes.js'
import type { InputFile, ReadProgress } from '../io/files.js'
import { readJsonObject } from '../io/json-stream.js'
import {
  invalidValue,
  type JsonObject,
  type Locate,
  locateElement,
  requireId,
  requireObject,
} from '../io/values.js'

/**
 * Reads the boxes of a COCO instances file: `images` (`id`, `width`, `height`), `annotations` (`id`, `image_id`,
 * `category_id`, `bbox`: x, y, width, height) and `categories` (`id`, `name`). The concept of a box is the name of
 * its category, and its id is the annotation id. Boxes are in the order of the file and include crowds. There are
 * no descriptions, because the captions are in a different file. The three arrays can be in any order.
 * Segmentations are ignored.
 *
 * @throws AccordError FILE_NOT_FOUND, INVALID_JSON, INVALID_SHAPE, INVALID_VALUE (an unknown category, a
 *   negative width or height), DUPLICATE_ID or UNKNOWN_IMAGE, with the place (`annotations[17].bbox`)
 */
export function readCocoInstances(file: InputFile, onProgress?: ReadProgress): BoxSource {
  const concepts = new Map<string, string>()
  const images = new Map<string, Omit<BoxedImage, 'boxes'>>()
  const annotations = new Map<string, Annotation>()
  const known: Record<string, ReadonlyMap<string, unknown>> = { images, annotations, categories: concepts }
  for (const { array, index, value } of readJsonObject(file, { required: Object.keys(known) }, onProgress)) {
    const at = locateElement(file, array, index)
    const record = requireObject(value, at)
    const id = requireId(record, 'id', at)
    if (known[array].has(id)) throw duplicateId(id, at, 'id')
    if (array === 'categories') concepts.set(id, requireWords(record, 'name', at))
    else if (array === 'images') images.set(id, { imageId: id, ...optionalSize(record, at) })
    else annotations.set(id, readAnnotation(record, at, index))
  }
  const boxes = new Map<string, Box[]>([...images.keys()].map((imageId) => [imageId, []]))
  for (const [id, { index, imageId, categoryId, bbox }] of annotations) {
    const at = locateElement(file, 'annotations', index)
    const concept = concepts.get(categoryId)
    if (concept === undefined) {
      const summary = 'unknown category'
      const expected = 'the id of a category'
      throw invalidValue(summary, at('category_id'), expected, quote(categoryId))
    }
    requireImage(imageId, at, boxes).push({ id, concept, bbox })
  }
  const tally = startTally()
  const fitted = [...images.values()].map((image) =>
    fitBoxes({ ...image, boxes: boxes.get(image.imageId)! }, tally),
  )
  return finishSource(fitted, [], tally)
}

interface Annotation {
  readonly index: number
  readonly imageId: string
  readonly categoryId: string
  readonly bbox: BoundingBox
}

function readAnnotation(record: JsonObject, at: Locate, index: number): Annotation {
  return {
    index,
    imageId: requireId(record, 'image_id', at),
    categoryId: requireId(record, 'category_id', at),
    bbox: requireBbox(record, at),
  }
}
