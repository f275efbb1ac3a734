import type { Database } from '../../src/store/database.js'

/** All rows of all tables of a database. */
export function dump({ connection }: Database): Record<string, unknown[]> {
  const names = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
  return Object.fromEntries(
    (names.pluck().all() as string[]).map((name) => [
      name,
      connection.prepare(`SELECT * FROM "${name}"`).raw().all(),
    ]),
  )
}
