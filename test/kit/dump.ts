import { ENTITIES } from '../../src/store/entities.js'
import type { Session } from '../../src/store/session.js'
import { raw, sql } from '../../src/store/sql.js'

/** All rows of all tables of a database, in a fixed order. */
export async function dump(session: Session): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {}
  for (const { name } of ENTITIES) {
    const rows = await session.all(sql`SELECT * FROM ${raw(name)}`)
    tables[name] = rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
  }
  return tables
}
