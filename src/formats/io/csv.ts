import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
import { AccordError, quote } from '../../errors.js'
import { ByteWindow, MAX_RECORD_BYTES } from './byte-window.js'
import { type InputFile, nameOf, openFile, type ReadProgress } from './files.js'
import { type Locate, locateLine, wrongShape, wrongValue } from './values.js'

/** A row of a CSV file with a header. */
export interface CsvRow {
  /** The place of the row, or of one of its columns. */
  readonly at: Locate
  /** Number of the line on which the row ends. */
  readonly line: number
  /** Whether the file has a column. */
  has(column: string): boolean
  /** The value of a column that the file has, without surrounding white space. */
  value(column: string): string
}

/** Maximum size in bytes of a file whose items are held in memory. */
const MAX_CSV_BYTES = 32 * 1024 * 1024

/**
 * Reads a CSV file with a header, as in RFC 4180. Columns may be in any order; unknown ones are ignored.
 *
 * @param required columns that the header must have
 * @param toItem makes an item of a row; undefined leaves the row out
 * @throws AccordError the errors of {@link readRecords}; OUT_OF_RANGE for more than 32 MiB; INVALID_SHAPE for a missing
 *   column, another number of fields than in the header, or a file without rows; with the line; the errors of `toItem`
 */
export function readCsv<Item extends object>(
  file: InputFile,
  required: readonly string[],
  toItem: (row: CsvRow) => Item | undefined,
): Item[] {
  const rows = readRecords(file, { delimiter: ',', trim: true, maxBytes: MAX_CSV_BYTES })
  const header = rows.next().value?.fields ?? []
  const columns = new Map(header.map((name, index) => [name, index]))
  requireColumns(file, columns, required)
  const items: Item[] = []
  let rowCount = 0
  for (const { fields, line } of rows) {
    rowCount++
    const item = toItem(rowOf(locateLine(file, line), line, columns, fields))
    if (item !== undefined) items.push(item)
  }
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
  fields: readonly string[],
): CsvRow {
  requireFieldCount(fields, columns.size, at)
  return { at, line, has: (column) => columns.has(column), value: (column) => fields[columns.get(column)!] }
}

/** @throws AccordError INVALID_SHAPE for another number of fields than that of the header */
export function requireFieldCount(fields: readonly string[], count: number, at: Locate): void {
  if (fields.length !== count) {
    throw wrongShape(at(), `${count} fields`, `${fields.length}: ${quote(fields.join(','))}`)
  }
}

/** The fields of a row. */
export interface CsvRecord {
  readonly fields: readonly string[]
  /** Number of the line on which the row ends. */
  readonly line: number
}

export interface CsvReading {
  readonly delimiter: ',' | '\t'
  /** Leave out white space around fields, not within quotation marks. */
  readonly trim: boolean
  /** Maximum size of the file. Default: any. */
  readonly maxBytes?: number
  readonly onProgress?: ReadProgress
}

/**
 * Reads the rows of a file as in RFC 4180, with its header, in memory that does not grow with the file. Empty lines are left
 * out. Lines end with LF, CR LF or CR.
 *
 * @throws AccordError FILE_NOT_FOUND; OUT_OF_RANGE for more bytes, or a row of more than 16 MiB; INVALID_VALUE for text other
 *   than UTF-8; INVALID_SHAPE for wrong quotation marks; with the line
 */
export function* readRecords(
  file: InputFile,
  { delimiter, trim, maxBytes = Number.POSITIVE_INFINITY, onProgress }: CsvReading,
): Generator<CsvRecord, undefined> {
  const source = openFile(file)
  try {
    const window = new ByteWindow(source, onProgress)
    for (let line = 0; ; ) {
      const { length, isAll } = completeRows(window)
      if (length === 0 && isAll) return
      const bytes = window.bytes.subarray(window.start, window.start + length)
      if (window.offsetOf(window.start) + length > maxBytes) {
        throw tooLarge({ source: nameOf(file) }, 'the file is too large', maxBytes)
      }
      yield* parseRows(file, bytes, line, { delimiter, trim })
      if (!isAll && window.isFull) throw tooLarge(locateLine(file, line + 1)(), 'too long', MAX_RECORD_BYTES)
      line += countLineFeeds(bytes)
      window.start += length
    }
  } finally {
    source.close()
  }
}

/** The names of the columns in the first line of a file; none if it is no row. */
export function parseHeader(line: string, delimiter: CsvReading['delimiter']): readonly string[] {
  try {
    const [names = []] = parse(line, { delimiter, trim: true }) as string[][]
    return names
  } catch {
    return []
  }
}

function tooLarge(at: ReturnType<Locate>, summary: string, bytes: number): AccordError {
  return new AccordError('OUT_OF_RANGE', summary, {
    ...at,
    expected: `at most ${bytes} bytes`,
    found: 'more',
  })
}

const LINE_FEED = 0x0a
const QUOTE = 0x22

/**
 * Reads until at least one row is complete: it ends with a line feed outside quotation marks.
 *
 * @returns the number of bytes of the rows; `isAll` at the end of the file. All bytes if the window is full: they are no row
 */
function completeRows(window: ByteWindow): { readonly length: number; readonly isAll: boolean } {
  let isQuoted = false
  let length = 0
  for (let scanned = 0; ; ) {
    const { bytes, start, end } = window
    for (let i = start + scanned; i < end; i++) {
      if (bytes[i] === QUOTE) isQuoted = !isQuoted
      else if (bytes[i] === LINE_FEED && !isQuoted) length = i + 1 - start
    }
    if (length > 0) return { length, isAll: false }
    scanned = end - start
    if (!window.more()) return { length: scanned, isAll: !window.isFull }
  }
}

function countLineFeeds(bytes: Buffer): number {
  let count = 0
  for (let i = bytes.indexOf(LINE_FEED); i >= 0; i = bytes.indexOf(LINE_FEED, i + 1)) count++
  return count
}

/** @param before number of lines before the bytes */
function parseRows(
  file: InputFile,
  bytes: Buffer,
  before: number,
  { delimiter, trim }: Pick<CsvReading, 'delimiter' | 'trim'>,
): CsvRecord[] {
  if (!isUtf8(bytes)) throw notUtf8(file, bytes, before)
  try {
    return parse(bytes, {
      bom: before === 0,
      delimiter,
      trim,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (fields: string[], { lines }) =>
        ({ fields, line: before + lines }) satisfies CsvRecord as unknown as string[],
    }) as unknown as CsvRecord[]
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const closed = error.code !== 'CSV_QUOTE_NOT_CLOSED'
    const found = closed
      ? 'a quotation mark inside an unquoted field'
      : 'the end of the file inside a quoted field'
    throw wrongShape(locateLine(file, before + Number(error.lines))(), 'CSV', found)
  }
}

function notUtf8(file: InputFile, bytes: Buffer, before: number): AccordError {
  let start = 0
  let line = before + 1
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
    if (!isUtf8(bytes.subarray(start, end))) break
    start = end + 1
    line++
  }
  return wrongValue('INVALID_VALUE', 'not UTF-8', locateLine(file, line)(), 'UTF-8 text', 'other bytes')
}
