import { quote } from '../../errors.js'
import { usableText } from '../coco/coco-captions.js'
import { readRecords, requireFieldCount } from '../io/csv.js'
import { type BegunFile, nameOf } from '../io/files.js'
import { parseJsonLine } from '../io/json.js'
import {
  readJsonArray,
  readJsonMembers,
  readJsonObject,
  readJsonSequence,
  type WantedArrays,
} from '../io/json-stream.js'
import { readLines, readTextLines } from '../io/lines.js'
import {
  describeValue,
  externalId,
  invalidValue,
  type JsonObject,
  type Locate,
  listKeys,
  locateElement,
  locateLine,
  requireObject,
  wrongShape,
} from '../io/values.js'
import {
  type CaptionFormat,
  type CaptionReading,
  FILE_NAMES,
  FLICKR_LINE,
  ID_NAMES,
  MSVD_LINE,
} from './caption-format.js'
import { CAPTION_NAMES, type ColumnNames, hasImageAt, valueAt } from './columns.js'
import { readImageIds } from './image-list.js'
import { readListText } from './list-text.js'

/** Captions of an image in a file of another format than COCO's. */
export interface CaptionRecord {
  readonly imageId: string
  /** Whether the file calls it an id. Default: false. */
  readonly isId?: boolean
  readonly fileName: string | null
  /** Not checked yet; see {@link captionsOf}. */
  readonly captions: unknown
  /** Whether they are all captions of the image. */
  readonly isList: boolean
  /** Not checked yet: the split of the image. */
  readonly split?: unknown
  /** Not checked yet: the language of its captions. */
  readonly language?: unknown
  /** Not checked yet: the number of an image that has no id. */
  readonly imgid?: unknown
  readonly atImage: () => ReturnType<Locate>
  /** The place of the captions, or of a part of them: `[3].raw`. */
  atCaption(path?: string): ReturnType<Locate>
}

/** A caption of a record. */
interface CaptionValue {
  /** Not checked yet. */
  readonly value: unknown
  readonly at: () => ReturnType<Locate>
}

/** The captions of a record: one, or those of a list, each as a text or as an object that has it (`{"caption": "…"}`). */
export function captionsOf({ captions, atCaption }: CaptionRecord): CaptionValue[] {
  if (!Array.isArray(captions)) return unfold(captions, '', atCaption)
  return captions.flatMap((value, index) => unfold(value, `[${index}]`, atCaption))
}

function unfold(value: unknown, path: string, atCaption: CaptionRecord['atCaption']): CaptionValue[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const name = CAPTION_NAMES.find((key) => (value as JsonObject)[key] !== undefined)
    if (name !== undefined) {
      const inner = (value as JsonObject)[name]
      const at = (rest = '') => atCaption(`${path}.${name}${rest}`)
      return Array.isArray(inner)
        ? inner.map((text, index) => ({ value: text, at: () => at(`[${index}]`) }))
        : [{ value: inner, at }]
    }
  }
  return [{ value, at: () => atCaption(path) }]
}

type Format<Kind> = Extract<CaptionFormat, { readonly kind: Kind }>

/**
 * Reads the records of a file in the format that it has, those of the wanted split.
 *
 * @throws AccordError the errors of the readers; INVALID_SHAPE for a record without a split, INVALID_VALUE for a split that no
 *   record has
 */
export function readCaptionRecords(
  file: BegunFile,
  format: CaptionFormat,
  reading: CaptionReading,
): Generator<CaptionRecord> {
  const records = readAllRecords(file, format, reading)
  return reading.split === undefined ? records : ofSplit(file, records, reading.split)
}

function readAllRecords(
  file: BegunFile,
  format: CaptionFormat,
  reading: CaptionReading,
): Generator<CaptionRecord> {
  switch (format.kind) {
    case 'COCO':
      return readRecordsOf(file, { required: ['annotations'] }, format.names, reading)
    case 'RECORDS':
      return readRecordsOf(
        file,
        format.within && { required: [], optional: format.within },
        format.names,
        reading,
        format.areSplits,
      )
    case 'PARALLEL':
      return readParallelLists(file, format, reading)
    case 'OBJECT':
      return readObject(file, format, reading)
    case 'JSON_LINES':
      return readJsonRecords(file, format, reading)
    case 'FLICKR':
      return readNamedLines(file, FLICKR_LINE, 'NAME.jpg#0, a tab and a caption', reading)
    case 'MSVD':
      return readNamedLines(file, MSVD_LINE, 'VIDEO_START_END, a space and a caption', reading)
    case 'TABLE':
      return readTable(file, format, reading)
    case 'LINES':
      return readCaptionLines(file, format, reading)
  }
}

