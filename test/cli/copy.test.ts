import { copyFileSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { createPostgresDatabase, postgresMissing } from '../kit/postgres.js'
import { writeVillages } from '../kit/villages.js'
import { workbench } from './kit.js'

const { path, run, dump, write } = workbench()

beforeAll(() => writeVillages(path('source.sqlite')))

const COMMANDS = [
  'datasets',
  'words --dataset villages --system detector captioner parrot',
  'agreement --dataset villages',
  'selection --dataset villages --priors boxes-only',
  // Last, because it replaces stored results.
  'evaluate --dataset villages --system captioner',
]

async function answers(database: string): Promise<string[]> {
  const texts = []
  for (const command of COMMANDS) {
    const { code, stdout, stderr } = await run(`${command} --format json --database ${database}`)
    if (code !== 0) throw new Error(stderr)
    texts.push(stdout)
  }
  return texts
}

/** Rows in a fixed order, without the table of migrations and the names of tables that never had a row. */
function withoutHistory({
  accord_migrations: _migrations,
  sqlite_sequence: lastIds,
  ...tables
}: Record<string, unknown[]>): Record<string, string[]> {
  const assigned = lastIds.filter((row) => !(row as unknown[]).includes(0))
  return Object.fromEntries(
    Object.entries({ ...tables, lastIds: assigned }).map(([name, rows]) => [
      name,
      rows.map((row) => JSON.stringify(row)).sort(),
    ]),
  )
}

describe.skipIf(postgresMissing)('accord copy', () => {
  it('copies a database to PostgreSQL and back; all commands print the same', async () => {
    const before = dump('source.sqlite')
    const { url, drop } = await createPostgresDatabase()
    const there = await run(`copy --from source.sqlite --to ${url}`)
    const { password } = new URL(url)
    const shown = url.replace(`:${password}`, '')
    const { accord_migrations: _migrations, sqlite_sequence: _sequence, ...tables } = before
    const filled = Object.values(tables).filter(({ length }) => length > 0)
    const copied = `Copied ${filled.flat().length.toLocaleString('en')} rows of ${filled.length} tables`
    expect([there.code, there.stdout]).toEqual([0, `${copied} to ${shown}\n`])
    expect(there.stderr).toBe('')
    const back = await run(`copy --from ${url} --to back.sqlite`)
    expect([back.code, back.stdout]).toEqual([0, `${copied} to back.sqlite\n`])
    expect(withoutHistory(dump('back.sqlite'))).toEqual(withoutHistory(before))
    expect(dump('source.sqlite')).toEqual(before)
    copyFileSync(path('source.sqlite'), path('original.sqlite'))
    const expected = await answers('original.sqlite')
    expect(await answers(url)).toEqual(expected)
    expect(await answers('back.sqlite')).toEqual(expected)
    const again = await run(`copy --from source.sqlite --to ${url}`)
    expect([again.code, again.stderr]).toEqual([
      1,
      `accord: ${shown}: the target database is not empty: expected a new or empty database, found rows of token\n`,
    ])
    await drop()
  })
})

describe('accord copy', () => {
  it.each([
    ['--from source.sqlite', 2, /required option '--to <location>'|--to <location>/],
    ['--from none.sqlite --to new.sqlite', 2, /^accord: none\.sqlite: no database found/],
    ['--to new.sqlite --database none.sqlite', 2, /^accord: none\.sqlite: no database found/],
    ['--to source.sqlite --database source.sqlite', 1, /^accord: source\.sqlite: the target database is not/],
    [
      '--from source.sqlite --to source.sqlite',
      1,
      /^accord: source\.sqlite: the target database is not empty/,
    ],
    [
      '--from source.sqlite --to no/new.sqlite',
      2,
      /^accord: no\/new\.sqlite: the folder of the database does not/,
    ],
    [
      '--from source.sqlite --to text.sqlite',
      2,
      /^accord: text\.sqlite: the file is not a valid Accord database/,
    ],
    [
      '--from text.sqlite --to new.sqlite',
      2,
      /^accord: text\.sqlite: the file is not a valid Accord database/,
    ],
    [
      '--from source.sqlite --to postgres://me:secret@127.0.0.1:1/x',
      1,
      /^accord: postgres:\/\/me@127\.0\.0\.1:1\/x: the database cannot be reached/,
    ],
  ])('%s exits with %i', async (options, code, message) => {
    write('text.sqlite', 'This is not a database, however long the text in it may be. '.repeat(40))
    const before = readFileSync(path('source.sqlite'))
    const outcome = await run(`copy ${options}`)
    expect([outcome.code, outcome.stdout]).toEqual([code, ''])
    expect(outcome.stderr).toMatch(message)
    expect(outcome.stderr).not.toContain('secret')
    if (options.includes('--to')) expect(outcome.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(readFileSync(path('source.sqlite')).equals(before)).toBe(true)
  })
})
