import { AccordError, quote } from '../errors.js'
import type { Position } from '../services/paging.js'

/** Types that `node` returns. */
export type NodeType = 'Dataset' | 'Image' | 'Word' | 'System' | 'Evaluation' | 'Bound' | 'Training'

const NODE_TYPES: ReadonlySet<string> = new Set<NodeType>([
  'Dataset',
  'Image',
  'Word',
  'System',
  'Evaluation',
  'Bound',
  'Training',
])

/** An opaque id: the type and the number of the row. */
export function toGlobalId(type: NodeType, id: number): string {
  return Buffer.from(`${type}:${id}`).toString('base64url')
}

/** The parts of an opaque id. Null if it is invalid. */
export function fromGlobalId(globalId: string): { readonly type: NodeType; readonly id: number } | null {
  const [type, digits, ...rest] = Buffer.from(globalId, 'base64url').toString().split(':')
  const id = /^[1-9]\d*$/.test(digits) ? Number(digits) : Number.NaN
  if (rest.length > 0 || !NODE_TYPES.has(type) || !isRowId(id)) return null
  return { type: type as NodeType, id }
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