function* ofSplit(
  file: BegunFile,
  records: Iterable<CaptionRecord>,
  wanted: string,
): Generator<CaptionRecord> {
  const splits = new Set<string>()
  for (const record of records) {
    const { split } = record
    if (typeof split !== 'string') {
      throw wrongShape(
        record.atImage(),
        'an image with "split"',
        `one with ${describeValue(split)} as its split`,
      )
    }
    splits.add(split)
    if (split === wanted) yield record
  }
  if (!splits.has(wanted)) {
    const expected = splits.size === 0 ? 'an image' : `one of ${listKeys([...splits])}`
    throw invalidValue('unknown split', { source: file }, expected, quote(wanted))
  }
}

/**
 * Makes records of JSON objects, with one of the names of image ids and of captions. An object that has none is said to lack those
 * of the object before.
 */
function createToRecord({
  image,
  captions: captionNames,
}: ColumnNames): (value: unknown, at: Locate) => CaptionRecord {
  let [idKey, captionKey]: string[] = [
    image[0],
    captionNames.includes('caption') ? 'caption' : captionNames[0],
  ]
  return (value, at) => {
    const record = requireObject(value, at)
    const has = (name: string) => valueAt(record, name) !== undefined
    const id = image.find((name) => hasImageAt(record, name)) ?? idKey
    const name = captionNames.find(has) ?? captionKey
    idKey = id
    captionKey = name
    const fileKey = FILE_NAMES.find((key) => key !== id && has(key))
    const captions = valueAt(record, name)
    return {
      imageId: externalId(valueAt(record, id), () => at(id)),
      isId: ID_NAMES.includes(id),
      fileName: usableText(valueAt(record, fileKey ?? id)),
      captions,
      isList: Array.isArray(captions),
      split: record.split,
      language: record.language,
      imgid: ID_NAMES.includes(id) || record.imgid === undefined ? undefined : String(record.imgid),
      atImage: () => at(id),
      atCaption: (path = '') => at(`${name}${path}`),
    }
  }
}

/**
 * A list of records, `[{"image_id", "caption"}]`, or some under keys of an object; VIST has a list of one for each record. The names of
 * image ids and captions are those of `columns.ts`; other keys are ignored.
 *
 * @param areSplits whether the keys are the splits of images that do not say theirs
 *
 * @throws AccordError the errors of `readJsonArray` and `readJsonObject`; INVALID_SHAPE
 */
function* readRecordsOf(
  file: BegunFile,
  within: WantedArrays | null,
  names: ColumnNames,
  { onProgress }: CaptionReading,
  areSplits = false,
): Generator<CaptionRecord> {
  const toRecord = createToRecord(names)
  const elements =
    within === null ? readJsonArray(file, onProgress) : readJsonObject(file, within, onProgress)
  for (const { array, index, value } of elements) {
    const at = locateElement(file, array, index)
    if (Array.isArray(value)) {
      for (const [inner, record] of value.entries())
        yield toRecord(record, locateElement(file, `${array}[${index}]`, inner))
    } else {
      const record = toRecord(value, at)
      yield areSplits ? { ...record, split: record.split ?? array } : record
    }
  }
}

/**
 * `{"139": ["…", "…"], …}` or `{"139": "…", …}`, also with an object for each caption, `{"139": [{"caption": "…"}], …}`.
 *
 * @throws AccordError the errors of `readJsonMembers`
 */
function* readObject(
  file: BegunFile,
  { within, caption }: Format<'OBJECT'>,
  { onProgress }: CaptionReading,
): Generator<CaptionRecord> {
  const source = nameOf(file)
  for (const { key, value } of readJsonMembers(file, within, onProgress)) {
    const atImage = () => ({ source, place: quote(key) })
    yield {
      imageId: externalId(key, atImage),
      fileName: null,
      captions: caption === undefined ? value : valueAt(value, caption),
      isList: true,
      atImage,
      atCaption: (path = '') => ({ source, place: `${quote(key)}${path}` }),
    }
  }
}

