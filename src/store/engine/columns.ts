import type { EntitySchemaColumnOptions, EntitySchemaOptions } from 'typeorm'

/**
 * Entities: the only description of the tables. They are TypeORM's entity options as plain data, because TypeORM is
 * loaded only to run migrations. Row types are derived from them.
 */

declare const value: unique symbol

/** A column whose values are of type `Value` in a row. */
export type Column<Value> = EntitySchemaColumnOptions & { readonly [value]?: Value }

type Columns = Readonly<Record<string, Column<unknown>>>

/** A table. The keys of `columns` are the properties of its rows. */
export interface Entity<C extends Columns = Columns>
  extends Pick<EntitySchemaOptions<C>, 'name' | 'indices' | 'uniques'> {
  readonly columns: C
}

type ValueOf<C> = C extends { readonly [value]?: infer Value } ? Exclude<Value, undefined> : never

/** A row of a table. */
export type Row<E extends Entity> = { [Property in keyof E['columns']]: ValueOf<E['columns'][Property]> }

/** A row before it has an id. */
export type NewRow<E extends Entity> = Omit<Row<E>, 'id'>

/** Constraints and indices of a table; columns are named by the properties of its rows. */
interface Constraints<Property extends string> {
  /** Columns that are unique together. */
  readonly uniques?: readonly (readonly Property[])[]
  readonly indices?: readonly (readonly Property[])[]
  /** Columns that are unique together among the rows for which an SQL condition holds. */
  readonly uniqueWhere?: { readonly columns: readonly Property[]; readonly where: string }
}

/** A table. The names of columns are those of the properties in snake case, unless they are given. */
export function entity<const C extends Columns>(
  name: string,
  columns: C,
  { uniques = [], indices = [], uniqueWhere }: Constraints<keyof C & string> = {},
): Entity<C> {
  const entries = Object.entries(columns).map(([property, column]) => [
    property,
    { ...column, name: column.name ?? snakeCase(property) },
  ])
  const indexOf = (columns: readonly string[]) => ({
    name: `${name}_by_${columns.map(snakeCase).join('_')}`,
    columns: [...columns],
  })
  return {
    name,
    columns: Object.fromEntries(entries) as C,
    uniques: uniques.map((columns) => ({ columns: [...columns] })),
    indices: [
      ...indices.map(indexOf),
      ...(uniqueWhere ? [{ ...indexOf(uniqueWhere.columns), unique: true, where: uniqueWhere.where }] : []),
    ],
  }
}

function snakeCase(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** A number assigned by the database. The id of a removed row is never reused. */
export const id = (): Column<number> => ({ type: 'integer', primary: true, generated: 'increment' })

export const integer = (name?: string): Column<number> => ({ type: 'integer', name })

/** A double-precision number. */
export const double = (name?: string): Column<number> => ({ type: 'double precision', name })

/** A text, ordered by its bytes on both engines. */
export const text = <Value extends string = string>(name?: string): Column<Value> => ({ type: 'text', name })

/** Any JSON value, stored as text. */
export const json = <Value>(): Column<Value> => ({ type: 'simple-json' })

/** The same column, read only on request. */

/** Bytes, read only on request: little-endian numbers, see blobs.ts. */
export const bytes = (): Column<Buffer> => ({ type: 'blob', select: false })

/** A reference to a row of another table. The row is removed with the row that it refers to. */
export const reference = (target: string): Column<number> => ({
  type: 'integer',
  foreignKey: { target, onDelete: 'CASCADE' },
})

/** The same, checked at the end of the transaction: a row may be inserted before the row that it refers to. */
export const deferredReference = (target: string): Column<number> => ({
  type: 'integer',
  foreignKey: { target, onDelete: 'CASCADE', deferrable: 'INITIALLY DEFERRED' },
})

/** A reference to a row that is never removed. */
export const permanentReference = (target: string): Column<number> => ({
  type: 'integer',
  foreignKey: { target },
})

/** The same column, nullable. */
export const optional = <Value>(column: Column<Value>): Column<Value | null> => ({
  ...column,
  nullable: true,
})

/** The same column as part of the primary key. */
export const key = <Value>(column: Column<Value>): Column<Value> => ({ ...column, primary: true })
