import { randomInt } from 'node:crypto'
import { realpathSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'
import type BetterSqlite3 from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import { AccordError, hasCode } from '../../errors.js'
import { yieldToEventLoop } from '../../event-loop.js'
import type { Entity } from './columns.js'
import { createReaderThread, tooLong } from './reader.js'
import { encode, propertiesOfType, quoteColumn } from './rows.js'
import { ConstraintViolation, type Database, type ReadLimits, type Session } from './session.js'
import { render, type Sql, storable } from './sql.js'
import * as sqliteFile from './sqlite-file.js'

export interface SqliteOptions {
  readonly file: string
  readonly isReadOnly: boolean
  /** Milliseconds that a transaction waits for another one to end. */
  readonly busyTimeout: number
  readonly onStatement?: (text: string) => void
  /** The file: one that has taken its name is refused. */
  readonly opened: sqliteFile.OpenedFile
}

/** Rows per INSERT. For small rows the call takes most of the time: three times as long with one row per statement. */
const ROWS_PER_STATEMENT = 64

/** Time between attempts to begin a transaction while another process writes, in milliseconds. */
const RETRY_INTERVAL_MS = 20

/** Interval of a listener's checks for writes of other processes, in milliseconds. */
const POLL_INTERVAL_MS = 100

/** Size of the write-ahead log that stays when its content is in the file, in bytes. */
const MAX_LOG_BYTES = 64 << 20

/** Batches of rows between two checks of the free space. */
const BATCHES_PER_CHECK = 64

/** Maximum number of cached prepared statements of a connection. */
const MAX_PREPARED = 256

/**
 * A SQLite file with two connections: one for reading, which sees committed data, and one for transactions, which run
 * one at a time. Statements run on the calling thread.
 */
export function openSqlite(
  given: Omit<SqliteOptions, 'opened'>,
): Session &
  Pick<Database, 'listen' | 'snapshot' | 'readLong' | 'version' | 'state'> & { close(): Promise<void> } {
  const { close: closeHeader, ...opened } = sqliteFile.openForHeader(given.file)
  try {
    return openConnections({ ...given, opened }, closeHeader)
  } catch (error) {
    closeHeader()
    throw error
  }
}

function openConnections(options: SqliteOptions, closeHeader: () => void): ReturnType<typeof openSqlite> {
  const reader = connect(options)
  const version = () => attempt(options.file, reader.readVersion)
  const { onStatement, ...threadOptions } = options
  const readerThread = createReaderThread(threadOptions)
  const stopWatching = watchFile(reader, options)
  let writer: Connection | undefined
  let lastTransaction: Promise<unknown> = Promise.resolve()
  const transaction: Session['transaction'] = (work) => {
    const result = lastTransaction.then(() => {
      if (options.isReadOnly) throw sqliteFile.readOnlyDatabase(options.file)
      writer ??= connect(options)
      return runTransaction(writer, options, work)
    })
    lastTransaction = result.catch(() => {})
    return result
  }
  const session = createSession(reader, options, () => {}, transaction)
  // Statements that write must not use the reading connection: they would wait for the transaction and block it.
  return {
    ...session,
    run: (statement) => transaction((session) => session.run(statement)),
    insertMany: (entity, properties, rows) =>
      transaction((session) => session.insertMany(entity, properties, rows)),
    reserveIds: (entity, count) => transaction((session) => session.reserveIds(entity, count)),
    transaction,
    independently: transaction,
    notify: (channel) => broadcast(options, channel),
    listen: (channel, listener) => listen(reader, version, options, channel, listener),
    snapshot: (read) => readSnapshot(options, read),
    version,
    async state() {
      const loss = reader.findLoss()
      if (loss) throw sqliteFile.fileLost(options.file, loss)
      return String(version())
    },
    readLong: (limits, read) => read({ ...session, all: allInThread(readerThread, options, limits) }),
    async close() {
      await readerThread.close()
      await lastTransaction
      stopWatching()
      reader.database.close()
      writer?.database.close()
      closeHeader()
    },
  }
}

/** Queries of a session that another thread executes. */
function allInThread(
  readerThread: ReturnType<typeof createReaderThread>,
  { onStatement }: SqliteOptions,
  limits: ReadLimits,
): Session['all'] {
  return async <Result extends object>(query: Sql) => {
    const { text, values } = render(query, 'sqlite')
    onStatement?.(text)
    const { columns, cells } = await readerThread.read(text, values, limits)
    return toRows(columns, cells) as Result[]
  }
}

interface Connection {
  readonly database: BetterSqlite3.Database
  /** The folder of the files of uploads: the same for those who open the database by a symbolic link. */
  readonly files: string
  prepare(text: string): Prepared
  /** Another number after each transaction that another connection has committed. */
  readonly readVersion: () => number
  /** Whether the file was replaced or overwritten. */
  readonly findLoss: (now?: boolean) => sqliteFile.FileLoss | undefined
}

/** A prepared statement, which returns rows as arrays: the driver takes a third less time for them than for objects. */
interface Prepared {
  readonly statement: BetterSqlite3.Statement
  /** Names of the columns; none for statements that return no rows. */
  readonly columns: readonly string[]
}

/** @param mustStop whether the current query must end; see `continues` in sql.ts */
export function connect(
  { file, isReadOnly, busyTimeout, opened }: SqliteOptions,
  mustStop: () => boolean = () => false,
): Connection {
  // Before it is opened: SQLite would apply the log of the former file to the one that has its name.
  if (!sqliteFile.isSame(sqliteFile.identityOf(file), opened.identity))
    throw sqliteFile.fileLost(file, 'REPLACED')
  const database = sqliteFile.openFile(file, { readonly: isReadOnly, timeout: busyTimeout })
  database.pragma('foreign_keys = ON')
  database.pragma('synchronous = NORMAL')
  database.pragma(`journal_size_limit = ${MAX_LOG_BYTES}`)
  database.function('continues', () => {
    if (mustStop()) throw tooLong()
    return 1
  })
  const counter = database.prepare('PRAGMA user_version').pluck()
  const version = database.prepare('PRAGMA data_version').pluck()
  const readVersion = () => version.get() as number
  const isCopy = database.name !== file
  const hasOwnContent = isCopy
    ? () => true
    : sqliteFile.createContentCheck(opened, () => counter.get() as number, readVersion)
  const findLoss = sqliteFile.createFileCheck(file, opened, hasOwnContent)
  const prepared = new LRUCache<string, Prepared>({
    max: MAX_PREPARED,
    memoMethod: (text) => prepareStatement(database, text),
  })
  return {
    database,
    files: `${realpathSync(file)}-uploads`,
    readVersion,
    findLoss,
    prepare(text) {
      const loss = findLoss()
      if (loss) throw sqliteFile.fileLost(file, loss)
      return prepared.memo(text)
    },
  }
}

/** Counts a transaction in the header of the file; see `createContentCheck`. */
function countWrite(database: BetterSqlite3.Database): void {
  const count = database.pragma('user_version', { simple: true }) as number
  const next = count === 0 ? randomInt(1, 2 ** 31) : (count + 1) | 0 || 1
  database.pragma(`user_version = ${next}`)
}

/** Rows that a connection has changed since it was opened. */
function changesOf({ prepare }: Connection): number {
  return prepare('SELECT total_changes()').statement.pluck().get() as number
}

function prepareStatement(database: BetterSqlite3.Database, text: string): Prepared {
  const statement = database.prepare(text)
  if (!statement.reader) return { statement, columns: [] }
  return { statement: statement.raw(), columns: statement.columns().map(({ name }) => name) }
}

/** Executes a query. @returns the values of its rows */
export function readCells({ statement }: Prepared, values: readonly unknown[]): unknown[][] {
  return statement.all(...values) as unknown[][]
}

function readRows(prepared: Prepared, values: readonly unknown[]): Record<string, unknown>[] {
  return toRows(prepared.columns, readCells(prepared, values))
}

function toRows(
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
): Record<string, unknown>[] {
  return rows.map((cells) => {
    const row: Record<string, unknown> = {}
    for (let index = 0; index < columns.length; index++) row[columns[index]] = cells[index]
    return row
  })
}

/** Reads in one transaction, on a separate connection. */
async function readSnapshot<Result>(
  options: SqliteOptions,
  read: (session: Session) => Promise<Result>,
): Promise<Result> {
  const connection = connect(options)
  try {
    connection.database.exec('BEGIN')
    return await read(createSession(connection, options, () => {}))
  } catch (error) {
    throw translateSqliteError(error, options.file)
  } finally {
    connection.database.close()
  }
}

/** Threads of a process that have the same file open share its channels. */
function channelName({ file }: SqliteOptions, channel: string): string {
  return `${resolve(file)} ${channel}`
}

async function broadcast(options: SqliteOptions, channel: string): Promise<void> {
  const sender = new BroadcastChannel(channelName(options, channel))
  sender.postMessage(null)
  sender.close()
}

/** Listens to the threads of this process, and polls for writes of other processes. */
async function listen(
  { database }: Connection,
  readVersion: () => number,
  options: SqliteOptions,
  channel: string,
  listener: () => void,
): Promise<() => Promise<void>> {
  const receiver = new BroadcastChannel(channelName(options, channel))
  receiver.onmessage = listener
  receiver.unref()
  let version = readVersion()
  const timer = setInterval(() => {
    if (!database.open) return
    const current = versionNow(readVersion)
    if (current === undefined || current === version) return
    version = current
    listener()
  }, POLL_INTERVAL_MS).unref()
  return async () => {
    clearInterval(timer)
    receiver.close()
  }
}

/** Undefined while the file cannot be read: a statement whose caller can be told fails for the same reason. */
function versionNow(readVersion: () => number): number | undefined {
  try {
    return readVersion()
  } catch {
    return undefined
  }
}

/** @throws the error of `act` as {@link translateSqliteError} */
function attempt<Result>(file: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    throw translateSqliteError(error, file)
  }
}

