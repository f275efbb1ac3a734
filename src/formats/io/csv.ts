import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
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

/** Maximum size of a file in bytes. */
const MAX_CSV_BYTES = 32 * 1024 * 1024

/**
 * Reads a CSV file with a header, as in RFC 4180. Columns may be in any order; unknown ones are ignored.
 *
 * @param required columns that the header must have
 * @param toItem makes an item of a row; undefined leaves the row out
 * @throws AccordError FILE_NOT_FOUND; OUT_OF_RANGE for more than 32 MiB; INVALID_VALUE for text other than UTF-8;
 *   INVALID_SHAPE for invalid CSV, a missing column, another number of fields than in the header, or a file without rows;
 *   with the line; the errors of `toItem`
 */
export function readCsv<Item extends object>(
  file: InputFile,
  required: readonly string[],
  toItem: (row: CsvRow) => Item | undefined,
): Item[] {
  let columns: ReadonlyMap<string, number> | undefined
  let rowCount = 0
  const items = parseCsv(file, (record, line) => {
    if (columns === undefined) {
      columns = new Map(record.map((name, index) => [name, index]))
      requireColumns(file, columns, required)
      return undefined
    }
    rowCount++
    return toItem(rowOf(locateLine(file, line), line, columns, record))
  })
  if (columns === undefined) requireColumns(file, new Map(), required)
  if (rowCount === 0) throw wrongShape({ source: file }, 'at least one row', 'only a header')
  return items
}

function requireColumns(
  file: InputFile,
  columns: ReadonlyMap<string, number>,
  required: readonly string[],
): void {
  if (required.every((name) => columns.has(name))) return
  const found = columns.size === 0 ? 'an empty file' : quote([...columns.keys()].join(','))
  throw wrongShape(locateLine(file, 1)(), `the header ${required.join(',')}`, found)
}

function rowOf(
  at: Locate,
  line: number,
  columns: ReadonlyMap<string, number>,
  record: readonly string[],
): CsvRow {
  if (record.length !== columns.size) {
    throw wrongShape(at(), `${columns.size} fields`, `${record.length}: ${quote(record.join(','))}`)
  }
  return { at, line, has: (column) => columns.has(column), value: (column) => record[columns.get(column)!] }
}

/** @param onRecord makes an item of a record that ends on a line; undefined leaves it out */
function parseCsv<Item>(
  file: InputFile,
  onRecord: (record: readonly string[], line: number) => Item | undefined,
): Item[] {
  const bytes = readWhole(file, MAX_CSV_BYTES)
  if (!isUtf8(bytes))
    throw wrongValue('INVALID_VALUE', 'not UTF-8', { source: file }, 'UTF-8 text', 'other bytes')
  try {
    return parse(bytes, {
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      on_record: (record: string[], { lines }) => onRecord(record, lines) as unknown as string[],
    }) as unknown as Item[]
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const closed = error.code !== 'CSV_QUOTE_NOT_CLOSED'
    const found = closed
      ? 'a quotation mark inside an unquoted field'
      : 'the end of the file inside a quoted field'
    throw wrongShape(locateLine(file, Number(error.lines))(), 'CSV', found)
  }
}
