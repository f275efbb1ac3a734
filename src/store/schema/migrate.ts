/** Migrates databases to the current schema. The only module that loads TypeORM, and only if it is needed. */
import { renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import BetterSqlite3 from 'better-sqlite3'
import type * as TypeOrm from 'typeorm'
import { BoxesAndMentions1795226400000 } from '../../../migrations/20261121-boxes-and-mentions.js'
import { CaptionsAndWords1795219200000 } from '../../../migrations/20261121-captions-and-words.js'
import { Evaluations1795222800000 } from '../../../migrations/20261121-evaluations.js'
import { Bounds1795327200000 } from '../../../migrations/20261122-bounds.js'
import { Intervals1795316400000 } from '../../../migrations/20261122-intervals.js'
import { Judgements1795320000000 } from '../../../migrations/20261122-judgements.js'
import { Provenance1795309200000 } from '../../../migrations/20261122-provenance.js'
import { SearchAndBoxes1795323600000 } from '../../../migrations/20261122-search-and-boxes.js'
import { TrainingCurves1795330800000 } from '../../../migrations/20261122-training-curves.js'
import { TwoDatabases1795305600000 } from '../../../migrations/20261122-two-databases.js'
import type { Entity } from '../engine/columns.js'
import type { EngineName } from '../engine/sql.js'
import { notAccordDatabase, whenFree } from '../engine/sqlite.js'
import { ENTITIES } from './entities.js'
import { APPLICATION_ID, SCHEMA_VERSION } from './schema-version.js'

// `require`, because `import` first scans a CommonJS package for its exports, which takes as long as loading it.
const { DataSource, EntitySchema, MigrationExecutor } = createRequire(import.meta.url)(
  'typeorm',
) as typeof TypeOrm

/** Migrations before 20261122 support only SQLite. */
const SQLITE_ONLY = [CaptionsAndWords1795219200000, Evaluations1795222800000, BoxesAndMentions1795226400000]
const BOTH = [
  TwoDatabases1795305600000,
  Provenance1795309200000,
  Intervals1795316400000,
  Judgements1795320000000,
  SearchAndBoxes1795323600000,
  Bounds1795327200000,
  TrainingCurves1795330800000,
]

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
 * wait. A file with data is first copied to `FILE.before-version-N`; foreign keys are checked at the end.
 */
export async function migrateSqlite(file: string, busyTimeout: number): Promise<void> {
  const source = new DataSource({
    type: 'better-sqlite3',
    database: file,
    entities: entitySchemas('sqlite'),
    migrations: [...SQLITE_ONLY, ...BOTH],
    migrationsTransactionMode: 'none',
    logger: SILENT,
  })
  await source.initialize()
  try {
    const { databaseConnection } = source.driver as unknown as { databaseConnection: BetterSqlite3.Database }
    await migrateConnection(source, databaseConnection, file, busyTimeout)
  } finally {
    await source.destroy()
  }
}

async function migrateConnection(
  source: TypeOrm.DataSource,
  connection: BetterSqlite3.Database,
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
      backUp(file)
      await source.runMigrations()
      checkForeignKeys(connection, file)
      connection.pragma(`application_id = ${APPLICATION_ID}`)
      connection.pragma(`user_version = ${SCHEMA_VERSION}`)
    }
    connection.exec('COMMIT')
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

/** Copies a file with data to `FILE.before-version-N`. */
function backUp(file: string): void {
  const connection = new BetterSqlite3(file)
  const unfinished = `${file}.before-version-${SCHEMA_VERSION}.part`
  try {
    if (connection.prepare('SELECT 1 FROM sqlite_schema').get() === undefined) return
    rmSync(unfinished, { force: true })
    connection.prepare('VACUUM INTO ?').run(unfinished)
    renameSync(unfinished, `${file}.before-version-${SCHEMA_VERSION}`)
  } finally {
    connection.close()
    rmSync(unfinished, { force: true })
  }
}

function checkForeignKeys(connection: BetterSqlite3.Database, file: string): void {
  const violations = connection.pragma('foreign_key_check') as { table: string; parent: string }[]
  if (violations.length === 0) return
  const [{ table, parent }] = violations
  throw notAccordDatabase(
    file,
    violations.length === 1
      ? `1 row that refers to a missing one: of ${table} to ${parent}`
      : `${violations.length} rows that refer to missing ones, such as of ${table} to ${parent}`,
  )
}

/** Runs pending migrations on a PostgreSQL database. If several processes open it at once, one of them migrates. */
export async function migratePostgres(url: string): Promise<void> {
  const source = new DataSource({
    type: 'postgres',
    url,
    entities: entitySchemas('postgres'),
    migrations: BOTH,
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
