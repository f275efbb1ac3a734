import { wellFormed } from '../../core/text/well-formed.js'
import { quote } from '../../errors.js'
import { counted } from '../../shared/numbers.js'
import type { InputFile, ReadProgress } from '../io/files.js'
import { IdIndex } from '../io/id-index.js'
import { type JsonRecord, readJsonObject } from '../io/json-stream.js'
import {
  externalId,
  type JsonObject,
  type Locate,
  locateElement,
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
  /** What else the file says of it, such as a domain or a split, by the name of the field. Null or absent: nothing. */
  readonly fields?: ImageFields | null
}

export type ImageFields = Readonly<Record<string, string>>

/** The field of the number that Karpathy's JSON gives an image without an id. */
export const IMGID = 'imgid'

/** The field of the language of an image's captions. */
export const LANGUAGE = 'language'

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

/** How COCO's format is read. */
interface CocoReading {
  readonly onProgress?: ReadProgress
  /** Receives the name of the format where it is not COCO's own. */
  readonly onFormat?: (format: string, columns: readonly string[]) => void
}

/**
 * Reads human captions in COCO captions format: `{"images": [{"id", "file_name"?, "coco_url"?, "flickr_url"?,
 * "width"?, "height"?}], "annotations": [{"id", "image_id", "caption"}]}`, with keys and annotations in any order;
 * other keys are ignored. Without `images` the images are those of the annotations; an annotation without an id has its number. The captions of an image are ordered by id: integers by value, then strings by code units.
 * Memory: about 30 bytes for each id. Captions that VizWiz rejects ({@link isRejected}) are left out, and counted in the name of
 * the format.
 *
 * @returns for each `imageKey` the index of its record in `images`
 * @throws AccordError the errors of `readJsonObject`; INVALID_SHAPE and INVALID_VALUE for an invalid record or a blank
 *   caption; DUPLICATE_ID for an image or annotation id that is used twice; UNKNOWN_IMAGE for a caption of an image
 *   that is not among `images`
 */
export function readCocoCaptions(
  file: InputFile,
  consumer: CaptionConsumer,
  { onProgress, onFormat }: CocoReading = {},
): Int32Array {
  const imageKeys = new ImageKeys()
  const annotationIds = new IdIndex()
  let rejectedCount = 0
  const wanted = { required: ['annotations'], optional: ['images'] }
  for (const record of readJsonObject(file, wanted, onProgress)) {
    const at = locateElement(file, record.array, record.index)
    if (record.array === 'images') {
      const image = readImage(record, at)
      imageKeys.define(image.externalId, record.index, at)
      consumer.addImage(image)
    } else {
      const { imageId, externalId, rank, text } = readAnnotation(record, at)
      const first = annotationIds.add(externalId)
      if (first !== record.index) throw duplicateId(externalId, `annotations[${first}]`, at)
      if (isRejected(record.value)) {
        rejectedCount++
        continue
      }
      const imageKey = imageKeys.mention(imageId, record.index)
      consumer.addAnnotation({ imageKey, externalId, rank, text })
    }
  }
  const indices = imageKeys.finish(file, (externalId) =>
    consumer.addImage({ externalId, fileName: null, url: null, width: null, height: null }),
  )
  if (annotationIds.size === rejectedCount) {
    const found = rejectedCount === 0 ? 'none' : `${rejectedCount} rejected ones`
    throw wrongShape({ source: file, place: 'annotations' }, 'at least one caption', found)
  }
  if (rejectedCount > 0) {
    onFormat?.(`VizWiz’s JSON; ${counted(rejectedCount, 'rejected caption')} left out`, [])
  }
  return indices
}

/**
 * Whether VizWiz-Captions (Gurari et al. 2020) marks an annotation as rejected by its annotators, or as the prepared sentence for
 * images that cannot be recognized: neither describes the image, and its evaluation uses neither.
 */
function isRejected(annotation: unknown): boolean {
  const { is_rejected, is_precanned } = annotation as JsonObject
  return isMarked(is_rejected) || isMarked(is_precanned)
}

const isMarked = (mark: unknown) => mark === true || mark === 1

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

  /** The index of each image's record. @param addImage adds the images of a file that has captions alone */
  finish(file: InputFile, addImage: (id: string) => void): Int32Array {
    const { ids, records } = this
    if (this.recordCount === 0) {
      for (let key = 0; key < ids.size; key++) addImage(ids.at(key))
      return Int32Array.from(records, (_, key) => key)
    }
    // Keys of images without a record ascend with their first annotations.
    const key = records.findIndex((index) => index < 0)
    if (key < 0) return Int32Array.from(records)
    const at = locateElement(file, 'annotations', ~records[key])('image_id')
    const expected = 'the id of an image of this file'
    throw wrongValue('UNKNOWN_IMAGE', 'unknown image', at, expected, quote(ids.at(key)))
  }
}

/**
 * An image of a file in COCO format. What else a file says of it than its id stops nothing: a size can be text or have
 * decimals, and null stands for what cannot be used.
 *
 * @throws AccordError INVALID_SHAPE and INVALID_VALUE for the id
 */
export function readImage({ value }: JsonRecord, at: Locate): DescribedImage {
  const image = requireObject(value, at)
  return {
    externalId: requireId(image, 'id', at),
    fileName: usableText(image.file_name),
    url: usableText(image.coco_url) ?? usableText(image.flickr_url),
    width: usablePixels(image.width),
    height: usablePixels(image.height),
    ...fieldsOf(image),
  }
}

/** Keys of images in files of COCO that tell them apart, or have columns of their own. */
const NO_FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'file_name', 'coco_url', 'flickr_url', 'width', 'height', 'license', 'date_captured'],
  ...['open_images_id', 'text_detected'],
])

/** Maximum number of fields of an image, and of characters of a name or a value. */
const MAX_FIELDS = 20
const MAX_FIELD_CHARACTERS = 100

/** The fields of an image with short values: texts, numbers and truth values. */
function fieldsOf(image: JsonObject): { readonly fields?: ImageFields } {
  const fields: Record<string, string> = {}
  let count = 0
  for (const key in image) {
    if (NO_FIELDS.has(key) || count === MAX_FIELDS) continue
    const value = image[key]
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue
    const text = usableText(String(value))
    if (text === null || text.length > MAX_FIELD_CHARACTERS || key.length > MAX_FIELD_CHARACTERS) continue
    if (key.includes('\0')) continue
    fields[key] = text
    count++
  }
  return count === 0 ? {} : { fields }
}

/** A text that can be stored, or null. */
export function usableText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && !value.includes('\0') ? wellFormed(value) : null
}

function usablePixels(value: unknown): number | null {
  const pixels = typeof value === 'number' || typeof value === 'string' ? Math.round(Number(value)) : 0
  return Number.isSafeInteger(pixels) && pixels > 0 ? pixels : null
}

function readAnnotation({ value, index }: JsonRecord, at: Locate) {
  const annotation = requireObject(value, at)
  const id = annotation.id ?? index + 1
  const annotationId = externalId(id, () => at('id'))
  const imageId = requireId(annotation, 'image_id', at)
  const text = requireCaption(annotation.caption, () => at('caption'))
  return { externalId: annotationId, rank: typeof id === 'number' ? id : null, imageId, text }
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
