import type { Entity } from './columns.js'
import { encode, mapRows } from './encoding.js'
import type { Rows } from './session.js'
import type { Parameter } from './sql.js'

/**
 * Checksums of rows. Neither SQLite nor PostgreSQL, by default, notices a bit that a disk has changed in a value. Tables with
 * the column `checksum` have one over the other columns, the same on both engines, which `accord check` compares. It finds
 * each change of one bit, and others with a probability of 1 − 2^−32.
 */

/** The property of the checksum. */
export const CHECKSUM = 'checksum'

/** The properties that an entity's checksum covers: not a generated id, and not what changes later. */
function coveredBy({ columns }: Entity): string[] {
  const { changing = [] } = columns[CHECKSUM]
  return Object.keys(columns).filter(
    (property) => property !== CHECKSUM && !columns[property].generated && !changing.includes(property),
  )
}

/** Properties and rows to insert, with the checksum where the entity has one. */
export function withChecksums(
  entity: Entity,
  properties: readonly string[],
  rows: Rows<readonly unknown[]>,
): { readonly properties: readonly string[]; readonly rows: Rows<readonly unknown[]> } {
  if (!(CHECKSUM in entity.columns) || properties.includes(CHECKSUM)) return { properties, rows }
  const places = coveredBy(entity).map((property) => properties.indexOf(property))
  const checksum = (row: readonly unknown[]) =>
    places.reduce(
      (hash, place) => addValue(hash, place < 0 ? null : encode(entity, properties[place], row[place])),
      FNV_START,
    )
  return { properties: [...properties, CHECKSUM], rows: mapRows(rows, (row) => [...row, checksum(row)]) }
}

/** Whether a row has the checksum of its columns. @param row all columns, JSON as text */
export function hasItsChecksum(entity: Entity): (row: Readonly<Record<string, unknown>>) => boolean {
  const covered = coveredBy(entity)
  return (row) =>
    covered.reduce((hash, property) => addValue(hash, row[property] as Parameter), FNV_START) ===
    row[CHECKSUM]
}

const FNV_START = 0x811c9dc5 | 0
const FNV_PRIME = 0x01000193
const number = new Float64Array(1)
const numberBytes = new Uint8Array(number.buffer)

/** FNV-1a over the type, the length and the content of a value; a signed integer. */
function addValue(start: number, value: Parameter): number {
  if (value === null) return Math.imul(start ^ 0xff, FNV_PRIME)
  if (typeof value === 'string') {
    let hash = Math.imul(start ^ value.length, FNV_PRIME)
    for (let i = 0; i < value.length; i++) hash = Math.imul(hash ^ value.charCodeAt(i), FNV_PRIME)
    return hash
  }
  if (typeof value === 'number') {
    // SQLite does not keep the sign of 0.
    number[0] = value === 0 ? 0 : value
    return addBytes(start, numberBytes)
  }
  return addBytes(Math.imul(start ^ (value as Uint8Array).length, FNV_PRIME), value as Uint8Array)
}

function addBytes(start: number, bytes: Uint8Array): number {
  let hash = start
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i], FNV_PRIME)
  return hash
}
