import type { Database, OpenOptions } from '../store/database.js'

/** Opens the database, hands it to `use`, and closes it whatever happens. */
export async function withDatabase<Result>(
  file: string,
  options: OpenOptions,
  use: (database: Database) => Result | Promise<Result>,
): Promise<Result> {
  const { openDatabase } = await import('../store/database.js')
  const database = await openDatabase(file, options)
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}
