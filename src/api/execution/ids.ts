import { AccordError, quote } from '../../errors.js'
import type { Position } from '../../store/engine/keyset.js'

/** Types that `node` returns, with a row of the database each. */
const ROW_TYPES = [
  'Dataset',
  'Image',
  'Caption',
  'SystemCaption',
  'Word',
  'System',
  'Bound',
  'Job',
  'Box',
  'Description',
  'SystemDescription',
] as const

export type RowType = (typeof ROW_TYPES)[number]

/** Types that `node` returns, without a row: their objects have a name or a list of arguments. */
const NAMED_TYPES = ['Metric', 'ContentSelection'] as const

export type NamedType = (typeof NAMED_TYPES)[number]

/** All types that `node` returns. */
export const NODE_TYPES: readonly (RowType | NamedType)[] = [...ROW_TYPES, ...NAMED_TYPES]

/** The parts of an opaque id. */
export type NodeKey =
  | { readonly type: RowType; readonly id: number }
  | { readonly type: NamedType; readonly key: string }

/** An opaque id: the type, and the number of the row or a name. */
export function toGlobalId(type: RowType, id: number): string
export function toGlobalId(type: NamedType, key: string): string
export function toGlobalId(type: RowType | NamedType, key: number | string): string {
  return Buffer.from(`${type}:${key}`).toString('base64url')
}

/** The parts of an opaque id. Null if it is invalid. */
export function fromGlobalId(globalId: string): NodeKey | null {
  const [, type, key] = /^(\w+):(.+)$/s.exec(Buffer.from(globalId, 'base64url').toString()) ?? []
  const namedType = NAMED_TYPES.find((known) => known === type)
  if (namedType !== undefined) return { type: namedType, key }
  const rowType = ROW_TYPES.find((known) => known === type)
  const id = /^[1-9]\d*$/.test(key) ? Number(key) : Number.NaN
  return rowType !== undefined && isRowId(id) ? { type: rowType, id } : null
}

/** A cursor: an order, and the position of a row in it. */
export function toCursor(order: string, position: Position): string {
  return Buffer.from(JSON.stringify([order, position.value, position.id])).toString('base64url')
}

/**
 * The position of a cursor.
 *
 * @param argument name of the argument, for the error
 * @throws AccordError INVALID_CURSOR if it is invalid or belongs to another order
 */
export function fromCursor(order: string, cursor: string, argument: string): Position {
  const parts = parseCursor(cursor)
  if (parts?.order !== order) {
    throw new AccordError('INVALID_CURSOR', 'the cursor does not belong to this list', {
      source: argument,
      expected: 'a cursor of the same list in the same order',
      found: quote(cursor),
    })
  }
  return { value: parts.value, id: parts.id }
}

function parseCursor(cursor: string): (Position & { readonly order: string }) | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (!Array.isArray(parts) || parts.length !== 3) return null
    const [order, value, id] = parts
    const valid =
      typeof order === 'string' && (typeof value === 'string' || typeof value === 'number') && isRowId(id)
    return valid ? { order, value, id } : null
  } catch {
    return null
  }
}

/** Ids of rows are 32-bit integers; PostgreSQL rejects others. */
function isRowId(id: unknown): boolean {
  return Number.isInteger(id) && Number(id) >= 0 && Number(id) < 2 ** 31 - 1
}
