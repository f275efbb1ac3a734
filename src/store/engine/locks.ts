import type { Entity } from './columns.js'
import type { Session } from './session.js'
import { perEngine, raw, sql } from './sql.js'

/**
 * Locks a row until the end of the transaction, so that other writers of data that belongs to it wait. On SQLite,
 * transactions always run one at a time.
 *
 * @returns false if the row does not exist
 */
export async function lockRow(session: Session, entity: Entity, id: number): Promise<boolean> {
  const lock = perEngine({ sqlite: '', postgres: 'FOR NO KEY UPDATE' })
  const rows = await session.all(sql`SELECT id FROM ${raw(entity.name)} WHERE id = ${id} ${lock}`)
  return rows.length > 0
}
