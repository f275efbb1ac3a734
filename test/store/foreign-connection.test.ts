import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { backupDatabase, copyDatabase, restoreDatabase } from '../../src/services/datasets/backup.js'
import { openDatabase } from '../../src/store/database.js'
import { insert } from '../../src/store/engine/rows.js'
import type { Database } from '../../src/store/engine/session.js'
import { sql } from '../../src/store/engine/sql.js'
import { TokenEntity } from '../../src/store/schema/dataset-tables.js'
import { temporaryFolder } from '../formats/kit.js'

const { path } = temporaryFolder()

const hasPython = spawnSync('python3', ['-c', 'import sqlite3']).status === 0

/**
 * Opens a file in another program, reads and writes it, and closes it. A better-sqlite3 of another process would not do: it
 * leaves the log where it is.
 */
function visit(file: string): void {
  const script = `
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute('CREATE TABLE IF NOT EXISTS note (text)')
connection.execute('INSERT INTO note VALUES (1)')
connection.commit()
connection.close()`
  const { status, stderr } = spawnSync('python3', ['-c', script, file], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
}

const nothing = () => {}

/** Everything that opens a database that this process has open already. */
const PATHS: Readonly<Record<string, (location: string) => Promise<void>>> = {
  open: async (location) => (await openDatabase(location)).close(),
  backup: (location) => backupDatabase(location, path('backup of it.sqlite'), nothing),
  restore: (location) => restoreDatabase(path('to restore.sqlite'), location, nothing),
  async copy(location) {
    await copyDatabase(location, path('copy of it.sqlite'), nothing)
  },
  async snapshot(location) {
    const database = await openDatabase(location)
    await database.snapshot((session) => session.all(sql`SELECT 1 FROM token`))
    await database.close()
  },
  async 'reading thread'(location) {
    const database = await openDatabase(location)
    await database.readLong({ milliseconds: 60_000 }, (session) => session.all(sql`SELECT 1 FROM token`))
    await database.close()
  },
}

const texts = async (database: Database) =>
  (await database.all<{ text: string }>(sql`SELECT text FROM token ORDER BY id`)).map(({ text }) => text)

it.skipIf(!hasPython).for(Object.keys(PATHS))(
  'another program does not remove the log after %s',
  async (name) => {
    const file = path(`${name}.sqlite`)
    const database = await openDatabase(file)
    await insert(database, TokenEntity, { text: 'before' })
    if (name === 'restore') await backupDatabase(file, path('to restore.sqlite'), nothing)
    await PATHS[name](file)
    visit(file)
    expect(existsSync(`${file}-wal`)).toBe(true)
    await insert(database, TokenEntity, { text: 'after' })
    visit(file)
    await database.close()
    const again = await openDatabase(file)
    expect(await texts(again)).toEqual(['before', 'after'])
    await again.close()
  },
)
