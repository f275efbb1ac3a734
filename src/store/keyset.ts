import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm'

/**
 * Keyset pagination: a page begins behind a position, not behind a number of rows, so that it stays where
 * it is while rows come and go, and the last page costs what the first one does.
 */
export type Direction = 'ASC' | 'DESC'

/** A total order: by an SQL expression that is never null, ties by id. */
export interface Order {
  readonly expression: string
  readonly direction: Direction
}

/** Where a row stands in an order. */
export interface Position {
  readonly value: string | number
  readonly id: number
}

/** At most `limit` rows behind `after` and before `before`; counted from the end where `fromEnd`. */
export interface PageRequest {
  readonly limit: number
  readonly after?: Position
  readonly before?: Position
  readonly fromEnd: boolean
}

export interface Page<Row> {
  readonly rows: readonly { readonly row: Row; readonly position: Position }[]
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
}

/**
 * One page of a query in an order, in one statement.
 *
 * @param query selects from an entity whose alias is `alias` and whose rows have an `id`
 */
export async function readPage<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  alias: string,
  order: Order,
  request: PageRequest,
): Promise<Page<Row>> {
  const id = `${alias}.id`
  // In parentheses they are expressions; a bare column would be selected under this name only.
  const page = query.clone().addSelect(`(${order.expression})`, 'sort_value').addSelect(`(${id})`, 'sort_id')
  const ascending = order.direction === 'ASC'
  if (request.after) restrict(page, order.expression, id, ascending ? '>' : '<', 'after', request.after)
  if (request.before) restrict(page, order.expression, id, ascending ? '<' : '>', 'before', request.before)
  const direction: Direction = ascending !== request.fromEnd ? 'ASC' : 'DESC'
  page.orderBy('sort_value', direction).addOrderBy('sort_id', direction)
  const { entities, raw } = await page.limit(request.limit + 1).getRawAndEntities()

  const rows = entities.slice(0, request.limit).map((row, index) => ({
    row,
    position: { value: raw[index].sort_value, id: raw[index].sort_id },
  }))
  const more = entities.length > request.limit
  if (request.fromEnd) rows.reverse()
  return {
    rows,
    hasNextPage: request.fromEnd ? request.before !== undefined : more,
    hasPreviousPage: request.fromEnd ? more : request.after !== undefined,
  }
}

function restrict<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  expression: string,
  id: string,
  comparison: '<' | '>',
  name: string,
  position: Position,
): void {
  const value = `:${name}Value`
  query.andWhere(
    `(${expression} ${comparison} ${value} OR (${expression} = ${value} AND ${id} ${comparison} :${name}Id))`,
    { [`${name}Value`]: position.value, [`${name}Id`]: position.id },
  )
}
