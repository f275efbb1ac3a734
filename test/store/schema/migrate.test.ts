import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import BetterSqlite3 from 'better-sqlite3'
import type * as TypeOrm from 'typeorm'
import { describe, expect, it, vi } from 'vitest'
import { Baseline1795334400000 } from '../../../migrations/20261122-baseline.js'
import { openDatabase } from '../../../src/store/database.js'
import type { EngineName } from '../../../src/store/engine/sql.js'
import { sql } from '../../../src/store/engine/sql.js'
import { entitySchemas } from '../../../src/store/schema/migrate.js'
import { SCHEMA_VERSION } from '../../../src/store/schema/schema-version.js'
import { temporaryFolder } from '../../formats/kit.js'
import { ALL_ENGINES, createTestDatabase } from '../../kit/databases.js'
import { createPostgresDatabase } from '../../kit/postgres.js'

const { DataSource } = createRequire(import.meta.url)('typeorm') as typeof TypeOrm

const { path } = temporaryFolder()

describe.each(ALL_ENGINES)('the schema of migrations on %s', (engine) => {
  it('equals that of the entities', async () => {
    const { location, remove } = await createTestDatabase(engine)
    const source = new DataSource({ ...driverOptions(engine, location), entities: entitySchemas(engine) })
    try {
      await source.initialize()
      const { upQueries } = await source.driver.createSchemaBuilder().log()
      expect(upQueries.map(({ query }) => query)).toEqual([])
    } finally {
      await source.destroy()
      await remove()
    }
  })

  it('is not created in part: a migration that failed is repeated', async () => {
    const { url, drop } =
      engine === 'postgres'
        ? await createPostgresDatabase()
        : { url: path('failed.sqlite'), drop: async () => {} }
    const { up } = Baseline1795334400000.prototype
    const spy = vi.spyOn(Baseline1795334400000.prototype, 'up').mockImplementation(async (runner) => {
      await up(runner)
      throw new Error('the power failed')
    })
    await expect(openDatabase(url)).rejects.toThrow('the power failed')
    spy.mockRestore()
    await expect(openDatabase(url, { mustExist: true })).rejects.toThrow(/an empty (file|database)/)
    const database = await openDatabase(url)
    expect(await database.all(sql`SELECT text FROM token`)).toEqual([])
    await database.close()
    await drop()
  })
})

it('has a new version with every change of the tables', async () => {
  const { location, remove } = await createTestDatabase('sqlite')
  const connection = new BetterSqlite3(location, { readonly: true })
  const statements = connection.prepare('SELECT sql FROM sqlite_schema ORDER BY name').pluck().all()
  connection.close()
  await remove()
  const tables = createHash('sha256').update(statements.join('\n')).digest('hex').slice(0, 8)
  // A database of the same version has the same tables: if they changed, increase the version.
  expect({ version: SCHEMA_VERSION, tables }).toEqual({ version: 29, tables: '1098493e' })
})

function driverOptions(
  engine: EngineName,
  location: string,
): { type: 'better-sqlite3'; database: string } | { type: 'postgres'; url: string } {
  return engine === 'sqlite'
    ? { type: 'better-sqlite3', database: location }
    : { type: 'postgres', url: location }
}
