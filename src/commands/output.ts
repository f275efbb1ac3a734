import { Option } from 'commander'
import type { Interval } from '../stats/interval.js'

export const FORMATS = ['table', 'json', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** A result in every format. Only the requested one is created. */
export interface Renderings {
  /** A value for JSON: unrounded numbers, null if undefined. */
  json(): unknown
  csv(): CsvTable
  table(): Promise<string>
}

/** A table with one name per column. */
export interface CsvTable {
  readonly header: readonly string[]
  readonly rows: Iterable<readonly CsvCell[]>
}

/** Numbers are not rounded. Null is an empty cell. */
export type CsvCell = string | number | null

/** A table for people. */
export interface TextTable {
  readonly head: readonly TextRow[]
  /** Groups of rows, separated by a line. */
  readonly body: readonly (readonly TextRow[])[]
  /** One entry per column. */
  readonly columns: readonly TextColumn[]
}

export interface TextColumn {
  readonly align: 'left' | 'right'
  /** Wider cells are wrapped at words. */
  readonly maxWidth?: number
}

/** Cells; a cell may span several columns. */
export type TextRow = readonly (string | { readonly content: string; readonly columns: number })[]

export const formatOption = () =>
  new Option('--format <format>', 'table for people; json or csv with unrounded numbers')
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

/** CSV as in RFC 4180, but lines end with a line feed. */
export function toCsv({ header, rows }: CsvTable): string {
  const lines = [header, ...rows].map((cells) => cells.map(toCsvField).join(','))
  return `${lines.join('\n')}\n`
}

function toCsvField(cell: CsvCell): string {
  const text = cell === null ? '' : String(cell)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A table without borders, with a line between its head and each group of rows. */
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
  // Removes the padding of the first column.
  return `${lines.map((line) => (line.trim() === RULE ? RULE.repeat(width - 1) : line.slice(1).trimEnd())).join('\n')}\n`
}

/** Sentences for below a table, each on lines of its own, wrapped at words. Indented ones are commands and stay whole. */
export function toLines(sentences: readonly string[]): string {
  const toText = (sentence: string) => (sentence.startsWith(' ') ? sentence : wrap(sentence))
  return sentences.map((sentence) => `${toText(printable(sentence))}\n`).join('')
}

/** Longest line below a table. Words are not broken. */
const MAX_LINE_LENGTH = 100

function wrap(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined || line.length + word.length >= MAX_LINE_LENGTH) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines.join('\n')
}

/** A number 0..1 with three decimals and without the leading 0. `–` if undefined. */
export function share(value: number | null): string {
  if (value === null) return '–'
  return value >= 0.9995 ? value.toFixed(2) : value.toFixed(3).replace(/^(-?)0/, '$1')
}

/** The ends of an interval. `–` if there is none. */
export function showInterval(interval: Interval | null): string {
  return interval ? `${share(interval.lower)} – ${share(interval.upper)}` : '–'
}

/** A number with thousands separators: 25,014. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** A count and its noun, which gets an `s` unless the count is 1. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Text with control characters replaced, so that it cannot control a terminal. */
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
