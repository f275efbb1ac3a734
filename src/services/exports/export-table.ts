import { yieldToEventLoop } from '../../event-loop.js'
import { toCsvLine, toField, toTsvLine } from '../../shared/tables.js'

/** A table that is written while it is read. */
export interface ExportTable {
  readonly columns: readonly ExportColumn[]
  /** How its figures were made, each one once. */
  readonly signatures: readonly string[]
  /** Scores in memory while its rows are read. */
  readonly scoresInMemory: number
  /** Rows in groups of at most some hundreds, aligned to the columns; null is undefined. */
  readonly rows: () => AsyncIterable<readonly Row[]>
}

export interface ExportColumn {
  readonly name: string
  readonly type: 'TEXT' | 'NUMBER' | 'FLAG'
}

export type Row = readonly (string | number | boolean | null)[]

/** JSON is a list of objects, which in JSON Lines are a line each. Their keys are the columns. */
export type TableFormat = 'csv' | 'tsv' | 'json' | 'jsonl'

/** Characters of a part of a file: writing one takes less than a turn of the event loop. */
const PART_CHARACTERS = 32_768

/**
 * A table as a file, in parts. Numbers have all digits. Texts of CSV and TSV that programs for tables would execute have an
 * apostrophe before them: see `toField`; those of JSON are as they are.
 */
export async function* writeTable(table: ExportTable, format: TableFormat): AsyncGenerator<string> {
  const { head, toLine, end } = WRITERS[format](table.columns.map(({ name }) => name))
  let text = head
  let isFirst = true
  for await (const rows of table.rows()) {
    for (const row of rows) {
      text += toLine(row, isFirst)
      isFirst = false
      if (text.length < PART_CHARACTERS) continue
      yield text
      text = ''
      await yieldToEventLoop()
    }
  }
  if (text + end !== '') yield text + end
}

interface Writer {
  readonly head: string
  readonly toLine: (row: Row, isFirst: boolean) => string
  readonly end: string
}

const WRITERS: Readonly<Record<TableFormat, (columns: readonly string[]) => Writer>> = {
  csv: (columns) => ofFields(columns, toCsvLine),
  tsv: (columns) => ofFields(columns, toTsvLine),
  json: (columns) => ({
    head: '[',
    toLine: (row, isFirst) => `${isFirst ? '' : ','}${toJson(columns, row)}`,
    end: ']\n',
  }),
  jsonl: (columns) => ({ head: '', toLine: (row) => `${toJson(columns, row)}\n`, end: '' }),
}

function ofFields(columns: readonly string[], toLine: (fields: readonly string[]) => string): Writer {
  return { head: toLine(columns.map(toField)), toLine: (row) => toLine(row.map(toField)), end: '' }
}

function toJson(columns: readonly string[], row: Row): string {
  return JSON.stringify(Object.fromEntries(columns.map((name, index) => [name, row[index]])))
}
