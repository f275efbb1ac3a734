import { quote } from '../../errors.js'
import { readRecords, requireFieldCount } from '../io/csv.js'
import { type BegunFile, nameOf } from '../io/files.js'
import { parseJsonLine } from '../io/json-lines.js'
import { readJsonMembers, readJsonObject } from '../io/json-stream.js'
import { readLines, readTextLines } from '../io/lines.js'
import {
  externalId,
  type Locate,
  listKeys,
  locateElement,
  locateLine,
  locateNested,
  optionalString,
  requireArray,
  requireId,
  requireObject,
  requireString,
  wrongShape,
  wrongValue,
} from '../io/values.js'
import { type CaptionFormat, type CaptionReading, FLICKR_LINE, IMAGE_NAMES } from './caption-format.js'
import { readImageIds } from './image-ids.js'

/** Captions of an image in a file of another format than COCO's. */
export interface CaptionRecord {
  readonly imageId: string
  readonly fileName: string | null
  /** Not checked yet: a list of all captions of the image, or one of its captions. */
  readonly captions: unknown
  readonly atImage: () => ReturnType<Locate>
  /** The place of the caption, or of one of the list. */
  atCaption(index?: number): ReturnType<Locate>
}

type Format<Kind> = Extract<CaptionFormat, { readonly kind: Kind }>

/** Reads the records of a file in the format that it has. @throws AccordError the errors of the readers */
export function readCaptionRecords(
  file: BegunFile,
  format: Exclude<CaptionFormat, Format<'COCO'>>,
  reading: CaptionReading,
): Generator<CaptionRecord> {
  switch (format.kind) {
    case 'KARPATHY':
      return readKarpathy(file, reading)
    case 'OBJECT':
      return readObject(file, reading)
    case 'JSON_LINES':
      return readJsonRecords(file, reading)
    case 'FLICKR':
      return readFlickrLines(file, reading)
    case 'TABLE':
      return readTable(file, format, reading)
    case 'LINES':
      return readCaptionLines(file, format, reading)
  }
}

/**
 * `{"images": [{"cocoid"?, "filename", "split"?, "sentences": [{"raw"}]}]}`; other keys are ignored. The id of an image is its
 * `cocoid`, or else the name of its file.
 *
 * @throws AccordError the errors of `readJsonObject`; INVALID_SHAPE; INVALID_VALUE for a split that no image has
 */
function* readKarpathy(
  file: BegunFile,
  { split: wanted, onProgress }: CaptionReading,
): Generator<CaptionRecord> {
  const splits = new Set<string>()
  for (const { index, value } of readJsonObject(file, { required: ['images'] }, onProgress)) {
    const at = locateElement(file, 'images', index)
    const image = requireObject(value, at)
    if (wanted !== undefined) {
      const split = requireString(image, 'split', at)
      splits.add(split)
      if (split !== wanted) continue
    }
    const sentences = requireArray(image, 'sentences', at)
    const idKey = image.cocoid === undefined ? 'filename' : 'cocoid'
    yield {
      imageId: requireId(image, idKey, at),
      fileName: optionalString(image, 'filename', at),
      captions: sentences.map((sentence, i) => requireObject(sentence, locateNested(at, 'sentences', i)).raw),
      atImage: () => at(idKey),
      atCaption: (i) => at(`sentences[${i}].raw`),
    }
  }
  if (wanted !== undefined && !splits.has(wanted)) {
    const expected = splits.size === 0 ? 'an image' : `one of ${listKeys([...splits])}`
    throw wrongValue('INVALID_VALUE', 'unknown split', { source: file }, expected, quote(wanted))
  }
}

/** `{"139": ["…", "…"], …}` or `{"139": "…", …}`. @throws AccordError the errors of `readJsonMembers` */
function* readObject(file: BegunFile, { onProgress }: CaptionReading): Generator<CaptionRecord> {
  const source = nameOf(file)
  for (const { key, value } of readJsonMembers(file, onProgress)) {
    const atImage = () => ({ source, place: quote(key) })
    yield {
      imageId: externalId(key, atImage),
      fileName: null,
      captions: value,
      atImage,
      atCaption: (i) => ({ source, place: `${quote(key)}${i === undefined ? '' : `[${i}]`}` }),
    }
  }
}

