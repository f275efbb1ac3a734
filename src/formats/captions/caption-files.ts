import { quote } from '../../errors.js'
import { type CaptionConsumer, IMGID, LANGUAGE, readCocoCaptions, usableText } from '../coco/coco-captions.js'
import type { SubmittedCaption } from '../coco/coco-results.js'
import type { InputFile } from '../io/files.js'
import { IdIndex } from '../io/id-index.js'
import {
  captionText,
  describeValue,
  invalidValue,
  isNan,
  requireCaption,
  wrongShape,
  wrongValue,
} from '../io/values.js'
import { type CaptionReading, describeFormat, openCaptions, usedColumns } from './caption-format.js'
import { type CaptionRecord, captionsOf, readCaptionRecords } from './caption-records.js'

/**
 * Reads human captions of a file in any of these formats, which is recognized by its content: COCO captions; JSON records, in a
 * list or under a key; JSON of lists of captions by image; JSON Lines; CSV or TSV with a header; captions in lines beside a file
 * of ids, and further such files. Except for COCO's, the captions of an image are in the order of the file, and their ids are their numbers in it.
 *
 * @returns for each `imageKey` of the captions the index of its image
 * @throws AccordError the errors of `openCaptions` and of the readers; DUPLICATE_ID for a second list of captions of an image;
 *   INVALID_SHAPE without a place for a format of a system's captions, or a file without captions; NOT_APPLICABLE for further files
 *   beside another format than lines
 */
export function readReferences(
  input: InputFile,
  consumer: CaptionConsumer,
  options: CaptionReading = {},
): Int32Array {
  const reading = { ...options, areOfPeople: true }
  const { more = [] } = reading
  const { format, file } = openCaptions(input, reading)
  if (more.length > 0 && format.kind !== 'LINES') {
    file.source.close()
    throw notParallel(more[0], `${describeFormat(format)} in ${file.name}`)
  }
  if (format.kind === 'COCO') return readCocoCaptions(file, consumer, reading)
  reading.onFormat?.(
    more.length === 0 ? describeFormat(format) : `${describeFormat(format)} in ${more.length + 1} files`,
    usedColumns(format, reading),
  )
  const images = new IdIndex()
  let number = 0
  for (const record of chain(readCaptionRecords(file, format, reading), readParallel(more, reading))) {
    const { imageId, fileName, captions, isList } = record
    if (format.kind === 'OBJECT' && format.caption === undefined && typeof captions === 'string') {
      const found = `${describeValue(captions)} for ${quote(imageId)}`
      throw wrongShape({ source: file }, 'a list of captions of each image', found)
    }
    const known = images.size
    const imageKey = images.add(imageId)
    if (imageKey === known) {
      const { split, imgid, language } = record
      const own = [
        ['split', split],
        [LANGUAGE, language],
        [IMGID, imgid],
      ].flatMap(([name, value]) => {
        const text = usableText(value)
        return text === null ? [] : [[name, text]]
      })
      const fields = own.length === 0 ? {} : { fields: Object.fromEntries(own) }
      consumer.addImage({ externalId: imageId, fileName, url: null, width: null, height: null, ...fields })
    } else if (isList) {
      throw wrongValue(
        'DUPLICATE_ID',
        'duplicate image',
        record.atImage(),
        'each image once',
        `${quote(imageId)} again`,
      )
    }
    for (const { value, at } of captionsOf(record)) {
      number++
      if (format.kind === 'TABLE' && isNan(value)) {
        const expected = 'a caption, or an image without the row'
        throw invalidValue('no caption', at(), expected, `${quote(value)}, as pandas writes a missing value`)
      }
      consumer.addAnnotation({
        imageKey,
        externalId: String(number),
        rank: number,
        text: requireCaption(value, at),
      })
    }
  }
  if (number === 0) throw wrongShape({ source: file }, 'at least one caption', 'none')
  return new Int32Array(images.size).map((_, index) => index)
}

/** The records of parallel files of captions in lines. An empty line is no caption: not every image has as many. */
function* readParallel(files: readonly InputFile[], reading: CaptionReading): Generator<CaptionRecord> {
  for (const input of files) {
    const { format, file } = openCaptions(input, reading)
    if (format.kind !== 'LINES') {
      file.source.close()
      throw notParallel(input, describeFormat(format))
    }
    for (const record of readCaptionRecords(file, format, reading)) {
      if (typeof record.captions !== 'string' || record.captions.trim() !== '') yield record
    }
  }
}

/** The items of several sequences, one after the other. */
export function* chain<Item>(...parts: readonly Iterable<Item>[]): Generator<Item> {
  for (const part of parts) yield* part
}

function notParallel(file: InputFile, found: string) {
  const expected = 'files with a caption per line, of the same images'
  return wrongValue('NOT_APPLICABLE', 'the files are not parallel', { source: file }, expected, found)
}

/**
 * Reads a system's captions of a file in any of the formats of human captions, with one caption of each image, or in COCO
 * results format, `[{"image_id", "caption"}]`. An empty caption is valid: systems produce them, and they are scored.
 *
 * @throws AccordError the errors of `openCaptions` and of the readers; INVALID_SHAPE and INVALID_VALUE for an invalid record,
 *   without a place for a file of human captions, and for a list of several captions
 */
export function* readResults(input: InputFile, reading: CaptionReading = {}): Generator<SubmittedCaption> {
  const { format, file } = openCaptions(input, reading)
  if (format.kind !== 'COCO' && !(format.kind === 'RECORDS' && format.name === null)) {
    reading.onFormat?.(describeFormat(format), usedColumns(format, reading))
  }
  for (const record of readCaptionRecords(file, format, reading)) {
    const { imageId, isId, atImage } = record
    const captions = captionsOf(record)
    if (captions.length !== 1) {
      const place = record.atCaption().place
      const found = `${captions.length} for ${quote(imageId)} at ${place}`
      throw wrongShape({ source: file }, 'one caption of each image', found)
    }
    const [{ value, at }] = captions
    if (typeof value !== 'string') throw wrongShape(at(), 'a string', describeValue(value))
    yield { imageId, isId, text: captionText(value, at), at: atImage }
  }
}
