import { quote } from '../../errors.js'
import { readCocoResults, type SubmittedCaption } from '../coco/coco-results.js'
import type { InputFile } from '../io/files.js'
import { captionText, describeValue, wrongShape } from '../io/values.js'
import { type CaptionReading, describeFormat, openCaptions } from './caption-format.js'
import { readCaptionRecords } from './caption-records.js'

/**
 * Reads a system's captions of a file in any of the formats of human captions, with one caption of each image, or in COCO
 * results format. An empty caption is valid.
 *
 * @throws AccordError the errors of `openCaptions` and of the readers; INVALID_SHAPE and INVALID_VALUE for an invalid record,
 *   without a place for a list of several captions
 */
export function* readResults(input: InputFile, reading: CaptionReading = {}): Generator<SubmittedCaption> {
  const { format, file } = openCaptions(input, reading)
  if (format.kind === 'COCO') {
    yield* readCocoResults(file, reading.onProgress)
    return
  }
  reading.onFormat?.(describeFormat(format))
  for (const { imageId, captions, atImage, atCaption } of readCaptionRecords(file, format, reading)) {
    if (Array.isArray(captions) && captions.length !== 1) {
      throw wrongShape(
        { source: file },
        'one caption of each image',
        `${captions.length} for ${quote(imageId)}`,
      )
    }
    const [index, caption]: [number | undefined, unknown] = Array.isArray(captions)
      ? [0, captions[0]]
      : [undefined, captions]
    const at = () => atCaption(index)
    if (typeof caption !== 'string') throw wrongShape(at(), 'a string', describeValue(caption))
    yield { imageId, text: captionText(caption, at), at: atImage }
  }
}
