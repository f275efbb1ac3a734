import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPostgresDatabase, type PostgresDatabase, postgresMissing } from './postgres.js'

describe.skipIf(postgresMissing)('a PostgreSQL database of a test', () => {
  async function create(template?: PostgresDatabase) {
    const database = await createPostgresDatabase(template)
    onTestFinished(() => database.drop())
    return database
  }

  it('is new and empty, and has Unicode text', async () => {
    const [one, other] = [await create(), await create()]
    expect(one.url).not.toBe(other.url)
    await query(one, 'CREATE TABLE word (text text)')
    expect(await query(one, "INSERT INTO word VALUES ('café') RETURNING length(text)")).toEqual([
      { length: 4 },
    ])
    await expect(query(other, 'SELECT * FROM word')).rejects.toThrow('does not exist')
  })

  it('is a copy of its template', async () => {
    const template = await create()
    await query(template, 'CREATE TABLE word AS SELECT 7 AS id')
    const copy = await create(template)
    expect(await query(copy, 'SELECT * FROM word')).toEqual([{ id: 7 }])
  })

  it('is removed by drop, also with open connections', async () => {
    const database = await createPostgresDatabase()
    const client = new Client({ connectionString: database.url })
    client.on('error', () => {})
    await client.connect()
    await database.drop()
    await expect(query(database, 'SELECT 1')).rejects.toThrow('does not exist')
  })

  it('orders text linguistically, unless byte order is requested', async () => {
    const database = await create()
    const ordered = (collation: string) =>
      query(
        database,
        `SELECT text FROM (VALUES ('b'), ('B'), ('a')) AS word (text) ORDER BY text ${collation}`,
      )
    expect((await ordered('')).map(({ text }) => text)).toEqual(['a', 'b', 'B'])
    expect((await ordered('COLLATE "C"')).map(({ text }) => text)).toEqual(['B', 'a', 'b'])
  })
})

async function query(database: PostgresDatabase, statement: string) {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
