import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { AccordError } from '../../errors.js'
import { createSemaphore } from '../../semaphore.js'
import type { Entity } from './columns.js'
import { tooLong } from './reader.js'
import { encode, quoteColumn } from './rows.js'
import { ConstraintViolation, type Database, type ReadLimits, type Rows, type Session } from './session.js'
import { type Parameter, render, type Sql, sql, storable } from './sql.js'

export interface PostgresOptions {
  readonly url: string
  readonly onStatement?: (text: string) => void
}

/** Maximum number of connections of one process. */
const MAX_CONNECTIONS = 8

/** Time before a listener reconnects, in milliseconds. */
const RECONNECT_INTERVAL_MS = 1000

/** Size of the chunks that are sent to COPY, in bytes. */
const COPY_CHUNK = 65_536

/**
 * Maximum number of connections for independent transactions. They have a separate pool: with a shared pool,
 * transactions that use all connections would wait for each other forever.
 */
const MAX_INDEPENDENT_CONNECTIONS = 2

/** Time between two cancellations of a query, in milliseconds. */
const CANCEL_AGAIN_MS = 20

/** Maximum number of connections for queries that may take long. */
const MAX_READER_CONNECTIONS = 2

/** A PostgreSQL database through a pool of connections. */
export function openPostgres(
  options: PostgresOptions,
): Session &
  Pick<Database, 'listen' | 'snapshot' | 'readLong' | 'version' | 'state'> & { close(): Promise<void> } {
  const pool = createPool(options, MAX_CONNECTIONS)
  const independentPool = createPool(options, MAX_INDEPENDENT_CONNECTIONS)
  const readerPool = createPool(options, MAX_READER_CONNECTIONS)
  // Nobody waits for the state behind long queries.
  const statePool = createPool(options, 1)
  const semaphore = createSemaphore(MAX_READER_CONNECTIONS)
  const independently: Session['independently'] = (work) =>
    runTransaction(independentPool, options, (client) => work(joinTransaction(client, options)))
  const transaction: Session['transaction'] = (work) =>
    runTransaction(pool, options, (client) => work(joinTransaction(client, options, independently)))
  const snapshot: Database['snapshot'] = (read) =>
    runTransaction(
      pool,
      options,
      (client) => read(joinTransaction(client, options)),
      'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
    )
  return {
    ...createSession(pool, options, transaction, independently),
    snapshot,
    version: () => null,
    async state() {
      const { rows } = await attempt(options, () => statePool.query<[string]>(STATE))
      return rows[0][0]
    },
    async readLong(limits, read) {
      const release = await semaphore.acquire(limits)
      const work = (client: pg.PoolClient) => readInterruptibly(client, pool, options, limits, read)
      return runTransaction(readerPool, options, work, 'BEGIN READ ONLY').finally(release)
    },
    listen: (channel, listener) => listen(options, channel, listener),
    async close() {
      await Promise.all([pool.end(), independentPool.end(), readerPool.end(), statePool.end()])
    },
  }
}

/**
 * The transactions whose changes are seen: a snapshot names those that have not ended below the newest one. Whatever writes has an id
 * there. A server that was started again may have been restored to a former state.
 */
const STATE = {
  text: 'SELECT pg_current_snapshot()::text || pg_postmaster_start_time()',
  rowMode: 'array' as const,
}

/** Reads until the limit, or until the signal: a connection of the pool then cancels the query. */
async function readInterruptibly<Result>(
  client: pg.PoolClient,
  pool: pg.Pool,
  options: PostgresOptions,
  { milliseconds, signal }: ReadLimits,
  read: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { processID } = client as pg.PoolClient & { readonly processID: number }
  let isReading = true
  let cancellation: Promise<void> | undefined
  const interrupt = () => {
    cancellation = cancel()
  }
  /** Cancels what the connection executes, again until it has ended: between two statements a cancellation has no effect. */
  async function cancel(): Promise<void> {
    while (isReading) {
      await pool.query('SELECT pg_cancel_backend($1)', [processID]).catch(() => {})
      await sleep(CANCEL_AGAIN_MS)
    }
  }
  await attempt(options, () => client.query(`SET LOCAL statement_timeout = ${milliseconds}`))
  signal?.throwIfAborted()
  signal?.addEventListener('abort', interrupt, { once: true })
  try {
    return await read(joinTransaction(client, options))
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    isReading = false
    signal?.removeEventListener('abort', interrupt)
    // It must not reach the next query of the connection.
    await cancellation
  }
}

/** A session on the transaction of a client. Transactions on it join that transaction. */
function joinTransaction(
  client: pg.PoolClient,
  options: PostgresOptions,
  independently?: Session['independently'],
): Session {
  const join: Session['transaction'] = (work) => work(session)
  const session: Session = createSession(client, options, join, independently ?? join)
  return session
}

