import type { Page, PageRequest, Position } from '../store/keyset.js'

/**
 * Like `readPage`, for rows that are sorted in memory.
 *
 * @param compare the total order of the rows
 */
export function pageOfSorted<Row>(
  sorted: readonly { readonly row: Row; readonly position: Position }[],
  compare: (one: Position, other: Position) => number,
  { after, before, limit, fromEnd }: PageRequest,
): Page<Row> {
  const firstIndex = (matches: (position: Position) => boolean) => {
    const index = sorted.findIndex(({ position }) => matches(position))
    return index < 0 ? sorted.length : index
  }
  const start = after ? firstIndex((position) => compare(position, after) > 0) : 0
  const end = before ? firstIndex((position) => compare(position, before) >= 0) : sorted.length
  const [from, to] = fromEnd ? [Math.max(start, end - limit), end] : [start, Math.min(end, start + limit)]
  return {
    rows: sorted.slice(from, to),
    hasNextPage: fromEnd ? before !== undefined : to < end,
    hasPreviousPage: fromEnd ? from > start : after !== undefined,
  }
}
