import type { EntitySchemaColumnOptions, EntitySchemaOptions } from 'typeorm'

/**
 * Entities: the only description of the tables. They are TypeORM's entity options as plain data, because TypeORM is
 * loaded only to run migrations. Row types are derived from them.
 */

declare const value: unique symbol

/** A column whose values are of type `Value` in a row. */
export type Column<Value> = EntitySchemaColumnOptions & { readonly [value]?: Value; readonly index?: Index }

type Columns = Readonly<Record<string, Column<unknown>>>

/** A table. The keys of `columns` are the properties of its rows. */
export interface Entity<C extends Columns = Columns>
  extends Pick<EntitySchemaOptions<C>, 'name' | 'indices' | 'uniques'> {
  readonly columns: C
}

type ValueOf<C> = C extends { readonly [value]?: infer Value } ? Exclude<Value, undefined> : never

export type Row<E extends Entity> = {
  [Property in keyof E['columns']]: ValueOf<E['columns'][Property]>
}

/** A row before it has an id. */
export type NewRow<E extends Entity> = Omit<Row<E>, 'id'>

/** The properties of the primary key. */
export function keysOf({ columns }: Entity): string[] {
  return Object.keys(columns).filter((property) => columns[property].primary)
}

/** How a row is named in messages, by its primary key: `id 7`. */
export function describeKey(entity: Entity, row: Readonly<Record<string, unknown>>): string {
  return keysOf(entity)
    .map((key) => `${key} ${row[key]}`)
    .join(', ')
}

interface Index {
  readonly unique: boolean
  /** An SQL condition: only the rows for which it holds are in the index. */
  readonly where?: string
}

/** Columns with an index, named by the properties of rows. */
interface IndexOf<Property extends string = string> extends Index {
  readonly columns: readonly Property[]
}

/** Columns that are unique together. */
export function unique<Property extends string>(...columns: Property[]): IndexOf<Property> {
  return { columns, unique: true }
}

/** An index of several columns. */
export function index<Property extends string>(...columns: Property[]): IndexOf<Property> {
  return { columns, unique: false }
}

/** A table. The names of columns are those of the properties in snake case, unless they are given. */
export function entity<const C extends Columns>(
  name: string,
  together: readonly IndexOf<NoInfer<keyof C & string>>[],
  columns: C,
): Entity<C> {
  const entries = Object.entries(columns)
  const named = entries.map(([property, column]) => [
    property,
    { ...column, name: column.name ?? snakeCase(property) },
  ])
  const alone = entries.flatMap(([property, { index }]) => (index ? { columns: [property], ...index } : []))
  const indices: IndexOf[] = [...together, ...alone]
  const isConstraint = ({ unique, where }: Index) => unique && where === undefined
  return {
    name,
    columns: Object.fromEntries(named) as C,
    uniques: indices.filter(isConstraint).map(({ columns }) => ({ columns: [...columns] })),
    indices: indices
      .filter((index) => !isConstraint(index))
      .map(({ columns, ...index }) => ({
        ...index,
        name: `${name}_by_${columns.map(snakeCase).join('_')}`,
        columns: [...columns],
      })),
  }
}

/** Tables in the order in which its `entity` adds them. */
export function tableList() {
  const entities: Entity[] = []
  const add: typeof entity = (name, together, columns) => {
    const table = entity(name, together, columns)
    entities.push(table)
    return table
  }
  return { entities: entities as readonly Entity[], entity: add }
}

function snakeCase(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** A number assigned by the database. The id of a removed row is never reused. */
export const id = (): Column<number> => ({ type: 'integer', primary: true, generated: 'increment' })

export const integer = (name?: string): Column<number> => ({ type: 'integer', name })

export const double = (name?: string): Column<number> => ({ type: 'double precision', name })

/** A text, ordered by its bytes on both engines. */
export const text = <Value extends string = string>(name?: string): Column<Value> => ({ type: 'text', name })

/** An instant, as `toISOString` writes it: `2026-01-31T12:00:00.000Z`. Its order is that of its bytes. */
export const time = (): Column<string> => text()

/** A flag: 0 or 1 on SQLite, which has no such type. */
export const boolean = (): Column<boolean> => ({ type: 'boolean' })

/** Any JSON value, stored as text. */
export const json = <Value>(): Column<Value> => ({ type: 'simple-json' })

/** Bytes, read only on request: little-endian numbers, see blobs.ts. */
export const bytes = (): Column<Buffer> => ({ type: 'blob', select: false })

/** A reference to a row of another table. The row is removed with the row that it refers to. */
export const reference = (target: string): Column<number> => ({
  type: 'integer',
  foreignKey: { target, onDelete: 'CASCADE' },
})

/** The same for a row whose id is a text. */
export const textReference = (target: string): Column<string> => ({
  type: 'text',
  foreignKey: { target, onDelete: 'CASCADE' },
})

/** A reference that is checked at the end of the transaction: a row may be inserted before the row that it refers to. */
export const deferredReference = (target: string): Column<number> => ({
  type: 'integer',
  foreignKey: { target, onDelete: 'CASCADE', deferrable: 'INITIALLY DEFERRED' },
})

/** A reference to a row that is never removed. */
export const permanentReference = (target: string): Column<number> => ({
  type: 'integer',
  foreignKey: { target },
})

/** The same column, read only on request, as bytes are. */
export const onRequest = <Value>(column: Column<Value>): Column<Value> => ({ ...column, select: false })

/** The same column with an index. */
export const indexed = <Value>(column: Column<Value>): Column<Value> => ({
  ...column,
  index: { unique: false },
})

/** The same column with different values in all rows, or in those for which an SQL condition holds. */
export const distinct = <Value>(column: Column<Value>, where?: string): Column<Value> => ({
  ...column,
  index: { unique: true, where },
})

/** The same column, nullable. */
export const optional = <Value>(column: Column<Value>): Column<Value | null> => ({
  ...column,
  nullable: true,
})

/** The same column as part of the primary key. */
export const key = <Value>(column: Column<Value>): Column<Value> => ({ ...column, primary: true })
