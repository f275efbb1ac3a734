import { quote } from '../../errors.js'
import { type CaptionConsumer, readCocoCaptions } from '../coco/coco-captions.js'
import type { InputFile } from '../io/files.js'
import { IdIndex } from '../io/id-index.js'
import { describeValue, requireCaption, wrongShape, wrongValue } from '../io/values.js'
import { type CaptionReading, describeFormat, openCaptions } from './caption-format.js'
import { type CaptionRecord, readCaptionRecords } from './caption-records.js'

/**
 * Reads human captions of a file in any of these formats, which is recognized by its content: COCO captions; Karpathy's JSON;
 * JSON of lists of captions by image; JSON Lines; CSV or TSV with a header; captions in lines beside a file of ids. Except for
 * COCO's, the captions of an image are in the order of the file, and their ids are their numbers in it.
 *
 * @returns for each `imageKey` of the captions the index of its image
 * @throws AccordError the errors of `openCaptions` and of the readers; DUPLICATE_ID for a second list of captions of an image;
 *   INVALID_SHAPE without a place for a format of a system's captions, or a file without captions
 */
export function readReferences(
  input: InputFile,
  consumer: CaptionConsumer,
  reading: CaptionReading = {},
): Int32Array {
  const { format, file } = openCaptions(input, reading)
  if (format.kind === 'COCO') return readCocoCaptions(file, consumer, reading.onProgress)
  reading.onFormat?.(describeFormat(format))
  const images = new IdIndex()
  let number = 0
  for (const record of readCaptionRecords(file, format, reading)) {
    const { imageId, fileName, captions } = record
    if (format.kind === 'OBJECT' && typeof captions === 'string') {
      const found = `${describeValue(captions)} for ${quote(imageId)}`
      throw wrongShape({ source: file }, 'a list of captions of each image', found)
    }
    const known = images.size
    const imageKey = images.add(imageId)
    if (imageKey === known) {
      consumer.addImage({ externalId: imageId, fileName, url: null, width: null, height: null })
    } else if (Array.isArray(captions)) {
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

function captionsOf({ captions, atCaption }: CaptionRecord) {
  return Array.isArray(captions)
    ? captions.map((value: unknown, index) => ({ value, at: () => atCaption(index) }))
    : [{ value: captions, at: () => atCaption() }]
}
