import stringWidth from 'string-width'
import { type Cell, unitsOf } from '../../shared/tables.js'
import { printable } from './formats.js'
import type { Grid, GridColumn } from './report.js'

/** How text is laid out for a terminal or a file. */
export interface TextStyle {
  /** Maximum length of lines. Longer words are not broken. */
  readonly width: number
  readonly paint: Paint
}

/** Adds colour to text that has its final length. */
export type Paint = Readonly<Record<'head' | 'rule' | 'strong' | 'note', (text: string) => string>>

const plain = (text: string) => text
export const NO_PAINT: Paint = { head: plain, rule: plain, strong: plain, note: plain }

/** Between columns. */
const GAP = '  '
const RULE = '─'

/** Columns are not made narrower than this to fit. */
const MIN_WRAPPED_WIDTH = 12

/** Sentences below a table, wrapped at words. Indented ones stay whole. */
export function toLines(sentences: readonly string[], { width, paint }: TextStyle): string {
  const lines = sentences.map(printable).flatMap((text) => (text.startsWith(' ') ? text : wrap(text, width)))
  return lines.map((line) => `${paint.note(line)}\n`).join('')
}

/** Breaks text between words into lines. */
function wrap(text: string, width: number): string[] {
  if (stringWidth(text) <= width) return [text]
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined || stringWidth(line) + 1 + stringWidth(word) > width) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}

/**
 * A table without borders, with a line between its head and each group of rows. If it is too wide, columns of text are
 * wrapped at words; if that is not enough, the table is divided into several, which repeat the first columns.
 */
export function toText(grid: Grid, style: TextStyle): string {
  const maxWidths = fitColumns(grid, style.width)
  const columns = sizeColumns(grid, maxWidths)
  return divideColumns(columns, grid.keyColumns, style.width)
    .map((chosen) => renderTable(chosen, grid, style.paint))
    .join('\n')
}

/** A column with its place in the table and its widths. */
interface SizedColumn extends GridColumn {
  readonly index: number
  readonly maxWidth: number
  width: number
}

/** The widths at which columns are wrapped so that the table fits, as far as possible. */
function fitColumns(grid: Grid, width: number): number[] {
  const maxWidths = grid.columns.map(({ wrap }) =>
    typeof wrap === 'number' ? wrap : Number.POSITIVE_INFINITY,
  )
  for (;;) {
    const columns = sizeColumns(grid, maxWidths)
    const excess = widthOf(columns) - width
    const [widest] = columns
      .filter((column) => column.wrap === 'fit' && column.width > MIN_WRAPPED_WIDTH)
      .sort((one, other) => other.width - one.width)
    if (excess <= 0 || widest === undefined) return maxWidths
    maxWidths[widest.index] = Math.max(MIN_WRAPPED_WIDTH, widest.width - excess)
    // A word can be longer.
    if (sizeColumns(grid, maxWidths)[widest.index].width >= widest.width) return maxWidths
  }
}

/** Columns as wide as their widest lines. The last one below a common heading gets what this needs. */
function sizeColumns({ columns, groups }: Grid, maxWidths: readonly number[]): SizedColumn[] {
  const rows = groups.flat()
  const sized = columns.map((column, index) => {
    const texts = [column.title, ...rows.map((cells) => cells[index].text)]
    const lines = texts.flatMap((text) => wrap(text, maxWidths[index]))
    return { ...column, index, maxWidth: maxWidths[index], width: Math.max(...lines.map(stringWidth)) }
  })
  for (const unit of unitsOf(sized)) {
    const excess = stringWidth(unit[0].group ?? '') - widthOf(unit)
    if (excess > 0) unit[unit.length - 1].width += excess
  }
  return sized
}

function widthOf(columns: readonly SizedColumn[]): number {
  return columns.reduce((total, { width }) => total + width, GAP.length * (columns.length - 1))
}

/** Columns that fit beside each other, after the first columns. Columns below a common heading stay together. */
function divideColumns(
  columns: readonly SizedColumn[],
  keyColumns: number,
  width: number,
): (readonly SizedColumn[])[] {
  if (widthOf(columns) <= width) return [columns]
  const keys = columns.slice(0, keyColumns)
  const tables: SizedColumn[][] = []
  for (const unit of unitsOf(columns.slice(keyColumns))) {
    const table = tables.at(-1)
    if (table && widthOf([...table, ...unit]) <= width) table.push(...unit)
    else tables.push([...keys, ...unit])
  }
  return tables
}

function renderTable(columns: readonly SizedColumn[], { groups }: Grid, paint: Paint): string {
  const units = unitsOf(columns)
  const headings = units.map((unit) => pad(unit[0].group ?? '', widthOf(unit), 'left'))
  const titles = renderRow(columns, ({ title }) => ({ text: title }), paint)
  const head = columns.some(({ group }) => group) ? [headings.join(GAP).trimEnd(), ...titles] : titles
  const rule = paint.rule(RULE.repeat(widthOf(columns)))
  const body = groups
    .filter((rows) => rows.length > 0)
    .flatMap((rows) => [
      rule,
      ...rows.flatMap((cells) => renderRow(columns, ({ index }) => cells[index], paint)),
    ])
  return [...head.map(paint.head), ...body].map((line) => `${line}\n`).join('')
}

/** The lines of a row. */
function renderRow(
  columns: readonly SizedColumn[],
  cellOf: (column: SizedColumn) => Cell,
  paint: Paint,
): string[] {
  const cells = columns.map((column) => {
    const { text, isStrong } = cellOf(column)
    return { ...column, isStrong, lines: wrap(text, column.maxWidth) }
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

function pad(text: string, width: number, align: GridColumn['align']): string {
  const blanks = ' '.repeat(Math.max(0, width - stringWidth(text)))
  return align === 'left' ? `${text}${blanks}` : `${blanks}${text}`
}
