import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it } from 'vitest'
import { projectFile, VERSION } from '../../src/project.js'
import { MIGRATIONS } from '../../src/store/schema/version.js'
import { runHere } from '../cli/kit.js'
import { temporaryFolder } from '../formats/kit.js'

const { folder, path } = temporaryFolder()

/** What `scripts/keep-release.js` has written of each release. */
const kept = (name: string) => readFileSync(projectFile(`test/fixtures/releases/${name}`))
const versions = readdirSync(projectFile('test/fixtures/releases'))
  .filter((name) => name.endsWith('.sqlite.gz'))
  .map((name) => name.replace('.sqlite.gz', ''))

it('the release that this version is, or follows, is kept', () => {
  expect(versions).toContain(VERSION)
})

it.each(versions)('a database that %s has written is migrated and loses nothing', async (version) => {
  const file = path(`${version}.sqlite`)
  writeFileSync(file, gunzipSync(kept(`${version}.sqlite.gz`)))
  const before = countRows(file)
  const run = async (words: string) => {
    const { code, stdout, stderr } = await runHere(`--database ${file} ${words}`, {}, folder)
    expect(code, stderr).toBe(0)
    return stdout
  }
  await run('check')
  expect(JSON.parse(await run('export captions --dataset demo'))).toEqual(
    JSON.parse(String(kept(`${version}.captions.json`))),
  )
  // A later version may have more columns.
  const scores = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => expect.objectContaining(JSON.parse(line)))
  const own = (await run('export scores --dataset demo --format jsonl')).trimEnd().split('\n')
  expect(own.map((line) => JSON.parse(line))).toEqual(scores(String(kept(`${version}.scores.jsonl`))))
  await run('compare --dataset demo')
  const after = countRows(file)
  expect(after.accord_migrations).toBe(MIGRATIONS.length)
  for (const table of [
    'image',
    'caption',
    'system_caption',
    'metric_score',
    'metric_statistics',
    'agreement_score',
  ])
    expect([table, after[table] ?? 0]).toEqual([table, before[table]])
})

function countRows(file: string): Record<string, number> {
  const connection = new BetterSqlite3(file, { readonly: true })
  const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  const counts = Object.fromEntries(
    (tables as string[]).map((table) => [
      table,
      connection.prepare(`SELECT count(*) FROM "${table}"`).pluck().get() as number,
    ]),
  )
  connection.close()
  return counts
}
