import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type BetterSqlite3 from 'better-sqlite3'
import { DataSource } from 'typeorm'
import { BoxesAndMentions1795226400000 } from '../../migrations/20261121-boxes-and-mentions.js'
import { CaptionsAndWords1795219200000 } from '../../migrations/20261121-captions-and-words.js'
import { Evaluations1795222800000 } from '../../migrations/20261121-evaluations.js'
import { AccordError } from '../errors.js'
import { BOX_ENTITIES } from './box-entities.js'
import { ENTITIES } from './entities.js'

/** An open database: TypeORM for reading, and the driver's own handle for bulk work through prepared statements. */
export interface Database {
  readonly file: string
  readonly source: DataSource
  readonly connection: BetterSqlite3.Database
  close(): Promise<void>
}

export interface OpenOptions {
  /** Fail where the file does not exist yet, instead of making a new database. */
  readonly mustExist?: boolean
  /** Called with each SQL statement that is executed. */
  readonly onStatement?: (sql: string) => void
}

const BUSY_TIMEOUT_MS = 15_000

const RETRY_INTERVAL_MS = 20

/**
 * Opens a database file and brings it to the newest schema.
 *
 * @throws AccordError FILE_NOT_FOUND where the file, or with a new file its folder, does not exist;
 * INVALID_SHAPE where the file is no SQLite database.
 */
export async function openDatabase(file: string, options: OpenOptions = {}): Promise<Database> {
  checkLocation(file, options)
  const source = new DataSource({
    type: 'better-sqlite3',
    database: file,
    entities: [...ENTITIES, ...BOX_ENTITIES],
    migrations: [CaptionsAndWords1795219200000, Evaluations1795222800000, BoxesAndMentions1795226400000],
    migrationsTransactionMode: 'each',
    enableWAL: true,
    timeout: BUSY_TIMEOUT_MS,
    verbose: options.onStatement,
    prepareDatabase: (connection: BetterSqlite3.Database) => {
      connection.pragma('foreign_keys = ON')
      connection.pragma('synchronous = NORMAL')
    },
  })
  try {
    await source.initialize()
    if (await source.showMigrations()) await source.runMigrations()
  } catch (error) {
    if (source.isInitialized) await source.destroy()
    throw translate(error, file)
  }
  const { databaseConnection: connection } = source.driver as unknown as {
    databaseConnection: BetterSqlite3.Database
  }
  return { file, source, connection, close: () => source.destroy() }
}

/** Runs `write` in one transaction that takes the write lock at once; whatever it throws undoes all of it. */
export function inTransaction<T>(database: Database, write: () => T): T {
  try {
    return database.connection.transaction(write).immediate()
  } catch (error) {
    throw translate(error, database.file)
  }
}

/**
 * As {@link inTransaction}, but while another connection writes, the thread stays free for other work: a server
 * answers queries meanwhile.
 */
export async function inTransactionSoon<T>(database: Database, write: () => T): Promise<T> {
  const deadline = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      return withoutWaiting(database, () => inTransaction(database, write))
    } catch (error) {
      const isBusy = error instanceof AccordError && error.code === 'BUSY'
      if (!isBusy || performance.now() > deadline) throw error
      await sleep(RETRY_INTERVAL_MS)
    }
  }
}

function withoutWaiting<T>({ connection }: Database, act: () => T): T {
  connection.pragma('busy_timeout = 0')
  try {
    return act()
  } finally {
    connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
}

function checkLocation(file: string, options: OpenOptions): void {
  if (file === ':memory:' || existsSync(file)) return
  if (options.mustExist) {
    throw new AccordError('FILE_NOT_FOUND', 'there is no database here yet; an import makes one', {
      source: file,
      expected: 'a database made by `accord import`',
      found: 'no file',
    })
  }
  if (!existsSync(dirname(file))) {
    throw new AccordError('FILE_NOT_FOUND', 'the folder of the database does not exist', {
      source: file,
      expected: `a folder ${dirname(file)}`,
      found: 'none',
    })
  }
}

function translate(error: unknown, file: string): unknown {
  const code = sqliteCode(error)
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
    return new AccordError('INVALID_SHAPE', 'this file is no intact Accord database', {
      source: file,
      expected: 'a SQLite database',
      found: String((error as Error).message),
    })
  }
  if (code === 'SQLITE_BUSY') {
    return new AccordError('BUSY', 'another process is writing to the database; try again when it is done', {
      source: file,
    })
  }
  return error
}

function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, driverError } = error as { code?: string; driverError?: { code?: string } }
  return code ?? driverError?.code
}
