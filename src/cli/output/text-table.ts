import stringWidth from 'string-width'
import {
  type NumberStyle,
  printable,
  type Span,
  spanOf,
  type TextColumn,
  type TextRow,
  type TextTable,
  textOf,
} from './table.js'

/** How text is laid out for a terminal or a file. */
export interface TextStyle {
  /** Maximum length of lines. Longer words are not broken. */
  readonly width: number
  readonly numbers: NumberStyle
  readonly paint: Paint
}

/** Adds colour to text that has its final length. */
export interface Paint {
  head(text: string): string
  rule(text: string): string
  strong(text: string): string
  note(text: string): string
}

export const NO_PAINT: Paint = {
  head: (text) => text,
  rule: (text) => text,
  strong: (text) => text,
  note: (text) => text,
}

/** Between columns. */
const GAP = '  '
const RULE = '─'

/** Columns of text are not made narrower than this. */
const MIN_TEXT_WIDTH = 12

/**
 * A table without borders, with a line between its head and each group of rows. If it is too wide, columns of text are
 * wrapped at words; if that is not enough, the table is divided into several, which repeat the first columns.
 */
export function toText(table: TextTable, style: TextStyle): string {
  const narrow = wrapColumns(table, style)
  return divideColumns(narrow, style)
    .map((columns) => renderTable(narrow, columns, style))
    .join('\n')
}

/** Sentences below a table, wrapped at words. Indented ones stay whole. */
export function toLines(sentences: readonly string[], { width, paint }: TextStyle): string {
  const lines = sentences.map(printable).flatMap((text) => (text.startsWith(' ') ? text : wrap(text, width)))
  return lines.map((line) => `${paint.note(line)}\n`).join('')
}

/** Breaks text between words into lines. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined || stringWidth(line) + 1 + stringWidth(word) > width) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}

/** A table whose columns have their final widths. */
interface SizedTable extends TextTable {
  readonly widths: readonly number[]
}

/** Wraps columns of text so that the table fits, as far as possible. */
function wrapColumns(table: TextTable, style: TextStyle): SizedTable {
  const columns = table.columns.map((column) => ({ ...column }))
  for (;;) {
    const widths = measureColumns({ ...table, columns }, style)
    const excess = sum(widths) + GAP.length * (widths.length - 1) - style.width
    const [widest] = columns
      .map(({ isText }, column) => ({ column, isText, width: widths[column] }))
      .filter(({ isText, width }) => isText && width > MIN_TEXT_WIDTH)
      .sort((one, other) => other.width - one.width)
    if (excess <= 0 || widest === undefined) return { ...table, columns, widths }
    const maxWidth = Math.max(MIN_TEXT_WIDTH, widest.width - excess)
    columns[widest.column] = { ...columns[widest.column], maxWidth }
    // A word can be longer.
    const wrapped = measureColumns({ ...table, columns }, style)
    if (wrapped[widest.column] >= widest.width) return { ...table, columns, widths: wrapped }
  }
}

/** Width of each column: that of its widest line. */
function measureColumns({ head, body, columns }: TextTable, { numbers }: TextStyle): number[] {
  const widths = columns.map(() => 0)
  const rows = [...head, ...body.flat()].map(placeCells)
  for (const { cell, column, span } of rows.flat()) {
    if (span > 1) continue
    for (const line of linesOf(textOf(cell, numbers), columns[column])) {
      widths[column] = Math.max(widths[column], stringWidth(line))
    }
  }
  for (const { cell, column, span } of rows.flat()) {
    const available = sum(widths.slice(column, column + span)) + GAP.length * (span - 1)
    const excess = stringWidth(textOf(cell, numbers)) - available
    if (span > 1 && excess > 0) widths[column + span - 1] += excess
  }
  return widths
}

function linesOf(text: string, { maxWidth = Number.POSITIVE_INFINITY }: TextColumn): string[] {
  return stringWidth(text) <= maxWidth ? [text] : wrap(text, maxWidth)
}

interface PlacedCell {
  readonly cell: TextRow[number]
  readonly column: number
  readonly span: number
}

function placeCells(row: TextRow): PlacedCell[] {
  let column = 0
  return row.map((cell) => {
    const span = spanOf(cell)
    column += span
    return { cell, column: column - span, span }
  })
}

/** Groups of columns, each as wide as possible. Columns below a common head stay together. */
function divideColumns(
  { head, widths, columns, keyColumns = 1 }: SizedTable,
  { width }: TextStyle,
): number[][] {
  const all = columns.map((_, column) => column)
  const keys = all.slice(0, keyColumns)
  const widthOf = (chosen: readonly number[]) =>
    sum(chosen.map((column) => widths[column])) + GAP.length * (chosen.length - 1)
  if (widthOf(all) <= width) return [all]
  const groups: number[][] = []
  for (const unit of unitsOf(head[0] ?? [], all.slice(keyColumns))) {
    const group = groups.at(-1)
    if (group && widthOf([...group, ...unit]) <= width) group.push(...unit)
    else groups.push([...keys, ...unit])
  }
  return groups
}

function unitsOf(head: TextRow, columns: readonly number[]): number[][] {
  const spans = placeCells(head).filter(({ span }) => span > 1)
  const units: number[][] = []
  for (const column of columns) {
    const isInside = spans.some(({ column: start, span }) => column > start && column < start + span)
    if (isInside) units.at(-1)?.push(column)
    else units.push([column])
  }
  return units
}

function renderTable(table: SizedTable, columns: readonly number[], style: TextStyle): string {
  const { head, body, widths } = table
  const { paint } = style
  const render = (row: TextRow) => renderRow(row, table, columns, style)
  const rule = paint.rule(
    RULE.repeat(sum(columns.map((column) => widths[column])) + GAP.length * (columns.length - 1)),
  )
  const groups = [head.flatMap(render).map(paint.head), ...body.map((rows) => rows.flatMap(render))]
  const lines = groups
    .filter((group) => group.length > 0)
    .flatMap((group, index) => (index > 0 ? [rule, ...group] : group))
  return lines.map((line) => `${line}\n`).join('')
}

/** The lines of a row. */
function renderRow(
  row: TextRow,
  { columns: formats, widths }: SizedTable,
  columns: readonly number[],
  { numbers, paint }: TextStyle,
): string[] {
  const cells = placeCells(row)
    .filter(({ column }) => columns.includes(column))
    .map(({ cell, column, span }) => {
      const width = sum(widths.slice(column, column + span)) + GAP.length * (span - 1)
      const text = textOf(cell, numbers)
      const lines = span > 1 ? [text] : linesOf(text, formats[column])
      const align = span > 1 ? 'left' : formats[column].align
      return { lines, width, align, isStrong: isStrong(cell) }
    })
  const height = Math.max(...cells.map(({ lines }) => lines.length))
  return Array.from({ length: height }, (_, line) => {
    const texts = cells.map(({ lines, width, align, isStrong }) => {
      const padded = pad(lines[line] ?? '', width, align)
      return isStrong ? paint.strong(padded) : padded
    })
    return texts.join(GAP).trimEnd()
  })
}

function isStrong(cell: TextRow[number] | Span): boolean {
  return typeof cell === 'object' && 'show' in cell && cell.isStrong === true
}

function pad(text: string, width: number, align: TextColumn['align']): string {
  const blanks = ' '.repeat(Math.max(0, width - stringWidth(text)))
  return align === 'left' ? `${text}${blanks}` : `${blanks}${text}`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
