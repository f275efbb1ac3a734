import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/store/engine/session.js'
import { sql } from '../../src/store/engine/sql.js'
import { runCleanups } from './cleanup.js'
import { ALL_ENGINES, openAgain, openTestDatabase } from './databases.js'

describe.each(ALL_ENGINES)('a test database on %s', (engine) => {
  let shared: Database
  let earlier: Database | undefined
  beforeAll(async () => {
    shared = await openTestDatabase(engine)
  })

  it('is new and empty for each call, and can be opened again', async () => {
    earlier = await openTestDatabase(engine)
    await shared.run(sql`INSERT INTO token (text) VALUES ('dog')`)
    expect(await earlier.all(sql`SELECT text FROM token`)).toEqual([])
    const again = await openAgain(shared)
    expect(await again.all(sql`SELECT text FROM token`)).toEqual([{ text: 'dog' }])
    await again.close()
  })

  it('is closed and removed after the test that opened it', async () => {
    await expect(earlier?.all(sql`SELECT text FROM token`)).rejects.toThrow()
    expect(await shared.all(sql`SELECT text FROM token`)).toEqual([{ text: 'dog' }])
  })

  it('opened outside a test is closed and removed after the file', async () => {
    await runCleanups()
    await expect(shared.all(sql`SELECT text FROM token`)).rejects.toThrow()
    await expect(openAgain(shared, { mustExist: true })).rejects.toThrow()
    if (engine === 'sqlite') expect(existsSync(shared.location)).toBe(false)
  })
})
