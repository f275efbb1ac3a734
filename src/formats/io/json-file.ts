import { isUtf8 } from 'node:buffer'
import { AccordError } from '../../errors.js'
import { excerpt, firstInvalidByte } from './broken-json.js'
import { type InputFile, nameOf, readWhole } from './files.js'
import { parseJson } from './json.js'
import { wrongValue } from './values.js'

/**
 * Reads a JSON file that is held in memory.
 *
 * @throws AccordError FILE_NOT_FOUND; OUT_OF_RANGE for more than `maxBytes`; INVALID_JSON with the byte or the path
 */
export function readJsonFile(file: InputFile, maxBytes: number): unknown {
  const bytes = readWhole(file, maxBytes)
  if (!isUtf8(bytes)) {
    throw wrongValue('INVALID_JSON', 'not UTF-8', { source: file }, 'UTF-8 text', 'other bytes')
  }
  try {
    return parseJson(bytes.toString('utf8').replace(/^\ufeff/, ''), (place) => ({
      source: nameOf(file),
      place,
    }))
  } catch (error) {
    if (error instanceof AccordError) throw error
    const wrong = firstInvalidByte(bytes) ?? bytes.length
    const found = wrong < bytes.length ? excerpt(bytes.subarray(wrong)) : 'the end of the file'
    throw wrongValue(
      'INVALID_JSON',
      'not JSON',
      { source: file, place: `byte ${wrong}` },
      'valid JSON',
      found,
    )
  }
}