/**
 * Lines of `{"image_id", "caption": "…"}` or `{"image_id", "captions": ["…", "…"]}`, with the names of {@link readRecordsOf};
 * other keys are ignored.
 *
 * @throws AccordError INVALID_JSON and INVALID_SHAPE with the number of the line
 */
function* readJsonRecords(
  file: BegunFile,
  { names, isConcatenated }: Format<'JSON_LINES'>,
  { onProgress }: CaptionReading,
): Generator<CaptionRecord> {
  const toRecord = createToRecord(names)
  if (isConcatenated) {
    for (const { index, value } of readJsonSequence(file, onProgress))
      yield toRecord(value, locateElement(file, '', index))
    return
  }
  for (const line of readLines(file, onProgress)) {
    yield toRecord(parseJsonLine(file, line), locateLine(file, line.number))
  }
}

/**
 * Two lists, of images and of captions, in the same order: `{"images": ["a.jpg"], "captions": ["A dog."]}`; or one of captions of images
 * without names, `{"references": [["A dog."]], "predictions": ["a dog"]}`.
 *
 * @throws AccordError the errors of `readJsonObject`; INVALID_SHAPE for lists of other lengths
 */
function* readParallelLists(
  file: BegunFile,
  { image, captions }: Format<'PARALLEL'>,
  { onProgress }: CaptionReading,
): Generator<CaptionRecord> {
  const required = image === null ? [captions] : [image, captions]
  const lists: Record<string, unknown[]> = Object.fromEntries(required.map((key) => [key, []]))
  for (const { array, value } of readJsonObject(file, { required }, onProgress)) lists[array].push(value)
  const texts = lists[captions]
  const images = image === null ? texts.map((_, index) => index + 1) : lists[image]
  if (images.length !== texts.length) {
    throw wrongShape(
      { source: file, place: captions },
      `${images.length} entries, as ${image}`,
      String(texts.length),
    )
  }
  for (const [index, value] of images.entries()) {
    const atImage = () => locateElement(file, image ?? captions, index)()
    yield {
      imageId: externalId(value, atImage),
      fileName: image === null ? null : usableText(value),
      captions: texts[index],
      isList: Array.isArray(texts[index]),
      atImage,
      atCaption: (path = '') => {
        const { source, place } = locateElement(file, captions, index)()
        return { source, place: `${place}${path}` }
      },
    }
  }
}

/**
 * Rows of a table with one column of captions or several (`caption_1`, `caption_2`). Captions keep white space around them, unless
 * bars are between them; ids do not. Of MSVD's CSV, the English ones are read, and an image is a clip of a video. A caption can be a list of captions as text ({@link readListText}).
 *
 * @throws AccordError the errors of `readRecords`; INVALID_SHAPE for a row with another number of fields than the header
 */
function* readTable(
  file: BegunFile,
  { delimiter, imageColumn, captionColumns, isMsvd, isOfa, isHeadless }: Format<'TABLE'>,
  { onProgress, areOfPeople = false }: CaptionReading,
): Generator<CaptionRecord> {
  const rows = readRecords(file, { delimiter, trim: delimiter === '|', onProgress })
  const header = isHeadless ? [] : (rows.next().value?.fields ?? []).map((name) => name.trim())
  const indexOf = (name: string) => (isHeadless ? Number(name) : header.indexOf(name))
  const image = indexOf(imageColumn)
  const captions = captionColumns.map(indexOf)
  let fieldCount = isHeadless ? null : header.length
  const column = (names: readonly string[]) => header.findIndex((name) => names.includes(name.toLowerCase()))
  const split = column(['split'])
  const ownLanguage = isMsvd ? -1 : column(['language'])
  const fileName = column(FILE_NAMES.filter((name) => name !== imageColumn.toLowerCase()))
  const isSeveral = captions.length > 1
  const [start, end, language] = isMsvd
    ? ['Start', 'End', 'Language'].map((name) => header.indexOf(name))
    : []
  for (const { fields: found, line } of rows) {
    const at = locateLine(file, line)
    fieldCount ??= found.length
    const fields = delimiter === '|' ? withSecondBar(found, fieldCount) : found
    requireFieldCount(fields, fieldCount, at)
    if (isMsvd && fields[language].trim() !== 'English') continue
    const clip = isMsvd ? `_${fields[start].trim()}_${fields[end].trim()}` : ''
    const texts = captions.map((index) => fields[index])
    const list = isSeveral
      ? texts.filter((text) => text.trim() !== '')
      : isOfa && areOfPeople
        ? texts[0].split('&&')
        : readListText(texts[0])
    yield {
      imageId: externalId(fields[image].trim() + clip, () => at(imageColumn)),
      isId: ID_NAMES.includes(imageColumn.toLowerCase()),
      fileName: usableText(fields[fileName < 0 ? image : fileName].trim()),
      captions: list ?? texts[0],
      isList: list !== null,
      split: fields[split],
      language: fields[ownLanguage]?.trim(),
      atImage: () => at(imageColumn),
      atCaption: (path = '') => at(`${isSeveral ? 'captions' : captionColumns[0]}${path}`),
    }
  }
}

