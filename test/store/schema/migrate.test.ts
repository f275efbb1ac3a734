import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type * as TypeOrm from 'typeorm'
import { describe, expect, it, vi } from 'vitest'
import { Baseline1795737600000 } from '../../../migrations/20261127-baseline.js'
import { checkEngine } from '../../../src/store/check.js'
import { openDatabase } from '../../../src/store/database.js'
import { count, find } from '../../../src/store/engine/rows.js'
import type { EngineName } from '../../../src/store/engine/sql.js'
import { EMPTY, raw, sql } from '../../../src/store/engine/sql.js'
import { ENTITIES } from '../../../src/store/schema/entities.js'
import { MIGRATIONS } from '../../../src/store/schema/version.js'
import { temporaryFolder } from '../../formats/kit.js'
import { atEnd } from '../../kit/cleanup.js'
import { ALL_ENGINES, createTestDatabase } from '../../kit/databases.js'
import { entitySchemas } from '../../kit/entity-schemas.js'
import { createPostgresDatabase } from '../../kit/postgres.js'
import { laterMigration, versionsWithRows, withMigrations, writeOldDatabase } from '../../kit/versions.js'
import { failureOf } from '../kit.js'

const { DataSource } = createRequire(import.meta.url)('typeorm') as typeof TypeOrm

const { path } = temporaryFolder()

describe.each(ALL_ENGINES)('the schema of migrations on %s', (engine) => {
  it('equals that of the entities', async () => {
    const { location, remove } = await createTestDatabase(engine)
    expect(await differencesFromEntities(engine, location)).toEqual([])
    await remove()
  })

  it('is not created in part: a migration that failed is repeated', async () => {
    const location = await emptyDatabase(engine)
    const { up } = Baseline1795737600000.prototype
    const spy = vi.spyOn(Baseline1795737600000.prototype, 'up').mockImplementation(async (runner) => {
      await up(runner)
      throw new Error('the power failed')
    })
    await expect(openDatabase(location)).rejects.toThrow('the power failed')
    spy.mockRestore()
    await expect(openDatabase(location, { mustExist: true })).rejects.toThrow(/an empty (file|database)/)
    const database = await openDatabase(location)
    expect(await database.all(sql`SELECT text FROM token`)).toEqual([])
    await database.close()
  })
})

describe.each(ALL_ENGINES)('an older database on %s', (engine) => {
  it.each(versionsWithRows())(
    'of version %i gets the tables of the entities and keeps its rows',
    async (version) => {
      const location = await emptyDatabase(engine)
      const rows = await writeOldDatabase(location, version)
      const database = await openDatabase(location, { mustExist: true })
      for (const entity of ENTITIES) {
        const written = rows.filter(({ table }) => table === entity.name).length
        expect([entity.name, await count(database, sql`FROM ${raw(entity.name)}`)]).toEqual([
          entity.name,
          written,
        ])
        expect(await find(database, entity, EMPTY)).toHaveLength(written)
      }
      expect(await checkEngine(database)).toEqual([])
      await database.close()
      expect(await differencesFromEntities(engine, location)).toEqual([])
    },
  )

  it('executes a later migration once, also if it is opened at the same time', async () => {
    const location = await emptyDatabase(engine)
    const rows = await writeOldDatabase(location, MIGRATIONS.length)
    const words = rows.flatMap(({ table, row }) => (table === 'token' ? [`${row.text}!`] : []))
    let executions = 0
    const rename = laterMigration(async (runner) => {
      executions++
      await runner.query('ALTER TABLE token RENAME COLUMN text TO word')
      await runner.query("UPDATE token SET word = word || '!'")
    })
    await withMigrations([...MIGRATIONS, rename], async () => {
      const databases = await Promise.all([1, 2, 3].map(() => openDatabase(location, { mustExist: true })))
      databases.push(await openDatabase(location))
      for (const database of databases) {
        const found = await database.all<{ word: string }>(sql`SELECT word FROM token ORDER BY id`)
        expect(found.map(({ word }) => word)).toEqual(words)
        const executed = await database.all(sql`SELECT name FROM accord_migrations ORDER BY id`)
        expect(executed).toEqual(MIGRATIONS.map(({ name }) => ({ name })))
        // The rows that refer to those of the table are still there.
        expect(await count(database, sql`FROM word`)).toBe(
          rows.filter(({ table }) => table === 'word').length,
        )
        await database.close()
      }
    })
    expect(executions).toBe(1)
    expect(await failureOf(openDatabase(location))).toMatch(
      /^INVALID_SHAPE .*written by a newer version of Accord: expected schema version (\d+), found version (?!\1)\d+$/,
    )
  })

  it('stays as it is if a later migration fails', async () => {
    const location = await emptyDatabase(engine)
    await writeOldDatabase(location, MIGRATIONS.length)
    const failing = laterMigration(async (runner) => {
      await runner.query('ALTER TABLE token RENAME COLUMN text TO word')
      await runner.query('DELETE FROM token WHERE id NOT IN (SELECT token_id FROM word)')
      await runner.query('SELECT nothing FROM token')
    })
    await withMigrations([...MIGRATIONS, failing], async () => {
      await expect(openDatabase(location)).rejects.toThrow(/nothing/)
    })
    expect(await differencesFromEntities(engine, location)).toEqual([])
    const database = await openDatabase(location)
    expect(await database.all(sql`SELECT text FROM token WHERE text = 'a'`)).toEqual([{ text: 'a' }])
    await database.close()
  })
})

