import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Database,
  inLongTransaction,
  inTransaction,
  inTransactionSoon,
  type OpenOptions,
  openDatabase,
} from '../../src/store/database.js'
import { temporaryFolder } from '../formats/kit.js'
import { rejectionOf } from '../kit/boxes.js'
import { dump } from '../kit/dump.js'

const { folder, path, write } = temporaryFolder()
const opened: Database[] = []
let files = 0

async function open(file = path(`${++files}.sqlite`), options?: OpenOptions): Promise<Database> {
  const database = await openDatabase(file, options)
  opened.push(database)
  return database
}

afterEach(async () => {
  for (const { source } of opened.splice(0)) if (source.isInitialized) await source.destroy()
})

function schema({ connection }: Database): unknown[] {
  return connection
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE name <> 'sqlite_sequence' ORDER BY name")
    .all()
}

describe('openDatabase', () => {
  it('makes a new database: write-ahead log, foreign keys, a table for every entity', async () => {
    const { source, connection } = await open()
    expect(connection.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(connection.pragma('foreign_keys', { simple: true })).toBe(1)
    expect(source.entityMetadatas.length).toBeGreaterThan(10)
    for (const { target } of source.entityMetadatas)
      expect(await source.getRepository(target).find()).toEqual([])
  })

  it('opens what an earlier one made, without writing, also while another connection writes', async () => {
    const first = await open()
    insertToken(first, 'dog')
    const writer = new BetterSqlite3(first.file)
    writer.exec("BEGIN IMMEDIATE; INSERT INTO token (text) VALUES ('cat')")
    const again = await open(first.file, { mustExist: true, busyTimeout: 0 })
    expect(again.connection.pragma('foreign_keys', { simple: true })).toBe(1)
    expect(tokens(again)).toEqual(['dog'])
    writer.exec('COMMIT')
    writer.close()
    expect(tokens(again)).toEqual(['cat', 'dog'])
  })

  it('takes an empty file for a new database', async () => {
    const empty = await open(write('empty.sqlite', ''))
    expect(schema(empty)).toEqual(schema(await open()))
  })

  it('migrates down to nothing and up again to the same schema', async () => {
    const database = await open()
    const before = schema(database)
    for (const _ of database.source.migrations) await database.source.undoLastMigration()
    const tables = database.source.entityMetadatas.map(({ tableName }) => tableName)
    const left = schema(database) as { name: string }[]
    expect(left.filter(({ name }) => tables.some((table) => name.startsWith(table)))).toEqual([])
    expect(database.connection.prepare('SELECT * FROM migrations').all()).toEqual([])
    await database.source.runMigrations()
    expect(schema(database)).toEqual(before)
  })

  it('finishes migrations that an older version had not got', async () => {
    const old = await open()
    const newest = schema(old)
    insertToken(old, 'dog')
    await old.source.undoLastMigration()
    await old.close()
    const updated = await open(old.file)
    expect(schema(updated)).toEqual(newest)
    expect(tokens(updated)).toEqual(['dog'])
  })

  it('lets several open a new file at once', async () => {
    const file = path('at once.sqlite')
    const databases = await Promise.all([open(file), open(file), open(file), open(file)])
    for (const database of databases) expect(schema(database)).toEqual(schema(databases[0]))
  })

  it.each([
    [
      'missing.sqlite',
      { mustExist: true },
      'FILE_NOT_FOUND',
      'expected a database made by `accord import`, found no file',
    ],
    ['no/folder.sqlite', {}, 'FILE_NOT_FOUND', 'the folder of the database does not exist'],
    ['text.sqlite/x.sqlite', {}, 'FILE_NOT_FOUND', 'the folder of the database does not exist'],
    [
      'text.sqlite',
      {},
      'INVALID_SHAPE',
      'no intact Accord database: expected a database made by `accord import`',
    ],
    ['.', {}, 'INVALID_SHAPE', 'found a folder'],
    ['cut.sqlite', {}, 'INVALID_SHAPE', 'no intact Accord database'],
    ['other.sqlite', {}, 'INVALID_SHAPE', 'found tables of another program, such as song'],
  ] as const)(
    'refuses %s with one clear error and leaves the folder as it was',
    async (name, options, code, text) => {
      write('text.sqlite', 'This is no database, however long the text in it may be. '.repeat(40))
      const other = new BetterSqlite3(path('other.sqlite'))
      other.exec('CREATE TABLE IF NOT EXISTS song (title TEXT)')
      other.close()
      const whole = await open(path('whole.sqlite'))
      await whole.close()
      writeFileSync(path('cut.sqlite'), readFileSync(path('whole.sqlite')).subarray(0, 3000))
      const before = contents()
      const failure = await rejectionOf(openDatabase(path(name), options))
      expect(failure).toContain(code)
      expect(failure).toContain(`${path(name)}: `)
      expect(failure).toContain(text)
      expect(contents()).toEqual(before)
    },
  )
})

describe('transactions', () => {
  let database: Database
  let other: BetterSqlite3.Database
  beforeEach(async () => {
    database = await open(undefined, { busyTimeout: 300 })
    insertToken(database, 'dog')
    other = new BetterSqlite3(database.file)
  })
  afterEach(() => other.close())

  it('undo everything when something throws', () => {
    const before = dump(database)
    const failing = () =>
      inTransaction(database, () => {
        insertToken(database, 'cat')
        database.connection.exec("UPDATE token SET text = 'wolf' WHERE text = 'dog'")
        insertToken(database, 'cat')
      })
    expect(failing).toThrow('UNIQUE constraint failed')
    expect(dump(database)).toEqual(before)
    expect(inTransaction(database, () => insertToken(database, 'cat'))).toBe(2)
  })

  it('undo everything when asynchronous work rejects, and nothing of it is seen before its end', async () => {
    const before = dump(database)
    const failing = inLongTransaction(database, async () => {
      insertToken(database, 'cat')
      await sleep(1)
      inTransaction(database, () => insertToken(database, 'cow'))
      expect(other.prepare('SELECT text FROM token').pluck().all()).toEqual(['dog'])
      throw new Error('stopped')
    })
    await expect(failing).rejects.toThrow('stopped')
    expect(dump(database)).toEqual(before)
    expect(await inLongTransaction(database, async () => insertToken(database, 'cat'))).toBe(2)
    expect(tokens(database)).toEqual(['cat', 'dog'])
  })

  it('are BUSY where another connection keeps writing', async () => {
    other.exec('BEGIN IMMEDIATE')
    const insert = () => insertToken(database, 'cat')
    expect(() => inTransaction(database, insert)).toThrow(expect.objectContaining({ code: 'BUSY' }))
    expect(await rejectionOf(inTransactionSoon(database, insert))).toMatch(
      /^BUSY .*another process is writing/,
    )
    expect(await rejectionOf(inLongTransaction(database, async () => insert()))).toMatch(/^BUSY /)
    other.exec('ROLLBACK')
    expect(tokens(database)).toEqual(['dog'])
    expect(inTransaction(database, insert)).toBe(2)
  })

  it('wait for another connection without keeping the thread from it', async () => {
    other.exec("BEGIN IMMEDIATE; INSERT INTO token (text) VALUES ('cat')")
    const soon = inTransactionSoon(database, () => insertToken(database, 'cow'))
    const long = inLongTransaction(await open(database.file), async () => tokens(database))
    await sleep(50)
    other.exec('COMMIT')
    await Promise.all([soon, long])
    expect(tokens(database)).toEqual(['cat', 'cow', 'dog'])
  })

  it('know foreign keys', () => {
    const insert = database.connection.prepare(
      "INSERT INTO caption (image_id, position, external_id, text, tokens) VALUES (77, 0, '1', 'a', x'')",
    )
    expect(() => inTransaction(database, () => insert.run())).toThrow('FOREIGN KEY constraint failed')
  })
})

function insertToken({ connection }: Database, text: string): number {
  return Number(connection.prepare('INSERT INTO token (text) VALUES (?)').run(text).lastInsertRowid)
}

function tokens({ connection }: Database): unknown[] {
  return connection.prepare('SELECT text FROM token ORDER BY text').pluck().all()
}

function contents(): [string, string][] {
  const names = readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))
  return names.map((name) => [name, readFileSync(path(name)).toString('base64')])
}
