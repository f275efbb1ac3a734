import type { Session } from '../../src/store/engine/session.js'
import { raw, sql } from '../../src/store/engine/sql.js'
import { ENTITIES } from '../../src/store/schema/entities.js'

/** All rows of all tables of a database, as JSON in a fixed order: texts are compared faster than objects. */
export async function dump(session: Session): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {}
  for (const { name } of ENTITIES) {
    const rows = await session.all(sql`SELECT * FROM ${raw(name)}`)
    tables[name] = rows.map((row) => JSON.stringify(row)).sort()
  }
  return tables
}
