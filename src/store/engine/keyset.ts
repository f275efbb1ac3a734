import { AccordError } from '../../errors.js'
import type { Entity, Row } from './columns.js'
import { columnsOf, count, decode } from './rows.js'
import type { Session } from './session.js'
import { EMPTY, raw, type Sql, sql, where } from './sql.js'

/**
 * Keyset pagination: a page starts after a position instead of a number of rows. It is stable while rows are added and
 * removed, and all pages cost the same.
 */
export type Direction = 'ASC' | 'DESC'

/** A total order: by a non-null SQL expression, ties by id. */
export interface Order {
  readonly expression: Sql
  /** Type of the expression. */
  readonly type: 'text' | 'integer' | 'double'
  readonly direction: Direction
}

/** The position of a row in an order. */
export interface Position {
  readonly value: string | number
  readonly id: number
}

/** At most `limit` rows after `after` and before `before`: the first ones, or the last ones if `fromEnd` is true. */
export interface PageRequest {
  readonly limit: number
  readonly after?: Position
  readonly before?: Position
  readonly fromEnd: boolean
}

export interface Page<Item> {
  readonly rows: readonly { readonly row: Item; readonly position: Position }[]
  /** Whether there are rows after the last of the page. */
  readonly hasNextPage: boolean
  /** Whether there are rows before the first of the page. */
  readonly hasPreviousPage: boolean
}

/** Rows of an entity in an order. */
export interface PageQuery<E extends Entity> {
  readonly entity: E
  /** The properties of the rows that are read. Default: all. */
  readonly only?: readonly (keyof E['columns'] & string)[]
  /** Joins of its table: `JOIN word ON …`. */
  readonly joins?: Sql
  readonly conditions: readonly Sql[]
  readonly order: Order
  /** The id that orders ties. Default: that of the entity. */
  readonly tieBreaker?: Sql
}

/** Rows that are read page by page. */
export interface PagedRows<Item> {
  page(request: PageRequest): Promise<Page<Item>>
  /** The number of rows on all pages. */
  count(): Promise<number>
}

/** The rows of a query. `page` fails as {@link readPage}. */
export function pagedRows<E extends Entity>(session: Session, query: PageQuery<E>): PagedRows<Row<E>> {
  const { entity, joins = EMPTY, conditions } = query
  return {
    page: (request) => readPage(session, query, request),
    count: () => count(session, sql`FROM ${raw(entity.name)} ${joins} ${where(conditions)}`),
  }
}

/**
 * Reads a page of a query: one statement for the rows and one for each bound of the request.
 *
 * @throws AccordError INVALID_CURSOR if the type of a position is not that of the order
 */
async function readPage<E extends Entity>(
  session: Session,
  query: PageQuery<E>,
  request: PageRequest,
): Promise<Page<Row<E>>> {
  const { entity, joins = EMPTY, order, tieBreaker = raw(`${entity.name}.id`) } = query
  const { limit, after, before, fromEnd } = request
  for (const position of [after, before]) if (position) checkPosition(order, position)
  const key = sql`(${order.expression}, ${tieBreaker})`
  const [onwards, back] = order.direction === 'ASC' ? [raw('>'), raw('<')] : [raw('<'), raw('>')]
  const restrictions = [
    ...query.conditions,
    ...(after ? [sql`${key} ${onwards} ${keyOf(after)}`] : []),
    ...(before ? [sql`${key} ${back} ${keyOf(before)}`] : []),
  ]
  const from = sql`FROM ${raw(entity.name)} ${joins}`
  const direction = raw((order.direction === 'ASC') === fromEnd ? 'DESC' : 'ASC')
  const found = await session.all<Row<E> & { sortValue: string | number; sortId: number }>(
    sql`SELECT ${order.expression} AS "sortValue", ${tieBreaker} AS "sortId", ${columnsOf(entity, [], query.only)}
        ${from} ${where(restrictions)}
        ORDER BY ${order.expression} ${direction}, ${tieBreaker} ${direction} LIMIT ${limit + 1}`,
  )
  /** Whether there is a row at a position or beyond it. */
  const exists = async (comparison: Sql, position: Position | undefined) => {
    if (!position) return false
    const outside = [...query.conditions, sql`${key} ${comparison}= ${keyOf(position)}`]
    return (await session.all(sql`SELECT 1 AS found ${from} ${where(outside)} LIMIT 1`)).length > 0
  }
  const hasMore = found.length > limit
  const rows = decode(entity, found.slice(0, limit)).map(({ sortValue, sortId, ...row }) => ({
    row: row as unknown as Row<E>,
    position: { value: sortValue, id: sortId },
  }))
  if (fromEnd) rows.reverse()
  return {
    rows,
    hasNextPage: (!fromEnd && hasMore) || (await exists(onwards, before)),
    hasPreviousPage: (fromEnd && hasMore) || (await exists(back, after)),
  }
}

