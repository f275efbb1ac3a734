import { type PagedRows, pageOfRows, pageOfSorted } from '../../store/engine/keyset.js'
import type { Session } from '../../store/engine/session.js'

export function idsOf(rows: readonly { readonly id: number }[]): number[] {
  return rows.map(({ id }) => id)
}

/** Rows by a unique key. */
export function keyBy<Row, Key>(rows: Iterable<Row>, keyOf: (row: Row) => Key): Map<Key, Row> {
  return new Map(Array.from(rows, (row) => [keyOf(row), row]))
}

/** Rows grouped by a key, in order. */
export function groupBy<Row, Key>(rows: Iterable<Row>, keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}

/** A function of the store as one of the services. */
export function ofDatabase<Given extends readonly unknown[], Result>(
  use: (session: Session, ...given: Given) => Result,
) {
  return ({ database }: { readonly database: Session }, ...given: Given): Result => use(database, ...given)
}

/** A function of the store that reads rows by keys. */
type Read<Row, Options extends readonly unknown[], Key = number> = (
  session: Session,
  keys: readonly Key[],
  ...options: Options
) => Promise<readonly Row[]>

/** Reads the rows of keys as a map from the keys, which are unique. */
export function keyedRows<Row, Options extends readonly unknown[], Key extends number | string>(
  read: Read<Row, Options, Key>,
  keyOf: (row: Row) => Key | null,
) {
  return async (
    { database }: { readonly database: Session },
    keys: readonly Key[],
    ...options: Options
  ): Promise<Map<Key, Row>> => keyBy(await read(database, keys, ...options), (row) => keyOf(row) as Key)
}

/** Reads the rows of keys as a map from the keys, each of which can have several rows, in order. */
export function groupedRows<Row, Options extends readonly unknown[]>(
  read: Read<Row, Options>,
  keyOf: (row: Row) => number,
) {
  return async (
    { database }: { readonly database: Session },
    keys: readonly number[],
    ...options: Options
  ): Promise<Map<number, Row[]>> => groupBy(await read(database, keys, ...options), keyOf)
}

/** A list that is opened anew for each page, since each is read by another session. */
export function pagedBy<Row>(
  read: <Result>(work: (session: Session) => Promise<Result>) => Promise<Result>,
  open: (session: Session) => Promise<PagedRows<Row>>,
): PagedRows<Row> {
  return {
    page: (request) => read(async (session) => (await open(session)).page(request)),
    count: () => read(async (session) => (await open(session)).count()),
  }
}

/** A list of rows in memory. @param keyOf a key that no other row has */
export function pagedArray<Row>(rows: readonly Row[], keyOf: (row: Row) => string | number): PagedRows<Row> {
  return { page: async (request) => pageOfRows(rows, keyOf, request), count: async () => rows.length }
}

/** The same, of rows in the order of their keys. */
export function pagedSorted<Row>(rows: readonly Row[], keyOf: (row: Row) => string | number): PagedRows<Row> {
  return { page: async (request) => pageOfSorted(rows, keyOf, request), count: async () => rows.length }
}
