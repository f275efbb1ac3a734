import type { Entity } from './columns.js'
import type { Session } from './session.js'
import { perEngine, raw, sql } from './sql.js'

/**
 * Locks a row until the transaction ends: of two writers of what belongs to it, the second waits for the first. On
 * SQLite every transaction waits for others anyway.
 *
 * @returns false where the row does not exist
 */
export async function lockRow(session: Session, entity: Entity, id: number): Promise<boolean> {
  const lock = perEngine({ sqlite: '', postgres: 'FOR NO KEY UPDATE' })
  const rows = await session.all(sql`SELECT id FROM ${raw(entity.name)} WHERE id = ${id} ${lock}`)
  return rows.length > 0
}
