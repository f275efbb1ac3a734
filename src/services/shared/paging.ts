import { type Page, type PageRequest, pageOfRows } from '../../store/engine/keyset.js'

/** A list that is read page by page. */
export interface PagedList<Row> {
  /** Identifies the order of the list. Positions of one order are not valid in another. */
  readonly order: string
  page(request: PageRequest): Promise<Page<Row>>
  /** The number of rows on all pages. */
  count(): Promise<number>
}

/** A list of rows in memory. @param keyOf a key that no other row has */
export function pagedArray<Row>(
  order: string,
  rows: readonly Row[],
  keyOf: (row: Row) => string | number,
): PagedList<Row> {
  return { order, page: async (request) => pageOfRows(rows, keyOf, request), count: async () => rows.length }
}
