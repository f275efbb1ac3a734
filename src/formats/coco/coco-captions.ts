import { quote } from '../../errors.js'
import type { InputFile, ReadProgress } from '../io/files.js'
import { IdIndex } from '../io/id-index.js'
import { type JsonRecord, readJsonObject } from '../io/json-stream.js'
import {
  type Locate,
  locateElement,
  optionalPixels,
  optionalString,
  requireCaption,
  requireId,
  requireObject,
  wrongShape,
  wrongValue,
} from '../io/values.js'

export interface DescribedImage {
  /** The image's id as a string: 139 and "139" are equivalent. */
  readonly externalId: string
  readonly fileName: string | null
  readonly url: string | null
  /** Width and height in pixels. */
  readonly width: number | null
  readonly height: number | null
}

export interface HumanCaption {
  /** The annotation's id as a string. */
  readonly externalId: string
  /** The exact text, not trimmed. */
  readonly text: string
}

/** A caption of a file, with what its image and its place among the image's captions follow from. */
export interface Annotation extends HumanCaption {
  /**
   * Number of the image, in the order in which the file first mentions images, be it as a record or in an annotation;
   * {@link readCocoCaptions} returns which record of `images` it is.
   */
  readonly imageKey: number
  /** Orders the captions of an image, ascending; those without, null, follow by their ids. */
  readonly rank: number | null
}

/** Receives the records of a file one by one. */
export interface CaptionConsumer {
  addImage(image: DescribedImage): void
  addAnnotation(annotation: Annotation): void
}

/**
 * Reads human captions in COCO captions format: `{"images": [{"id", "file_name"?, "coco_url"?, "flickr_url"?,
 * "width"?, "height"?}], "annotations": [{"id", "image_id", "caption"}]}`, with keys and annotations in any order;
 * other keys are ignored. The captions of an image are ordered by id: integers by value, then strings by code units.
 * Memory: about 30 bytes for each id.
 *
 * @returns for each `imageKey` the index of its record in `images`
 * @throws AccordError the errors of `readJsonObject`; INVALID_SHAPE and INVALID_VALUE for an invalid record or a blank
 *   caption; DUPLICATE_ID for an image or annotation id that is used twice; UNKNOWN_IMAGE for a caption of an image
 *   that is not in the file
 */
export function readCocoCaptions(
  file: InputFile,
  consumer: CaptionConsumer,
  onProgress?: ReadProgress,
): Int32Array {
  const imageKeys = new ImageKeys()
  const annotationIds = new IdIndex()
  for (const record of readJsonObject(file, { required: ['images', 'annotations'] }, onProgress)) {
    const at = locateElement(file, record.array, record.index)
    if (record.array === 'images') {
      const image = readImage(record, at)
      imageKeys.define(image.externalId, record.index, at)
      consumer.addImage(image)
    } else {
      const { imageId, ...annotation } = readAnnotation(record, at)
      const first = annotationIds.add(annotation.externalId)
      if (first !== record.index) throw duplicateId(annotation.externalId, `annotations[${first}]`, at)
      consumer.addAnnotation({ imageKey: imageKeys.mention(imageId, record.index), ...annotation })
    }
  }
  const indices = imageKeys.finish(file)
  if (annotationIds.size === 0) {
    throw wrongShape({ source: file, place: 'annotations' }, 'at least one caption', 'none')
  }
  return indices
}

/** Numbers the images of a file, which annotations may mention before their records. */
class ImageKeys {
  private readonly ids = new IdIndex()
  /** Index of each image's record; the complement (`~`) of that of its first annotation while there is none. */
  private readonly records: number[] = []
  private recordCount = 0

  define(id: string, index: number, at: Locate): void {
    const key = this.ids.add(id)
    const first = this.records[key] ?? -1
    if (first >= 0) throw duplicateId(id, `images[${first}]`, at)
    this.records[key] = index
    this.recordCount++
  }

  /** @param annotation index of the annotation */
  mention(id: string, annotation: number): number {
    const key = this.ids.add(id)
    if (key === this.records.length) this.records.push(~annotation)
    return key
  }

  /** The index of each image's record. */
  finish(file: InputFile): Int32Array {
    const { ids, records } = this
    if (this.recordCount === 0) {
      throw wrongShape({ source: file, place: 'images' }, 'at least one image', 'none')
    }
    // Keys of images without a record ascend with their first annotations.
    const key = records.findIndex((index) => index < 0)
    if (key < 0) return Int32Array.from(records)
    const at = locateElement(file, 'annotations', ~records[key])('image_id')
    const expected = 'the id of an image of this file'
    throw wrongValue('UNKNOWN_IMAGE', 'unknown image', at, expected, quote(ids.at(key)))
  }
}

/** An image of a file in COCO format. @throws AccordError INVALID_SHAPE */
export function readImage({ value }: JsonRecord, at: Locate): DescribedImage {
  const image = requireObject(value, at)
  return {
    externalId: requireId(image, 'id', at),
    fileName: optionalString(image, 'file_name', at),
    url: optionalString(image, 'coco_url', at) ?? optionalString(image, 'flickr_url', at),
    width: optionalPixels(image, 'width', at),
    height: optionalPixels(image, 'height', at),
  }
}

function readAnnotation({ value }: JsonRecord, at: Locate) {
  const annotation = requireObject(value, at)
  const externalId = requireId(annotation, 'id', at)
  const imageId = requireId(annotation, 'image_id', at)
  const text = requireCaption(annotation.caption, () => at('caption'))
  return { externalId, rank: typeof annotation.id === 'number' ? annotation.id : null, imageId, text }
}

/** The error for an id that a file uses twice. @param first the place of its first use */
export function duplicateId(id: string, first: string, at: Locate) {
  const found = `${quote(id)}, first used at ${first}`
  return wrongValue('DUPLICATE_ID', 'duplicate id', at('id'), 'a unique id', found)
}

/** Compares captions of one image. */
export function compareAnnotations(
  one: Pick<Annotation, 'externalId' | 'rank'>,
  other: Pick<Annotation, 'externalId' | 'rank'>,
): number {
  if (one.rank !== null && other.rank !== null) return one.rank - other.rank
  if (one.rank !== other.rank) return one.rank === null ? 1 : -1
  return one.externalId < other.externalId ? -1 : one.externalId > other.externalId ? 1 : 0
}