/**
 * A session on one connection.
 *
 * @param notify implements `notify` of the session
 * @param writing runs queries that write. Default: they run on this connection
 */
function createSession(
  connection: Connection,
  { file, onStatement }: SqliteOptions,
  notify: (channel: string) => void,
  writing?: Session['transaction'],
): Session {
  const translated = <Result>(act: () => Result): Result => attempt(file, act)
  const prepare = (query: Sql) => {
    const { text, values } = render(query, 'sqlite')
    return { text, prepared: connection.prepare(text), values }
  }
  const session: Session = {
    engine: 'sqlite',
    files: connection.files,
    async all<Result extends object>(query: Sql) {
      // Statements run on this thread: between them it handles other requests, except in a transaction, which others wait for.
      if (writing) await yieldToEventLoop()
      const { text, prepared, values } = translated(() => prepare(query))
      if (writing && !prepared.statement.readonly) return writing((inner) => inner.all<Result>(query))
      onStatement?.(text)
      return translated(() => readRows(prepared, values) as Result[])
    },
    async run(query) {
      return translated(() => {
        const { text, prepared, values } = prepare(query)
        onStatement?.(text)
        return prepared.statement.run(...values).changes
      })
    },
    async insertMany(entity, properties, rows) {
      const insert = batchInsert(connection, entity, properties)
      onStatement?.(insert.text)
      if (Symbol.iterator in rows) {
        for (const row of rows) insert.add(row, translated)
      } else {
        for await (const row of rows) insert.add(row, translated)
      }
      translated(insert.flush)
    },
    async reserveIds({ name }, count) {
      return translated(() => {
        const find = connection.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?')
        const [row] = readRows(find, [name])
        const last = Number(row?.seq ?? 0)
        const text = row
          ? 'UPDATE sqlite_sequence SET seq = ? WHERE name = ?'
          : 'INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)'
        connection.prepare(text).statement.run(last + count, name)
        return last + 1
      })
    },
    transaction: (work) => work(session),
    independently: (work) => work(session),
    async notify(channel) {
      notify(channel)
    },
  }
  return session
}

