import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/store/database.js'
import type { Database, OpenOptions } from '../../src/store/engine/session.js'
import type { EngineName } from '../../src/store/engine/sql.js'
import { atEnd } from './cleanup.js'
import { createPostgresDatabase, type PostgresDatabase, postgresMissing } from './postgres.js'
import { isSlow } from './slow.js'

/** The available engines, for tests of the store: `describe.each(ALL_ENGINES)('words on %s', (engine) => …)`. */
export const ALL_ENGINES: readonly EngineName[] = postgresMissing ? ['sqlite'] : ['sqlite', 'postgres']

/** The engine of tests of what uses the store: SQLite in `npm test`, PostgreSQL in `npm run test:slow`. */
export const ENGINES: readonly EngineName[] = ALL_ENGINES.filter(
  (engine) => isSlow === (engine === 'postgres'),
)

/**
 * A new database with the newest schema and without rows. It is closed and removed after the test that opens it, or
 * after the file if it is opened in `beforeAll` or outside tests.
 */
export async function openTestDatabase(engine: EngineName, options: OpenOptions = {}): Promise<Database> {
  const { location, remove } = await createTestDatabase(engine)
  const database = await openDatabase(location, options)
  locations.set(database, location)
  atEnd(async () => {
    await database.close()
    await remove()
  })
  return database
}

/** Opens a second connection to a database of `openTestDatabase`, like another process. The caller closes it. */
export function openAgain(database: Database, options: OpenOptions = {}): Promise<Database> {
  return openDatabase(locationOf(database), options)
}

/** The location of a database of `openTestDatabase`, for another process. */
export function locationOf(database: Database): string {
  return locations.get(database) as string
}

/** Locations with passwords. */
const locations = new WeakMap<Database, string>()

interface TestDatabase {
  /** Location for `openDatabase`. */
  readonly location: string
  remove(): void | Promise<void>
}

/** Creates a closed database with the newest schema. The caller removes it. */
export async function createTestDatabase(engine: EngineName): Promise<TestDatabase> {
  if (engine === 'postgres') {
    postgresTemplate ??= createPostgresTemplate()
    const { url, drop } = await createPostgresDatabase(await postgresTemplate)
    return { location: url, remove: drop }
  }
  sqliteTemplate ??= createSqliteTemplate()
  const folder = createFolder()
  const location = join(folder, 'accord.sqlite')
  writeFileSync(location, await sqliteTemplate)
  return { location, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

// Migrated once: the test files of a worker share the modules, including the templates.
let sqliteTemplate: Promise<Buffer> | undefined
let postgresTemplate: Promise<PostgresDatabase> | undefined

/** The content of a file. */
async function createSqliteTemplate(): Promise<Buffer> {
  const folder = createFolder()
  try {
    const location = join(folder, 'template.sqlite')
    await migrate(location)
    return readFileSync(location)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** It is removed with the server. */
async function createPostgresTemplate(): Promise<PostgresDatabase> {
  const database = await createPostgresDatabase()
  await migrate(database.url)
  return database
}

async function migrate(location: string): Promise<void> {
  const database = await openDatabase(location)
  await database.close()
}

function createFolder(): string {
  return mkdtempSync(join(tmpdir(), 'accord-test-'))
}
