import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, type OpenOptions, openDatabase } from '../../src/store/database.js'
import type { EngineName } from '../../src/store/sql.js'
import { atEnd } from './cleanup.js'
import { createPostgresDatabase, type PostgresDatabase, postgresMissing } from './postgres.js'

/** The engines that can run here: `describe.each(ENGINES)('words on %s', (engine) => …)`. */
export const ENGINES: readonly EngineName[] = postgresMissing ? ['sqlite'] : ['sqlite', 'postgres']

/**
 * A new database with the newest schema and without rows. It is closed and removed after the test that opens it, or
 * after the file where it is opened in `beforeAll` or outside tests.
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

/** Opens a database of `openTestDatabase` once more, as another process would. The caller closes it. */
export function openAgain(database: Database, options: OpenOptions = {}): Promise<Database> {
  return openDatabase(locations.get(database) as string, options)
}

/** With passwords. */
const locations = new WeakMap<Database, string>()

interface TestDatabase {
  /** For `openDatabase`. */
  readonly location: string
  remove(): void | Promise<void>
}

/** A new database with the newest schema that nobody has open. The caller removes it. */
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

// Migrated once; the files of a worker share the modules, and with them the templates.
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

/** It ends with the server. */
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
