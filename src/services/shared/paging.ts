import { type Page, type PageRequest, type Position, pageOfSorted } from '../../store/engine/keyset.js'

/** A list that is read page by page. */
export interface PagedList<Row> {
  /** Identifies the order of the list. Positions of one order are not valid in another. */
  readonly order: string
  page(request: PageRequest): Promise<Page<Row>>
  /** The number of rows on all pages. */
  count(): Promise<number>
}

/** A row of a list and its position. */
export interface PositionedRow<Row> {
  readonly row: Row
  readonly position: Position
}

/** A list of rows in memory. @param rows sorted by `compare` */
export function pagedArray<Row>(
  order: string,
  rows: readonly PositionedRow<Row>[],
  compare: (one: Position, other: Position) => number,
): PagedList<Row> {
  return {
    order,
    page: async (request) => pageOfSorted(rows, compare, request),
    count: async () => rows.length,
  }
}
