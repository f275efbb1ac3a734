import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type BetterSqlite3 from 'better-sqlite3'
import type { DataSource as Source } from 'typeorm'
import { BoxesAndMentions1795226400000 } from '../../migrations/20261121-boxes-and-mentions.js'
import { CaptionsAndWords1795219200000 } from '../../migrations/20261121-captions-and-words.js'
import { Evaluations1795222800000 } from '../../migrations/20261121-evaluations.js'
import { AccordError } from '../errors.js'
import { BOX_ENTITIES } from './box-entities.js'
import { ENTITIES } from './entities.js'
import { DataSource } from './typeorm.js'

/** An open database: TypeORM for reading, and the driver's own handle for bulk work through prepared statements. */
export interface Database {
  readonly file: string
  readonly source: Source
  readonly connection: BetterSqlite3.Database
  /** How long a transaction waits for another one to end, in milliseconds. */
  readonly busyTimeout: number
  close(): Promise<void>
}

export interface OpenOptions {
  /** Fail where the file does not exist yet, instead of making a new database. */
  readonly mustExist?: boolean
  /** Milliseconds that a transaction waits for another one to end; by default 15 s. */
  readonly busyTimeout?: number
  /** Called with each SQL statement that is executed. */
  readonly onStatement?: (sql: string) => void
}

const DEFAULT_BUSY_TIMEOUT_MS = 15_000

const RETRY_INTERVAL_MS = 20

/**
 * Opens a database file and brings it to the newest schema.
 *
 * @throws AccordError FILE_NOT_FOUND where the file, or with a new file its folder, does not exist or cannot be
 * opened; INVALID_SHAPE where it is no database of Accord's; BUSY
 */
export async function openDatabase(file: string, options: OpenOptions = {}): Promise<Database> {
  checkLocation(file, options)
  const busyTimeout = options.busyTimeout ?? DEFAULT_BUSY_TIMEOUT_MS
  const source = new DataSource({
    type: 'better-sqlite3',
    database: file,
    entities: [...ENTITIES, ...BOX_ENTITIES],
    migrations: [CaptionsAndWords1795219200000, Evaluations1795222800000, BoxesAndMentions1795226400000],
    migrationsTransactionMode: 'none',
    timeout: busyTimeout,
    verbose: options.onStatement,
    prepareDatabase: (connection: BetterSqlite3.Database) => {
      connection.pragma('foreign_keys = ON')
      connection.pragma('synchronous = NORMAL')
    },
  })
  try {
    await source.initialize()
    const { databaseConnection: connection } = source.driver as unknown as {
      databaseConnection: BetterSqlite3.Database
    }
    const database = { file, source, connection, busyTimeout, close: () => source.destroy() }
    checkTables(database)
    // The change of mode does not wait for other connections by itself.
    await whenFree(database, () => connection.pragma('journal_mode = WAL'))
    await migrate(database)
    return database
  } catch (error) {
    if (source.isInitialized) await source.destroy()
    throw translate(error, file)
  }
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
export function inTransactionSoon<T>(database: Database, write: () => T): Promise<T> {
  return whenFree(database, () => inTransaction(database, write))
}

/**
 * As {@link inTransactionSoon}, for asynchronous `work`; the end of the process undoes it, too. All that the
 * connection does meanwhile is part of the transaction, so this is for times when nothing else uses it.
 */
export async function inLongTransaction<T>(database: Database, work: () => Promise<T>): Promise<T> {
  const { connection } = database
  await whenFree(database, () => connection.exec('BEGIN IMMEDIATE'))
  try {
    const result = await work()
    connection.exec('COMMIT')
    return result
  } catch (error) {
    // Some failures, as of a full disk, have ended it.
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

/** The result of `act` as soon as no other connection writes. @throws AccordError BUSY where one keeps writing */
async function whenFree<T>(database: Database, act: () => T): Promise<T> {
  const deadline = performance.now() + database.busyTimeout
  for (;;) {
    try {
      return withoutWaiting(database, act)
    } catch (thrown) {
      const error = translate(thrown, database.file)
      const isBusy = error instanceof AccordError && error.code === 'BUSY'
      if (!isBusy || performance.now() > deadline) throw error
      await sleep(RETRY_INTERVAL_MS)
    }
  }
}

function withoutWaiting<T>({ connection, busyTimeout }: Database, act: () => T): T {
  connection.pragma('busy_timeout = 0')
  try {
    return act()
  } finally {
    connection.pragma(`busy_timeout = ${busyTimeout}`)
  }
}

/** Runs new migrations; where several processes open a database at once, one does and the others wait for it. */
async function migrate(database: Database): Promise<void> {
  const { source, connection } = database
  if (isNewest(database)) return
  // A migration that makes a table anew would remove what refers to it; inside the transaction it is too late.
  connection.pragma('foreign_keys = OFF')
  await inLongTransaction(database, () => source.runMigrations())
  connection.pragma('foreign_keys = ON')
}

function isNewest({ source, connection }: Database): boolean {
  if (!tableNames(connection).includes('migrations')) return false
  const names = new Set(connection.prepare('SELECT name FROM migrations').pluck().all())
  return source.migrations.every(({ name }) => names.has(name))
}

/** Leaves the database of another program as it is. */
function checkTables({ connection, file }: Database): void {
  const names = tableNames(connection)
  if (names.length === 0 || names.includes('migrations')) return
  throw notOurs(file, `tables of another program, such as ${names[0]}`)
}

function tableNames(connection: BetterSqlite3.Database): string[] {
  const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
  return tables.pluck().all() as string[]
}

function checkLocation(file: string, options: OpenOptions): void {
  if (isFolder(file)) throw notOurs(file, 'a folder')
  if (file === ':memory:' || existsSync(file)) return
  if (options.mustExist) {
    throw new AccordError('FILE_NOT_FOUND', 'there is no database here yet; an import makes one', {
      source: file,
      expected: 'a database made by `accord import`',
      found: 'no file',
    })
  }
  if (!isFolder(dirname(file))) {
    throw new AccordError('FILE_NOT_FOUND', 'the folder of the database does not exist', {
      source: file,
      expected: `a folder ${dirname(file)}`,
      found: 'none',
    })
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

function translate(error: unknown, file: string): unknown {
  switch (sqliteCode(error)) {
    case 'SQLITE_NOTADB':
    case 'SQLITE_CORRUPT':
      return notOurs(file, (error as Error).message)
    case 'SQLITE_BUSY':
      return new AccordError(
        'BUSY',
        'another process is writing to the database; try again when it is done',
        { source: file },
      )
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
      return new AccordError('FILE_NOT_FOUND', 'the database cannot be opened', {
        source: file,
        expected: 'a file that can be read and written',
        found: (error as Error).message,
      })
    case 'SQLITE_FULL':
      return new AccordError('RESOURCE_MISSING', 'the disk is full; nothing was written', { source: file })
    default:
      return error
  }
}

function notOurs(file: string, found: string): AccordError {
  return new AccordError('INVALID_SHAPE', 'this file is no intact Accord database', {
    source: file,
    expected: 'a database made by `accord import`',
    found,
  })
}

function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, driverError } = error as { code?: string; driverError?: { code?: string } }
  return code ?? driverError?.code
}
