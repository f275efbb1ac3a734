import type {
  BoundingBox,
  Box,
  BoxedImage,
  BoxSource,
  Description,
  SourceCounts,
  SystemDescription,
} from '../../core/selection/scenes.js'
import { type MarkedText, parseMentionMarkup } from '../../core/text/mention-markup.js'
import { type AccordError, quote } from '../../errors.js'
import type { InputFile, ReadProgress } from '../io/files.js'
import { type JsonRecord, readJsonArray, readJsonObject } from '../io/json-stream.js'
import {
  captionText,
  describeValue,
  externalId,
  invalidValue,
  type JsonObject,
  type Locate,
  locateElement,
  locateNested,
  optionalPixels,
  optionalString,
  requireArray,
  requireId,
  requireObject,
  requireString,
  storableText,
  wrongShape,
  wrongValue,
} from '../io/values.js'

/**
 * Reads boxes, and descriptions that mention them, from JSON:
 *
 *     {
 *       "images": [{"image_id": 7, "width": 640, "height": 480,
 *                   "boxes": [{"id": 2, "concept": "woman", "bbox": [x, y, width, height],
 *                              "attributes": ["young"], "depth": 2.5}]}],
 *       "descriptions": [{"id": "7#0", "image_id": 7, "mentions": [2, 3]}]
 *     }
 *
 * Ids are strings or integers; `7` and `"7"` are the same id. `width` and `height` of an image are optional, but
 * must be given together. `attributes` and `depth` of a box are optional. `descriptions` is optional. A description has `mentions`, or a `caption` with the markup
 * of {@link parseMentionMarkup}. If it has both, `mentions` lists the boxes and the caption is plain text. Other
 * keys are ignored.
 *
 * Errors: wrong shape, duplicate ids (of an image, of a description, or of a box in its image), unknown images or
 * boxes, negative width or height. Irregular geometry that is common in annotations is not an error; see
 * {@link SourceCounts} for what is excluded or changed.
 *
 * @throws AccordError FILE_NOT_FOUND, INVALID_JSON, INVALID_SHAPE, INVALID_VALUE, DUPLICATE_ID, UNKNOWN_IMAGE
 *   or UNKNOWN_BOX, with the place (`images[3].boxes[2].bbox`)
 */
export function readBoxes(file: InputFile, onProgress?: ReadProgress): BoxSource {
  const wanted = { required: ['images'], optional: ['descriptions'] }
  const images = new Map<string, BoxedImage>()
  const descriptionRecords: JsonRecord[] = []
  for (const entry of readJsonObject(file, wanted, onProgress)) {
    if (entry.array === 'descriptions') descriptionRecords.push(entry)
    else {
      const at = locateElement(file, entry.array, entry.index)
      const image = readImage(requireObject(entry.value, at), at)
      if (images.has(image.imageId)) throw duplicateId(image.imageId, at, 'image_id')
      images.set(image.imageId, image)
    }
  }
  const tally = startTally()
  const fittedImages = new Map([...images].map(([imageId, image]) => [imageId, fitBoxes(image, tally)]))
  const descriptions = new Map<string, Description>()
  for (const { array, index, value } of descriptionRecords) {
    const at = locateElement(file, array, index)
    const record = requireObject(value, at)
    const id = requireId(record, 'id', at)
    if (descriptions.has(id)) throw duplicateId(id, at, 'id')
    const image = requireImage(requireId(record, 'image_id', at), at, images)
    const named = keepKnown(readNamed(record, at, image), fittedImages.get(image.imageId)!, tally)
    descriptions.set(id, { id, imageId: image.imageId, ...named })
  }
  return finishSource([...fittedImages.values()], [...descriptions.values()], tally)
}

/**
 * Reads a system's descriptions from JSON: `[{"image_id": 7, "caption": "A [woman](2) …"}]` or
 * `[{"image_id": 7, "mentions": [2, 3]}]`, one per image. Returns them in the order of the file. The caller checks
 * for images without a description.
 *
 * @param images the images of the dataset, by id
 * @throws AccordError as {@link readBoxes}; DUPLICATE_ID if an image is described twice
 */
export function readSystemDescriptions(
  file: InputFile,
  images: ReadonlyMap<string, BoxedImage>,
  onProgress?: ReadProgress,
): SystemDescription[] {
  const descriptions = new Map<string, SystemDescription>()
  for (const { array, index, value } of readJsonArray(file, onProgress)) {
    const at = locateElement(file, array, index)
    const record = requireObject(value, at)
    const image = requireImage(requireId(record, 'image_id', at), at, images)
    if (descriptions.has(image.imageId)) throw duplicateId(image.imageId, at, 'image_id')
    descriptions.set(image.imageId, { imageId: image.imageId, ...readNamed(record, at, image) })
  }
  return [...descriptions.values()]
}

