import { createHash } from 'node:crypto'
import { canonicalJson, type ProvenanceRecord } from '../core/metrics/provenance.js'
import { damaged } from './engine/blobs.js'
import type { Session } from './engine/session.js'
import { among, sql } from './engine/sql.js'
import { ProvenanceEntity } from './schema/score-tables.js'

/** Writes the records of figures, each of them once however often it is written. @returns their ids */
export async function saveProvenance(
  session: Session,
  figures: readonly { readonly record: ProvenanceRecord }[],
): Promise<number[]> {
  const hashes = figures.map(({ record }) => hashOf(record))
  for (const [index, hash] of hashes.entries()) {
    await session.run(
      sql`INSERT INTO provenance (hash, record) VALUES (${hash}, ${JSON.stringify(figures[index].record)})
          ON CONFLICT (hash) DO NOTHING`,
    )
  }
  const rows = await session.all<{ id: number; hash: string }>(
    sql`SELECT id, hash FROM provenance WHERE hash ${among([...new Set(hashes)])}`,
  )
  const ids = new Map(rows.map(({ id, hash }) => [hash, id]))
  return hashes.map((hash) => ids.get(hash) as number)
}

function hashOf(record: ProvenanceRecord): string {
  return createHash('sha256').update(canonicalJson(record)).digest('hex')
}

/** Records by id. @throws AccordError RESOURCE_MISSING for a record that differs from its hash */
export async function readProvenance(
  session: Session,
  ids: readonly number[],
): Promise<Map<number, ProvenanceRecord>> {
  if (ids.length === 0) return new Map()
  const rows = await session.all<{ id: number; hash: string; record: string }>(
    sql`SELECT id, hash, record FROM provenance WHERE id ${among(ids)}`,
  )
  // They are never removed.
  if (rows.length < new Set(ids).size) throw damaged(ProvenanceEntity.name)
  return new Map(rows.map(({ id, hash, record }) => [id, parseRecord(hash, record)]))
}

/** Rows with the records of how they were made. @throws AccordError as {@link readProvenance} */
export async function withRecords<Row extends { readonly provenanceId: number }>(
  session: Session,
  rows: readonly Row[],
): Promise<(Row & { readonly record: ProvenanceRecord })[]> {
  const ids = rows.map(({ provenanceId }) => provenanceId)
  const records = await readProvenance(session, ids)
  return rows.map((row) => ({ ...row, record: records.get(row.provenanceId) as ProvenanceRecord }))
}

function parseRecord(hash: string, text: string): ProvenanceRecord {
  const record = parsed(text)
  if (record === null || hashOf(record) !== hash)
    throw damaged(ProvenanceEntity.name, `hash ${hash}`, 'the record of this hash')
  return record
}

/** Null for a text that is not JSON. */
function parsed(text: string): ProvenanceRecord | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
