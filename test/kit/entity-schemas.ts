import { createRequire } from 'node:module'
import type * as TypeOrm from 'typeorm'
import type { Column, Entity } from '../../src/store/engine/columns.js'
import type { EngineName } from '../../src/store/engine/sql.js'
import { ENTITIES } from '../../src/store/schema/entities.js'

const { EntitySchema } = createRequire(import.meta.url)('typeorm') as typeof TypeOrm

/** The entities for TypeORM, with the column types of an engine: it compares them with the tables of the migrations. */
export function entitySchemas(engine: EngineName): TypeOrm.EntitySchema[] {
  return ENTITIES.map((entity) => new EntitySchema({ ...entity, columns: columnsFor(entity, engine) }))
}

function columnsFor(entity: Entity, engine: EngineName): Entity['columns'] {
  const typed = engine === 'sqlite' ? sqliteColumn : postgresColumn
  return Object.fromEntries(
    Object.entries(entity.columns).map(([property, column]) => [property, typed(column)]),
  )
}

function sqliteColumn(column: Column<unknown>): Column<unknown> {
  return column.type === 'boolean' ? { ...column, type: 'integer' } : column
}

function postgresColumn(column: Column<unknown>): Column<unknown> {
  if (column.type === 'blob') return { ...column, type: 'bytea' }
  // Ordered by bytes, as on SQLite.
  const isText = column.type === 'text' || column.type === 'simple-json'
  return isText ? { ...column, collation: 'C' } : column
}