function createPool({ url }: PostgresOptions, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max, types: TYPES })
  // The pool replaces a broken connection; its current user receives the error from the statement.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

async function runTransaction<Result>(
  pool: pg.Pool,
  options: PostgresOptions,
  work: (client: pg.PoolClient) => Promise<Result>,
  begin = 'BEGIN',
): Promise<Result> {
  const client = await connect(pool, options)
  let broken: Error | undefined
  try {
    await attempt(options, () => client.query(begin))
    const result = await work(client)
    const { command } = await attempt(options, () => client.query('COMMIT'))
    if (command !== 'COMMIT')
      throw new Error('A statement of the transaction has failed: nothing was written.')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    client.release(broken)
  }
}

/** Runs functions one after the other: a connection executes one statement at a time. */
function createTurns(): <Result>(act: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (act) => {
    const result = last.then(act)
    last = result.catch(() => {})
    return result
  }
}

async function attempt<Result>({ url }: PostgresOptions, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    throw translatePostgresError(error, url)
  }
}

/** Parses counts and sums as numbers: they are less than 2^53. */
const TYPES = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return Number
    return pg.types.getTypeParser(oid, format as 'text')
  },
} as pg.CustomTypesConfig

type Queryable = pg.Pool | pg.PoolClient

function connect(pool: pg.Pool, options: PostgresOptions): Promise<pg.PoolClient> {
  return attempt(options, () => pool.connect())
}

function createSession(
  queryable: Queryable,
  options: PostgresOptions,
  transaction: Session['transaction'],
  independently: Session['independently'],
): Session {
  const inTurn = 'release' in queryable ? createTurns() : <Result>(act: () => Promise<Result>) => act()
  function query(statement: Sql): Promise<pg.QueryResult> {
    const { text, values } = render(statement, 'postgres')
    options.onStatement?.(text)
    return inTurn(() => attempt(options, () => queryable.query(text, values)))
  }
  return {
    engine: 'postgres',
    files: null,
    async all<Result extends object>(statement: Sql) {
      return (await query(statement)).rows as Result[]
    },
    async run(statement) {
      return (await query(statement)).rowCount ?? 0
    },
    async insertMany(entity, properties, rows) {
      if ('release' in queryable) return inTurn(() => copyRows(queryable, entity, properties, rows, options))
      const client = await connect(queryable, options)
      try {
        await copyRows(client, entity, properties, rows, options)
        client.release()
      } catch (error) {
        // As the pool does after a query: the next statement must not have a connection that is lost.
        client.release(true)
        throw error
      }
    },
    async reserveIds(entity, count) {
      // If another process takes ids in between, the ids of this attempt remain unused.
      for (;;) {
        const { rows } = await query(
          sql`SELECT min(id) AS first, max(id) AS last FROM (
                SELECT nextval(sequence::regclass) AS id
                FROM pg_get_serial_sequence(${entity.name}, 'id') AS sequence, generate_series(1, ${count})
              ) AS reserved`,
        )
        const { first, last } = rows[0] as { first: number; last: number }
        if (count === 0 || last - first + 1 === count) return first
      }
    },
    transaction,
    independently,
    async notify(channel) {
      await query(sql`SELECT pg_notify(${channel}, '')`)
    },
  }
}

/** Listens on a separate connection and reconnects if it is lost. */
async function listen(
  { url }: PostgresOptions,
  channel: string,
  listener: () => void,
): Promise<() => Promise<void>> {
  let isStopped = false
  let client: pg.Client | undefined
  const start = async () => {
    const next = new pg.Client({ connectionString: url })
    next.on('error', () => {})
    next.on('notification', listener)
    await next.connect()
    await next.query(`LISTEN ${next.escapeIdentifier(channel)}`)
    next.on('end', () => {
      if (!isStopped) restart()
    })
    client = next
    if (isStopped) await next.end()
  }
  const restart = async () => {
    await sleep(RECONNECT_INTERVAL_MS, undefined, { ref: false })
    if (isStopped) return
    // Notifications were lost in the meantime.
    await start().then(listener, restart)
  }
  try {
    await start()
  } catch (error) {
    isStopped = true
    throw translatePostgresError(error, url)
  }
  return async () => {
    isStopped = true
    await client?.end()
  }
}

/** Inserts rows by COPY. Errors of `rows` are thrown unchanged. */
async function copyRows(
  client: pg.PoolClient,
  entity: Entity,
  properties: readonly string[],
  rows: Rows<readonly unknown[]>,
  options: PostgresOptions,
): Promise<void> {
  const columns = properties.map((property) => quoteColumn(entity, property)).join(', ')
  const statement = `COPY ${entity.name} (${columns}) FROM STDIN`
  options.onStatement?.(statement)
  const failure: { ofRows?: unknown } = {}
  const text = copyText(entity, properties, rows)
  try {
    await pipeline(Readable.from(watched(text, failure)), client.query(copyFrom(statement)))
  } catch (error) {
    throw 'ofRows' in failure ? failure.ofRows : translatePostgresError(error, options.url)
  }
}

