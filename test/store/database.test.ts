import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AccordError } from '../../src/errors.js'
import { backupFile, restoreFile } from '../../src/store/backup.js'
import { openDatabase } from '../../src/store/database.js'
import { insert } from '../../src/store/engine/rows.js'
import type { Database, OpenOptions, Session } from '../../src/store/engine/session.js'
import { raw, sql } from '../../src/store/engine/sql.js'
import { TokenEntity } from '../../src/store/schema/dataset-tables.js'
import { MIGRATIONS } from '../../src/store/schema/version.js'
import { temporaryFolder } from '../formats/kit.js'
import { createPostgresDatabase, postgresMissing } from '../kit/postgres.js'

const { folder, path, write } = temporaryFolder()
const opened: Database[] = []
let files = 0

async function open(location = path(`${++files}.sqlite`), options?: OpenOptions): Promise<Database> {
  const database = await openDatabase(location, options)
  opened.push(database)
  return database
}

async function close(database: Database): Promise<void> {
  opened.splice(opened.indexOf(database), 1)
  await database.close()
}

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
})

const addToken = (session: Session, text: string) => insert(session, TokenEntity, { text })

async function tokens(session: Session): Promise<string[]> {
  const rows = await session.all<{ text: string }>(sql`SELECT text FROM token ORDER BY text`)
  return rows.map(({ text }) => text)
}

/** Another connection writes the log to the file. */
function checkpoint(file: string, mode: 'PASSIVE' | 'TRUNCATE'): void {
  const connection = new BetterSqlite3(file)
  connection.pragma(`wal_checkpoint(${mode})`)
  connection.close()
}

/** Code and message of the expected failure of a promise. */
async function failureOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof AccordError) return `${error.code} ${error.message}`
  throw new Error('expected a failure, but there was none', { cause: error })
}

function contents(): [string, string][] {
  const names = readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))
  return names
    .filter((name) => name.endsWith('.sqlite'))
    .map((name) => [name, readFileSync(path(name)).toString('base64')])
}

/** Runs `act` as a user other than root, because root can write read-only files. */
async function asOrdinaryUser<Result>(act: () => Promise<Result>): Promise<Result> {
  if (process.getuid?.() !== 0) return act()
  process.seteuid?.(65_534)
  try {
    return await act()
  } finally {
    process.seteuid?.(0)
  }
}

/** What makes a database one of another version. */
const OTHER_VERSIONS = {
  newer: "INSERT INTO accord_migrations (timestamp, name) VALUES (4102444800000, 'Later4102444800000')",
  early: 'ALTER TABLE accord_migrations RENAME TO migrations',
}

