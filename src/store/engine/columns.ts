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

export function entity<const C extends Columns>(
  name: string,
  columns: C,
  constraints: Pick<Entity, 'indices' | 'uniques'> = {},
): Entity<C> {
  return { name, columns, ...constraints }
}

/** A number assigned by the database. The id of a removed row is never reused. */
export const id = (): Column<number> => ({ type: 'integer', primary: true, generated: 'increment' })

export const integer = (name: string): Column<number> => ({ type: 'integer', name })

/** A double-precision number. */
export const double = (name: string): Column<number> => ({ type: 'double precision', name })

/** A text, ordered by its bytes on both engines. */
export const text = <Value extends string = string>(name: string): Column<Value> => ({ type: 'text', name })

/** Any JSON value, stored as text. */
export const json = <Value>(name: string): Column<Value> => ({ type: 'simple-json', name })

/** The same column, read only on request. */

/** Bytes, read only on request: little-endian numbers, see blobs.ts. */
export const bytes = (name: string): Column<Buffer> => ({ type: 'blob', name, select: false })

/** A reference to a row of another table. The row is removed with the row that it refers to. */
export const reference = (name: string, target: string): Column<number> => ({
  type: 'integer',
  name,
  foreignKey: { target, onDelete: 'CASCADE' },
})

/** The same, checked at the end of the transaction: a row may be inserted before the row that it refers to. */
export const deferredReference = (name: string, target: string): Column<number> => ({
  type: 'integer',
  name,
  foreignKey: { target, onDelete: 'CASCADE', deferrable: 'INITIALLY DEFERRED' },
})

/** A reference to a row that is never removed. */
export const permanentReference = (name: string, target: string): Column<number> => ({
  type: 'integer',
  name,
  foreignKey: { target },
})

/** The same column, nullable. */
export const optional = <Value>(column: Column<Value>): Column<Value | null> => ({
  ...column,
  nullable: true,
})

/** The same column as part of the primary key. */
export const key = <Value>(column: Column<Value>): Column<Value> => ({ ...column, primary: true })
