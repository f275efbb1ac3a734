import { createHash } from 'node:crypto'
import type { GivenWords } from '../../core/objects/object-mentions.js'
import { quote } from '../../errors.js'
import { readCsv } from '../io/csv.js'
import { type InputFile, nameOf } from '../io/files.js'
import { invalidValue, wrongValue } from '../io/values.js'

/**
 * Reads words of objects from a CSV file with the columns `object`, its name, and `words`, which are separated by bars; empty rows
 * are left out. Words are kept as they are written, with the spaces beside bars, as the published program of CHAIR has them.
 *
 * @throws AccordError as `readCsv`; INVALID_VALUE for an object without words, words without an object, and a file of empty rows;
 *   DUPLICATE_ID for an object in two rows
 */
export function readObjectWords(file: InputFile): GivenWords {
  const words = new Map<string, readonly string[]>()
  readCsv(file, ['object', 'words'], (row) => {
    const name = row.value('object')
    const own = row
      .value('words')
      .split('|')
      .filter((word) => word.trim() !== '')
    if (name === '' && own.length === 0) return undefined
    const missing = name === '' ? 'object' : own.length === 0 ? 'words' : undefined
    if (missing !== undefined)
      throw invalidValue('incomplete row', row.at(missing), 'an object and its words', `no ${missing}`)
    if (words.has(name))
      throw wrongValue(
        'DUPLICATE_ID',
        'duplicate object',
        row.at('object'),
        'one row of an object',
        quote(name),
      )
    words.set(name, own)
    return row
  })
  if (words.size === 0)
    throw invalidValue('no objects', { source: nameOf(file) }, 'rows with an object and its words', 'none')
  return {
    words,
    hash: createHash('sha256')
      .update(JSON.stringify([...words]))
      .digest('hex'),
  }
}
