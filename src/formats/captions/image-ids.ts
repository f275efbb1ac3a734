import { beginFile, type InputFile } from '../io/files.js'
import { readJsonArray } from '../io/json-stream.js'
import { readLines } from '../io/lines.js'
import { externalId, type Locate, locateElement, locateLine } from '../io/values.js'

/**
 * Reads ids of images: a JSON list, or one id per line.
 *
 * @throws AccordError the errors of `readJsonArray` and `readLines`; INVALID_SHAPE and INVALID_VALUE for an id
 */
export function* readImageIds(file: InputFile): Generator<{ readonly id: string; readonly at: Locate }> {
  const { head, file: begun } = beginFile(file, 1024)
  if (/^\ufeff?\s*[[{]/.test(head.toString('utf8'))) {
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