/** The same items; notes the error with which they end. */
async function* watched<Item>(items: Rows<Item>, failure: { ofRows?: unknown }): AsyncGenerator<Item> {
  try {
    yield* items
  } catch (error) {
    failure.ofRows = error
    throw error
  }
}

/** Rows in the text format of COPY, in chunks. */
function copyText(
  entity: Entity,
  properties: readonly string[],
  rows: Rows<readonly unknown[]>,
): Rows<string> {
  const line = (row: readonly unknown[]) =>
    `${row.map((value, index) => copyValue(encode(entity, properties[index], value))).join('\t')}\n`
  return Symbol.iterator in rows ? chunksOf(rows, line) : asyncChunksOf(rows, line)
}

function* chunksOf<Item>(rows: Iterable<Item>, line: (row: Item) => string): Generator<string> {
  let chunk = ''
  for (const row of rows) {
    chunk += line(row)
    if (chunk.length < COPY_CHUNK) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

async function* asyncChunksOf<Item>(
  rows: AsyncIterable<Item>,
  line: (row: Item) => string,
): AsyncGenerator<string> {
  let chunk = ''
  for await (const row of rows) {
    chunk += line(row)
    if (chunk.length < COPY_CHUNK) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

function copyValue(value: Parameter): string {
  if (value === null) return '\\N'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'string')
    return storable(value).replace(/[\\\n\r\t]/g, (character) => ESCAPES[character])
  if (Buffer.isBuffer(value)) return `\\\\x${value.toString('hex')}`
  throw new TypeError(`No column has values like ${typeof value}.`)
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Messages of pg, and of streams, about a connection that was lost; pg reports most of them without a code. */
const LOST_CONNECTION =
  /^(Connection (terminated|ended)|Client (has encountered a connection error|was closed)|timeout e(xceeded|xpired)|Query read timeout|Premature close)/i

/** Codes of the operating system and of Node for what happens to connections, and of TLS. */
const OF_NETWORK =
  /^(E(PIPE|PROTO|CONN[A-Z]+|NOT(FOUND|CONN)|NOENT|AI_[A-Z]+|(HOST|NET)(UNREACH|DOWN)|NETRESET|TIMEDOUT|SHUTDOWN|ADDRNOTAVAIL)|ERR_(STREAM|SSL|TLS|SOCKET)_[A-Z0-9_]+)$/

/**
 * Codes of PostgreSQL for a connection that cannot be made, or has ended: its classes 08 and 28, a database that does not exist, too
 * many connections, sessions that were ended, and servers that stop, start or have crashed.
 */
const OF_CONNECTION = /^(08...|28...|3D000|53300|57P0[1-5]|25P0[34])$/

/** Translates known errors of PostgreSQL to AccordError or ConstraintViolation. Returns other errors unchanged. */
export function translatePostgresError(error: unknown, url: string): unknown {
  const reported = error instanceof Error ? (error as { code?: string }).code : undefined
  const message = error instanceof Error ? error.message || reported || '' : String(error)
  const code = reported ?? ''
  if (LOST_CONNECTION.test(message) || OF_NETWORK.test(code) || OF_CONNECTION.test(code)) {
    return unreachable(url, message)
  }
  switch (code) {
    case '23505':
      return new ConstraintViolation('UNIQUE', error)
    case '23503':
      return new ConstraintViolation('FOREIGN_KEY', error)
    case '40001':
    case '40P01':
      return new AccordError('BUSY', 'another process is writing the same rows; try again', {
        source: withoutPassword(url),
      })
    case '53100':
      return new AccordError('RESOURCE_MISSING', 'the disk of the database is full; nothing was written', {
        source: withoutPassword(url),
      })
    case '57014':
      return tooLong()
    case '42501':
      return new AccordError('NOT_APPLICABLE', 'the database user lacks a permission', {
        source: withoutPassword(url),
        found: message,
      })
    case '25006':
      return new AccordError('FORBIDDEN', 'the database is read-only', { source: withoutPassword(url) })
    default:
      return error
  }
}

export function unreachable(url: string, found: string): AccordError {
  return new AccordError('DATABASE_UNAVAILABLE', 'the database cannot be reached', {
    source: withoutPassword(url),
    expected: 'a PostgreSQL server with this database',
    found,
  })
}

/** A connection URL for messages; it may be invalid. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:/@]*):.*@/i, '$1@').replace(/([?&](?:ssl)?password=)[^&]*/gi, '$1***')
}