describe('migrations', () => {
  it('are listed by their names, in the order of their times', async () => {
    const names = MIGRATIONS.map(({ name }) => name)
    const classes = await Promise.all(MIGRATIONS.map(({ load }) => load()))
    expect(classes.map((migration) => [migration.name, new migration().name])).toEqual(
      names.map((name) => [name, name]),
    )
    const times = names.map((name) => Number(name.slice(-13)))
    expect(times.toSorted((one, other) => one - other)).toEqual(times)
  })

  it('have rows of the version that they lead to', () => {
    expect(versionsWithRows()).toEqual(MIGRATIONS.map((_, index) => index + 1))
  })

  it('are frozen: a change of a table is another one', () => {
    const folder = fileURLToPath(new URL('../../../migrations/', import.meta.url))
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )
    const hashOf = (name: string) =>
      createHash('sha256')
        .update(readFileSync(folder + name))
        .digest('hex')
        .slice(0, 8)
    expect(Object.fromEntries(files.sort().map((name) => [name, hashOf(name)]))).toEqual({
      '20261127-baseline.ts': 'eb0912d0',
      '20261127-baseline/postgres.ts': 'dfd1d78b',
      '20261127-baseline/sqlite.ts': 'd954259a',
      '20261128-collection-hosts.ts': '5f3dd5f7',
      '20261128-image-objects.ts': 'fd53c4ce',
    })
  })
})

/** The location of a database without tables, which is removed after the test. */
async function emptyDatabase(engine: EngineName): Promise<string> {
  if (engine === 'sqlite') return path(`empty ${files++}.sqlite`)
  const { url, drop } = await createPostgresDatabase()
  atEnd(drop)
  return url
}

let files = 0

/** The statements by which TypeORM would make the tables of a database those of the entities. */
async function differencesFromEntities(engine: EngineName, location: string): Promise<string[]> {
  const source = new DataSource({ ...driverOptions(engine, location), entities: entitySchemas(engine) })
  try {
    await source.initialize()
    const { upQueries } = await source.driver.createSchemaBuilder().log()
    return upQueries.map(({ query }) => query)
  } finally {
    await source.destroy()
  }
}

function driverOptions(
  engine: EngineName,
  location: string,
): { type: 'better-sqlite3'; database: string } | { type: 'postgres'; url: string } {
  return engine === 'sqlite'
    ? { type: 'better-sqlite3', database: location }
    : { type: 'postgres', url: location }
}
