import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import BetterSqlite3 from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../formats/kit.js'
import { atEnd } from '../kit/cleanup.js'
import { ALL_ENGINES } from '../kit/databases.js'
import { createPostgresDatabase } from '../kit/postgres.js'
import { writeOldDatabase } from '../kit/versions.js'

const { path } = temporaryFolder()

/** A later version of Accord, in which tokens have the column `word`. It tells when it has renamed the column, and may stop there. */
const LATER = `
  import { MIGRATIONS } from '${pathToFileURL('dist/src/store/schema/version.js')}'
  import { openDatabase } from '${pathToFileURL('dist/src/store/database.js')}'
  const [location, stops] = process.argv.slice(-2)
  class Later4102444800000 {
    name = 'Later4102444800000'
    async up(runner) {
      await runner.query('ALTER TABLE token RENAME COLUMN text TO word')
      await runner.query("UPDATE token SET word = word || '!'")
      console.log('half')
      if (stops === 'stops') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    }
    async down() {}
  }
  MIGRATIONS.push({ name: 'Later4102444800000', load: async () => Later4102444800000 })
  const database = await openDatabase(location, { mustExist: true })
  const rows = await database.all({ texts: ['SELECT word FROM token WHERE id = 1'], parameters: [] })
  console.log(rows[0].word)
  await database.close()
`

function openLater(location: string, stops = false): ChildProcess {
  const args = ['--input-type=module', '--eval', LATER, location, stops ? 'stops' : 'goes on']
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function outputOf(child: ChildProcess): Promise<string> {
  let output = ''
  child.stdout!.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  return output
}

it.each(ALL_ENGINES)(
  'two processes that open an older database on %s at once migrate it once',
  async (engine) => {
    const { url, drop } =
      engine === 'postgres'
        ? await createPostgresDatabase()
        : { url: path('twice.sqlite'), drop: async () => {} }
    atEnd(drop)
    await writeOldDatabase(url, 1)
    const outputs = await Promise.all([1, 2].map(() => outputOf(openLater(url))))
    expect(outputs.sort()).toEqual(['a!\n', 'half\na!\n'])
  },
)

describe('a process that is killed while it migrates a SQLite file', () => {
  it('leaves it as it was, with all rows, also for the version that has written it', async () => {
    const file = path('killed.sqlite')
    await writeOldDatabase(file, 1)
    copyFileSync(file, path('before.sqlite'))
    const child = openLater(file, true)
    const [chunk] = await once(child.stdout!, 'data')
    expect(String(chunk)).toBe('half\n')
    child.kill('SIGKILL')
    await once(child, 'close')
    expect(contentOf(file)).toEqual(contentOf(path('before.sqlite')))
    // The next process migrates it.
    expect(await outputOf(openLater(file))).toBe('half\na!\n')
    expect(existsSync(`${file}-wal`)).toBe(false)
  })
})

/** The definitions of all tables, and the rows of one whose migration was killed. */
function contentOf(file: string): unknown[] {
  const connection = new BetterSqlite3(file)
  const definitions = connection.prepare('SELECT sql FROM sqlite_schema ORDER BY name').pluck().all()
  const rows = ['token', 'word', 'accord_migrations'].map((table) =>
    connection.prepare(`SELECT * FROM ${table}`).all(),
  )
  connection.close()
  return [definitions, rows]
}
