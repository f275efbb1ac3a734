import { AccordError } from '../errors.js'
import type { Database, OpenOptions } from './engine/session.js'

/**
 * Opens a database. A new or empty one gets its tables.
 *
 * @param location path of a SQLite file, or a URL that begins with `postgres://`
 * @throws AccordError FILE_NOT_FOUND if the file or its folder does not exist; DATABASE_UNAVAILABLE if the server cannot be reached;
 * NOT_APPLICABLE for another URL;
 * INVALID_SHAPE if it is a database of another program or of another version of Accord; BUSY
 */
export async function openDatabase(location: string, options: OpenOptions = {}): Promise<Database> {
  // Each driver takes tens of milliseconds to load.
  if (isPostgresUrl(location)) {
    const { openPostgresDatabase } = await import('./open-postgres.js')
    return openPostgresDatabase(location, options)
  }
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(location) ?? []
  if (scheme !== undefined) throw unknownScheme(scheme)
  const { openSqliteDatabase } = await import('./open-sqlite.js')
  return openSqliteDatabase(location, options)
}

/** Opens a database for `use`, and closes it. @throws AccordError as {@link openDatabase}; errors of `use` */
export async function withDatabase<Result>(
  location: string,
  options: OpenOptions,
  use: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase(location, options)
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}

function unknownScheme(scheme: string): AccordError {
  return new AccordError('NOT_APPLICABLE', 'unknown kind of database', {
    source: 'database',
    expected: 'the path of a SQLite file, or a URL that begins with postgres://',
    found: `a URL that begins with ${scheme}://`,
  })
}

function isPostgresUrl(location: string): boolean {
  return /^postgres(ql)?:\/\//i.test(location)
}