describe('openDatabase on SQLite', () => {
  it('creates a new database with the application id of Accord', async () => {
    const database = await open()
    const connection = new BetterSqlite3(database.location, { readonly: true })
    expect(connection.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(connection.pragma('application_id', { simple: true })).toBe(0x41435244)
    const names = connection.prepare('SELECT name FROM accord_migrations ORDER BY id').pluck().all()
    expect(names).toEqual(MIGRATIONS.map(({ name }) => name))
    connection.close()
  })

  it('opens an existing database, also while another connection writes', async () => {
    const first = await open()
    await addToken(first, 'dog')
    const writer = new BetterSqlite3(first.location)
    writer.exec("BEGIN IMMEDIATE; INSERT INTO token (text) VALUES ('cat')")
    const again = await open(first.location, { mustExist: true, busyTimeout: 0 })
    expect(await tokens(again)).toEqual(['dog'])
    writer.exec('COMMIT')
    writer.close()
    expect(await tokens(again)).toEqual(['cat', 'dog'])
  })

  it('leaves no write-ahead log when it is closed', async () => {
    const database = await open()
    await addToken(database, 'dog')
    expect(existsSync(`${database.location}-wal`)).toBe(true)
    const other = await open(database.location)
    await close(database)
    expect(await tokens(other)).toEqual(['dog'])
    await close(other)
    expect(existsSync(`${database.location}-wal`)).toBe(false)
    expect(existsSync(`${database.location}-shm`)).toBe(false)
    // All data are in the main file.
    copyFileSync(database.location, path('moved.sqlite'))
    expect(await tokens(await open(path('moved.sqlite')))).toEqual(['dog'])
  })

  it('creates a new file once for several concurrent calls', async () => {
    const file = path('at once.sqlite')
    const databases = await Promise.all([open(file), open(file), open(file), open(file)])
    for (const database of databases) expect(await tokens(database)).toEqual([])
  })

  it('refuses URLs of other databases', async () => {
    expect(await failureOf(open('mysql://localhost/accord'))).toMatch(
      /^NOT_APPLICABLE .*unknown kind of database: expected .*, found a URL that begins with mysql:\/\/$/,
    )
  })

  it.each([
    [
      'missing.sqlite',
      { mustExist: true },
      'FILE_NOT_FOUND',
      'expected a database created by `accord import`, found no file',
    ],
    ['no/folder.sqlite', {}, 'FILE_NOT_FOUND', 'the folder of the database does not exist'],
    ['text.sqlite/x.sqlite', {}, 'FILE_NOT_FOUND', 'the folder of the database does not exist'],
    ['text.sqlite', {}, 'INVALID_SHAPE', 'the file is not a valid Accord database'],
    ['.', {}, 'INVALID_SHAPE', 'found a folder'],
    ['cut.sqlite', {}, 'INVALID_SHAPE', 'the file is not a valid Accord database'],
    ['other.sqlite', {}, 'INVALID_SHAPE', 'found a database of another program, with the table song'],
    ['marked.sqlite', {}, 'INVALID_SHAPE', 'found a database of another program'],
    [
      'newer.sqlite',
      {},
      'INVALID_SHAPE',
      `written by a newer version of Accord: expected schema version ${MIGRATIONS.length}, found version ${MIGRATIONS.length + 1}`,
    ],
    [
      'early.sqlite',
      {},
      'INVALID_SHAPE',
      'written before the first release of Accord: expected a database of a release',
    ],
  ] as const)(
    'refuses %s with one clear error and does not change the folder',
    async (name, options, code, text) => {
      write('text.sqlite', 'This is not a database, however long the text in it may be. '.repeat(40))
      const other = new BetterSqlite3(path('other.sqlite'))
      other.exec('CREATE TABLE IF NOT EXISTS song (title TEXT)')
      other.close()
      const marked = new BetterSqlite3(path('marked.sqlite'))
      marked.exec('PRAGMA application_id = 77; CREATE TABLE IF NOT EXISTS migrations (id INTEGER)')
      marked.close()
      const whole = await open(path('whole.sqlite'))
      await close(whole)
      writeFileSync(path('cut.sqlite'), readFileSync(path('whole.sqlite')).subarray(0, 3000))
      for (const [age, change] of Object.entries(OTHER_VERSIONS)) {
        copyFileSync(path('whole.sqlite'), path(`${age}.sqlite`))
        const other = new BetterSqlite3(path(`${age}.sqlite`))
        other.exec(change)
        other.close()
      }
      const before = contents()
      const failure = await failureOf(open(path(name), options))
      expect(failure).toContain(code)
      expect(failure).toContain(`${path(name)}: `)
      expect(failure).toContain(text)
      expect(contents()).toEqual(before)
    },
  )

  it('reports a page that was overwritten as one clear error', async () => {
    const database = await open()
    await database.transaction(async (session) => {
      await session.insertMany(
        TokenEntity,
        ['text'],
        Array.from({ length: 5000 }, (_, index) => [`word ${index}`]),
      )
    })
    await close(database)
    const bytes = readFileSync(database.location)
    bytes.fill(0xee, 4096 * 3)
    writeFileSync(database.location, bytes)
    const failure = await failureOf(open(database.location).then(tokens))
    expect(failure).toMatch(/^INVALID_SHAPE .*the file is not a valid Accord database/)
  })

  it('refuses an empty file that must contain a database', async () => {
    expect(await failureOf(open(write('empty.sqlite', ''), { mustExist: true }))).toMatch(
      /^FILE_NOT_FOUND .*no database found.*found an empty file/,
    )
  })

  it('notices that the file was removed while it is in use', async () => {
    const database = await open()
    await addToken(database, 'dog')
    rmSync(database.location)
    await expect
      .poll(() => failureOf(tokens(database)))
      .toMatch(/^FILE_NOT_FOUND .*was removed or replaced while it was in use/)
    // Transactions have a connection of their own, which looks for the file at other times.
    const write = () => failureOf(database.transaction((session) => addToken(session, 'cat')))
    await expect.poll(write).toMatch(/^FILE_NOT_FOUND /)
  })

  it('notices that the file was replaced: it writes nothing more, and its log goes to the former file alone', async () => {
    const [database, other] = [await open(), await open()]
    await addToken(other, 'new')
    await close(other)
    await addToken(database, 'old')
    const file = database.location
    renameSync(file, path('former.sqlite'))
    copyFileSync(other.location, file)
    // At once, though reads look at the file at times.
    expect(await failureOf(addToken(database, 'lost'))).toMatch(
      /^FILE_NOT_FOUND .*was removed or replaced while it was in use/,
    )
    expect(await failureOf(database.snapshot(tokens))).toMatch(/^FILE_NOT_FOUND /)
    await expect.poll(() => failureOf(tokens(database))).toMatch(/^FILE_NOT_FOUND /)
    await expect.poll(() => existsSync(`${file}-wal`)).toBe(false)
    expect(await tokens(await open(file))).toEqual(['new'])
    await close(database)
    expect(await tokens(await open(file))).toEqual(['new'])
    expect(await tokens(await open(path('former.sqlite')))).toEqual(['old'])
  })

  it('commits nothing to a file that was replaced during a transaction', async () => {
    const database = await open()
    await addToken(database, 'old')
    const writing = database.transaction(async (session) => {
      await addToken(session, 'lost')
      renameSync(database.location, path('before.sqlite'))
      copyFileSync(path('before.sqlite'), database.location)
    })
    expect(await failureOf(writing)).toMatch(/^FILE_NOT_FOUND /)
    await close(database)
    expect(await tokens(await open(path('before.sqlite')))).toEqual(['old'])
  })

  describe.each([
    [
      'another database',
      async () => {
        const other = await open()
        await addToken(other, 'new')
        await close(other)
        return readFileSync(other.location)
      },
    ],
    ['an older copy of itself', async (copy: Buffer) => copy],
    ['an empty file', async () => Buffer.alloc(0)],
    ['what is no database', async () => Buffer.alloc(1 << 16, 'text')],
  ])('that is overwritten by %s', (_what, contentFrom: (copy: Buffer) => Promise<Buffer>) => {
    const OVERWRITTEN = /^FILE_NOT_FOUND .*was overwritten by another file while it was in use/

    /** By another process: one that closes the file loses its locks. */
    function overwrite(file: string, content: Buffer): void {
      execFileSync('cp', [write('content', content), file])
    }

    /** A database with a copy of an older state, and with changes in its log. */
    async function prepare() {
      const database = await open()
      await addToken(database, 'first')
      await close(database)
      const content = await contentFrom(readFileSync(database.location))
      const again = await open(database.location)
      await addToken(again, 'second')
      checkpoint(again.location, 'PASSIVE')
      await addToken(again, 'third')
      return { database: again, file: database.location, content }
    }

    it('writes nothing more, not even its log, which it keeps aside', async () => {
      const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
      const { database, file, content } = await prepare()
      overwrite(file, content)
      expect(await failureOf(addToken(database, 'lost'))).toMatch(OVERWRITTEN)
      await expect.poll(() => failureOf(tokens(database))).toMatch(OVERWRITTEN)
      const aside = () =>
        readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}-lost-`))
      await expect.poll(aside).toHaveLength(1)
      await close(database)
      expect(readFileSync(file).equals(content)).toBe(true)
      const [log] = aside()
      expect(readFileSync(join(dirname(file), log)).includes('third')).toBe(true)
      const lines = stderr.mock.calls.map(([text]) => String(text))
      stderr.mockRestore()
      expect(lines.join('')).toBe(
        `accord: ${file}: the database was overwritten by another file while it was in use: expected the content that was opened; restart to use another one; its last changes are kept in ${join(dirname(file), log)}\n`,
      )
    })

    it('commits nothing of a transaction during which it happens', async () => {
      const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
      const { database, file, content } = await prepare()
      const writing = database.transaction(async (session) => {
        await addToken(session, 'lost')
        overwrite(file, content)
      })
      expect(await failureOf(writing)).toMatch(OVERWRITTEN)
      await close(database)
      stderr.mockRestore()
      expect(readFileSync(file).equals(content)).toBe(true)
    })
  })

  it('goes on where other processes write, and where the log is written to the file', async () => {
    const one = await open()
    const file = one.location
    for (let round = 0; round < 3; round++) {
      const two = await open(file)
      await addToken(two, `two ${round}`)
      checkpoint(file, 'TRUNCATE')
      await close(two)
      await addToken(one, `one ${round}`)
    }
    expect(await tokens(one)).toHaveLength(6)
  })

  it('goes on in a snapshot, while others write', async () => {
    const database = await open()
    await addToken(database, 'one')
    await database.snapshot(async (session) => {
      expect(await tokens(session)).toEqual(['one'])
      for (const word of ['two', 'three', 'four']) {
        await addToken(database, word)
        checkpoint(database.location, 'PASSIVE')
        // Longer than a connection trusts its last look at the file.
        await sleep(300)
        expect(await tokens(session)).toEqual(['one'])
        expect(await tokens(database)).toContain(word)
      }
    })
    checkpoint(database.location, 'TRUNCATE')
    await addToken(database, 'five')
    expect(await tokens(database)).toHaveLength(5)
  })

  it.each(['PASSIVE', 'TRUNCATE'] as const)('goes on where a backup is restored, log %s', async (mode) => {
    const database = await open()
    const { location } = database
    const backup = path(`${++files}.backup`)
    await addToken(database, 'one')
    await backupFile(location, backup, () => {})
    await addToken(database, 'two')
    checkpoint(location, mode)
    await addToken(database, 'three')
    await restoreFile(backup, location, () => {})
    await addToken(database, 'four')
    checkpoint(location, mode)
    await addToken(database, 'five')
    expect(await tokens(database)).toEqual(['five', 'four', 'one'])
  })
})

describe('a read-only database', () => {
  const place = path('archive')
  const file = `${place}/data.sqlite`
  const temporary = path('temporary')
  beforeEach(async () => {
    rmSync(place, { recursive: true, force: true })
    mkdirSync(place)
    mkdirSync(temporary, { recursive: true })
    chmodSync(temporary, 0o777)
    const database = await open(file)
    await addToken(database, 'dog')
    await close(database)
    chmodSync(folder, 0o755)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    chmodSync(place, 0o755)
  })

  it.each([
    ['the file', 0o444, 0o755],
    ['the folder', 0o644, 0o555],
    ['file and folder', 0o444, 0o555],
  ])('is queried if %s is not writable', async (_, fileMode, folderMode) => {
    chmodSync(file, fileMode)
    chmodSync(place, folderMode)
    const before = readFileSync(file)
    await asOrdinaryUser(async () => {
      const database = await open(file, { mustExist: true })
      expect(database.isReadOnly).toBe(true)
      expect(await tokens(database)).toEqual(['dog'])
      const failure = await failureOf(database.transaction((session) => addToken(session, 'cat')))
      expect(failure).toMatch(/^FORBIDDEN .*the database is read-only/)
      await close(database)
    })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it.each([
    ['the file', 0o444, 0o755],
    ['the folder', 0o644, 0o555],
    ['file and folder', 0o444, 0o555],
  ])('is read with the log of a killed process if %s is not writable', async (_, fileMode, folderMode) => {
    vi.stubEnv('TMPDIR', temporary)
    const writer = new BetterSqlite3(file)
    writer.exec("PRAGMA wal_autocheckpoint = 0; INSERT INTO token (text) VALUES ('cat')")
    const log = readFileSync(`${file}-wal`)
    const main = readFileSync(file)
    writer.close()
    writeFileSync(file, main)
    writeFileSync(`${file}-wal`, log)
    for (const name of [file, `${file}-wal`]) chmodSync(name, fileMode)
    chmodSync(place, folderMode)
    await asOrdinaryUser(async () => {
      const database = await open(file, { mustExist: true })
      expect(await tokens(database)).toEqual(['cat', 'dog'])
      expect(await database.snapshot(tokens)).toEqual(['cat', 'dog'])
      await close(database)
    })
    chmodSync(place, 0o755)
    expect(readFileSync(file).equals(main)).toBe(true)
    expect(readdirSync(temporary)).toEqual([])
  })

  it('is one clear error if it is not readable', async () => {
    chmodSync(file, 0o000)
    if (process.getuid?.() === undefined) return
    expect(await asOrdinaryUser(() => failureOf(open(file)))).toMatch(/^FILE_NOT_FOUND .*cannot be opened/)
    chmodSync(file, 0o644)
  })

  it('is refused if it has to be migrated: whoever may write it must open it once', async () => {
    const connection = new BetterSqlite3(file)
    connection.exec('DELETE FROM accord_migrations')
    connection.close()
    chmodSync(file, 0o444)
    const failure = await asOrdinaryUser(() => failureOf(open(file)))
    expect(failure).toMatch(
      /^INVALID_SHAPE .*written by an older version of Accord: expected a writable file/,
    )
  })
})

describe('transactions on SQLite', () => {
  let database: Database
  let other: BetterSqlite3.Database
  beforeEach(async () => {
    database = await open()
    await addToken(database, 'dog')
    other = new BetterSqlite3(database.location)
  })
  afterEach(() => other.close())

  it('fail with BUSY if another connection keeps writing', async () => {
    const impatient = await open(database.location, { busyTimeout: 100 })
    other.exec('BEGIN IMMEDIATE')
    const failure = await failureOf(impatient.transaction((session) => addToken(session, 'cat')))
    expect(failure).toMatch(/^BUSY .*another process is writing/)
    other.exec('ROLLBACK')
    await database.transaction((session) => addToken(session, 'cat'))
    expect(await tokens(database)).toEqual(['cat', 'dog'])
  })

  it('wait for another connection without blocking the thread', async () => {
    other.exec("BEGIN IMMEDIATE; INSERT INTO token (text) VALUES ('cat')")
    const waiting = database.transaction((session) => addToken(session, 'cow'))
    // The first attempt has failed by then.
    await nextTurn()
    other.exec('COMMIT')
    await waiting
    expect(await tokens(database)).toEqual(['cat', 'cow', 'dog'])
  })

  it('are invisible to reads until they end', async () => {
    await database.transaction(async (session) => {
      await addToken(session, 'cat')
      expect(await tokens(database)).toEqual(['dog'])
      expect(await tokens(session)).toEqual(['cat', 'dog'])
    })
    expect(await tokens(database)).toEqual(['cat', 'dog'])
  })
})

describe.skipIf(postgresMissing)('openDatabase on PostgreSQL', () => {
  it('creates the tables of an empty database, also with concurrent calls', async () => {
    const { url, drop } = await createPostgresDatabase()
    const databases = await Promise.all([open(url), open(url), open(url)])
    for (const database of databases) expect(await tokens(database)).toEqual([])
    for (const database of databases) await close(database)
    await drop()
  })

  it('refuses databases of other programs and versions', async () => {
    const { url, drop } = await createPostgresDatabase()
    const database = await open(url)
    await database.run(raw(OTHER_VERSIONS.newer))
    expect(await failureOf(open(url))).toContain('written by a newer version of Accord')
    await database.run(raw('ALTER TABLE accord_migrations RENAME TO migrations'))
    await database.run(raw('CREATE TABLE accord (schema_version integer)'))
    expect(await failureOf(open(url))).toContain('written before the first release of Accord')
    await close(database)
    await drop()
    const foreign = await createPostgresDatabase()
    const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: foreign.url })
    await client.connect()
    await client.query('CREATE TABLE song (title text)')
    await client.end()
    expect(await failureOf(open(foreign.url))).toMatch(
      /^INVALID_SHAPE .*belongs to another program.*the table song/,
    )
    await foreign.drop()
  })

  it.each([
    ['postgres://me:secret@127.0.0.1:1/none', 'postgres://me@127.0.0.1:1/none'],
    ['postgres://me:sec/ret@:@127.0.0.1:1/none', 'postgres://me@127.0.0.1:1/none'],
    [
      'postgres://127.0.0.1:1/none?user=me&password=secret',
      'postgres://127.0.0.1:1/none?user=me&password=***',
    ],
    ['postgres://me:secret@127.0.0.1:none/x', 'postgres://me@127.0.0.1:none/x'],
    ['POSTGRES://me:secret@nowhere.invalid/x', 'POSTGRES://me@nowhere.invalid/x'],
    [
      'postgres://me:secret@127.0.0.1:1/x?sslmode=verify-full&sslrootcert=/none',
      'postgres://me@127.0.0.1:1/x',
    ],
  ])('reports %s without its password', async (url, shown) => {
    const failure = await failureOf(open(url))
    expect(failure).toContain(`DATABASE_UNAVAILABLE ${shown}`)
    expect(failure).toContain('the database cannot be reached')
    expect(failure).not.toMatch(/secret|sec\/ret/)
  })

  it('reports refusals of the server as one clear error', async () => {
    const { url, name, drop } = await createPostgresDatabase()
    const wrongPassword = new URL(url)
    wrongPassword.password = 'secret'
    expect(await failureOf(open(wrongPassword.href))).toMatch(
      /cannot be reached.*password authentication failed/,
    )
    const withoutPassword = new URL(url)
    withoutPassword.password = ''
    expect(await failureOf(open(withoutPassword.href))).toMatch(/cannot be reached.*password/)
    const unknown = new URL(url)
    unknown.pathname = 'nothing_here'
    expect(await failureOf(open(unknown.href))).toMatch(
      /cannot be reached.*database "nothing_here" does not exist/,
    )
    expect(await failureOf(open(`${url}?sslmode=require`))).toMatch(/cannot be reached.*SSL/)
    const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`CREATE ROLE reader_${name} LOGIN PASSWORD 'pass'`)
    const reader = new URL(url)
    reader.username = `reader_${name}`
    reader.password = 'pass'
    expect(await failureOf(open(reader.href))).toMatch(
      /^NOT_APPLICABLE .*lacks a permission: found permission denied for schema public/,
    )
    await client.query(`DROP ROLE reader_${name}`)
    await client.end()
    await drop()
  })

  it('refuses an empty database that must have tables', async () => {
    const { url, drop } = await createPostgresDatabase()
    expect(await failureOf(open(url, { mustExist: true }))).toMatch(
      /^FILE_NOT_FOUND .*no Accord database found/,
    )
    await drop()
  })
})
