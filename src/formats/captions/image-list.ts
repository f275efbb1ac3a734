import { quote } from '../../errors.js'
import { type DescribedImage, duplicateId, readImage } from '../coco/coco-captions.js'
import { readCsv } from '../io/csv.js'
import { beginFile, type InputFile, nameOf } from '../io/files.js'
import { readJsonArray, readJsonObject } from '../io/json-stream.js'
import { readLines } from '../io/lines.js'
import {
  externalId,
  invalidValue,
  type Locate,
  locateElement,
  locateLine,
  storableText,
  wrongShape,
} from '../io/values.js'

/**
 * Reads the images of which captions are collected: JSON in COCO's format, `{"images": [{"id", "coco_url" or "flickr_url"}]}`,
 * or CSV with the columns `id` and `url`. Other keys and columns are ignored. Each image has the address of a picture.
 *
 * @throws AccordError the errors of `readJsonObject` and `readCsv`; INVALID_SHAPE and INVALID_VALUE for an image without such
 *   an address; DUPLICATE_ID
 */
export function readImageList(input: InputFile): DescribedImage[] {
  const { text, file } = beginFile(input)
  const isJson = text.trimStart().startsWith('{')
  const places = new Map<string, string>()
  const images: DescribedImage[] = []
  const add = (image: DescribedImage, place: string, at: Locate, key: string) => {
    const first = places.get(image.externalId)
    if (first !== undefined) throw duplicateId(image.externalId, first, at)
    places.set(image.externalId, place)
    images.push({ ...image, url: requirePictureUrl(image.url, () => at(key)) })
  }
  if (isJson) {
    for (const record of readJsonObject(file, { required: ['images'] })) {
      const at = locateElement(file, 'images', record.index)
      add(readImage(record, at), `images[${record.index}]`, at, 'coco_url')
    }
  } else {
    readCsv(file, ['id', 'url'], (row) => {
      const id = externalId(row.value('id'), () => row.at('id'))
      const image = { externalId: id, fileName: null, url: row.value('url'), width: null, height: null }
      add(image, `line ${row.line}`, row.at, 'url')
      return undefined
    })
  }
  if (images.length === 0)
    throw wrongShape({ source: nameOf(file), place: 'images' }, 'at least one image', 'none')
  return images
}

function requirePictureUrl(url: string | null, at: () => ReturnType<Locate>): string {
  if (url !== null && /^https?:/i.test(url) && URL.canParse(url)) return storableText(url, at)
  throw invalidValue(
    'the image has no picture',
    at(),
    'an address that begins with https:// or http://',
    url === null ? 'none' : quote(url),
  )
}

/**
 * Reads ids of images: a JSON list, or one id per line.
 *
 * @throws AccordError the errors of `readJsonArray` and `readLines`; INVALID_SHAPE and INVALID_VALUE for an id
 */
export function* readImageIds(file: InputFile): Generator<{ readonly id: string; readonly at: Locate }> {
  const { text: beginning, file: begun } = beginFile(file)
  if (/^\s*[[{]/.test(beginning)) {
    for (const { index, value } of readJsonArray(begun)) {
      const at = locateElement(file, '', index)
      yield { id: externalId(value, at), at }
    }
  } else {
    for (const { number, text } of readLines(begun)) {
      const at = locateLine(file, number)
      yield { id: externalId(text.trim(), at), at }
    }
  }
}
