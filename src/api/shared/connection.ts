import { AccordError, requireInteger } from '../../errors.js'
import { pagedArray, pagedSorted } from '../../services/shared/groups.js'
import type { PagedRows, PageRequest, Position } from '../../store/engine/keyset.js'
import type { Context } from './context.js'
import { fromCursor, toCursor } from './ids.js'
import type { PageInfo } from './schema-types.js'

export interface Connection<Node> {
  /** Called only if the field is requested: cursors take longer than the rest of a page. */
  readonly edges: () => readonly { readonly cursor: string; readonly node: Node }[]
  readonly nodes: readonly Node[]
  readonly pageInfo: () => PageInfo
  /** Called only if the field is requested. */
  readonly totalCount: () => Promise<number>
}

/** Arguments of a connection field. Null is the same as absent. */
export interface PageArguments {
  readonly first?: number | null
  readonly after?: string | null
  readonly last?: number | null
  readonly before?: string | null
  /** Identifies the list, which its cursors name: see lists.ts. */
  readonly list?: () => string
}

/** The names of the arguments of pages. */
export const PAGE_ARGUMENTS: ReadonlySet<string> = new Set(['first', 'after', 'last', 'before'])

/** Maximum page size of all lists. */
export const MAX_PAGE_SIZE = 1000

/** Page size if neither `first` nor `last` is given. */
const DEFAULT_PAGE_SIZE = 20

/**
 * The page of a list requested by the arguments of a connection field.
 *
 * @throws AccordError OUT_OF_RANGE for an invalid page size or both `first` and `last`, INVALID_CURSOR
 */
export async function connect<Row>(paged: PagedRows<Row>, args: PageArguments): Promise<Connection<Row>> {
  const { rows, hasNextPage, hasPreviousPage } = await paged.page(toPageRequest(args))
  let known: string | undefined
  const cursorOf = (position: Position) => {
    known ??= listOf(args)
    return toCursor(known, position)
  }
  const cursorAt = (index: number) => {
    const found = rows.at(index)
    return found ? cursorOf(found.position) : null
  }
  return {
    edges: () => rows.map(({ row, position }) => ({ cursor: cursorOf(position), node: row })),
    nodes: rows.map(({ row }) => row),
    pageInfo: () => ({ hasNextPage, hasPreviousPage, startCursor: cursorAt(0), endCursor: cursorAt(-1) }),
    totalCount: () => paged.count(),
  }
}

function listOf({ list }: PageArguments): string {
  if (list === undefined) throw new Error('a connection that no field of the schema returns')
  return list()
}

/** {@link connect} for rows that are read together with those of other objects. @param keyOf a key that no other row has */
export async function connectRows<Row>(
  rows: readonly Row[] | Promise<readonly Row[]>,
  keyOf: (row: Row) => string | number,
  args: PageArguments,
): Promise<Connection<Row>> {
  return connect(pagedArray(await rows, keyOf), args)
}

/** {@link connectRows} for rows in the order of their keys: where a cursor points stays the same if its row is removed. */
export async function connectSorted<Row>(
  rows: readonly Row[] | Promise<readonly Row[]>,
  keyOf: (row: Row) => string | number,
  args: PageArguments,
): Promise<Connection<Row>> {
  return connect(pagedSorted(await rows, keyOf), args)
}

/** {@link connectSorted} by name. */
export function connectByName<Row extends { readonly name: string }>(
  rows: readonly Row[] | Promise<readonly Row[]>,
  args: PageArguments,
): Promise<Connection<Row>> {
  return connectSorted(rows, ({ name }) => name, args)
}

/** {@link connectSorted} by id. */
export function connectById<Row extends { readonly id: number }>(
  rows: readonly Row[] | Promise<readonly Row[]>,
  args: PageArguments,
): Promise<Connection<Row>> {
  return connectSorted(rows, ({ id }) => id, args)
}

/** {@link connect} for a list that another thread or the database server reads. */
export function connectLong<Row>(
  list: PagedRows<Row>,
  args: PageArguments,
  { outside }: Pick<Context, 'outside'>,
): Promise<Connection<Row>> {
  return outside(connect({ ...list, count: () => outside(list.count()) }, args))
}

/** The resolvers of all connection types. */
export const connectionResolvers = {
  edges: ({ edges }: Connection<unknown>) => edges(),
  pageInfo: ({ pageInfo }: Connection<unknown>) => pageInfo(),
  totalCount: ({ totalCount }: Connection<unknown>) => totalCount(),
}

/** @throws AccordError OUT_OF_RANGE, INVALID_CURSOR as {@link connect} */
export function toPageRequest(args: PageArguments): PageRequest {
  const { first, after, last, before } = args
  if (first != null && last != null) {
    throw new AccordError('OUT_OF_RANGE', 'first and last cannot be used together', {
      source: 'first, last',
      expected: 'one of them',
      found: 'both',
    })
  }
  const fromEnd = last != null
  const size = first ?? last ?? DEFAULT_PAGE_SIZE
  return {
    limit: requireInteger(size, 0, MAX_PAGE_SIZE, fromEnd ? 'last' : 'first', 'invalid page size'),
    after: after == null ? undefined : fromCursor(listOf(args), after, 'after'),
    before: before == null ? undefined : fromCursor(listOf(args), before, 'before'),
    fromEnd,
  }
}
