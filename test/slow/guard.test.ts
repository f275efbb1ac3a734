import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { outcomeOf, untilWritten, workbench } from '../cli/kit.js'
import { createPostgresDatabase, postgresMissing } from '../kit/postgres.js'
import { writeVillages } from '../kit/villages.js'

const { path, run, start, write } = workbench()

beforeAll(() => writeVillages(path('whole.sqlite')))

function change(file: string, statements: string): void {
  const connection = new BetterSqlite3(path(file))
  connection.exec(statements)
  connection.close()
}

describe('a file that is not a database of this version is one clear line', () => {
  const COMMANDS = ['datasets', 'words --dataset villages', 'serve --port 0', 'remove dataset villages']
  /** Which files are refused is tested with the store: here, that a command that reads and one that may create say so. */
  const [READING, CREATING] = ['datasets', 'serve --port 0']

  it.each([
    ['text.sqlite', /the file is not a valid Accord database: .*found file is not a database\n$/],
    ['cut.sqlite', /the file is not a valid Accord database: .*malformed\n$/],
    ['other.sqlite', /the file is not a valid Accord database: .*of another program, with the table song\n$/],
    [
      'newer.sqlite',
      /written by a newer version of Accord: expected schema version \d+, found version \d+\n$/,
    ],
    ['early.sqlite', /written before the first release of Accord: expected a database of a release; .*\n$/],
    ['.', /the file is not a valid Accord database: .*found a folder\n$/],
    ['/dev/null', /the file is not a valid Accord database: .*found a device\n$/],
  ])('%s', async (file, message) => {
    write('text.sqlite', 'This is not a database, however long the text in it may be. '.repeat(40))
    writeFileSync(path('cut.sqlite'), readFileSync(path('whole.sqlite')).subarray(0, 9000))
    change('other.sqlite', 'CREATE TABLE IF NOT EXISTS song (title TEXT)')
    copyFileSync(path('whole.sqlite'), path('newer.sqlite'))
    change(
      'newer.sqlite',
      "INSERT INTO accord_migrations (timestamp, name) VALUES (4102444800000, 'Later4102444800000')",
    )
    copyFileSync(path('whole.sqlite'), path('early.sqlite'))
    change('early.sqlite', 'ALTER TABLE accord_migrations RENAME TO migrations')
    const contents = () =>
      ['text', 'cut', 'other', 'newer', 'early'].map((name) =>
        readFileSync(path(`${name}.sqlite`)).toString('base64'),
      )
    const before = contents()
    for (const command of [READING, CREATING]) {
      const { code, stdout, stderr } = await run(`${command} --database ${file}`)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(message)
      expect(stderr.startsWith(`accord: ${file}: `)).toBe(true)
    }
    expect(contents()).toEqual(before)
  })

  it('pages that were overwritten', async () => {
    const bytes = readFileSync(path('whole.sqlite'))
    bytes.fill(0xee, 4096)
    writeFileSync(path('overwritten.sqlite'), bytes)
    for (const command of COMMANDS) {
      const { code, stderr } = await run(`${command} --database overwritten.sqlite`)
      expect(code).toBe(2)
      expect(stderr).toMatch(/^accord: overwritten\.sqlite: the file is not a valid Accord database.*\n$/)
    }
  })
})

describe.skipIf(postgresMissing)('a PostgreSQL database that cannot be used is one clear line', () => {
  async function failure(url: string, exitCode = 1): Promise<string> {
    const { code, stdout, stderr } = await run('datasets', { ACCORD_DATABASE: url })
    expect([code, stdout]).toEqual([exitCode, ''])
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(stderr).not.toContain('secret')
    return stderr
  }

  it('if there is no server, or the URL or password is wrong', async () => {
    const { url, drop } = await createPostgresDatabase()
    expect(await failure('postgres://me:secret@127.0.0.1:1/x')).toMatch(/cannot be reached.*ECONNREFUSED/)
    expect(await failure('postgres://me:secret@127.0.0.1:wrong/x')).toMatch(/cannot be reached/)
    const wrong = new URL(url)
    wrong.password = 'secret'
    expect(await failure(wrong.href)).toMatch(/cannot be reached.*password authentication failed/)
    wrong.href = url
    wrong.pathname = 'nothing_here'
    expect(await failure(wrong.href)).toMatch(/cannot be reached.*"nothing_here" does not exist/)
    await drop()
  })

  it('if it is empty, of another program, or of a newer version', async () => {
    const { Client } = await import('pg')
    const { url, drop } = await createPostgresDatabase()
    expect(await failure(url, 2)).toMatch(/no Accord database found/)
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query('CREATE TABLE song (title text)')
    expect(await failure(url, 2)).toMatch(/belongs to another program.*the table song/)
    await client.query('DROP TABLE song; CREATE TABLE accord_migrations (id integer, name text)')
    await client.query("INSERT INTO accord_migrations VALUES (1, 'Later4102444800000')")
    expect(await failure(url, 2)).toMatch(/newer version of Accord.*found version 1/)
    await client.end()
    await drop()
  })
})

describe('accord serve', () => {
  /** Serves a copy of the database. */
  async function serve(file: string) {
    copyFileSync(path('whole.sqlite'), path(file))
    const server = start(`serve --port 0 --workers 1 --database ${file}`)
    const outcome = outcomeOf(server)
    const [url] = (await untilWritten(server, 'stdout', '/graphql')).match(/http:\S+\/graphql/) as [string]
    const query = async () => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ datasets { nodes { name } } }' }),
      })
      return response.text()
    }
    expect(await query()).toContain('villages')
    return { server, outcome, query, url }
  }

  it.each([
    ['removed', (file: string) => rmSync(file)],
    [
      'replaced',
      (file: string) => {
        copyFileSync(path('whole.sqlite'), `${file}.new`)
        renameSync(`${file}.new`, file)
      },
    ],
    [
      'overwritten',
      (file: string) => {
        write('text.sqlite', 'no database '.repeat(9000))
        execFileSync('cp', [path('text.sqlite'), file])
      },
    ],
  ])('answers with one clear error where its database is %s', async (what, act) => {
    const { server, outcome, query, url } = await serve(`${what}.sqlite`)
    act(path(`${what}.sqlite`))
    const problem = `the database was ${what === 'overwritten' ? 'overwritten by another file' : 'removed or replaced'} while it was in use`
    await expect.poll(query).toContain(problem)
    const ready = await fetch(new URL('/ready', url))
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'not ready', reason: problem }])
    server.kill('SIGTERM')
    const { code, stderr } = await outcome
    expect(code).toBe(0)
    expect(stderr).not.toContain(' at ')
  })

  it('leaves no write-ahead log on SIGTERM', async () => {
    const { server, outcome } = await serve('closed.sqlite')
    server.kill('SIGTERM')
    expect((await outcome).code).toBe(0)
    expect(existsSync(path('closed.sqlite-wal'))).toBe(false)
    expect(existsSync(path('closed.sqlite-shm'))).toBe(false)
  })
})
