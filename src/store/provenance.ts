import { createHash } from 'node:crypto'
import { canonicalJson, type ProvenanceRecord } from '../core/metrics/provenance.js'
import { find } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, sql } from './engine/sql.js'
import { ProvenanceEntity } from './schema/entities.js'

/** Writes records, each of them once however often it is written. @returns their ids */
export async function saveProvenance(
  session: Session,
  records: readonly ProvenanceRecord[],
): Promise<number[]> {
  const hashes = records.map((record) => createHash('sha256').update(canonicalJson(record)).digest('hex'))
  for (const [index, hash] of hashes.entries()) {
    await session.run(
      sql`INSERT INTO provenance (hash, record) VALUES (${hash}, ${JSON.stringify(records[index])}) ON CONFLICT (hash) DO NOTHING`,
    )
  }
  const rows = await session.all<{ id: number; hash: string }>(
    sql`SELECT id, hash FROM provenance WHERE hash ${among([...new Set(hashes)])}`,
  )
  const ids = new Map(rows.map(({ id, hash }) => [hash, id]))
  return hashes.map((hash) => ids.get(hash) as number)
}

/** Records by id. */
export async function readProvenance(
  session: Session,
  ids: readonly number[],
): Promise<Map<number, ProvenanceRecord>> {
  if (ids.length === 0) return new Map()
  const rows = await find(session, ProvenanceEntity, sql`WHERE id ${among(ids)}`)
  return new Map(rows.map(({ id, record }) => [id, record]))
}
