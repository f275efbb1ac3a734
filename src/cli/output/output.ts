import { extname } from 'node:path'
import { type Command, Option } from 'commander'
import { parseText, wholeNumber } from '../../config.js'
import { escapeMarkdown, toCsv, toLatex, toMarkdown, toTsv } from '../../shared/tables.js'
import { FRACTIONS, type NumberStyle, PERCENTAGES, printable } from './formats.js'
import { STDOUT, writeText } from './output-file.js'
import { type Grid, type Notes, type Report, textOfSentence, toCsvTable, toGrid, toJson } from './report.js'
import type { Paint } from './text-table.js'

const FORMATS = ['table', 'json', 'csv', 'tsv', 'markdown', 'latex'] as const
type OutputFormat = (typeof FORMATS)[number]

/** The format of a file whose name ends so, unless another one is named. */
const FORMATS_OF_NAMES: Readonly<Record<string, OutputFormat>> = {
  '.json': 'json',
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.md': 'markdown',
  '.tex': 'latex',
}

export const formatOfName = (file: string): OutputFormat | undefined =>
  FORMATS_OF_NAMES[extname(file).toLowerCase()]

/** How a command prints its result. */
export interface OutputOptions {
  readonly format: OutputFormat
  /** Maximum length of lines. Default: that of the terminal, or 80. */
  readonly width?: number
  readonly percent?: boolean
  /** Path of the file to write instead of stdout; `-` is stdout. */
  readonly out?: string
  /** Whether files that exist are replaced. */
  readonly force?: true
}

export const formatOption = () =>
  choosing(
    new Option(
      '--format <format>',
      'table, markdown or latex for people; json, csv or tsv with unrounded numbers',
    ),
    FORMATS,
  ).default('table', 'table, or that of the name of --out: .json, .csv, .tsv, .md or .tex')

/** Choices of an option, in upper or lower case. */
export function choosing(option: Option, choices: readonly string[]): Option {
  const parse = option.choices(choices).parseArg as (text: string, previous: unknown) => unknown
  return option.argParser((text: string, previous: unknown) => parse(text.toLowerCase(), previous))
}

/** Gives a command with formats the option `--json`, which no other format can be beside, and files the format of their names. */
export function addJsonOption(command: Command): Command {
  let named: string | undefined
  const name = (format: string) => {
    if (named !== undefined && named !== format && [named, format].includes('--json'))
      command.error(`error: option --json cannot be used with ${named === '--json' ? format : named}`)
    named = format
  }
  return command
    .option('--json', 'the same as --format json')
    .on('option:json', () => {
      name('--json')
      command.setOptionValueWithSource('format', 'json', 'cli')
    })
    .on('option:format', (format: string) => {
      if (format.toLowerCase() !== 'json') name(`--format ${format}`)
    })
    .on('option:out', (file: string) => {
      const format = formatOfName(file)
      if (format !== undefined && command.getOptionValueSource('format') === 'default')
        command.setOptionValueWithSource('format', format, 'implied')
    })
}

export const outOption = (content = 'the output') =>
  new Option('-o, --out <file>', `write ${content} to a file; - is stdout`).argParser(parseText)

export const widthOption = () =>
  new Option(
    '--width <N>',
    'maximum length of lines of a table (default: that of the terminal, or 80)',
  ).argParser(wholeNumber(MIN_WIDTH))

export const percentOption = () =>
  new Option('--percent', 'show scores multiplied by 100 in table, markdown and latex')

/** @param what is shown only with the option */
export const detailsOption = (what: string) =>
  new Option('--details', `show ${what}; json, csv and tsv always have all`)

/** Exit code if a condition on the figures is not met. */
const CONDITION_FAILED = 3

const MIN_WIDTH = 20
const DEFAULT_WIDTH = 80

/** Columns of the terminal: those of the variable COLUMNS, or 80 if it has none. */
export function terminalWidth(): number {
  const columns = Number(process.env.COLUMNS)
  if (Number.isInteger(columns) && columns >= MIN_WIDTH) return columns
  return process.stdout.columns || DEFAULT_WIDTH
}

/** Writes a report, after its warnings and before its failures on stderr. */
export async function print(options: OutputOptions, report: Report): Promise<void> {
  for (const warning of report.warnings ?? []) process.stderr.write(`${warning}\n`)
  await writeText(options.out, await render(options, report))
  for (const failure of report.failures ?? []) {
    process.stderr.write(`${errorPrefix()}${textOfSentence(failure, numbersOf(options))}\n`)
  }
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
      const { width = terminalWidth() } = options
      const isShown = options.out === undefined || options.out === STDOUT
      const style = { width, paint: isShown && hasColours(process.stdout) ? COLOURS : NO_PAINT }
      return renderParts(options, report, {
        table: (grid) => toText(grid, style),
        notes: (notes) => toLines(notes, style),
      })
    }
    case 'markdown':
      return renderParts(options, report, { table: toMarkdown, notes: notesToMarkdown })
    case 'latex':
      return renderParts(options, report, { table: toLatex, notes: notesToLatex })
  }
}

interface Renderer {
  table(grid: Grid): string
  notes(notes: readonly string[]): string
}

function renderParts(options: OutputOptions, { parts }: Report, renderer: Renderer): string {
  const numbers = numbersOf(options)
  const sentences = ({ notes }: Notes) => notes.map((note) => textOfSentence(note, numbers))
  return parts
    .map((part) =>
      'notes' in part ? renderer.notes(sentences(part)) : renderer.table(toGrid(part, numbers)),
    )
    .filter((text) => text !== '')
    .join('\n')
}

/** How the scores of a report are shown, in its tables and sentences. */
function numbersOf({ percent }: Pick<OutputOptions, 'percent'>): NumberStyle {
  return percent ? PERCENTAGES : FRACTIONS
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

/** Notes as paragraphs of Markdown; indented notes are code. */
function notesToMarkdown(notes: readonly string[]): string {
  return notes
    .map(printable)
    .map((text, index) => {
      const isCode = text.startsWith(' ')
      const continues = isCode && notes[index + 1]?.startsWith(' ')
      return `${isCode ? `    ${text.trim()}` : escapeMarkdown(text)}\n${continues ? '' : '\n'}`
    })
    .join('')
}

/** Notes as comments of LaTeX. */
function notesToLatex(notes: readonly string[]): string {
  return notes.map((note) => `% ${printable(note).trim()}\n`).join('')
}
