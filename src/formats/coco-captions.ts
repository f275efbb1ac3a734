import { quote } from '../errors.js'
import type { ReadProgress } from './files.js'
import { type JsonRecord, readJsonObject } from './json-stream.js'
import {
  type Locate,
  locateElement,
  optionalPixels,
  optionalString,
  requireId,
  requireObject,
  requireString,
  wrongShape,
  wrongValue,
} from './values.js'

/** Images with human captions, as a file in COCO captions format gives them. */
export interface CaptionedImages {
  /** In the order of the file; also those without captions. */
  readonly images: readonly DescribedImage[]
  /** Captions of all images, those of one image side by side, by annotation id. */
  readonly captions: readonly HumanCaption[]
  /** Captions of image `i` are `captions[firstCaption[i]] … captions[firstCaption[i + 1] - 1]`. */
  readonly firstCaption: Int32Array
}

export interface DescribedImage {
  /** The image's id as a string: 139 and "139" are the same. */
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
  /** As it stands in the file, not trimmed. */
  readonly text: string
}

/**
 * Reads human captions in COCO captions format: `{"images": [{"id", "file_name"?, "coco_url"?, "flickr_url"?,
 * "width"?, "height"?}], "annotations": [{"id", "image_id", "caption"}]}`, in any order of keys; other keys are
 * skipped. Annotations are ordered by id: integers by value, before strings by their characters.
 *
 * Throws what `readJsonObject` throws; INVALID_SHAPE and INVALID_VALUE for a record that is not as above or a
 * blank caption; DUPLICATE_ID for an image or annotation that comes twice; UNKNOWN_IMAGE for the caption of an
 * image that is not in the file.
 */
export function readCocoCaptions(file: string, onProgress?: ReadProgress): CaptionedImages {
  const images: DescribedImage[] = []
  const imageIndex = new Map<string, number>()
  const annotations: Annotation[] = []
  const annotationIds = new Map<string, number>()

  for (const record of readJsonObject(file, { required: ['images', 'annotations'] }, onProgress)) {
    const at = locateElement(file, record.array, record.index)
    if (record.array === 'images') {
      const image = readImage(record, at)
      keepFirst(imageIndex, image.externalId, record, at)
      images.push(image)
    } else {
      const annotation = readAnnotation(record, at)
      keepFirst(annotationIds, annotation.externalId, record, at)
      annotations.push(annotation)
    }
  }

  if (images.length === 0) throw wrongShape({ source: file, place: 'images' }, 'at least one image', 'none')
  if (annotations.length === 0) {
    throw wrongShape({ source: file, place: 'annotations' }, 'at least one caption', 'none')
  }
  return { images, ...groupByImage(file, annotations, imageIndex) }
}

interface Annotation extends HumanCaption {
  /** What the order is by: the number where the file's id is one. */
  readonly order: number | string
  readonly imageId: string
}

function readImage({ value }: JsonRecord, at: Locate): DescribedImage {
  const image = requireObject(value, at)
  return {
    externalId: requireId(image, 'id', at),
    fileName: optionalString(image, 'file_name', at),
    url: optionalString(image, 'coco_url', at) ?? optionalString(image, 'flickr_url', at),
    width: optionalPixels(image, 'width', at),
    height: optionalPixels(image, 'height', at),
  }
}

function readAnnotation({ value }: JsonRecord, at: Locate): Annotation {
  const annotation = requireObject(value, at)
  const externalId = requireId(annotation, 'id', at)
  const imageId = requireId(annotation, 'image_id', at)
  const text = requireString(annotation, 'caption', at)
  if (text.trim() === '') {
    throw wrongValue('INVALID_VALUE', 'empty caption', at('caption'), 'text', `the string ${quote(text)}`)
  }
  return { externalId, order: annotation.id as number | string, imageId, text }
}

function keepFirst(indexes: Map<string, number>, id: string, { array, index }: JsonRecord, at: Locate): void {
  const first = indexes.get(id)
  if (first !== undefined) {
    const found = `${quote(id)} again, first at ${array}[${first}]`
    throw wrongValue('DUPLICATE_ID', 'duplicate id', at('id'), 'an id of its own', found)
  }
  indexes.set(id, index)
}

function groupByImage(
  file: string,
  annotations: readonly Annotation[],
  imageIndex: ReadonlyMap<string, number>,
): Pick<CaptionedImages, 'captions' | 'firstCaption'> {
  const firstCaption = new Int32Array(imageIndex.size + 1)
  const images = annotations.map(({ imageId }, index) => {
    const image = imageIndex.get(imageId)
    if (image === undefined) {
      const place = locateElement(file, 'annotations', index)('image_id')
      throw wrongValue(
        'UNKNOWN_IMAGE',
        'unknown image',
        place,
        'the id of an image of this file',
        quote(imageId),
      )
    }
    firstCaption[image + 1]++
    return image
  })
  for (let i = 1; i < firstCaption.length; i++) firstCaption[i] += firstCaption[i - 1]

  const captions = annotations
    .map((annotation, index) => ({ annotation, image: images[index] }))
    .sort((a, b) => a.image - b.image || compareIds(a.annotation.order, b.annotation.order))
    .map(({ annotation: { externalId, text } }) => ({ externalId, text }))
  return { captions, firstCaption }
}

function compareIds(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0
  return typeof a === 'number' ? -1 : 1
}
