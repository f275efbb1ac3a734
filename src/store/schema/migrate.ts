/** Migrates databases to the current schema. The only module that loads TypeORM, and only if it is needed. */
import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'
import type * as TypeOrm from 'typeorm'
import { betterSqlite3 } from '../engine/better-sqlite3.js'
import { whenFree } from '../engine/sqlite.js'
import { APPLICATION_ID, MIGRATIONS, MIGRATIONS_TABLE } from './version.js'

// `require`, because `import` first scans a CommonJS package for its exports, which takes as long as loading it.
const { DataSource, MigrationExecutor } = createRequire(import.meta.url)('typeorm') as typeof TypeOrm

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
 * Runs pending migrations on a SQLite file, in one transaction. If several processes open it at once, one of them migrates
 * and the others wait.
 */
export async function migrateSqlite(file: string, busyTimeout: number): Promise<void> {
  const source = new DataSource({
    type: 'better-sqlite3',
    driver: betterSqlite3(),
    database: file,
    ...(await migrations()),
    migrationsTransactionMode: 'none',
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
    // None is pending if another process has migrated the file in the meantime.
    await source.runMigrations()
    connection.pragma(`application_id = ${APPLICATION_ID}`)
    connection.exec('COMMIT')
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

/** Runs pending migrations on a PostgreSQL database. If several processes open it at once, one of them migrates. */
export async function migratePostgres(url: string): Promise<void> {
  const source = new DataSource({ type: 'postgres', url, ...(await migrations()) })
  await source.initialize()
  const runner = source.createQueryRunner()
  try {
    // One transaction: if the table of migrations exists, all tables exist.
    await runner.startTransaction()
    await runner.query("SELECT pg_advisory_xact_lock(hashtext('accord migrations'))")
    await new MigrationExecutor(source, runner).executePendingMigrations()
    await runner.commitTransaction()
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => {})
    throw error
  } finally {
    await runner.release()
    await source.destroy()
  }
}

async function migrations() {
  return {
    migrations: await Promise.all(MIGRATIONS.map(({ load }) => load())),
    migrationsTableName: MIGRATIONS_TABLE,
    logger: SILENT,
  }
}
