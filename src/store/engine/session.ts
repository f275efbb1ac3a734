import type { Entity } from './columns.js'
import type { EngineName, Sql } from './sql.js'

/** Rows in memory or from a stream. */
export type Rows<Item> = Iterable<Item> | AsyncIterable<Item>

/** An open database or a transaction on it. All functions of the store take one. */
export interface Session {
  readonly engine: EngineName
  /** The folder of files that belong to a SQLite file, which may not exist yet; null on PostgreSQL. */
  readonly files: string | null
  /** All rows of a query. Properties are named by the query; see `find` for rows of an entity. */
  all<Result extends object>(query: Sql): Promise<Result[]>
  /** Executes a statement. @returns the number of changed rows */
  run(statement: Sql): Promise<number>
  /**
   * Inserts many rows: by prepared statements or by COPY.
   *
   * @param properties of the entity, in the order of the values of each row; it encodes the values of JSON columns
   * @param rows must not use the session while they are inserted
   */
  insertMany<E extends Entity>(
    entity: E,
    properties: readonly (keyof E['columns'] & string)[],
    rows: Rows<readonly unknown[]>,
  ): Promise<void>
  /** Reserves ids for rows that are inserted later. @returns the first of `count` consecutive ids */
  reserveIds(entity: Entity, count: number): Promise<number>
  /**
   * Runs `work` in a transaction, which is rolled back if `work` throws. Within a transaction, `work`
   * joins it.
   *
   * `work` must use only the session it receives: on SQLite, other transactions wait for this one.
   *
   * @throws AccordError BUSY if another process writes longer than the busy timeout
   */
  transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result>
  /**
   * Runs `work` in a separate transaction, which is committed before the surrounding one and not rolled back with it.
   * For shared rows that are never removed: long transactions that insert the same rows would wait for each other.
   * On SQLite, where one transaction runs at a time, it is part of the surrounding one.
   */
  independently<Result>(work: (session: Session) => Promise<Result>): Promise<Result>
  /** Notifies the listeners of all processes after the transaction is committed. */
  notify(channel: string): Promise<void>
}

export interface Database extends Session {
  /** The location given to `openDatabase`, without a password. */
  readonly location: string
  readonly isReadOnly: boolean
  /**
   * Calls `listener` soon after each `notify` of the channel, and sometimes without one. Notifications can be lost
   * while the connection to a server is interrupted.
   *
   * @returns a function that stops listening
   */
  listen(channel: string, listener: () => void): Promise<() => Promise<void>>
  /** Runs `read` on a session whose queries all see one snapshot of the database. It must not write. */
  snapshot<Result>(read: (session: Session) => Promise<Result>): Promise<Result>
  /**
   * Runs `read` on a session for long queries: on SQLite, another thread executes them, one at a time; on PostgreSQL, they
   * use few connections. Owners take turns. It must not write.
   *
   * @throws AccordError TIMEOUT for a query that exceeds the limit; the reason of the signal
   */
  readLong<Result>(limits: ReadLimits, read: (session: Session) => Promise<Result>): Promise<Result>
  /**
   * A number that is another one after each change of the database that `all` sees, at the price of a few microseconds; null
   * where it would take a query of a server: on PostgreSQL.
   */
  version(): number | null
  /**
   * A text that is another one after each change of the database that `all` sees; on PostgreSQL also after changes of other databases
   * of the server.
   *
   * @throws AccordError where the database cannot be read
   */
  state(): Promise<string>
  /** Waits for running transactions and closes all connections. */
  close(): Promise<void>
}

/** When a query is interrupted. */
export interface ReadLimits {
  /** Duration of one query. On SQLite, queries that can reach it have the condition `continues` of sql.ts. */
  readonly milliseconds: number
  readonly signal?: AbortSignal
  /** For whom it is executed. */
  readonly owner?: string
}

export interface OpenOptions {
  /** Fail if the database does not exist, instead of creating it. */
  readonly mustExist?: boolean
  /** Remove a file that was created, when it is closed, unless datasets, metrics or collections were written to it. SQLite only. */
  readonly removeEmpty?: boolean
  /** Milliseconds that a transaction waits for another one to end. Default: 15,000. SQLite only. */
  readonly busyTimeout?: number
  /** Called with each SQL statement that is executed. */
  readonly onStatement?: (text: string) => void
}

/** A unique or foreign key constraint was violated. */
export class ConstraintViolation extends Error {
  readonly kind: 'UNIQUE' | 'FOREIGN_KEY'

  constructor(kind: 'UNIQUE' | 'FOREIGN_KEY', cause: unknown) {
    super(`A constraint of the database was violated: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    })
    this.name = 'ConstraintViolation'
    this.kind = kind
  }
}