/** Mutable {@link SourceCounts}. */
export type Tally = { -readonly [Count in keyof SourceCounts]: number }

export function startTally(): Tally {
  return {
    imagesWithoutBoxes: 0,
    boxesWithoutArea: 0,
    boxesOutsideImage: 0,
    boxesCut: 0,
    boxesWithoutConcept: 0,
    mentionsWithoutBox: 0,
    descriptionsWithoutMentions: 0,
  }
}

/** Creates a source from its images, descriptions and counts. */
export function finishSource(
  images: readonly BoxedImage[],
  descriptions: readonly Description[],
  tally: Tally,
): BoxSource {
  const descriptionsWithoutMentions = descriptions.filter(({ mentions }) => mentions.length === 0).length
  return { images, descriptions, counts: { ...tally, descriptionsWithoutMentions } }
}

/**
 * Returns the image with usable boxes. Boxes without area or completely outside the image are excluded. Boxes that
 * extend more than one pixel beyond the image are clipped. (Rounded or 1-based coordinates extend up to one pixel
 * beyond the image and are not changed.) If the image size is unknown, only the area is checked.
 */
export function fitBoxes(image: BoxedImage, tally: Tally): BoxedImage {
  const boxes: Box[] = []
  for (const box of image.boxes) {
    const fitted = fitBox(box.bbox, image)
    if (fitted === 'boxesWithoutArea' || fitted === 'boxesOutsideImage') tally[fitted]++
    else {
      if (fitted !== box.bbox) tally.boxesCut++
      boxes.push({ ...box, bbox: fitted })
    }
  }
  if (boxes.length === 0) tally.imagesWithoutBoxes++
  return { ...image, boxes }
}

function fitBox(
  bbox: BoundingBox,
  { width: imageWidth, height: imageHeight }: BoxedImage,
): BoundingBox | 'boxesWithoutArea' | 'boxesOutsideImage' {
  const [x, y, width, height] = bbox
  if (width <= 0 || height <= 0) return 'boxesWithoutArea'
  if (imageWidth === null || imageHeight === null) return bbox
  const left = Math.max(x, 0)
  const top = Math.max(y, 0)
  const right = Math.min(x + width, imageWidth)
  const bottom = Math.min(y + height, imageHeight)
  if (left >= right || top >= bottom) return 'boxesOutsideImage'
  const overhang = Math.max(-x, -y, x + width - imageWidth, y + height - imageHeight)
  return overhang > 1 ? [left, top, right - left, bottom - top] : bbox
}

/** Removes mentions of boxes that the image does not contain. */
export function keepKnown(named: Named, image: BoxedImage, tally: Tally): Named {
  const known = idsOf(image)
  const mentions = named.mentions.filter((boxId) => known.has(boxId))
  if (mentions.length === named.mentions.length) return named
  tally.mentionsWithoutBox += named.mentions.length - mentions.length
  return { mentions, sentence: named.sentence && filterBoxIds(named.sentence, known) }
}

/** The mentions and the sentence of a description. */
type Named = Pick<Description, 'mentions' | 'sentence'>

function filterBoxIds({ text, mentions }: MarkedText, known: ReadonlySet<string>): MarkedText {
  return {
    text,
    mentions: mentions
      .map((mention) => ({ ...mention, boxIds: mention.boxIds.filter((boxId) => known.has(boxId)) }))
      .filter(({ boxIds }) => boxIds.length > 0),
  }
}

/** Returns x, y, width and height from `bbox`. They must be finite, and width and height must not be negative. */
export function requireBbox(record: JsonObject, at: Locate): BoundingBox {
  const { bbox } = record
  const expected = 'x, y, width and height: four numbers, width and height at least 0'
  if (!Array.isArray(bbox) || bbox.length !== 4 || bbox.some((side) => typeof side !== 'number')) {
    throw wrongShape(at('bbox'), expected, quote(bbox))
  }
  const [x, y, width, height] = bbox
  if (!bbox.every(Number.isFinite) || width < 0 || height < 0) {
    throw invalidValue('invalid box', at('bbox'), expected, `[${bbox.join(', ')}]`)
  }
  return [x, y, width, height]
}

