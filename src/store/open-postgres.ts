import { AccordError } from '../errors.js'
import { openPostgres, translatePostgresError, unreachable, withoutPassword } from './engine/postgres.js'
import type { Database, OpenOptions, Session } from './engine/session.js'
import { raw } from './engine/sql.js'
import { beforeFirstRelease, EXECUTED_MIGRATIONS, isCurrent, MIGRATIONS_TABLE } from './schema/version.js'

/** Minimum version of PostgreSQL. */
const MIN_SERVER_VERSION = 14

export async function openPostgresDatabase(url: string, options: OpenOptions): Promise<Database> {
  const location = withoutPassword(url)
  const session = await connect(url, options)
  try {
    await checkServer(session, location)
    const executed = await executedMigrations(session, location)
    if (!isCurrent(location, executed)) {
      if (executed.length === 0 && options.mustExist) {
        throw new AccordError('FILE_NOT_FOUND', 'no Accord database found; an import creates one', {
          source: location,
          expected: 'a database created by `accord import`',
          found: 'an empty database',
        })
      }
      const { migratePostgres } = await import('./schema/migrate.js')
      await migratePostgres(url)
    }
    return { ...session, location, isReadOnly: false }
  } catch (error) {
    await session.close()
    throw translatePostgresError(error, url)
  }
}

/** @throws AccordError DATABASE_UNAVAILABLE if the URL, the network, the password or the server prevents a connection */
async function connect(url: string, { onStatement }: OpenOptions): Promise<ReturnType<typeof openPostgres>> {
  let session: ReturnType<typeof openPostgres> | undefined
  try {
    session = openPostgres({ url, onStatement })
    await session.all(raw('SELECT 1 AS connected'))
    return session
  } catch (error) {
    await session?.close()
    throw error instanceof AccordError ? error : unreachable(url, (error as Error).message)
  }
}

async function checkServer(session: Session, location: string): Promise<void> {
  const [{ version }] = await session.all<{ version: number }>(
    raw("SELECT current_setting('server_version_num')::integer / 10000 AS version"),
  )
  if (version >= MIN_SERVER_VERSION) return
  throw new AccordError('NOT_APPLICABLE', 'the PostgreSQL server is too old', {
    source: location,
    expected: `version ${MIN_SERVER_VERSION} or newer`,
    found: `version ${version}`,
  })
}

/** The migrations of a database; none if it is empty. @throws AccordError INVALID_SHAPE if it belongs to another program */
async function executedMigrations(session: Session, location: string): Promise<string[]> {
  const tables = await session.all<{ name: string }>(
    raw(`SELECT table_name AS name FROM information_schema.tables
         WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`),
  )
  if (tables.length === 0) return []
  const has = (table: string) => tables.some(({ name }) => name === table)
  if (!has(MIGRATIONS_TABLE)) {
    if (has('accord')) throw beforeFirstRelease(location)
    throw new AccordError('INVALID_SHAPE', 'the database belongs to another program', {
      source: location,
      expected: 'an empty database, or one created by Accord',
      found: `the table ${tables[0].name}`,
    })
  }
  const migrations = await session.all<{ name: string }>(raw(EXECUTED_MIGRATIONS))
  return migrations.map(({ name }) => name)
}
