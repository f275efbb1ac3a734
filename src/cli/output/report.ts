import { type Cell, type CsvTable, type TextColumn, type TextTable, toField } from '../../shared/tables.js'
import { type Format, NONE, type NumberStyle, printable, text } from './formats.js'

/** A result, described once: JSON, CSV, TSV, and tables in text, Markdown and LaTeX follow from the description. */
export interface Report {
  /** Properties of the JSON before those of the tables. */
  readonly about?: object
  /** Each is a property of the JSON. The rows of CSV and TSV are those of the first. */
  readonly tables: readonly NamedTable[]
  /** What people read, in this order. */
  readonly parts: readonly (Table | Notes)[]
  /** Written to stderr in every format. */
  readonly warnings?: readonly string[]
  /** Conditions that are not met. Written to stderr after the report; the command exits with 3. */
  readonly failures?: readonly Sentence[]
}

/** Text; one with scores is made when it is known how these are shown. */
export type Sentence = string | ((numbers: NumberStyle) => string)

export function textOfSentence(sentence: Sentence, numbers: NumberStyle): string {
  return typeof sentence === 'string' ? sentence : sentence(numbers)
}

/** Sentences, each on lines of its own. Indented ones are commands or other text that is not wrapped. */
export interface Notes {
  readonly notes: readonly Sentence[]
}

export interface Table<Row extends object = object> {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Rows below the others that are in no JSON or CSV. They are shown by path and format; texts are shown as they are. */
  readonly footer?: readonly object[]
  /** Neighbouring rows of different groups are separated by a line. */
  groupBy?(row: Row): unknown
  /** Number of first columns that are repeated if a table is too wide and is divided. Default: 1. */
  readonly keyColumns?: number
}

export interface NamedTable<Row extends object = object> extends Table<Row> {
  /** Property of the JSON. */
  readonly name: string
}

/** A column with a path is in JSON and CSV; one with a title is in tables for people. */
export interface Column<Row extends object = object> {
  readonly path?: Path
  readonly title?: string
  /** A second heading, above all neighbouring columns that have it. */
  readonly group?: string
  /** Default: `text`. */
  readonly format?: Format
  /** Where text is wrapped at words: at this width, or as far as necessary for the table to fit. */
  readonly wrap?: number | 'fit'
  /** Whether tables for people leave the column out if all of its values are null. */
  readonly isOptional?: boolean
  /** Whether tables for people leave a cell empty if it equals the one above, in the same group. */
  readonly isMerged?: boolean
  /** For people, instead of the format. */
  show?(row: Row, numbers: NumberStyle): string
  /** Whether a cell is emphasized, as the best of several. */
  isStrong?(row: Row): boolean
}

/** Columns of JSON and CSV alone. */
export const untitled = (...paths: readonly string[]) => paths.map((path) => ({ path }))

/** Where a value is in the JSON of a row: keys, joined by dots if none of them can contain a dot. */
export type Path = string | readonly string[]

/** The JSON of a report. */
export function toJson({ about, tables }: Report): object {
  return { ...about, ...Object.fromEntries(tables.map((table) => [table.name, toJsonRows(table)])) }
}

/** Names of the properties of a row, for help. */
export function propertiesOf(columns: readonly Column[]): string {
  return [...new Set(columns.flatMap(({ path }) => (path === undefined ? [] : keysOf(path)[0])))].join(', ')
}

/** The rows of a table with what its columns have a path for. */
export function toJsonRows({ columns, rows }: Pick<Table, 'columns' | 'rows'>): object[] {
  const paths = columns.flatMap((column) => {
    const leaves = leavesOf(column)
    return leaves.length > 0 || column.path === undefined ? leaves : [keysOf(column.path)]
  })
  return rows.map((row) => {
    const json = {}
    for (const keys of paths) copyAt(row, json, keys)
    return json
  })
}

/** Paths of the values of a column in CSV. */
function leavesOf({ path, format = text }: Column): (readonly string[])[] {
  if (path === undefined) return []
  const keys = keysOf(path)
  return format.keys ? format.keys.map((key) => [...keys, key]) : [keys]
}

function keysOf(path: Path): readonly string[] {
  return typeof path === 'string' ? path.split('.') : path
}

/** Copies the value at a path. If a part of the path is null, so is the copy. */
function copyAt(from: object, to: object, [key, ...rest]: readonly string[]): void {
  const [source, target] = [from, to] as Record<string, unknown>[]
  const value = source[key] ?? null
  if (value === null || rest.length === 0) target[key] = value
  else {
    target[key] ??= Array.isArray(value) ? [] : {}
    copyAt(value, target[key] as object, rest)
  }
}

/** Undefined if a part of the path before its end is null. */
function valueAt(row: object, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | null | undefined)?.[key],
    row,
  )
}

/** Columns are paths in the JSON of a row. Numbers are not rounded; cells of undefined values are empty. */
export function toCsvTable({
  columns,
  rows,
}: {
  readonly columns: readonly Column[]
  readonly rows: Iterable<object>
}): CsvTable {
  const paths = columns.flatMap(leavesOf)
  return {
    header: paths.map((keys) => keys.join('.')),
    rows: (function* () {
      for (const row of rows) yield paths.map((keys) => textOfField(valueAt(row, keys)))
    })(),
  }
}

