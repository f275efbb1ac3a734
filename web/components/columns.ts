import type { ComponentChildren } from 'preact'
import { type Interval, number, reasonText, withInterval } from '../app/format'

/** A column of a table, of what is saved of it and of what it is sorted by. */
export interface Column<Row> {
  readonly title: string
  /** The plain value: for CSV, and to sort by. Null where it is undefined. */
  readonly value: (row: Row) => string | number | null | undefined
  /** What is shown, and saved as Markdown and LaTeX. Default: the value. */
  readonly text?: (row: Row) => string
  /** What is shown in place of the text, where that has marks in it. */
  readonly show?: (row: Row) => ComponentChildren
  /** Address of the page of the value. */
  readonly address?: (row: Row) => string | undefined
  /** Class of its cells. */
  readonly class?: string
  /** Whether it is saved as CSV alone. */
  readonly isHidden?: boolean
}

/** A figure as the API has it. */
export interface Measured {
  readonly value?: number | null
  readonly interval?: Interval | null
  readonly signature?: string | null
  readonly undefinedReason?: string | null
}

interface MeasuredOptions {
  /** What is shown of a value. Default: with its interval. */
  readonly show?: (value: number, interval: Interval | null | undefined) => string
  readonly class?: string
  readonly hasInterval?: boolean
  readonly hasSignature?: boolean
}

/** Of figures that have no interval and no signature of their own. */
export const BARE: MeasuredOptions = {
  show: (value) => number(value),
  hasInterval: false,
  hasSignature: false,
}

/**
 * A figure with its 95 % interval, or why it is undefined. Saved as CSV it has all digits of the answer, both ends of the
 * interval and its signature.
 */
export function measured<Row>(
  title: string,
  figureOf: (row: Row) => Measured | null | undefined,
  { show = withInterval, class: name, hasInterval = true, hasSignature = true }: MeasuredOptions = {},
): readonly Column<Row>[] {
  const hidden = (part: string, value: Column<Row>['value']): Column<Row> => ({
    title: `${title} ${part}`,
    value,
    isHidden: true,
  })
  return [
    {
      title,
      class: name,
      value: (row) => figureOf(row)?.value,
      text(row) {
        const { value, interval, undefinedReason } = figureOf(row) ?? {}
        if (typeof value === 'number') return show(value, interval)
        return undefinedReason ? reasonText(undefinedReason) : '–'
      },
    },
    ...(hasInterval
      ? [
          hidden('lower', (row) => figureOf(row)?.interval?.lower),
          hidden('upper', (row) => figureOf(row)?.interval?.upper),
        ]
      : []),
    ...(hasSignature ? [hidden('signature', (row) => figureOf(row)?.signature)] : []),
  ]
}

/** What a cell shows. */
export function textOf<Row>({ value, text }: Column<Row>, row: Row): string {
  return text ? text(row) : String(value(row) ?? '–')
}

/** The rows as CSV (RFC 4180): values with all digits of the answer, intervals and signatures. */
export function toCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ value }) => value(row))),
  ]
  return `${lines.map((cells) => cells.map(csvCell).join(',')).join('\r\n')}\r\n`
}

function csvCell(value: string | number | null | undefined): string {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The rows as JSON, with the values that CSV has, by the titles of the columns. */
export function toJson<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const objects = rows.map((row) =>
    Object.fromEntries(columns.map(({ title, value }) => [title, value(row) ?? null])),
  )
  return `${JSON.stringify(objects, null, 2)}\n`
}

/** The table as Markdown, as it is shown. */
export function toMarkdown<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const quote = (text: string) => text.replaceAll(/[\\|<>*_`[\]]/g, '\\$&').replaceAll(/\s+/g, ' ')
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  const { titles, cells, isNumber } = shownCells(columns, rows, quote)
  return line(titles) + line(isNumber.map((is) => (is ? '--:' : '---'))) + cells.map(line).join('')
}

const LATEX: Readonly<Record<string, string>> = {
  ...{ '\\': '\\textbackslash{}', '~': '\\textasciitilde{}', '^': '\\textasciicircum{}' },
  ...{ '−': '$-$', '<': '$<$', '>': '$>$', τ: '$\\tau$', '±': '$\\pm$', '–': '--', '→': '$\\to$' },
}

/** The table as LaTeX with the rules of booktabs, as it is shown. */
export function toLatex<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const quote = (text: string) =>
    text.replaceAll(/[\\~^−<>τ±–→&%$#_{}]/g, (character) => LATEX[character] ?? `\\${character}`)
  const line = (cells: readonly string[]) => `${cells.join(' & ')} \\\\\n`
  const { titles, cells, isNumber } = shownCells(columns, rows, quote)
  const alignment = isNumber.map((is) => (is ? 'r' : 'l')).join('')
  return `\\begin{tabular}{${alignment}}\n\\toprule\n${line(titles)}\\midrule\n${cells.map(line).join('')}\\bottomrule\n\\end{tabular}\n`
}

function shownCells<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  quote: (text: string) => string,
) {
  const shown = columns.filter(({ isHidden }) => !isHidden)
  return {
    titles: shown.map(({ title }) => quote(title)),
    cells: rows.map((row) => shown.map((column) => quote(textOf(column, row)))),
    isNumber: shown.map((column) => isNumeric(column, rows)),
  }
}

/** Whether a column has numbers. */
export function isNumeric<Row>({ value }: Column<Row>, rows: readonly Row[]): boolean {
  return rows.some((row) => typeof value(row) === 'number')
}
