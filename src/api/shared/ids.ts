import { AccordError, quote } from '../../errors.js'
import type { Position } from '../../store/engine/keyset.js'

/** What identifies an object among those of its type: the number of its row, a name, or the arguments that it is made of. */
export type KeyPart = string | number | null

/** An opaque id: the type and the key. */
export function toGlobalId(type: string, ...key: readonly KeyPart[]): string {
  return Buffer.from(JSON.stringify([type, ...key])).toString('base64url')
}

/** The type and the key of an opaque id. Null if it is invalid. */
export function fromGlobalId(
  globalId: string,
): { readonly type: string; readonly key: readonly KeyPart[] } | null {
  const parts = parseJson(globalId)
  if (!Array.isArray(parts)) return null
  const [type, ...key] = parts
  return typeof type === 'string' && key.every(isKeyPart) ? { type, key } : null
}

/** The number of the row of an opaque id. Null if it is not that of a row, or belongs to another type. */
export function rowIdOf(type: string, globalId: string): number | null {
  const parts = fromGlobalId(globalId)
  return parts?.type === type ? toRowId(parts.key) : null
}

/** The key of an opaque id that is a text, as of teams and tokens. Other texts are returned as they are: names, and ids of the command line. */
export function textKeyOf(type: string, id: string): string {
  const parts = fromGlobalId(id)
  return parts?.type === type && typeof parts.key[0] === 'string' ? parts.key[0] : id
}

/** The number of a row. Null if the key is not one. */
export function toRowId(key: readonly KeyPart[]): number | null {
  return key.length === 1 && isRowId(key[0]) ? key[0] : null
}

function isKeyPart(part: unknown): part is KeyPart {
  return part === null || typeof part === 'string' || (typeof part === 'number' && Math.abs(part) < 2 ** 31)
}

/** A cursor: a list, and the position of a row in it. */
export function toCursor(list: string, position: Position): string {
  return Buffer.from(JSON.stringify([list, position.value, position.id])).toString('base64url')
}

/**
 * The position of a cursor.
 *
 * @param argument name of the argument, for the error
 * @throws AccordError INVALID_CURSOR if it is invalid or belongs to another list
 */
export function fromCursor(list: string, cursor: string, argument: string): Position {
  const parts = parseJson(cursor)
  const [found, value, id] = Array.isArray(parts) && parts.length === 3 ? parts : []
  if (found === list && (typeof value === 'string' || typeof value === 'number') && isRowId(id)) {
    return { value, id }
  }
  throw new AccordError('INVALID_CURSOR', 'the cursor does not belong to this list', {
    source: argument,
    expected: 'a cursor of the same field of the same object, with the same arguments',
    found: quote(cursor),
  })
}

function parseJson(encoded: string): unknown {
  try {
    return JSON.parse(Buffer.from(encoded, 'base64url').toString())
  } catch {
    return null
  }
}

/** Ids of rows are 32-bit integers; PostgreSQL rejects others. */
export function isRowId(id: unknown): id is number {
  return Number.isInteger(id) && Number(id) >= 0 && Number(id) < 2 ** 31 - 1
}