/** Inserts rows, {@link ROWS_PER_STATEMENT} per statement. */
function batchInsert({ database, prepare }: Connection, entity: Entity, properties: readonly string[]) {
  const columns = properties.map((property) => quoteColumn(entity, property)).join(', ')
  const row = `(${properties.map(() => '?').join(', ')})`
  const textFor = (count: number) =>
    `INSERT INTO ${entity.name} (${columns}) VALUES ${Array.from({ length: count }, () => row).join(', ')}`
  const jsonProperties = new Set(propertiesOfType(entity, 'simple-json'))
  const jsonIndices = properties.flatMap((property, index) => (jsonProperties.has(property) ? [index] : []))
  const size = ROWS_PER_STATEMENT * properties.length
  let values: unknown[] = []
  let batches = 0
  const flush = () => {
    if (values.length > 0) prepare(textFor(values.length / properties.length)).statement.run(values)
    values = []
    if (++batches % BATCHES_PER_CHECK === 0) sqliteFile.requireFreeSpace(database.name, 0)
  }
  return {
    text: textFor(1),
    add(newRow: readonly unknown[], attempt: (act: () => void) => void) {
      const start = values.length
      for (const value of newRow) values.push(bindable(value))
      for (const index of jsonIndices)
        values[start + index] = encode(entity, properties[index], newRow[index])
      if (values.length >= size) attempt(flush)
    },
    flush,
  }
}