/**
 * Lines of `{"image_id" (or "image", "id"), "caption": "…"}` or `{"image_id", "captions": ["…", "…"]}`; other keys are ignored.
 *
 * @throws AccordError INVALID_JSON and INVALID_SHAPE with the number of the line
 */
function* readJsonRecords(file: BegunFile, { onProgress }: CaptionReading): Generator<CaptionRecord> {
  for (const line of readLines(file, onProgress)) {
    const at = locateLine(file, line.number)
    const record = requireObject(parseJsonLine(file, line), at)
    const idKey = IMAGE_NAMES.find((name) => record[name] !== undefined) ?? IMAGE_NAMES[0]
    const isList = record.captions !== undefined
    yield {
      imageId: requireId(record, idKey, at),
      fileName: null,
      captions: isList ? requireArray(record, 'captions', at) : record.caption,
      atImage: () => at(idKey),
      atCaption: (i) => at(isList ? `captions[${i}]` : 'caption'),
    }
  }
}

/**
 * Rows of CSV or TSV. Captions keep white space around them; ids do not.
 *
 * @throws AccordError the errors of `readRecords`; INVALID_SHAPE for a row with another number of fields than the header
 */
function* readTable(
  file: BegunFile,
  { delimiter, imageColumn, captionColumn }: Format<'TABLE'>,
  { onProgress }: CaptionReading,
): Generator<CaptionRecord> {
  const rows = readRecords(file, { delimiter, trim: false, onProgress })
  const header = (rows.next().value?.fields ?? []).map((name) => name.trim())
  const [image, caption] = [header.indexOf(imageColumn), header.indexOf(captionColumn)]
  for (const { fields, line } of rows) {
    const at = locateLine(file, line)
    requireFieldCount(fields, header.length, at)
    yield {
      imageId: externalId(fields[image].trim(), () => at(imageColumn)),
      fileName: null,
      captions: fields[caption],
      atImage: () => at(imageColumn),
      atCaption: () => at(captionColumn),
    }
  }
}

/**
 * Lines of Flickr8k and Flickr30k: `1000092795.jpg#0`, a tab, the caption. The id of the image is the name of its file, as in
 * Karpathy's JSON of these datasets. Blank lines are left out.
 *
 * @throws AccordError the errors of `readLines`; INVALID_SHAPE for another line
 */
function* readFlickrLines(file: BegunFile, { onProgress }: CaptionReading): Generator<CaptionRecord> {
  for (const { number, text } of readLines(file, onProgress)) {
    const at = locateLine(file, number)
    const parts = FLICKR_LINE.exec(text.replace(/\r$/, ''))
    if (parts === null) throw wrongShape(at(), 'NAME.jpg#0, a tab and a caption', quote(text))
    const [, name, captions] = parts
    yield {
      imageId: externalId(name, () => at()),
      fileName: name,
      captions,
      atImage: () => at(),
      atCaption: () => at(),
    }
  }
}

/**
 * A caption on each line, in the order of a file of image ids. An empty line is an empty caption.
 *
 * @throws AccordError the errors of `readTextLines` and `readImageIds`; INVALID_SHAPE for another number of lines than ids
 */
function* readCaptionLines(
  file: BegunFile,
  { imageIds }: Format<'LINES'>,
  { onProgress }: CaptionReading,
): Generator<CaptionRecord> {
  const ids = Array.from(readImageIds(imageIds))
  let lineCount = 0
  for (const { number, text } of readTextLines(file, onProgress)) {
    const at = locateLine(file, number)
    if (number > ids.length) {
      throw wrongShape(
        at(),
        `the end of the file after ${ids.length} lines, as ids in ${nameOf(imageIds)}`,
        'a line',
      )
    }
    lineCount = number
    yield {
      imageId: ids[number - 1].id,
      fileName: null,
      captions: text.replace(/\r$/, ''),
      atImage: ids[number - 1].at,
      atCaption: () => at(),
    }
  }
  if (lineCount < ids.length) {
    throw wrongShape(
      { source: file },
      `${ids.length} lines, as ids in ${nameOf(imageIds)}`,
      String(lineCount),
    )
  }
}
