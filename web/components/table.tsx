import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { toLatex, toMarkdown } from '../../src/shared/tables'
import { Link, useSetting } from '../app/router'
import { type Column, isBest, isNumeric, sortRows, textOf, toCsv, toJson, toTextTable } from './columns'
import { HowComputed, type Provenance } from './how-computed'
import { fileNameOf, saveText } from './save'

/** An order of rows that a server has made. */
export interface GivenOrder {
  /** The title of a column, after a hyphen for the largest first. */
  readonly by: string
  readonly setBy: (by: string) => void
  /** The titles of the columns that it can be by. */
  readonly titles: ReadonlySet<string>
}

interface TableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** All rows: those that are saved. */
  readonly rows: readonly Row[]
  /** Number of rows that are shown at first. Default: all. */
  readonly shown?: number
  readonly rowClass?: (row: Row) => string | undefined
  readonly isSortable?: boolean
  /** Where the rows have the order that was asked for, which only some columns can give. */
  readonly given?: GivenOrder
  /** Whether each row is a card on a narrow screen. */
  readonly isStacked?: boolean
  readonly provenance?: Provenance
  /** What the files have, where that is less than a reader expects. */
  readonly saved?: string
}

/** What a table is sorted by, as its address says it: the title of a column, after a hyphen for the largest first. */
function orderOf<Row>(by: string, columns: readonly Column<Row>[]) {
  const sign = by.startsWith('-') ? -1 : 1
  const column = columns.findIndex(({ title }) => title === by.replace(/^-/, ''))
  return column < 0 ? undefined : ({ column, sign } as const)
}

/** A table that is sorted by the column whose title is pressed, and saved as files. Numbers are aligned on the right. */
export function Table<Row>(props: TableProps<Row>) {
  const {
    label,
    columns,
    rows,
    shown,
    rowClass,
    isSortable = true,
    given,
    isStacked,
    provenance,
    saved,
  } = props
  const [own, setOwn] = useSetting(`order of ${fileNameOf(label)}`.replaceAll(' ', '-'), '')
  const [limit, setLimit] = useState(shown ?? Number.POSITIVE_INFINITY)
  const visible = columns.filter(({ isHidden }) => !isHidden)
  const { by, setBy } = given ?? { by: own, setBy: setOwn }
  const order = orderOf(by, visible)
  const sorted = order && !given ? sortRows(rows, visible[order.column], order.sign) : rows
  const isNumber = visible.map((column) => isNumeric(column, rows))
  const press = (column: number) => {
    // Numbers are asked for largest first.
    const first = isNumber[column] ? -1 : 1
    const sign = order?.column === column ? -order.sign : first
    setBy(`${sign < 0 ? '-' : ''}${visible[column].title}`)
  }
  return (
    <div class="table">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached with the keyboard */}
      <section class="scroll" tabIndex={0} aria-label={label}>
        <table class={isStacked ? 'stacked' : undefined}>
          <thead>
            <tr>
              {visible.map(({ title }, index) => (
                <th
                  key={title}
                  scope="col"
                  class={isNumber[index] ? 'right' : undefined}
                  aria-sort={
                    order?.column === index ? (order.sign === 1 ? 'ascending' : 'descending') : undefined
                  }
                >
                  {isSortable && (!given || given.titles.has(title)) ? (
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
            {sorted.slice(0, limit).map((row, number) => (
              <tr key={number} class={rowClass?.(row)}>
                {visible.map((column, index) => (
                  <td
                    key={column.title}
                    data-title={column.title}
                    class={classOf(
                      isNumber[index] && 'right',
                      isBest(column, row, rows) && 'best',
                      column.class,
                    )}
                  >
                    <Cell column={column} row={row} rows={sorted} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > limit && (
        <button type="button" onClick={() => setLimit(limit + 200)}>
          More of {rows.length} rows
        </button>
      )}
      <div class="tools">
        {saved && <span class="note">{saved}</span>}
        <SaveTable name={label} columns={columns} rows={sorted} />
        {provenance && <HowComputed {...provenance} />}
      </div>
    </div>
  )
}

const classOf = (...names: readonly (string | false | undefined)[]): string | undefined =>
  names.filter(Boolean).join(' ') || undefined

interface CellProps<Row> {
  readonly column: Column<Row>
  readonly row: Row
  readonly rows: readonly Row[]
}

function Cell<Row>({ column, row, rows }: CellProps<Row>): ComponentChildren {
  const text = column.show ? column.show(row) : textOf(column, row, rows)
  const address = column.address?.(row)
  return address ? <Link to={address}>{text}</Link> : text
}

/** How rows are written to a file. */
interface TableFormat {
  readonly title: string
  readonly extension: string
  readonly type: string
  write<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string
}

const FORMATS: readonly TableFormat[] = [
  { title: 'CSV', extension: 'csv', type: 'text/csv', write: toCsv },
  { title: 'JSON', extension: 'json', type: 'application/json', write: toJson },
  {
    title: 'LaTeX',
    extension: 'tex',
    type: 'text/x-tex',
    write: (columns, rows) => toLatex(toTextTable(columns, rows)),
  },
  {
    title: 'Markdown',
    extension: 'md',
    type: 'text/markdown',
    write: (columns, rows) => toMarkdown(toTextTable(columns, rows)),
  },
]

interface SaveTableProps<Row> extends Pick<TableProps<Row>, 'columns' | 'rows'> {
  readonly name: string
  /** Number of formats: a chart has its rows as CSV, its table the others too. */
  readonly formatCount?: number
}

/** Saves rows as files: CSV and JSON with all digits, the others as they are shown. */
export function SaveTable<Row>({ name, columns, rows, formatCount = FORMATS.length }: SaveTableProps<Row>) {
  return (
    <>
      {FORMATS.slice(0, formatCount).map(({ title, extension, type, write }) => (
        <button
          key={title}
          type="button"
          onClick={() => saveText(write(columns, rows), type, `${fileNameOf(name)}.${extension}`)}
        >
          {title}
        </button>
      ))}
    </>
  )
}
