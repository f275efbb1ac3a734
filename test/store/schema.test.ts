import { createRequire } from 'node:module'
import type * as TypeOrm from 'typeorm'
import { describe, expect, it } from 'vitest'
import type { EngineName } from '../../src/store/engine/sql.js'
import { entitySchemas } from '../../src/store/schema/migrate.js'
import { createTestDatabase, ENGINES } from '../kit/databases.js'

const { DataSource } = createRequire(import.meta.url)('typeorm') as typeof TypeOrm

describe.each(ENGINES)('the schema of migrations on %s', (engine) => {
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
})

function driverOptions(
  engine: EngineName,
  location: string,
): { type: 'better-sqlite3'; database: string } | { type: 'postgres'; url: string } {
  return engine === 'sqlite'
    ? { type: 'better-sqlite3', database: location }
    : { type: 'postgres', url: location }
}