/**
 * Like `readPage`, for rows in memory. The position of a row is its key, and its place in case that it is removed.
 *
 * @param keyOf a key that no other row has
 */
export function pageOfRows<Item>(
  all: readonly Item[],
  keyOf: (row: Item) => string | number,
  request: PageRequest,
): Page<Item> {
  return sliceOf(all, keyOf, request, ({ value, id }) => {
    const place = all.findIndex((row) => keyOf(row) === value)
    return place < 0 ? { place: Math.min(id, all.length), exists: 0 } : { place, exists: 1 }
  })
}

/**
 * Like {@link pageOfRows}, for rows in the order of their keys, texts as the database orders them: a page begins where its
 * cursor points, whichever rows are removed.
 */
export function pageOfSorted<Item>(
  all: readonly Item[],
  keyOf: (row: Item) => string | number,
  request: PageRequest,
): Page<Item> {
  return sliceOf(all, keyOf, request, ({ value }) => {
    const found = all.findIndex((row) => compareKeys(keyOf(row), value) >= 0)
    const place = found < 0 ? all.length : found
    return { place, exists: place < all.length && keyOf(all[place]) === value ? 1 : 0 }
  })
}

function compareKeys(one: string | number, other: string | number): number {
  return typeof one === 'number' && typeof other === 'number'
    ? one - other
    : Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}

/** @param find the place of the first row at a position or beyond it, and whether the row of the position still exists */
function sliceOf<Item>(
  all: readonly Item[],
  keyOf: (row: Item) => string | number,
  { after, before, limit, fromEnd }: PageRequest,
  find: (position: Position) => { readonly place: number; readonly exists: 0 | 1 },
): Page<Item> {
  const afterRow = after && find(after)
  const start = afterRow ? afterRow.place + afterRow.exists : 0
  const limitedEnd = before ? find(before).place : all.length
  const end = Math.max(start, limitedEnd)
  const [from, to] = fromEnd ? [Math.max(start, end - limit), end] : [start, Math.min(end, start + limit)]
  return {
    rows: all
      .slice(from, to)
      .map((row, index) => ({ row, position: { value: keyOf(row), id: from + index } })),
    hasNextPage: (!fromEnd && to < end) || limitedEnd < all.length,
    hasPreviousPage: (fromEnd && from > start) || start > 0,
  }
}

function keyOf({ value, id }: Position): Sql {
  return sql`(${value}, ${id})`
}

/** PostgreSQL rejects values of another type, which SQLite orders before or after all others. */
function checkPosition({ type }: Order, { value, id }: Position): void {
  const isOfType =
    type === 'text' ? typeof value === 'string' : type === 'double' ? Number.isFinite(value) : isInt32(value)
  if (isOfType && isInt32(id)) return
  throw new AccordError('INVALID_CURSOR', 'the cursor does not belong to this order', {
    expected: 'a cursor of a list in the same order',
    found: JSON.stringify(value),
  })
}

function isInt32(value: string | number): boolean {
  return typeof value === 'number' && (value | 0) === value
}
