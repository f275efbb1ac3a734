import { AccordError } from '../errors.js'

/** Types that `node` finds. */
export type NodeType = 'Dataset' | 'Image' | 'Word' | 'System' | 'Evaluation'

const NODE_TYPES: ReadonlySet<string> = new Set<NodeType>([
  'Dataset',
  'Image',
  'Word',
  'System',
  'Evaluation',
])

/** An opaque id: the type and the row's number. */
export function toGlobalId(type: NodeType, id: number): string {
  return Buffer.from(`${type}:${id}`).toString('base64url')
}

/** The parts of an opaque id, or null where it is none of ours. */
export function fromGlobalId(globalId: string): { readonly type: NodeType; readonly id: number } | null {
  const [type, digits, ...rest] = Buffer.from(globalId, 'base64url').toString().split(':')
  const id = /^[1-9]\d*$/.test(digits) ? Number(digits) : Number.NaN
  if (rest.length > 0 || !NODE_TYPES.has(type) || !Number.isSafeInteger(id)) return null
  return { type: type as NodeType, id }
}

/** A cursor: the order it belongs to, and a row's position in it. */
export function toCursor(
  order: string,
  position: { readonly value: string | number; readonly id: number },
): string {
  return Buffer.from(JSON.stringify([order, position.value, position.id])).toString('base64url')
}

/**
 * The position of a cursor.
 *
 * @param argument name of the argument it came in, for the error
 * @throws AccordError INVALID_CURSOR where it is no cursor, or one of another order
 */
export function fromCursor(
  order: string,
  cursor: string,
  argument: string,
): { readonly value: string | number; readonly id: number } {
  const parts = parseCursor(cursor)
  if (parts?.order !== order) {
    throw new AccordError('INVALID_CURSOR', 'the cursor does not belong to this list', {
      source: argument,
      expected: 'a cursor of the same list in the same order',
      found: JSON.stringify(cursor.slice(0, 60)),
    })
  }
  return parts
}

function parseCursor(cursor: string): { order: string; value: string | number; id: number } | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (!Array.isArray(parts) || parts.length !== 3) return null
    const [order, value, id] = parts
    const valid =
      typeof order === 'string' &&
      (typeof value === 'string' || typeof value === 'number') &&
      Number.isSafeInteger(id)
    return valid ? { order, value, id } : null
  } catch {
    return null
  }
}
