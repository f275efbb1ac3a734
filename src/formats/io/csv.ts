import { isUtf8 } from 'node:buffer'
import { AccordError, quote } from '../../errors.js'
import { ByteWindow, MAX_RECORD_BYTES } from './byte-window.js'
import { UTF8_TEXT } from './encodings.js'
import { type InputFile, nameOf, openFile, type ReadProgress } from './files.js'
import { readTextLines } from './lines.js'
import { invalidValue, type Locate, locateLine, wrongShape } from './values.js'

/** A row of a table with a header. Columns are found in any case. */
export interface CsvRow {
  /** The place of the row, or of one of its columns. */
  readonly at: Locate
  /** Number of the line on which the row ends. */
  readonly line: number
  /** Whether the file has a column. */
  has(column: string): boolean
  /** The value of a column that the file has. */
  value(column: string): string
}

/** Maximum size in bytes of a file whose items are held in memory. */
const MAX_CSV_BYTES = 32 * 1024 * 1024

/**
 * Reads a CSV file with a header, as in RFC 4180. Columns may be in any order; unknown ones are ignored. Values have no
 * surrounding white space.
 *
 * @param required columns that the header must have
 * @param toItem makes an item of a row; undefined leaves the row out
 * @throws AccordError the errors of {@link readRows}; OUT_OF_RANGE for more than 32 MiB; INVALID_SHAPE for a file without rows;
 *   the errors of `toItem`
 */
export function readCsv<Item extends object>(
  file: InputFile,
  required: readonly string[],
  toItem: (row: CsvRow) => Item | undefined,
): Item[] {
  const items: Item[] = []
  let rowCount = 0
  for (const row of readRows(file, { delimiter: ',', trim: true, maxBytes: MAX_CSV_BYTES }, required)) {
    rowCount++
    const item = toItem(row)
    if (item !== undefined) items.push(item)
  }
  if (rowCount === 0) throw wrongShape({ source: file }, 'at least one row', 'only a header')
  return items
}

/**
 * Reads the rows of a table with a header, in memory that does not grow with the file.
 *
 * @param required columns that the header must have
 * @throws AccordError the errors of {@link readRecords}; INVALID_SHAPE for a missing column, or another number of fields than in
 *   the header, with the line
 */
export function* readRows(
  file: InputFile,
  reading: CsvReading,
  required: readonly string[] = [],
): Generator<CsvRow> {
  const rows = readRecords(file, reading)
  const header = rows.next().value?.fields ?? []
  const columns = new Map(header.map((name, index) => [name.trim().toLowerCase(), index]))
  requireColumns(file, header, columns, required)
  const has = (column: string) => columns.has(column.toLowerCase())
  for (const { fields, line } of rows) {
    const at = locateLine(file, line)
    requireFieldCount(fields, header.length, at)
    yield { at, line, has, value: (column) => fields[columns.get(column.toLowerCase()) as number] }
  }
}

