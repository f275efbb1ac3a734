import { Option } from 'commander'
import { wholeNumber } from '../../config.js'
import { FRACTIONS, PERCENTAGES } from './formats.js'
import { type CsvTable, type Grid, type Report, toCsvTable, toGrid, toJson } from './report.js'
import type { Paint } from './text-table.js'

const FORMATS = ['table', 'json', 'csv', 'tsv', 'markdown', 'latex'] as const
export type OutputFormat = (typeof FORMATS)[number]

/** How a command prints its result. */
export interface OutputOptions {
  readonly format: OutputFormat
  /** Maximum length of lines. Default: that of the terminal, or 80. */
  readonly width?: number
  readonly percent?: boolean
}

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

/** Exit code if a condition on the figures is not met. */
const CONDITION_FAILED = 3

const MIN_WIDTH = 20
const DEFAULT_WIDTH = 80

/** Writes a report to stdout, after its warnings and before its failures on stderr. */
export async function print(options: OutputOptions, report: Report): Promise<void> {
  for (const warning of report.warnings ?? []) process.stderr.write(`${warning}\n`)
  process.stdout.write(await render(options, report))
  for (const failure of report.failures ?? []) process.stderr.write(`${errorPrefix()}${failure}\n`)
  if (report.failures?.length) process.exitCode = CONDITION_FAILED
}

/** A report in the requested format. Text for a terminal has colours unless `NO_COLOR` is set. */
export async function render(options: OutputOptions, report: Report): Promise<string> {
  switch (options.format) {
    case 'json':
      return `${JSON.stringify(toJson(report), null, 2)}\n`
    case 'csv':
      return toCsv(toCsvTable(report.tables[0]))
    case 'tsv':
      return toTsv(toCsvTable(report.tables[0]))
    case 'table': {
      const { NO_PAINT, toLines, toText } = await import('./text-table.js')
      const { width = process.stdout.columns || DEFAULT_WIDTH } = options
      const style = { width, paint: hasColours(process.stdout) ? COLOURS : NO_PAINT }
      return renderParts(options, report, {
        table: (grid) => toText(grid, style),
        notes: (notes) => toLines(notes, style),
      })
    }
    case 'markdown': {
      const { notesToMarkdown, tableToMarkdown } = await import('./markup.js')
      return renderParts(options, report, { table: tableToMarkdown, notes: notesToMarkdown })
    }
    case 'latex': {
      const { notesToLatex, tableToLatex } = await import('./markup.js')
      return renderParts(options, report, { table: tableToLatex, notes: notesToLatex })
    }
  }
}

interface Renderer {
  table(grid: Grid): string
  notes(notes: readonly string[]): string
}

function renderParts({ percent }: OutputOptions, { parts }: Report, renderer: Renderer): string {
  const numbers = percent ? PERCENTAGES : FRACTIONS
  return parts
    .map((part) => ('notes' in part ? renderer.notes(part.notes) : renderer.table(toGrid(part, numbers))))
    .filter((text) => text !== '')
    .join('\n')
}

/** Whether a stream is a terminal with colours; `NO_COLOR` and `FORCE_COLOR` decide first. */
function hasColours(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (NO_COLOR) return false
  return FORCE_COLOR ? FORCE_COLOR !== '0' : stream.isTTY && stream.hasColors()
}

const sequence = (code: number, end: number) => (text: string) => `\u001b[${code}m${text}\u001b[${end}m`
const bold = sequence(1, 22)
const faint = sequence(2, 22)
const red = sequence(31, 39)

const COLOURS: Paint = { head: bold, strong: bold, rule: faint, note: faint }

/** How an error on stderr begins. */
export function errorPrefix(): string {
  return hasColours(process.stderr) ? `${red('accord:')} ` : 'accord: '
}

/** CSV as in RFC 4180, but lines end with a line feed. */
export function toCsv(table: CsvTable): string {
  return toLines(table, ',', (text) =>
    /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
  )
}

/** Tab-separated values. Tabs and line breaks in text are written as `\t` and `\n`. */
export function toTsv(table: CsvTable): string {
  return toLines(table, '\t', (text) => text.replaceAll(/[\\\t\n\r]/g, (character) => TSV_ESCAPES[character]))
}

const TSV_ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function toLines({ header, rows }: CsvTable, separator: string, toField: (text: string) => string): string {
  let lines = ''
  for (const cells of [header, ...rows]) lines += `${cells.map(toField).join(separator)}\n`
  return lines
}
