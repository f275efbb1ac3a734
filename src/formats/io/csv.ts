import { isUtf8 } from 'node:buffer'
import { CsvError, type Info, parse } from 'csv-parse/sync'
import { quote } from '../../errors.js'
import { type InputFile, readWhole } from './files.js'
import { type Locate, locateLine, wrongShape, wrongValue } from './values.js'

/** A row of a CSV file with a header. */
export interface CsvRow {
  /** The place of the row, or of one of its columns. */
  readonly at: Locate
  /** Number of the line on which the row ends. */
  readonly line: number
  /** Whether the file has a column. */
  has(column: string): boolean
  /** The value of a column that the file has, without surrounding whitespace. */
  value(column: string): string
}

interface CsvRecord {
  readonly record: readonly string[]
  /** `lines` is the line number of the end of the record. */
  readonly info: Info
}

/**
 * Reads a CSV file with a header, as in RFC 4180. Columns may be in any order; unknown ones are ignored.
 *
 * @param required columns that the header must have
 * @throws AccordError FILE_NOT_FOUND; INVALID_VALUE for text other than UTF-8; INVALID_SHAPE for invalid CSV, a missing
 *   column, another number of fields than in the header, or a file without rows; with the line
 */
export function readCsv(file: InputFile, required: readonly string[]): CsvRow[] {
  const [header, ...records] = parseCsv(file)
  const names = header?.record ?? []
  const columns = new Map(names.map((name, index) => [name, index]))
  if (required.some((name) => !columns.has(name))) {
    const found = names.length === 0 ? 'an empty file' : quote(names.join(','))
    throw wrongShape(locateLine(file, 1)(), `the header ${required.join(',')}`, found)
  }
  if (records.length === 0) throw wrongShape({ source: file }, 'at least one row', 'only a header')
  return records.map(({ record, info: { lines: line } }) => {
    const at = locateLine(file, line)
    if (record.length !== names.length) {
      throw wrongShape(at(), `${names.length} fields`, `${record.length}: ${quote(record.join(','))}`)
    }
    return { at, line, has: (column) => columns.has(column), value: (column) => record[columns.get(column)!] }
  })
}

function parseCsv(file: InputFile): CsvRecord[] {
  const bytes = readWhole(file)
  if (!isUtf8(bytes))
    throw wrongValue('INVALID_VALUE', 'not UTF-8', { source: file }, 'UTF-8 text', 'other bytes')
  try {
    const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true, trim: true }
    // The library's types do not reflect the option `info`, which wraps each record in an object.
    return parse(bytes, options) as unknown as CsvRecord[]
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const closed = error.code !== 'CSV_QUOTE_NOT_CLOSED'
    const found = closed
      ? 'a quotation mark inside an unquoted field'
      : 'the end of the file inside a quoted field'
    throw wrongShape(locateLine(file, Number(error.lines))(), 'CSV', found)
  }
}
