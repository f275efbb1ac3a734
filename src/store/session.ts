import type { Entity } from './columns.js'
import type { EngineName, Sql } from './sql.js'

/** Rows that are all there, or that arrive one by one. */
export type Rows<Item> = Iterable<Item> | AsyncIterable<Item>

/** What the functions of the store run their statements on: an open database, or a transaction on it. */
export interface Session {
  readonly engine: EngineName
  /** All rows of a query. Columns are named by the query; see `find` for rows of an entity. */
  all<Result extends object>(query: Sql): Promise<Result[]>
  /** Executes a statement. @returns how many rows it changed */
  run(statement: Sql): Promise<number>
  /**
   * Inserts many rows: by prepared statements or by COPY.
   *
   * @param properties of the entity, in the order of the values of each row; values of JSON columns as they are
   * @param rows must not use the session, which is busy meanwhile
   */
  insertMany<E extends Entity>(
    entity: E,
    properties: readonly (keyof E['columns'] & string)[],
    rows: Rows<readonly unknown[]>,
  ): Promise<void>
  /** Reserves ids for rows that are inserted with them. @returns the first of `count` consecutive ids */
  reserveIds(entity: Entity, count: number): Promise<number>
  /**
   * Runs `work` in one transaction: all of it is written, or nothing where it throws. Within a transaction, `work`
   * joins it.
   *
   * `work` uses the session that it gets and no other: on SQLite, a transaction on the database waits for this one.
   *
   * @throws AccordError BUSY where another process keeps writing
   */
  transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result>
  /**
   * Runs `work` in a transaction of its own, which ends before the surrounding one and stays when that one is undone.
   * For rows that are shared and never removed: long transactions that insert the same ones would wait for each other.
   * On SQLite, where one transaction runs at a time, it is part of the surrounding one.
   */
  independently<Result>(work: (session: Session) => Promise<Result>): Promise<Result>
  /** Tells the listeners of all processes, once the transaction is committed. */
  notify(channel: string): Promise<void>
}

/** An open database. */
export interface Database extends Session {
  /** Where it is, as the user named it; without a password. */
  readonly location: string
  /** Whether it can only be read. */
  readonly isReadOnly: boolean
  /**
   * Calls `listener` soon after each `notify` of the channel, and sometimes without one. A notification can be lost
   * while the connection to a server is.
   *
   * @returns stops it
   */
  listen(channel: string, listener: () => void): Promise<() => Promise<void>>
  /** Runs `read` on a session whose queries all see the database as it is now. It must not write. */
  snapshot<Result>(read: (session: Session) => Promise<Result>): Promise<Result>
  /** Finishes what is being written and closes all connections. */
  close(): Promise<void>
}

/** What a driver reports where a row that a statement refers to, or one with the same key, forbids it. */
export class ConstraintViolation extends Error {
  readonly kind: 'UNIQUE' | 'FOREIGN_KEY'

  constructor(kind: 'UNIQUE' | 'FOREIGN_KEY', cause: unknown) {
    super('A constraint of the database forbids this row.', { cause })
    this.name = 'ConstraintViolation'
    this.kind = kind
  }
}