/** SQLite has no booleans. */
function bindable(value: unknown): unknown {
  if (typeof value === 'string') return storable(value)
  return typeof value === 'boolean' ? Number(value) : value
}

async function runTransaction<Result>(
  connection: Connection,
  options: SqliteOptions,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { database } = connection
  const requireInPlace = () => {
    const loss = connection.findLoss(true)
    if (loss) throw sqliteFile.fileLost(options.file, loss)
  }
  requireInPlace()
  await whenFree(options, () =>
    withoutWaiting(database, options, () => connection.prepare('BEGIN IMMEDIATE').statement.run()),
  )
  const channels = new Set<string>()
  try {
    const before = changesOf(connection)
    const session = createSession(connection, options, (channel) => channels.add(channel))
    const result = await work(session)
    await yieldToEventLoop()
    requireInPlace()
    // Others look at what has changed, and might write in turn: a transaction that wrote nothing is none for them.
    if (changesOf(connection) !== before) countWrite(database)
    database.exec('COMMIT')
    for (const channel of channels) await broadcast(options, channel)
    return result
  } catch (error) {
    // Some failures, such as a full disk, have already ended the transaction.
    if (database.inTransaction) database.exec('ROLLBACK')
    const translated = translateSqliteError(error, options.file)
    // A transaction on a full disk has taken space in the log.
    if (hasCode(translated, 'RESOURCE_MISSING'))
      withoutWaiting(database, options, () => checkpoint(database, 'TRUNCATE'))
    throw translated
  }
}

/**
 * Watches whether another file takes the name of an open one, or another content its place. The log is then written to the former
 * file, if there still is one, or else set aside, so that nobody applies it to the new one. Says so on stderr: whoever
 * has overwritten a file does not wait for an answer.
 */
function watchFile({ database, findLoss }: Connection, { file, isReadOnly }: SqliteOptions): () => void {
  if (isReadOnly) return () => {}
  database.pragma('schema_version')
  const log = sqliteFile.identityOf(`${file}-wal`)
  let isLeft = false
  const look = () => {
    const loss = isLeft ? undefined : findLoss(true)
    if (loss === undefined) return
    isLeft = true
    const isOurs = sqliteFile.isSame(sqliteFile.identityOf(`${file}-wal`), log)
    const aside = loss === 'OVERWRITTEN' && isOurs ? sqliteFile.setLogAside(file) : undefined
    if (isMainThread)
      process.stderr.write(`accord: ${sqliteFile.fileLost(file, loss).message}${asideNote(aside)}\n`)
    if (loss === 'OVERWRITTEN') return
    for (const suffix of isOurs ? ['-wal', '-shm'] : []) rmSync(file + suffix, { force: true })
    checkpoint(database, 'PASSIVE')
  }
  const timer = setInterval(look, POLL_INTERVAL_MS).unref()
  return () => {
    clearInterval(timer)
    look()
  }
}