/** Returns width and height of an image, or null for both. */
export function optionalSize(record: JsonObject, at: Locate): Pick<BoxedImage, 'width' | 'height'> {
  const width = optionalPixels(record, 'width', at)
  const height = optionalPixels(record, 'height', at)
  if ((width === null) === (height === null)) return { width, height }
  const missing = width === null ? 'width' : 'height'
  throw wrongShape(at(missing), 'width and height, or neither', 'only one of them')
}

/** Returns the string at `key`, which must not be blank. */
export function requireWords(record: JsonObject, key: string, at: Locate): string {
  const text = requireString(record, key, at)
  if (text.trim() !== '') return text
  throw invalidValue('blank text', at(key), 'non-blank text', quote(text))
}

/** Returns the image with the id found in the `image_id` of a record. */
export function requireImage<Image>(imageId: string, at: Locate, images: ReadonlyMap<string, Image>): Image {
  const image = images.get(imageId)
  if (image !== undefined) return image
  const summary = 'unknown image'
  throw wrongValue('UNKNOWN_IMAGE', summary, at('image_id'), 'the id of an image', quote(imageId))
}

/** Creates the error for an id that is used twice. */
export function duplicateId(id: string, at: Locate, key: string): AccordError {
  return wrongValue('DUPLICATE_ID', 'duplicate id', at(key), 'a unique id', quote(id))
}

function readImage(record: JsonObject, at: Locate): BoxedImage {
  const boxes = new Map<string, Box>()
  for (const [index, value] of requireArray(record, 'boxes', at).entries()) {
    const atBox = locateNested(at, 'boxes', index)
    const box = requireObject(value, atBox)
    const id = requireId(box, 'id', atBox)
    if (boxes.has(id)) throw duplicateId(id, atBox, 'id')
    boxes.set(id, {
      id,
      concept: requireWords(box, 'concept', atBox),
      bbox: requireBbox(box, atBox),
      attributes: readAttributes(box, atBox),
      depth: readDepth(box, atBox),
    })
  }
  return {
    imageId: requireId(record, 'image_id', at),
    ...optionalSize(record, at),
    boxes: [...boxes.values()],
  }
}

function readAttributes({ attributes }: JsonObject, at: Locate): string[] | undefined {
  if (attributes === undefined || attributes === null) return undefined
  if (!Array.isArray(attributes)) throw wrongShape(at('attributes'), 'an array', describeValue(attributes))
  return attributes.map((value, index) => {
    const place = at(`attributes[${index}]`)
    if (typeof value === 'string' && value.trim() !== '') return storableText(value, () => place)
    throw wrongShape(place, 'a word', describeValue(value))
  })
}

function readDepth({ depth }: JsonObject, at: Locate): number | undefined {
  if (depth === undefined || depth === null) return undefined
  if (typeof depth === 'number' && Number.isFinite(depth)) return depth
  throw wrongShape(at('depth'), 'a finite number', describeValue(depth))
}

function readNamed(record: JsonObject, at: Locate, image: BoxedImage): Named {
  const caption = optionalString(record, 'caption', at)
  if (caption !== null) captionText(caption, () => at('caption'))
  if (record.mentions !== undefined && record.mentions !== null) {
    const mentions = requireArray(record, 'mentions', at).map((value, index) => {
      const atMention = locateNested(at, 'mentions', index)
      return requireBox(
        externalId(value, () => atMention()),
        atMention(),
        image,
      )
    })
    return { mentions, sentence: caption === null ? null : { text: caption, mentions: [] } }
  }
  if (caption === null) throw wrongShape(at(), '"mentions" or "caption"', 'neither')
  const sentence = parseMentionMarkup(caption, at('caption'))
  const mentions = sentence.mentions.flatMap(({ boxIds }) => boxIds)
  for (const boxId of mentions) requireBox(boxId, at('caption'), image)
  return { mentions, sentence }
}

function requireBox(boxId: string, place: ReturnType<Locate>, image: BoxedImage): string {
  if (idsOf(image).has(boxId)) return boxId
  const expected = `the id of a box of image ${image.imageId}`
  throw wrongValue('UNKNOWN_BOX', 'unknown box', place, expected, quote(boxId))
}

const cachedIds = new WeakMap<BoxedImage, ReadonlySet<string>>()

/** The ids of the boxes of an image. */
function idsOf(image: BoxedImage): ReadonlySet<string> {
  let ids = cachedIds.get(image)
  if (ids === undefined) {
    ids = new Set(image.boxes.map(({ id }) => id))
    cachedIds.set(image, ids)
  }
  return ids
}
