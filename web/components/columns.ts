import type { ComponentChildren } from 'preact'
import { type Interval, fixed as number } from '../../src/shared/numbers'
import { type TextTable, toCsvLine, toField } from '../../src/shared/tables'
import { commonDecimals, reasonText, withDecimals } from '../app/format'

/** A column of a table, of what is saved of it and of what it is sorted by. */
export interface Column<Row> {
  readonly title: string
  /** The plain value: for CSV, and to sort by. Null where it is undefined. */
  readonly value: (row: Row) => string | number | null | undefined
  /** What is shown, and saved as Markdown and LaTeX, among all rows of the table. Default: the value. */
  readonly text?: (row: Row, rows: readonly Row[]) => string
  /** What is shown in place of the text, where that has marks in it. */
  readonly show?: (row: Row) => ComponentChildren
  /** Address of the page of the value. */
  readonly address?: (row: Row) => string | undefined
  /** Class of its cells. */
  readonly class?: string
  /** Whose best value is bold. Default: none is. */
  readonly best?: Best<Row>
  /** Whether it is saved as CSV alone. */
  readonly isHidden?: boolean
}

/** What the best value of a column is, and of which rows. */
export interface Best<Row> {
  /** Default: the highest one. */
  readonly isLowest?: boolean
  /** Default: all rows compete. */
  competes?(row: Row): boolean
}

/** Whether a cell has the best value of its column, where there are others to compare it with. */
export function isBest<Row>({ value, best }: Column<Row>, row: Row, rows: readonly Row[]): boolean {
  if (best === undefined) return false
  const { isLowest = false, competes = () => true } = best
  const own = value(row)
  if (typeof own !== 'number' || !competes(row)) return false
  const others = rows.filter(competes).flatMap((other) => {
    const found = value(other)
    return typeof found === 'number' ? found : []
  })
  return others.length > 1 && own === (isLowest ? Math.min(...others) : Math.max(...others))
}

/** A figure as the API has it. */
export interface Measured {
  readonly value?: number | null
  readonly interval?: Interval | null
  readonly signature?: string | null
  readonly undefinedReason?: string | null
}

interface MeasuredOptions<Row> {
  /** What is shown of a value, with the decimals of its column. Default: with its interval. */
  readonly show?: (value: number, interval: Interval | null | undefined, decimals: number) => string
  readonly class?: string
  readonly best?: Best<Row>
  /** Stand after the figure. */
  readonly marks?: (row: Row) => string
  readonly hasInterval?: boolean
  readonly hasSignature?: boolean
}

/** Of figures that have no interval and no signature of their own. */
export const BARE: MeasuredOptions<unknown> = {
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
  {
    show = withDecimals,
    class: name,
    best,
    marks = () => '',
    hasInterval = true,
    hasSignature = true,
  }: MeasuredOptions<Row> = {},
): readonly Column<Row>[] {
  const hidden = (part: string, value: Column<Row>['value']): Column<Row> => ({
    title: `${title} ${part}`,
    value,
    isHidden: true,
  })
  // The rows are the same for all cells of a column.
  let known: { readonly rows: readonly Row[]; readonly decimals: number } | undefined
  const decimalsOf = (rows: readonly Row[]) => {
    if (known?.rows !== rows)
      known = { rows, decimals: commonDecimals(rows.map((row) => figureOf(row)?.interval)) }
    return known.decimals
  }
  return [
    {
      title,
      class: name,
      best,
      value: (row) => figureOf(row)?.value,
      text(row, rows) {
        const { value, interval, undefinedReason } = figureOf(row) ?? {}
        if (typeof value === 'number') return show(value, interval, decimalsOf(rows)) + marks(row)
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
export function textOf<Row>({ value, text }: Column<Row>, row: Row, rows: readonly Row[]): string {
  return text ? text(row, rows) : String(value(row) ?? '–')
}

/** The rows as CSV: values with all digits of the answer, intervals and signatures. */
export function toCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return csvHeader(columns) + csvLines(columns, rows)
}

/** The first line of a file, of whose rows {@link csvLines} writes some. */
export function csvHeader(columns: readonly Pick<Column<never>, 'title'>[]): string {
  return toCsvLine(columns.map(({ title }) => toField(title)))
}

export function csvLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return rows.map((row) => toCsvLine(columns.map(({ value }) => toField(value(row))))).join('')
}

/** The rows as JSON, with the values that CSV has, by the titles of the columns. */
export function toJson<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const objects = rows.map((row) =>
    Object.fromEntries(columns.map(({ title, value }) => [title, value(row) ?? null])),
  )
  return `${JSON.stringify(objects, null, 2)}\n`
}

/** The table as it is shown, for Markdown and LaTeX. */
export function toTextTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): TextTable {
  const shown = columns.filter(({ isHidden }) => !isHidden)
  return {
    columns: shown.map((column) => ({
      title: column.title,
      align: isNumeric(column, rows) ? 'right' : 'left',
    })),
    groups: [
      rows.map((row) =>
        shown.map((column) => ({ text: textOf(column, row, rows), isStrong: isBest(column, row, rows) })),
      ),
    ],
  }
}

/** Whether a column has numbers. */
export function isNumeric<Row>({ value }: Column<Row>, rows: readonly Row[]): boolean {
  return rows.some((row) => typeof value(row) === 'number')
}

/** Undefined values are last in both directions. */
export function sortRows<Row>(rows: readonly Row[], { value }: Column<Row>, sign: 1 | -1): readonly Row[] {
  return [...rows].sort((first, second) => {
    const [a, b] = [value(first) ?? null, value(second) ?? null]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return (
      sign * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)))
    )
  })
}
