import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

/** A column of a table, of its CSV and of what it is sorted by. */
export interface Column<Row> {
  readonly title: string
  /** The plain value: for CSV, and to sort by. Null where it is undefined. */
  readonly value: (row: Row) => string | number | null | undefined
  /** What is shown. Default: the value. */
  readonly show?: (row: Row) => ComponentChildren
}

interface TableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowClass?: (row: Row) => string | undefined
  readonly isSortable?: boolean
}

/** A table that is sorted by the column whose title is pressed. Numbers are aligned on the right. */
export function Table<Row>({ label, columns, rows, rowClass, isSortable = true }: TableProps<Row>) {
  const [order, setOrder] = useState<{ column: number; sign: 1 | -1 }>()
  const sorted = order ? sortRows(rows, columns[order.column], order.sign) : rows
  const isNumber = columns.map(({ value }) => rows.some((row) => typeof value(row) === 'number'))
  const press = (column: number) => {
    // Numbers are asked for largest first.
    const first = isNumber[column] ? -1 : 1
    setOrder((old) =>
      old?.column === column ? { column, sign: old.sign === 1 ? -1 : 1 } : { column, sign: first },
    )
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached with the keyboard
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title }, index) => (
              <th
                key={title}
                scope="col"
                class={isNumber[index] ? 'right' : undefined}
                aria-sort={
                  order?.column === index ? (order.sign === 1 ? 'ascending' : 'descending') : undefined
                }
              >
                {isSortable ? (
                  <button type="button" class="plain" onClick={() => press(index)}>
                    {title}
                  </button>
                ) : (
                  title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row, number) => (
            <tr key={number} class={rowClass?.(row)}>
              {columns.map(({ title, value, show }, index) => (
                <td key={title} class={isNumber[index] ? 'right' : undefined}>
                  {show ? show(row) : (value(row) ?? '–')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Undefined values are last in both directions. */
function sortRows<Row>(rows: readonly Row[], { value }: Column<Row>, sign: 1 | -1): readonly Row[] {
  return [...rows].sort((first, second) => {
    const [a, b] = [value(first) ?? null, value(second) ?? null]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return (
      sign * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)))
    )
  })
}

/** The rows as CSV (RFC 4180). */
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