function requireColumns(
  file: InputFile,
  header: readonly string[],
  columns: ReadonlyMap<string, number>,
  required: readonly string[],
): void {
  if (required.every((name) => columns.has(name))) return
  const found = header.length === 0 ? 'an empty file' : quote(header.join(','))
  throw wrongShape(locateLine(file, 1)(), `the header ${required.join(',')}`, found)
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

/** What separates fields. With tabs and bars fields are as in text/tab-separated-values: there are no quotation rules. */
export type Delimiter = ',' | ';' | '\t' | '|'

/** Whether fields may be quoted as in RFC 4180. */
const isQuoted = (delimiter: Delimiter): delimiter is ',' | ';' => delimiter === ',' || delimiter === ';'

export interface CsvReading {
  readonly delimiter: Delimiter
  /** Leave out white space around fields, not within quotation marks. */
  readonly trim: boolean
  /** Maximum size of the file. Default: any. */
  readonly maxBytes?: number
  readonly onProgress?: ReadProgress
}

/**
 * Reads the rows of a file, with its header, in memory that does not grow with the file. Empty lines are left out. With commas
 * and semicolons fields are as in RFC 4180, and lines end with LF, CR LF or CR; a quotation mark within a field that does not
 * begin with one is text. Between tabs and bars quotation marks are text, except around a whole field in which others are
 * doubled, as programs write it that quote all tables alike.
 *
 * @throws AccordError FILE_NOT_FOUND; OUT_OF_RANGE for more bytes, or a row of more than 16 MiB; INVALID_VALUE for text other
 *   than UTF-8; INVALID_SHAPE for wrong quotation marks; with the line
 */
export function* readRecords(file: InputFile, reading: CsvReading): Generator<CsvRecord, undefined> {
  const { delimiter, trim, maxBytes = Number.POSITIVE_INFINITY, onProgress } = reading
  if (!isQuoted(delimiter)) {
    for (const { number, text } of readTextLines(file, onProgress)) {
      if (text.trim() !== '') yield { fields: splitLine(text, delimiter, trim), line: number }
    }
    return
  }
  const source = openFile(file)
  try {
    const window = new ByteWindow(source, onProgress)
    let line = 0
    for (let isAll = false; ; ) {
      const length: number | null = isAll ? null : completeLines(window)
      if (length === null && window.isFull) throw tooLong(file, line)
      isAll ||= length === null
      const bytes = window.bytes.subarray(window.start, length === null ? window.end : window.start + length)
      if (window.offsetOf(window.start) + bytes.length > maxBytes) {
        throw tooLarge({ source: nameOf(file) }, 'the file is too large', maxBytes)
      }
      if (!isUtf8(bytes)) throw notUtf8(file, bytes, line)
      const text = bytes.toString('utf8').replace(line === 0 ? /^\ufeff/ : '', '')
      const rows = new RowReader(text, line, { delimiter, trim }, isAll)
      for (let row = rows.next(); row !== undefined; row = rows.next()) yield row
      if (rows.error !== null) {
        const found = line === 0 && /^\s*[[{]/.test(text) ? 'JSON' : rows.error
        throw wrongShape(locateLine(file, rows.line)(), 'CSV', found)
      }
      if (isAll) return
      line = rows.line
      // What is left is the beginning of a row, which has line breaks.
      const left = Buffer.byteLength(text.slice(rows.end))
      window.start += bytes.length - left
      if (left > 0 && !window.more()) {
        if (window.isFull) throw tooLong(file, line)
        isAll = true
      }
    }
  } finally {
    source.close()
  }
}

/** The names of the columns in the first line of a file; none if it is no row. */
export function parseHeader(line: string, delimiter: Delimiter): readonly string[] {
  if (!isQuoted(delimiter)) return splitLine(line, delimiter, true)
  return new RowReader(line, 0, { delimiter, trim: true }, true).next()?.fields ?? []
}

function splitLine(line: string, delimiter: Delimiter, trim: boolean): string[] {
  return line
    .replace(/\r$/, '')
    .split(delimiter)
    .map((field) => unquote(trim ? field.trim() : field))
}

function unquote(field: string): string {
  return /^"(?:[^"]|"")*"$/.test(field) ? field.slice(1, -1).replaceAll('""', '"') : field
}

const tooLong = (file: InputFile, before: number) =>
  tooLarge(locateLine(file, before + 1)(), 'too long', MAX_RECORD_BYTES)

function tooLarge(at: ReturnType<Locate>, summary: string, bytes: number): AccordError {
  return new AccordError('OUT_OF_RANGE', summary, {
    ...at,
    expected: `at most ${bytes} bytes`,
    found: 'more',
  })
}

const LINE_FEED = 0x0a

/**
 * Reads until at least one line is buffered.
 *
 * @returns the number of bytes of all complete lines; null at the end of the file, and if the window is full
 */
function completeLines(window: ByteWindow): number | null {
  for (let isMore = true; isMore; isMore = window.more()) {
    const end = window.bytes.lastIndexOf(LINE_FEED, window.end - 1)
    if (window.end > window.start && end >= window.start) return end + 1 - window.start
  }
  return null
}

/** Reads the rows of a text with commas or semicolons. It copies no text but that of fields. */
class RowReader {
  /** Index after the last complete row. */
  end = 0
  /** Number of lines before `end`; where there is an error, that of its line. */
  line: number
  /** What is wrong with the row at `end`. */
  error: string | null = null

  private readonly delimiter: string
  private readonly trim: boolean
  /** Index of the first quotation mark and of the first carriage return from `end`. */
  private quote: number
  private carriageReturn: number

  /**
   * @param before number of lines before the text
   * @param isAll whether the text is the rest of the file, so that its last row needs no line break
   */
  constructor(
    private readonly text: string,
    before: number,
    { delimiter, trim }: Pick<CsvReading, 'delimiter' | 'trim'>,
    private readonly isAll: boolean,
  ) {
    this.line = before
    this.delimiter = delimiter
    this.trim = trim
    this.quote = indexFrom(text, '"', 0)
    this.carriageReturn = indexFrom(text, '\r', 0)
  }

  /** The next row that is not empty; undefined where no complete one follows. */
  next(): CsvRecord | undefined {
    const { text } = this
    while (this.end < text.length) {
      const lineFeed = indexFrom(text, '\n', this.end)
      if (this.quote < this.end) this.quote = indexFrom(text, '"', this.end)
      if (this.carriageReturn < this.end) this.carriageReturn = indexFrom(text, '\r', this.end)
      const lineEnd = Math.min(lineFeed, this.carriageReturn)
      const fields = this.quote < lineEnd ? this.quotedRow() : this.plainRow(lineEnd)
      if (fields === undefined) return undefined
      if (fields.length > 1 || fields[0].trim() !== '') return { fields, line: this.line }
    }
    return undefined
  }

  private plainRow(lineEnd: number): string[] | undefined {
    if (lineEnd >= this.text.length && !this.isAll) return undefined
    const fields = this.text.slice(this.end, lineEnd).split(this.delimiter)
    if (this.trim) for (let index = 0; index < fields.length; index++) fields[index] = fields[index].trim()
    return this.finish(fields, lineEnd, 1)
  }

  /** Ends the row before a line break, or at the end of the text. */
  private finish(fields: string[], lineEnd: number, lineCount: number): string[] | undefined {
    const { text } = this
    const isPair = text[lineEnd] === '\r' && text[lineEnd + 1] === '\n'
    this.end = Math.min(text.length, lineEnd + (isPair ? 2 : 1))
    this.line += lineCount
    return fields
  }

  /** A row with a quotation mark somewhere. */
  private quotedRow(): string[] | undefined {
    const { text, delimiter } = this
    const fields: string[] = []
    let lineCount = 1
    for (let place = this.end; ; ) {
      let start = place
      if (this.trim) while (text[start] === ' ' || (text[start] === '\t' && delimiter !== '\t')) start++
      if (text[start] === '"') {
        const end = endOfQuoted(text, start)
        if (end === undefined) return this.unfinished('the end of the file inside a quoted field')
        const field = text.slice(start + 1, end)
        lineCount += countLineFeeds(field)
        fields.push(field.replaceAll('""', '"'))
        place = end + 1
        if (this.trim) while (text[place] === ' ' || text[place] === '\t') place++
      } else {
        place = endOfPlain(text, start, delimiter)
        const field = text.slice(start, place)
        fields.push(this.trim ? field.trim() : field)
      }
      const next = text[place]
      if (next === delimiter) place++
      else if (next === '\n' || next === '\r') return this.finish(fields, place, lineCount)
      else if (next === undefined)
        return this.isAll ? this.finish(fields, place, lineCount) : this.unfinished(null)
      else {
        this.line += lineCount
        this.error = 'text after the quotation mark that ends a field'
        return undefined
      }
    }
  }

  /** The row has no end in the text: the rest may follow, or it is missing. */
  private unfinished(error: string | null): undefined {
    if (!this.isAll) return undefined
    this.line += countLineFeeds(this.text.slice(this.end).replace(/\n$/, '')) + 1
    this.error = error
    return undefined
  }
}

/** The index of a character from a place; the length of the text where there is none. */
function indexFrom(text: string, character: string, place: number): number {
  const index = text.indexOf(character, place)
  return index < 0 ? text.length : index
}

/** The index of the quotation mark that ends the field that one begins; undefined where there is none. */
function endOfQuoted(text: string, start: number): number | undefined {
  for (let place = start + 1; ; place += 2) {
    place = text.indexOf('"', place)
    if (place < 0) return undefined
    if (text[place + 1] !== '"') return place
  }
}

/** The index of the delimiter or line break after a field without quotation marks around it. */
function endOfPlain(text: string, start: number, delimiter: string): number {
  let place = start
  while (place < text.length && text[place] !== delimiter && text[place] !== '\n' && text[place] !== '\r')
    place++
  return place
}

function countLineFeeds(text: string): number {
  let count = 0
  for (let place = text.indexOf('\n'); place >= 0; place = text.indexOf('\n', place + 1)) count++
  return count
}

function notUtf8(file: InputFile, bytes: Buffer, before: number): AccordError {
  let start = 0
  let line = before + 1
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
    if (!isUtf8(bytes.subarray(start, end))) break
    start = end + 1
    line++
  }
  return invalidValue('not UTF-8', locateLine(file, line)(), UTF8_TEXT, 'other bytes')
}
