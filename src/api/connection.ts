import { AccordError } from '../errors.js'
import type { Image, SystemWord, Word } from '../store/entities.js'
import type { Page, PageRequest } from '../store/keyset.js'
import { fromCursor, toCursor } from './ids.js'
import type { PageInfo } from './schema-types.js'

/** Relay connections over keyset pages. */
export interface Connection<Node> {
  readonly edges: { readonly cursor: string; readonly node: Node }[]
  readonly nodes: Node[]
  readonly pageInfo: PageInfo
  /** Runs its own statement, only when the field is asked for. */
  readonly totalCount: () => Promise<number> | number
}

export type ImageConnectionModel = Connection<Image>
export type WordConnectionModel = Connection<Word>
export type SystemWordConnectionModel = Connection<SystemWord>

/** Arguments of a connection field; nulls are as good as absent. */
export interface PageArguments {
  readonly first?: number | null
  readonly after?: string | null
  readonly last?: number | null
  readonly before?: string | null
}

/** Largest page of any list. */
export const LARGEST_PAGE = 1000

/** Size of a page where the client does not say. */
export const DEFAULT_PAGE = 20

/**
 * Checks the arguments of a connection field.
 *
 * @param order name of the order, part of every cursor
 * @throws AccordError OUT_OF_RANGE (page size; first and last together), INVALID_CURSOR
 */
export function toPageRequest(order: string, { first, after, last, before }: PageArguments): PageRequest {
  if (first != null && last != null) {
    throw new AccordError('OUT_OF_RANGE', 'a page is counted from one end', {
      source: 'first, last',
      expected: 'one of them',
      found: 'both',
    })
  }
  const fromEnd = last != null
  return {
    limit: toPageSize(fromEnd ? 'last' : 'first', first ?? last),
    after: after == null ? undefined : fromCursor(order, after, 'after'),
    before: before == null ? undefined : fromCursor(order, before, 'before'),
    fromEnd,
  }
}

/** @throws AccordError OUT_OF_RANGE unless 0 ≤ size ≤ {@link LARGEST_PAGE} */
export function toPageSize(argument: string, size: number | null | undefined): number {
  const chosen = size ?? DEFAULT_PAGE
  if (chosen < 0 || chosen > LARGEST_PAGE) {
    throw new AccordError('OUT_OF_RANGE', 'the page is too large or negative', {
      source: argument,
      expected: `0 to ${LARGEST_PAGE}`,
      found: String(chosen),
    })
  }
  return chosen
}

/** A connection of a page; `order` as in {@link toPageRequest}. */
export function toConnection<Node>(
  order: string,
  page: Page<Node>,
  totalCount: () => Promise<number> | number,
): Connection<Node> {
  const edges = page.rows.map(({ row, position }) => ({ cursor: toCursor(order, position), node: row }))
  return {
    edges,
    nodes: edges.map((edge) => edge.node),
    pageInfo: {
      hasNextPage: page.hasNextPage,
      hasPreviousPage: page.hasPreviousPage,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount,
  }
}
