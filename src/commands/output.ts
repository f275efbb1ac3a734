import { Option } from 'commander'

export const FORMATS = ['table', 'json', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** One result in every format; only the wanted one is made. */
export interface Renderings {
  /** A value for JSON: numbers unrounded, null for what is undefined. */
  json(): unknown
  csv(): CsvTable
  table(): Promise<string>
}

/** A flat table: one name per column, one row per thing. */
export interface CsvTable {
  readonly header: readonly string[]
  readonly rows: Iterable<readonly CsvCell[]>
}

/** Numbers are written unrounded; null is an empty cell. */
export type CsvCell = string | number | null

/** A table to be read by people. */
export interface TextTable {
  readonly head: readonly TextRow[]
  /** Groups of rows, with a line between them. */
  readonly body: readonly (readonly TextRow[])[]
  /** One entry per column. */
  readonly columns: readonly TextColumn[]
}

export interface TextColumn {
  readonly align: 'left' | 'right'
  /** Wider cells are broken between words. */
  readonly maxWidth?: number
}

/** Cells, or what spans several columns. */
export type TextRow = readonly (string | { readonly content: string; readonly columns: number })[]

export const formatOption = () =>
  new Option('--format <format>', 'table for people, json or csv with unrounded numbers')
    .choices(FORMATS)
    .default('table')

/** Writes a result to stdout. */
export async function print(format: Format, renderings: Renderings): Promise<void> {
  process.stdout.write(await render(format, renderings))
}

async function render(format: Format, renderings: Renderings): Promise<string> {
  switch (format) {
    case 'json':
      return `${JSON.stringify(renderings.json(), null, 2)}\n`
    case 'csv':
      return toCsv(renderings.csv())
    case 'table':
      return renderings.table()
  }
}

/** CSV as in RFC 4180, with line feeds. */
export function toCsv({ header, rows }: CsvTable): string {
  const lines = [header, ...rows].map((cells) => cells.map(toCsvField).join(','))
  return `${lines.join('\n')}\n`
}

function toCsvField(cell: CsvCell): string {
  const text = cell === null ? '' : String(cell)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A table without borders, with a rule between its head and each group of rows. */
export async function toText({ head, body, columns }: TextTable): Promise<string> {
  const { default: Table } = await import('cli-table3')
  const table = new Table({
    chars: NO_BORDERS,
    style: { 'padding-left': 1, 'padding-right': 0, compact: true, head: [], border: [] },
    colAligns: columns.map(({ align }) => align),
    colWidths: columns.map(({ maxWidth = Infinity }, column) =>
      isWider([...head, ...body.flat()], column, maxWidth) ? maxWidth + 1 : null,
    ),
    wordWrap: true,
  })
  const groups = [head, ...body].filter((rows) => rows.length > 0)
  for (const [index, rows] of groups.entries()) {
    if (index > 0) table.push([{ content: RULE, colSpan: columns.length }])
    for (const row of rows) table.push(row.map(toTableCell))
  }
  const lines = table.toString().split('\n')
  const width = Math.max(...lines.map((line) => line.length))
  // The first column's padding is cut off.
  return `${lines.map((line) => (line.trim() === RULE ? RULE.repeat(width - 1) : line.slice(1).trimEnd())).join('\n')}\n`
}

/** A number between 0 and 1 with three digits and no leading 0, as papers print it; – for what is undefined. */
export function share(value: number | null): string {
  if (value === null) return '–'
  return value >= 0.9995 ? value.toFixed(2) : value.toFixed(3).replace(/^(-?)0/, '$1')
}

/** A number with its thousands apart: 25,014. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** A count and its noun, `s` added for more than one or none. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Text that cannot steer a terminal: control characters are replaced. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\u{fffd}')
}

const RULE = '─'

function isWider(rows: readonly TextRow[], column: number, width: number): boolean {
  return rows.some((cells) => typeof cells[column] === 'string' && cells[column].length > width)
}

const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' ',
}

function toTableCell(cell: TextRow[number]) {
  return typeof cell === 'string'
    ? printable(cell)
    : { content: printable(cell.content), colSpan: cell.columns, hAlign: 'left' as const }
}
