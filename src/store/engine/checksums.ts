import { AccordError } from '../../errors.js'
import type { Entity } from './columns.js'
import { encode, mapRows, propertiesOfType } from './encoding.js'
import type { Rows } from './session.js'
import type { Parameter } from './sql.js'

/**
 * Checksums. Neither SQLite nor every PostgreSQL notices a bit that a disk has changed in a value. Rows of tables with the
 * column `checksum` have one over their other columns but bytes, and bytes end with their own, the same on both engines.
 * They are compared when whole rows or bytes are read, and all of them by `accord check`. Each change of one bit is found,
 * and others with a probability of 1 − 2^−32.
 */

/** The property of the checksum. */
export const CHECKSUM = 'checksum'

/** Bytes of a checksum at the end of bytes. */
export const SEAL_BYTES = 4

/** Whether rows of an entity have checksums. */
export function hasChecksums({ columns }: Entity): boolean {
  return CHECKSUM in columns
}

/** The properties that an entity's checksum covers: not a generated id, not bytes, and not what changes later. */
function coveredBy({ columns }: Entity): string[] {
  const { changing = [] } = columns[CHECKSUM]
  return Object.keys(columns).filter(
    (property) =>
      property !== CHECKSUM &&
      columns[property].type !== 'blob' &&
      !columns[property].generated &&
      !changing.includes(property),
  )
}

/** Properties and rows to insert, with checksums where the entity has them. */
export function withChecksums(
  entity: Entity,
  properties: readonly string[],
  rows: Rows<readonly unknown[]>,
): { readonly properties: readonly string[]; readonly rows: Rows<readonly unknown[]> } {
  if (!hasChecksums(entity) || properties.includes(CHECKSUM)) return { properties, rows }
  const places = coveredBy(entity).map((property) => properties.indexOf(property))
  const checksum = (row: readonly unknown[]) =>
    places.reduce(
      (hash, place) => addValue(hash, place < 0 ? null : encode(entity, properties[place], row[place])),
      FNV_START,
    )
  const sealed = properties.flatMap((property, place) => {
    const { type, owner } = entity.columns[property]
    return type === 'blob' ? [{ place, owner: owner === undefined ? -1 : properties.indexOf(owner) }] : []
  })
  return {
    properties: [...properties, CHECKSUM],
    rows: mapRows(rows, (row) => {
      const whole = [...row, checksum(row)]
      for (const { place, owner } of sealed)
        if (row[place] !== null) whole[place] = seal(row[place] as Buffer, Number(row[owner] ?? 0))
      return whole
    }),
  }
}

/** The checksum of a row over its columns. @param row all columns but bytes, JSON as text */
export function checksumOf(entity: Entity): (row: Readonly<Record<string, unknown>>) => number {
  const covered = coveredBy(entity)
  return (row) => {
    let hash = FNV_START
    for (const property of covered) hash = addValue(hash, row[property] as Parameter)
    return hash
  }
}

/** Whether the bytes of a row, as far as it has some, have their checksums. @param row all columns */
export function hasSealedBytes(entity: Entity): (row: Readonly<Record<string, unknown>>) => boolean {
  const blobs = propertiesOfType(entity, 'blob')
  return (row) =>
    blobs.every(
      (property) =>
        row[property] === null || isSealed(row[property] as Buffer, ownerOf(entity, property, row)),
    )
}

/** The value of the property to which bytes belong; 0 if there is none. */
export function ownerOf(entity: Entity, property: string, row: Readonly<Record<string, unknown>>): number {
  const { owner } = entity.columns[property]
  return owner === undefined ? 0 : Number(row[owner])
}

/**
 * Bytes as they were before they were stored.
 *
 * @param owner the value of the property to which they belong; 0 if there is none
 * @throws AccordError RESOURCE_MISSING if they differ from their checksum
 */
export function unseal({ name }: Entity, bytes: Buffer, owner = 0): Buffer {
  if (!isSealed(bytes, owner)) throw damaged(name)
  return bytes.subarray(0, bytes.length - SEAL_BYTES)
}

/** The error for content that differs from its checksum. @param row how the row is named */
export function damaged(table: string, row?: string): AccordError {
  return new AccordError('RESOURCE_MISSING', `the database is damaged in table ${table}; run accord check`, {
    place: row,
    expected: 'content as it was written',
    found: 'another checksum',
  })
}

/** The checksum of a text. */
export function textChecksum(text: string): number {
  return addValue(FNV_START, text)
}

const FNV_START = 0x811c9dc5 | 0
const FNV_PRIME = 0x01000193
const number = new Float64Array(1)
const numberWords = new Int32Array(number.buffer)

/** FNV-1a over the type, the length and the content of a value; a signed integer. */
function addValue(start: number, value: Parameter): number {
  if (typeof value === 'string') {
    let hash = Math.imul(start ^ value.length, FNV_PRIME)
    for (let i = 0; i < value.length; i++) hash = Math.imul(hash ^ value.charCodeAt(i), FNV_PRIME)
    return hash
  }
  if (typeof value === 'number') {
    // SQLite does not keep the sign of 0.
    number[0] = value === 0 ? 0 : value
    return addWords(start, numberWords, 0, 2)
  }
  // Other types are found in damaged rows alone.
  return Math.imul(start ^ (value === null ? 0xff : 0xfe), FNV_PRIME)
}

/** Adds 32-bit numbers to a checksum. Different numbers in one place always have different results. */
export function addWords(start: number, words: Int32Array, from: number, to: number): number {
  let hash = start
  for (let i = from; i < to; i++) {
    hash = Math.imul(hash ^ words[i], FNV_PRIME)
    // Otherwise the highest bits of two numbers could change unnoticed.
    hash ^= hash >>> 15
  }
  return hash
}

/** The checksum of 0 bytes that belong to an owner. */
export function sealStart(owner: number): number {
  return Math.imul(FNV_START ^ owner, FNV_PRIME)
}

function sealOf(bytes: Uint8Array, owner: number): number {
  const wordCount = bytes.length >> 2
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes)
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, wordCount)
  let hash = addWords(sealStart(owner), words, 0, wordCount)
  for (let i = 4 * wordCount; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i], FNV_PRIME)
  return hash
}

/** Bytes with their checksum. @param owner the value of the property to which they belong; 0 if there is none */
export function seal(bytes: Buffer, owner = 0): Buffer {
  const sealed = Buffer.allocUnsafe(bytes.length + SEAL_BYTES)
  sealed.set(bytes)
  sealed.writeInt32LE(sealOf(bytes, owner), bytes.length)
  return sealed
}

function isSealed(bytes: Buffer, owner: number): boolean {
  // Another type is found in damaged rows alone.
  if (!Buffer.isBuffer(bytes) || bytes.length < SEAL_BYTES) return false
  const end = bytes.length - SEAL_BYTES
  return bytes.readInt32LE(end) === sealOf(bytes.subarray(0, end), owner)
}
