/** Migrates databases to the current schema. The only module that loads TypeORM, and only if it is needed. */
import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'
import type * as TypeOrm from 'typeorm'
import { Baseline1795334400000 } from '../../../migrations/20261122-baseline.js'
import { BetterSqlite3 } from '../engine/better-sqlite3.js'
import type { Entity } from '../engine/columns.js'
import type { EngineName } from '../engine/sql.js'
import { whenFree } from '../engine/sqlite.js'
import { ENTITIES } from './entities.js'
import { APPLICATION_ID, SCHEMA_VERSION } from './schema-version.js'

// `require`, because `import` first scans a CommonJS package for its exports, which takes as long as loading it.
const { DataSource, EntitySchema, MigrationExecutor } = createRequire(import.meta.url)(
  'typeorm',
) as typeof TypeOrm

const MIGRATIONS = [Baseline1795334400000]

/** The default logger writes failures to stdout. */
const SILENT: TypeOrm.Logger = {
  logQuery() {},
  logQueryError() {},
  logQuerySlow() {},
  logSchemaBuild() {},
  logMigration() {},
  log() {},
}

/**
 * Runs pending migrations on a SQLite file. If several processes open it at once, one of them migrates and the others
 * wait.
 */
export async function migrateSqlite(file: string, busyTimeout: number): Promise<void> {
  const source = new DataSource({
    type: 'better-sqlite3',
    driver: BetterSqlite3,
    database: file,
    entities: entitySchemas('sqlite'),
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'none',
    logger: SILENT,
  })
  await source.initialize()
  try {
    const { databaseConnection } = source.driver as unknown as { databaseConnection: Sqlite.Database }
    await migrateConnection(source, databaseConnection, file, busyTimeout)
  } finally {
    await source.destroy()
  }
}

async function migrateConnection(
  source: TypeOrm.DataSource,
  connection: Sqlite.Database,
  file: string,
  busyTimeout: number,
): Promise<void> {
  // A migration that recreates a table would remove the rows that refer to it. Has no effect inside a transaction.
  connection.pragma('foreign_keys = OFF')
  connection.pragma('busy_timeout = 0')
  await whenFree({ file, busyTimeout }, () => connection.exec('BEGIN IMMEDIATE'))
  try {
    // Another process may have migrated the file in the meantime.
    if ((connection.pragma('user_version', { simple: true }) as number) < SCHEMA_VERSION) {
      await source.runMigrations()
      connection.pragma(`application_id = ${APPLICATION_ID}`)
      connection.pragma(`user_version = ${SCHEMA_VERSION}`)
    }
    connection.exec('COMMIT')
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

/** Runs pending migrations on a PostgreSQL database. If several processes open it at once, one of them migrates. */
export async function migratePostgres(url: string): Promise<void> {
  const source = new DataSource({
    type: 'postgres',
    url,
    entities: entitySchemas('postgres'),
    migrations: MIGRATIONS,
    logger: SILENT,
  })
  await source.initialize()
  const runner = source.createQueryRunner()
  try {
    // One transaction: if the table of the version exists, all tables exist.
    await runner.startTransaction()
    await runner.query("SELECT pg_advisory_xact_lock(hashtext('accord migrations'))")
    await new MigrationExecutor(source, runner).executePendingMigrations()
    await runner.query('CREATE TABLE IF NOT EXISTS accord (schema_version integer NOT NULL)')
    await runner.query('DELETE FROM accord')
    await runner.query('INSERT INTO accord VALUES ($1)', [SCHEMA_VERSION])
    await runner.commitTransaction()
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => {})
    throw error
  } finally {
    await runner.release()
    await source.destroy()
  }
}

/** The entities for TypeORM, with the column types of an engine. */
export function entitySchemas(engine: EngineName): TypeOrm.EntitySchema[] {
  return ENTITIES.map((entity) => new EntitySchema({ ...entity, columns: columnsFor(entity, engine) }))
}

function columnsFor(entity: Entity, engine: EngineName): Entity['columns'] {
  if (engine === 'sqlite') return entity.columns
  return Object.fromEntries(
    Object.entries(entity.columns).map(([property, column]) => {
      if (column.type === 'blob') return [property, { ...column, type: 'bytea' as const }]
      // Ordered by bytes, as on SQLite.
      const isText = column.type === 'text' || column.type === 'simple-json'
      return [property, isText ? { ...column, collation: 'C' } : column]
    }),
  )
}