function asideNote(log: string | undefined): string {
  return log === undefined ? '' : `; its last changes are kept in ${log}`
}

/** Writes the log to the file, as far as nobody else uses it. TRUNCATE also gives its space back. */
function checkpoint(database: BetterSqlite3.Database, mode: 'PASSIVE' | 'TRUNCATE'): void {
  try {
    database.pragma(`wal_checkpoint(${mode})`)
  } catch {
    // Another process writes, or the disk is full. The log is used again in any case.
  }
}

/**
 * Runs `act` when no other connection writes. Waiting does not block the thread.
 *
 * @throws AccordError BUSY after the busy timeout
 */
export async function whenFree<Result>(
  { file, busyTimeout }: Pick<SqliteOptions, 'file' | 'busyTimeout'>,
  act: () => Result,
): Promise<Result> {
  const deadline = performance.now() + busyTimeout
  for (;;) {
    try {
      return act()
    } catch (thrown) {
      const error = translateSqliteError(thrown, file)
      const isBusy = hasCode(error, 'BUSY')
      if (!isBusy || performance.now() > deadline) throw error
      await sleep(RETRY_INTERVAL_MS)
    }
  }
}

function withoutWaiting<Result>(
  database: BetterSqlite3.Database,
  { busyTimeout }: SqliteOptions,
  act: () => Result,
): Result {
  database.pragma('busy_timeout = 0')
  try {
    return act()
  } finally {
    database.pragma(`busy_timeout = ${busyTimeout}`)
  }
}

/** Translates known errors of SQLite to AccordError or ConstraintViolation. Returns other errors unchanged. */
export function translateSqliteError(error: unknown, file: string): unknown {
  const code = sqliteCode(error)
  const found = error instanceof Error ? error.message : String(error)
  switch (code) {
    case 'SQLITE_IOERR_SHORT_READ':
      return notAccordDatabase(file, found)
    case 'SQLITE_READONLY_DBMOVED':
      return sqliteFile.fileLost(file, 'REPLACED')
    case 'SQLITE_ERROR':
      // The statements of this program fit the tables of its version: those of the file are damaged.
      return /^no such (?:table|column)|has no column|malformed/.test(found)
        ? notAccordDatabase(file, found)
        : error
    case 'SQLITE_CONSTRAINT_UNIQUE':
    case 'SQLITE_CONSTRAINT_PRIMARYKEY':
      return new ConstraintViolation('UNIQUE', error)
    case 'SQLITE_CONSTRAINT_FOREIGNKEY':
      return new ConstraintViolation('FOREIGN_KEY', error)
  }
  // The primary code of an extended one, such as SQLITE_CORRUPT_INDEX.
  switch (code?.split('_').slice(0, 2).join('_')) {
    case 'SQLITE_NOTADB':
    case 'SQLITE_CORRUPT':
      return notAccordDatabase(file, found)
    case 'SQLITE_IOERR':
      return new AccordError('RESOURCE_MISSING', 'the disk of the database failed', { source: file, found })
    case 'SQLITE_FULL':
      return sqliteFile.diskFull(file)
    case 'SQLITE_BUSY':
      return new AccordError(
        'BUSY',
        'another process is writing to the database; try again when it has finished',
        { source: file },
      )
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_PERM':
      return sqliteFile.cannotOpen(file, found)
    case 'SQLITE_READONLY':
      return sqliteFile.readOnlyDatabase(file)
    default:
      return error
  }
}

/** The error for a file that is not a database of this program. */
export function notAccordDatabase(file: string, found: string): AccordError {
  return new AccordError('INVALID_SHAPE', 'the file is not a valid Accord database', {
    source: file,
    expected: 'a database created by `accord import`',
    found,
  })
}

function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, driverError } = error as { code?: string; driverError?: { code?: string } }
  return code ?? driverError?.code
}
