import BetterSqlite3 from 'better-sqlite3'
import { expect, it } from 'vitest'
import { backupDatabase, copyDatabase, restoreDatabase } from '../../src/services/datasets/backup.js'
import { checkDatabaseContent } from '../../src/services/datasets/check-database.js'
import { openAccord } from '../../src/services/open-accord.js'
import { openDatabase } from '../../src/store/database.js'
import { temporaryFolder } from '../formats/kit.js'
import { failureOf } from './kit.js'

const { path } = temporaryFolder()
const nothing = () => {}

/** What opens a file that somebody else has made. */
const USES: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
  open: (file) => openDatabase(file),
  copy: (file) => copyDatabase(file, path('copy.sqlite'), nothing),
  restore: (file) => restoreDatabase(file, path('target.sqlite'), nothing),
  check: (file) => check(file),
  backup: (file) => backupDatabase(file, path('backup.sqlite'), nothing),
}

async function check(file: string): Promise<readonly string[]> {
  const accord = await openAccord({ location: file, mustExist: true })
  try {
    return (await checkDatabaseContent(accord, nothing)).problems
  } finally {
    await accord.close()
  }
}

const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n'
const DANGLING = `INSERT INTO image (dataset_id, external_id, file_name, caption_count) VALUES (99, 'a', 'a', 0)`

async function craft(name: string, statements: string): Promise<string> {
  const file = path(`${name}.sqlite`)
  await (await openDatabase(file)).close()
  const connection = new BetterSqlite3(file)
  connection.pragma('foreign_keys = OFF')
  connection.exec(statements)
  connection.close()
  return file
}

it.each([
  ['a view instead of a table', `DROP TABLE token; CREATE VIEW token AS ${ENDLESS}`],
  ['a trigger', `CREATE TRIGGER endless AFTER INSERT ON job BEGIN ${ENDLESS}; END`],
])('a file with %s is refused, whatever opens it', async (name, statements) => {
  const file = await craft(name, statements)
  for (const use of Object.values(USES))
    expect(await failureOf(use(file))).toMatch(/^INVALID_SHAPE .*a view or a trigger of (token|job)$/)
})

it('views that others add for themselves are left alone', async () => {
  const file = await craft('view', `CREATE VIEW of_their_own AS ${ENDLESS}`)
  await (await openDatabase(file)).close()
  expect(await check(file)).toEqual([])
})

it('a file with references to rows that are not there is not copied or restored', async () => {
  const file = await craft('dangling', DANGLING)
  expect(await failureOf(USES.copy(file))).toMatch(/^INVALID_SHAPE .*damaged; nothing was written/)
  expect(await failureOf(USES.restore(file))).toMatch(/^DATABASE_UNAVAILABLE .*damaged; nothing was written/)
})

it('a hundred thousand references to rows that are not there are one line of the check', async () => {
  const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT i FROM n`
  const file = await craft(
    'many',
    `INSERT INTO image (dataset_id, external_id, caption_count) SELECT 99, i, 0 FROM (${rows})`,
  )
  expect(await check(file)).toEqual(['image: rows without a row of dataset'])
})
