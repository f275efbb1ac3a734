import type { ListedAtom } from '../../core/bounds/atom-comparison.js'
import { type CsvRow, readCsv } from '../io/csv.js'
import { wrongValue } from '../io/values.js'

/**
 * Reads a list of atoms from a CSV file with the columns `atom` and `count`, by descending count; other columns are
 * ignored.
 *
 * @throws AccordError as {@link readCsv}; INVALID_VALUE for a count that is not an integer
 */
export function readAtomList(file: string): ListedAtom[] {
  return readCsv(file, ['atom', 'count'], (row) => ({ text: row.value('atom'), count: readCount(row) }))
}

function readCount(row: CsvRow): number {
  const text = row.value('count')
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw wrongValue('INVALID_VALUE', 'invalid count', row.at('count'), 'an integer', JSON.stringify(text))
}
