import { Option } from 'commander'
import { wholeNumber } from '../../config.js'
import { FRACTIONS, type NumberStyle, PERCENTAGES, type ReportPart } from './table.js'
import type { Paint } from './text-table.js'

export const FORMATS = ['table', 'json', 'csv', 'tsv', 'markdown', 'latex'] as const
export type Format = (typeof FORMATS)[number]

/** How a command prints its result. */
export interface OutputOptions {
  readonly format: Format
  /** Maximum length of lines. Default: that of the terminal, or 80. */
  readonly width?: number
  readonly percent?: boolean
}

/** A result in every format. Only the requested one is created. */
export interface Renderings {
  /** A value for JSON: unrounded numbers, null if undefined. */
  json(): unknown
  /** The columns of CSV and TSV, whose names are paths in the JSON of a row. */
  csv(): CsvTable
  /** For people, in a table, Markdown and LaTeX. */
  report(): readonly ReportPart[]
}

/** A table with one name per column. */
export interface CsvTable {
  readonly header: readonly string[]
  readonly rows: Iterable<readonly CsvCell[]>
}

/** Numbers are not rounded. Null is an empty cell. */
export type CsvCell = string | number | null

export const formatOption = () =>
  new Option(
    '--format <format>',
    'table, markdown or latex for people; json, csv or tsv with unrounded numbers',
  )
    .choices(FORMATS)
    .default('table')

export const widthOption = () =>
  new Option(
    '--width <N>',
    'maximum length of lines of a table (default: that of the terminal, or 80)',
  ).argParser(wholeNumber(MIN_WIDTH))

export const percentOption = () =>
  new Option('--percent', 'show scores multiplied by 100 in table, markdown and latex')

const MIN_WIDTH = 20
const DEFAULT_WIDTH = 80

/** Writes a result to stdout. */
export async function print(options: OutputOptions, renderings: Renderings): Promise<void> {
  process.stdout.write(await render(options, renderings))
}

/** A result in the requested format. Text for a terminal has colours unless `NO_COLOR` is set. */
export async function render(
  { format, width = process.stdout.columns || DEFAULT_WIDTH, percent = false }: OutputOptions,
  renderings: Renderings,
): Promise<string> {
  const numbers = percent ? PERCENTAGES : FRACTIONS
  switch (format) {
    case 'json':
      return `${JSON.stringify(renderings.json(), null, 2)}\n`
    case 'csv':
      return toCsv(renderings.csv())
    case 'tsv':
      return toTsv(renderings.csv())
    case 'table':
      return renderText(renderings.report(), width, numbers)
    case 'markdown': {
      const { toMarkdown } = await import('./markup.js')
      return toMarkdown(renderings.report(), numbers)
    }
    case 'latex': {
      const { toLatex } = await import('./markup.js')
      return toLatex(renderings.report(), numbers)
    }
  }
}

async function renderText(
  parts: readonly ReportPart[],
  width: number,
  numbers: NumberStyle,
): Promise<string> {
  const { NO_PAINT, toLines, toText } = await import('./text-table.js')
  const style = { width, numbers, paint: hasColours(process.stdout) ? COLOURS : NO_PAINT }
  return parts
    .map((part) => ('notes' in part ? toLines(part.notes, style) : toText(part, style)))
    .filter((text) => text !== '')
    .join('\n')
}

/** Whether a stream is a terminal with colours; `NO_COLOR` and `FORCE_COLOR` decide first. */
export function hasColours(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (NO_COLOR) return false
  return FORCE_COLOR ? FORCE_COLOR !== '0' : stream.isTTY && stream.hasColors()
}

const sequence = (code: number, end: number) => (text: string) => `\u001b[${code}m${text}\u001b[${end}m`

const COLOURS: Paint = {
  head: sequence(1, 22),
  strong: sequence(1, 22),
  rule: sequence(2, 22),
  note: sequence(2, 22),
}

/** Red, for the beginning of an error message. */
const paintError = sequence(31, 39)

/** CSV as in RFC 4180, but lines end with a line feed. */
export function toCsv(table: CsvTable): string {
  return toFields(table, ',', toCsvField)
}

function toCsvField(cell: CsvCell): string {
  const text = cell === null ? '' : String(cell)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Tab-separated values. Tabs and line breaks in text are written as `\t` and `\n`. */
export function toTsv(table: CsvTable): string {
  return toFields(table, '\t', (cell) =>
    cell === null ? '' : String(cell).replaceAll(/[\\\t\n\r]/g, (character) => TSV_ESCAPES[character]),
  )
}

const TSV_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
}

function toFields({ header, rows }: CsvTable, separator: string, toField: (cell: CsvCell) => string): string {
  let text = ''
  for (const cells of [header, ...rows]) text += `${cells.map(toField).join(separator)}\n`
  return text
}

/** How an error on stderr begins. */
export function errorPrefix(): string {
  return hasColours(process.stderr) ? `${paintError('accord:')} ` : 'accord: '
}
