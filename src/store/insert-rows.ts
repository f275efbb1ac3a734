import type { Database } from './database.js'

type Value = number | string | Buffer | null

/** Where rows are small, calling the database takes most of the time: three times as long for one row a statement. */
const ROWS_PER_STATEMENT = 64

/** Inserts rows, values in the order of `columns`; for tables whose rows nobody needs the ids of. */
export function insertRows(
  { connection }: Database,
  table: string,
  columns: readonly string[],
  rows: Iterable<readonly Value[]>,
): void {
  const insert = (count: number) => {
    const row = `(${columns.map(() => '?').join(', ')})`
    const values = Array.from({ length: count }, () => row).join(', ')
    return connection.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values}`)
  }
  const insertMany = insert(ROWS_PER_STATEMENT)
  const values: Value[] = []
  for (const row of rows) {
    values.push(...row)
    if (values.length < columns.length * ROWS_PER_STATEMENT) continue
    insertMany.run(values)
    values.length = 0
  }
  if (values.length > 0) insert(values.length / columns.length).run(values)
}
