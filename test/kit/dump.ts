import type { Session } from '../../src/store/engine/session.js'
import { raw, sql } from '../../src/store/engine/sql.js'
import { ENTITIES } from '../../src/store/schema/entities.js'

/** All rows of all tables of a database, in a fixed order. */
export async function dump(session: Session): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {}
  for (const { name } of ENTITIES) {
    const rows = await session.all(sql`SELECT * FROM ${raw(name)}`)
    const keyed = rows.map((row) => ({ row, key: JSON.stringify(row) }))
    tables[name] = keyed.toSorted((one, other) => (one.key < other.key ? -1 : 1)).map(({ row }) => row)
  }
  return tables
}