/** One row of the `results.csv` of Flickr30k lacks the bar between the number of the caption and the caption. */
function withSecondBar(fields: readonly string[], count: number): readonly string[] {
  const parts = fields.length === count - 1 && /^(\d+)\s{2,}(.*)$/.exec(fields[fields.length - 1])
  return parts ? [...fields.slice(0, -1), parts[1], parts[2]] : fields
}

/**
 * Lines of Flickr8k and Flickr30k, `1000092795.jpg#0`, a tab, the caption, or of MSVD, `mv89psg6zh4_33_46 A bird bathes.`. The id of
 * an image is the name of its file, as in Karpathy's JSON of Flickr's datasets. Blank lines are left out, and so are comments of
 * MSVD, lines that begin with `#`.
 *
 * @throws AccordError the errors of `readLines`; INVALID_SHAPE for another line
 */
function* readNamedLines(
  file: BegunFile,
  format: RegExp,
  expected: string,
  { onProgress }: CaptionReading,
): Generator<CaptionRecord> {
  for (const { number, text } of readLines(file, onProgress)) {
    if (format === MSVD_LINE && text.startsWith('#')) continue
    const at = locateLine(file, number)
    const parts = format.exec(text.replace(/\r$/, ''))
    if (parts === null) throw wrongShape(at(), expected, quote(text))
    const [, name, captions] = parts
    yield {
      imageId: externalId(name, () => at()),
      fileName: name,
      captions,
      isList: false,
      atImage: () => at(),
      atCaption: () => at(),
    }
  }
}

/**
 * A caption on each line, in the order of a file of image ids, or of images that are called by the numbers of their lines. An empty
 * line is an empty caption.
 *
 * @throws AccordError the errors of `readTextLines` and `readImageIds`; INVALID_SHAPE for another number of lines than ids
 */
function* readCaptionLines(
  file: BegunFile,
  { imageIds }: Format<'LINES'>,
  { onProgress }: CaptionReading,
): Generator<CaptionRecord> {
  const ids = imageIds === null ? lineNumbers(file) : readImageIds(imageIds)
  const named = imageIds === null ? '' : `, as ids in ${nameOf(imageIds)}`
  try {
    let lineCount = 0
    for (const { number, text } of readTextLines(file, onProgress)) {
      const at = locateLine(file, number)
      const id = ids.next().value
      if (id === undefined) {
        const expected = `the end of the file after ${lineCount} lines${named}`
        throw wrongShape(at(), expected, 'a line')
      }
      lineCount = number
      yield {
        imageId: id.id,
        fileName: null,
        captions: text.replace(/\r$/, ''),
        isList: false,
        atImage: id.at,
        atCaption: () => at(),
      }
    }
    let idCount = lineCount
    if (imageIds !== null) for (const _ of ids) idCount++
    if (lineCount < idCount) {
      const expected = `${idCount} lines${named}`
      throw wrongShape({ source: file }, expected, String(lineCount))
    }
  } finally {
    ids.return(undefined)
  }
}

function* lineNumbers(file: BegunFile): Generator<{ readonly id: string; readonly at: Locate }> {
  for (let number = 1; ; number++) yield { id: String(number), at: locateLine(file, number) }
}
