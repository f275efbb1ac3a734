import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { ALL_ENGINES, createTestDatabase } from '../kit/databases.js'
import { dumpTables, importPark, workbench } from './kit.js'

const bench = workbench()
const { run, path, write } = bench

beforeAll(async () => {
  await importPark(bench, 'with systems')
  expect(await run('evaluate --dataset park --system captioner')).toMatchObject({ code: 0 })
})

/** A copy of the database, changed by a statement of SQL. */
function damagedBy(name: string, statement: string): string {
  copyFileSync(path('accord.sqlite'), path(name))
  const database = new BetterSqlite3(path(name))
  database.pragma('foreign_keys = OFF')
  const { changes } = database.prepare(statement).run()
  database.close()
  expect(changes).toBeGreaterThan(0)
  return name
}

describe('accord check', () => {
  it('finds nothing wrong with an intact database, or with a copy of it', async () => {
    expect(await run('check')).toMatchObject({ code: 0, stderr: expect.not.stringContaining('accord:') })
    expect(await run('copy --from accord.sqlite --to copied.sqlite')).toMatchObject({ code: 0 })
    const { stdout } = await run('check --database copied.sqlite')
    expect(stdout).toMatch(/^The database is intact: \d+ rows\n$/)
  })

  it.each([
    ['dataset park', `UPDATE caption SET text = text || '.' WHERE id = 1`],
    ['dataset park', 'DELETE FROM caption WHERE id = 1'],
    ['dataset park', 'UPDATE dataset SET captions_per_image = 2'],
    ['system captioner', `UPDATE system_caption SET text = text || '.' WHERE id = 1`],
    ['system captioner', 'DELETE FROM system_caption WHERE id = 1'],
    ['system captioner', `UPDATE system SET content = 'x' WHERE kind = 'CAPTIONS'`],
    ['provenance', `UPDATE provenance SET record = replace(record, 'ptb', 'ptx')`],
  ])('finds content that differs from its hash: %s, %s', async (what, statement) => {
    const { code, stdout, stderr } = await run(`check --database ${damagedBy('changed.sqlite', statement)}`)
    expect(code).toBe(1)
    expect(stdout).toContain(what)
    expect(stdout).toContain('the content differs from its hash')
    expect(stderr).toMatch(/accord: changed\.sqlite: the database is damaged; .* found \d+ differences?\n$/)
  })

  it('lets a row be corrected by SQL', async () => {
    const corrected = damagedBy(
      'corrected.sqlite',
      `UPDATE image SET url = 'https://example.org/a' WHERE id = 1`,
    )
    expect(await run(`check --database ${corrected}`)).toMatchObject({ code: 0 })
  })

  it('finds rows that refer to others that are missing', async () => {
    const { stdout } = await run(
      `check --database ${damagedBy('changed.sqlite', 'DELETE FROM image WHERE id = 1')}`,
    )
    expect(stdout).toContain('caption: rows without a row of image')
  })

  it('finds a page of a table or an index that was overwritten', async () => {
    const content = readFileSync(path('accord.sqlite'))
    const database = new BetterSqlite3(path('accord.sqlite'), { readonly: true })
    const pageSize = Number(database.pragma('page_size', { simple: true }))
    const roots = database
      .prepare<[], { name: string; rootpage: number }>(
        `SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0 AND tbl_name IN ('caption', 'word')`,
      )
      .all()
    database.close()
    expect(roots.length).toBeGreaterThan(3)
    for (const { name, rootpage } of roots) {
      const overwritten = Buffer.from(content)
      overwritten.fill(0x5a, (rootpage - 1) * pageSize, rootpage * pageSize)
      writeFileSync(path('overwritten.sqlite'), overwritten)
      const { code, stderr } = await run('check --database overwritten.sqlite')
      expect({ name, code, stderr }).toEqual({
        name,
        code: 1,
        stderr: expect.stringMatching(/accord: .*damaged/),
      })
    }
  })
})

describe('accord check --compact', () => {
  const sizeOf = (name: string) => statSync(path(name)).size

  it('gives the space of removed rows back, and changes nothing else', async () => {
    const name = damagedBy('large.sqlite', 'UPDATE job SET message = hex(zeroblob(500000)) WHERE id = 1')
    const database = new BetterSqlite3(path(name))
    database.prepare('UPDATE job SET message = NULL').run()
    database.close()
    const before = dumpTables(path(name))
    const large = sizeOf(name)
    const { code, stdout } = await run(`check --compact --database ${name}`)
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^The database is intact: \d+ rows\nCompacted: [\d,]+ kB before, [\d,]+ kB after\n$/,
      ),
    })
    expect(sizeOf(name)).toBeLessThan(large - 900_000)
    expect(existsSync(path(`${name}-wal`))).toBe(false)
    expect(dumpTables(path(name))).toEqual(before)
    expect(await run(`words --dataset park --database ${name}`)).toMatchObject({ code: 0 })
  })

  it('is refused while another process has the file open', async () => {
    const name = damagedBy('open.sqlite', 'UPDATE job SET message = NULL')
    const script = `
      const database = new (require('better-sqlite3'))(process.argv[1])
      database.prepare('SELECT count(*) FROM job').get()
      console.log('open')
      setInterval(() => {}, 1000)`
    const other = spawn(process.execPath, ['--eval', script, path(name)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      await once(other.stdout!, 'data')
      const { code, stderr } = await run(`check --compact --database ${name}`)
      expect(code).toBe(1)
      expect(stderr).toMatch(
        /accord: .*open\.sqlite: the database is in use; it was not compacted: expected no server/,
      )
    } finally {
      other.kill()
    }
  })

  it.runIf(ALL_ENGINES.includes('postgres'))('is refused on PostgreSQL', async () => {
    const { location, remove } = await createTestDatabase('postgres')
    const { code, stderr } = await run(`check --compact --database ${location}`)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /the database cannot be compacted: expected a SQLite file .* found PostgreSQL/,
      ),
    })
    await remove()
  })
})

describe('a database file', () => {
  it('is for its owner alone, with its write-ahead log', async () => {
    expect(statSync(path('accord.sqlite')).mode & 0o777).toBe(0o600)
    const database = new BetterSqlite3(path('accord.sqlite'))
    database.exec('BEGIN IMMEDIATE; UPDATE job SET owner = owner; COMMIT')
    for (const suffix of ['-wal', '-shm']) {
      expect(statSync(path(`accord.sqlite${suffix}`)).mode & 0o777).toBe(0o600)
    }
    database.close()
  })

  it('that is empty and refused stays empty', async () => {
    write('empty.sqlite', '')
    expect(await run('datasets --database empty.sqlite')).toMatchObject({ code: 2 })
    expect(readFileSync(path('empty.sqlite'))).toHaveLength(0)
    expect(existsSync(path('empty.sqlite-wal'))).toBe(false)
  })

  it.each([
    'import captions absent.json --dataset new',
    'import captions park.json --dataset new --vocabulary absent.csv',
    'import boxes absent.json --dataset new',
    'import judgements absent.jsonl --dataset new',
    'artefacts import absent.json',
  ])('is not created by %s', async (command) => {
    const { code, stderr } = await run(`${command} --database new.sqlite`)
    expect(code).toBe(2)
    expect(stderr).toMatch(/accord: absent\.\w+: file not found\n$/)
    expect(existsSync(path('new.sqlite'))).toBe(false)
  })
})
