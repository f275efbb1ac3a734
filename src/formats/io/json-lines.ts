import { AccordError } from '../../errors.js'
import { excerpt, firstInvalidByte } from './broken-json.js'
import type { InputFile } from './files.js'
import { parseJson } from './json.js'
import type { Line } from './lines.js'
import { locateLine, wrongValue } from './values.js'

/** The value of a line of a JSON Lines file. @throws AccordError INVALID_JSON with the number of the line */
export function parseJsonLine(file: InputFile, { number, text }: Line): unknown {
  try {
    return parseJson(text, locateLine(file, number))
  } catch (error) {
    if (error instanceof AccordError) throw error
    const bytes = Buffer.from(text)
    const wrong = firstInvalidByte(bytes)
    if (wrong === undefined) {
      throw wrongValue(
        'INVALID_JSON',
        'the line is truncated',
        locateLine(file, number)(),
        'the rest of the object',
        'the end of the line',
      )
    }
    const column = bytes.toString('utf8', 0, wrong).length + 1
    const at = locateLine(file, number)(`column ${column}`)
    throw wrongValue('INVALID_JSON', 'not JSON', at, 'valid JSON', excerpt(bytes.subarray(wrong)))
  }
}