function textOfField(value: unknown): string {
  return toField(Array.isArray(value) ? value.join('; ') : value)
}

/** A table of texts, for people. */
export interface Grid extends TextTable {
  readonly columns: readonly GridColumn[]
  readonly keyColumns: number
}

export interface GridColumn extends TextColumn, Pick<Column, 'wrap'> {}

/** The columns with a title. Control characters are replaced. */
export function toGrid(
  { columns, rows, footer = [], groupBy, keyColumns = 1 }: Table,
  numbers: NumberStyle,
): Grid {
  const shown = columns.filter(
    ({ title, path, isOptional }) =>
      title !== undefined && !(isOptional && rows.every((row) => valueAt(row, keysOf(path!)) == null)),
  )
  const body = splitGroups(rows, groupBy).map((group) =>
    group
      .map((row) =>
        shown.map((column) => ({ text: textOf(column, row, numbers), isStrong: column.isStrong?.(row) })),
      )
      .filter((cells) => cells.some(({ text }) => text !== '')),
  )
  const below = footer.map((row) =>
    shown.map(({ show: _show, ...column }) => ({ text: textOf(column, row, numbers) })),
  )
  return {
    columns: shown.map(({ title = '', group, format = text, wrap }) => ({
      title: printable(title),
      group: group && printable(group),
      align: format.align,
      wrap,
    })),
    groups: [...body, below].map((group) =>
      group.map((cells, index) => mergeCells(shown, cells, group[index - 1])),
    ),
    keyColumns,
  }
}

function textOf({ path, format = text, show }: Column, row: object, numbers: NumberStyle): string {
  if (show) return printable(show(row, numbers))
  const value = path && valueAt(row, keysOf(path))
  if (value === undefined) return ''
  if (value === null) return format.none ?? NONE
  return printable(typeof value === 'string' ? value : format.show(value as never, numbers))
}

function splitGroups(rows: readonly object[], groupBy?: (row: object) => unknown): object[][] {
  const groups: object[][] = []
  for (const [index, row] of rows.entries()) {
    const isSame = index > 0 && groupBy?.(row) === groupBy?.(rows[index - 1])
    if (isSame) groups.at(-1)?.push(row)
    else groups.push([row])
  }
  return groups
}

function mergeCells(columns: readonly Column[], cells: readonly Cell[], above?: readonly Cell[]): Cell[] {
  return cells.map((cell, index) =>
    columns[index].isMerged && cell.text === above?.[index].text ? { text: '' } : cell,
  )
}

/** How rows become a table that is wider and less long. */
export interface Pivot<Row extends object> {
  /** Rows with the same texts in these columns become one. */
  readonly down: readonly Column<Row>[]
  /** Heading of the cells of a row. */
  across(row: Row): string
  /** Columns below each heading. A column without a title has the heading as its title. */
  readonly cells: readonly Column<Row>[]
  /** What stands below the only cell, on a line of its own. */
  readonly below?: Column<Row>
  groupBy?(row: Row): unknown
}

/** A row of a table that was pivoted. */
interface PivotRow<Row> {
  readonly first: Row
  readonly byHeading: ReadonlyMap<string, Row>
  /** Whether this is the second line. */
  readonly isBelow: boolean
}

/** What tells rows apart: the value itself, since different ones may look alike. */
function keyOf<Row extends object>(column: Column<Row>, row: Row): unknown {
  return column.path === undefined ? textOf(column, row, UNROUNDED) : valueAt(row, keysOf(column.path))
}

/** A table for people, with cells beside each other that are rows of another one. */
export function pivot<Row extends object>(
  rows: readonly Row[],
  { down, across, cells, below, groupBy }: Pivot<NoInfer<Row>>,
): Table<PivotRow<Row>> {
  const lines = new Map<string, { first: Row; byHeading: Map<string, Row>; isBelow: boolean }>()
  for (const row of rows) {
    const key = JSON.stringify(down.map((column) => keyOf(column, row)))
    const line = lines.get(key) ?? { first: row, byHeading: new Map(), isBelow: false }
    lines.set(key, line)
    line.byHeading.set(across(row), row)
  }
  const of = (
    column: Column<Row>,
    find: (line: PivotRow<Row>) => Row | undefined,
  ): Column<PivotRow<Row>> => ({
    ...column,
    show(line, numbers) {
      const row = find(line)
      if (line.isBelow) return row && below && !down.includes(column) ? textOf(below, row, numbers) : ''
      return row ? textOf(column, row, numbers) : NONE
    },
    isStrong: (line) => {
      const row = find(line)
      return row !== undefined && !line.isBelow && column.isStrong?.(row) === true
    },
  })
  return {
    columns: [
      ...down.map((column) => of(column, ({ first }) => first)),
      ...[...new Set(rows.map(across))].flatMap((heading) =>
        cells.map((column) => ({
          ...of(column, ({ byHeading }) => byHeading.get(heading)),
          ...(column.title === undefined ? { title: heading } : { group: heading }),
        })),
      ),
    ],
    rows: [...lines.values()].flatMap((line) => (below ? [line, { ...line, isBelow: true }] : [line])),
    groupBy: groupBy && (({ first }) => groupBy(first)),
    keyColumns: down.length,
  }
}

const UNROUNDED: NumberStyle = { share: String, score: String }
