/** Tables as CSV, Markdown and LaTeX: those of reports of the command line, and those of the dashboard. */

/** A table of texts, for people. */
export interface TextTable {
  readonly columns: readonly TextColumn[]
  /** Groups of rows, separated by a line. */
  readonly groups: readonly (readonly (readonly Cell[])[])[]
}

export interface TextColumn {
  readonly title: string
  /** A second heading, above all neighbouring columns that have it. */
  readonly group?: string
  readonly align: 'left' | 'right'
  /** Where LaTeX wraps text, as a share of the line. Default: nowhere. */
  readonly width?: number
}

export interface Cell {
  readonly text: string
  /** Whether it is emphasized, as the best of several. */
  readonly isStrong?: boolean
}

/** Neighbouring columns below a common heading. */
export function unitsOf<Column extends TextColumn>(columns: readonly Column[]): Column[][] {
  const units: Column[][] = []
  for (const [index, column] of columns.entries()) {
    const isInside = index > 0 && column.group !== undefined && column.group === columns[index - 1].group
    if (isInside) units.at(-1)?.push(column)
    else units.push([column])
  }
  return units
}

/** A table that programs read, with one name per column. */
export interface CsvTable {
  readonly header: readonly string[]
  readonly rows: Iterable<readonly string[]>
}

/** CSV as in RFC 4180, but lines end with a line feed. */
export function toCsv(table: CsvTable): string {
  return toLines(table, toCsvLine)
}

export function toCsvLine(fields: readonly string[]): string {
  return toLine(fields, ',', (text) =>
    /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
  )
}

/** Tab-separated values. Tabs and line breaks in text are written as `\t` and `\n`. */
export function toTsv(table: CsvTable): string {
  return toLines(table, toTsvLine)
}

export function toTsvLine(fields: readonly string[]): string {
  return toLine(fields, '\t', (text) => text.replaceAll(/[\\\t\n\r]/g, (character) => TSV_ESCAPES[character]))
}

const TSV_ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function toLines({ header, rows }: CsvTable, toLine: (fields: readonly string[]) => string): string {
  let lines = toLine(header)
  for (const fields of rows) lines += toLine(fields)
  return lines
}

function toLine(fields: readonly string[], separator: string, quote: (text: string) => string): string {
  return `${fields.map(quote).join(separator)}\n`
}

/** A value as a field of CSV: numbers with all digits, nothing where it is undefined. */
export function toField(value: unknown): string {
  if (value == null || Number.isNaN(value)) return ''
  return typeof value === 'number' ? String(value) : harmless(String(value))
}

/**
 * Text of a field that programs for tables do not execute: what would begin a formula has an apostrophe before it. Control characters
 * but tabs and line breaks, and those that change the direction of text, are replaced.
 */
function harmless(text: string): string {
  const shown = text.replaceAll(/(?![\t\n\r])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\u{fffd}')
  return /^[=+\-@\t\r]/.test(shown) ? `'${shown}` : shown
}

/** A table of GitHub, which has one row of headings. */
export function toMarkdown({ columns, groups }: TextTable): string {
  const headings = columns.map(({ group, title }) => escapeMarkdown(group ? `${group}, ${title}` : title))
  const rules = columns.map(({ align }) => (align === 'left' ? ':--' : '--:'))
  const rows = groups.flat().map((cells) => cells.map(cellToMarkdown))
  return [headings, rules, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

function cellToMarkdown({ text, isStrong }: Cell): string {
  return isStrong ? `**${escapeMarkdown(text)}**` : escapeMarkdown(text)
}

/** Text of a paragraph or of a cell, which is one line. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\|*_<>`[\]~$]|&(?=#?\w+;)/g, '\\$&').replaceAll(/[\r\n]+/g, ' ')
}

/** A tabular environment, with the rules of the package booktabs. @param toText what becomes of texts */
export function toLatex(
  { columns, groups }: TextTable,
  toText: (text: string) => string = escapeLatex,
): string {
  const headings = unitsOf(columns).map((unit) => {
    const text = toText(unit[0].group ?? '')
    return unit.length > 1 ? `\\multicolumn{${unit.length}}{l}{${text}}` : text
  })
  const head = [
    ...(columns.some(({ group }) => group) ? [headings] : []),
    columns.map(({ title }) => toText(title)),
  ]
  const rows = groups.map((group) => group.map((cells) => cells.map((cell) => cellToLatex(cell, toText))))
  const toRows = (lines: readonly string[][]) =>
    // A bracket or a star after the end of a row would be its argument.
    lines.map((cells) => `  ${cells.join(' & ').replace(/^(?=[[*])/, '{}')} \\\\\n`).join('')
  return [
    `\\begin{tabular}{${columns.map(alignmentOf).join('')}}\n`,
    `  \\toprule\n${toRows(head)}`,
    ...rows.filter((group) => group.length > 0).map((group) => `  \\midrule\n${toRows(group)}`),
    '  \\bottomrule\n',
    '\\end{tabular}\n',
  ].join('')
}

function alignmentOf({ align, width }: TextColumn): string {
  return width === undefined ? align[0] : `p{${width}\\linewidth}`
}

function cellToLatex({ text, isStrong }: Cell, toText: (text: string) => string): string {
  // A hyphen before a number is a minus sign.
  const escaped = toText(text.replaceAll(/(?<![^ ])-(?=[.\d])/g, '−'))
  return isStrong ? `\\textbf{${escaped}}` : escaped
}

const LATEX_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '|': '\\textbar{}',
  '^': '\\textasciicircum{}',
  '–': '--',
  '−': '$-$',
  '±': '$\\pm$',
  '²': '$^2$',
  '<': '$<$',
  '>': '$>$',
  '≤': '$\\leq$',
  '≥': '$\\geq$',
  '×': '$\\times$',
  '→': '$\\to$',
  '↑': '$\\uparrow$',
  '↓': '$\\downarrow$',
  '∞': '$\\infty$',
  τ: '$\\tau$',
  α: '$\\alpha$',
  κ: '$\\kappa$',
  '’': "'",
  '…': '\\dots{}',
}

/** Text in which nothing is a command. @param wrap what becomes of the characters between those that are escaped */
export function escapeLatex(text: string, wrap: (between: string) => string = (between) => between): string {
  return text
    .split(/([\\~^–−±²<>≤≥×→↑↓∞τακ’…|&%$#_{}])/)
    .map((part, index) => (index % 2 === 0 ? wrap(part) : (LATEX_ESCAPES[part] ?? `\\${part}`)))
    .join('')
}
