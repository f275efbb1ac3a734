import { type PagedRows, pageOfRows } from '../../store/engine/keyset.js'
import type { Session } from '../../store/engine/session.js'

/** A list that is read page by page. */
export interface PagedList<Row> extends PagedRows<Row> {
  /** Identifies the order of the list. Positions of one order are not valid in another. */
  readonly order: string
}

/** A list that is opened anew for each page, since each is read by another session. */
export function pagedBy<Row>(
  order: string,
  read: <Result>(work: (session: Session) => Promise<Result>) => Promise<Result>,
  open: (session: Session) => Promise<PagedRows<Row>>,
): PagedList<Row> {
  return {
    order,
    page: (request) => read(async (session) => (await open(session)).page(request)),
    count: () => read(async (session) => (await open(session)).count()),
  }
}

/** A list of rows in memory. @param keyOf a key that no other row has */
export function pagedArray<Row>(
  order: string,
  rows: readonly Row[],
  keyOf: (row: Row) => string | number,
): PagedList<Row> {
  return { order, page: async (request) => pageOfRows(rows, keyOf, request), count: async () => rows.length }
}
