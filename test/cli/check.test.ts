import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../src/core/stats/random.js'
import { ENTITIES } from '../../src/store/schema/entities.js'
import { isSlow } from '../kit/slow.js'
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
    ['caption', `UPDATE caption SET text = text || '.' WHERE id = 1`],
    ['caption', 'UPDATE caption SET tokens = zeroblob(length(tokens)) WHERE id = 2'],
    ['word', 'UPDATE word SET image_count = image_count + 1 WHERE id = 3'],
    ['posting', 'UPDATE posting SET caption_counts = zeroblob(1) WHERE word_id = 1'],
    ['system_caption', `UPDATE system_caption SET text = text || '.' WHERE id = 1`],
    ['metric_score', 'UPDATE metric_score SET value = value + 1e-9 WHERE id = 1'],
    ['metric_score', 'UPDATE metric_score SET image_scores = zeroblob(length(image_scores)) WHERE id = 2'],
    [
      'metric_statistics',
      'UPDATE metric_statistics SET statistics = zeroblob(length(statistics)) WHERE id = 1',
    ],
    ['dataset', 'UPDATE dataset SET captions_per_image = 2'],
    ['system', `UPDATE system SET content = 'x' WHERE kind = 'CAPTIONS'`],
    ['token', `UPDATE token SET text = text || 'x' WHERE id = 1`],
  ])('finds a change of %s: %s', async (table, statement) => {
    const { code, stdout, stderr } = await run(`check --database ${damagedBy('changed.sqlite', statement)}`)
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining(`${table}: 1 rows differ from`),
    })
    expect(stderr).toMatch(/accord: changed\.sqlite: the database is damaged; .* found \d+ differences?\n$/)
  })

  it.each([
    ['dataset park', 'DELETE FROM caption WHERE id = 1'],
    ['system captioner', 'DELETE FROM system_caption WHERE id = 1'],
    ['provenance', `UPDATE provenance SET record = replace(record, 'ptb', 'ptx')`],
  ])('finds a hash that is another one: %s', async (what, statement) => {
    const { code, stdout } = await run(`check --database ${damagedBy('changed.sqlite', statement)}`)
    expect(code).toBe(1)
    expect(stdout).toContain(what)
    expect(stdout).toContain('the content differs from its hash')
  })

  it('finds rows that refer to others that are missing', async () => {
    const { stdout } = await run(
      `check --database ${damagedBy('changed.sqlite', 'DELETE FROM image WHERE id = 1')}`,
    )
    expect(stdout).toContain('caption: rows without a row of image')
  })

  it.skipIf(!isSlow)('finds each bit of a page that changes what is read', async () => {
    const content = readFileSync(path('accord.sqlite'))
    const before = dumpTables(path('accord.sqlite'))
    const covered = ENTITIES.filter(({ columns }) => 'checksum' in columns).map(({ name }) => name)
    const random = createRandom(16)
    let found = 0
    for (let trial = 0; trial < 100; trial++) {
      const flipped = Buffer.from(content)
      flipped[100 + random.below(content.length - 100)] ^= 1 << random.below(8)
      writeFileSync(path('flipped.sqlite'), flipped)
      const { code, stderr } = await run('check --database flipped.sqlite')
      expect(stderr).not.toMatch(/internal error/)
      if (code === 1) found++
      else {
        const after = dumpTables(path('flipped.sqlite'))
        for (const name of covered) expect(after[name], name).toEqual(before[name])
      }
    }
    expect(found).toBeGreaterThan(5)
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
    expect(await run('datasets --database empty.sqlite')).toMatchObject({ code: 1 })
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
    expect(code).toBe(1)
    expect(stderr).toMatch(/accord: absent\.\w+: file not found\n$/)
    expect(existsSync(path('new.sqlite'))).toBe(false)
  })
})
