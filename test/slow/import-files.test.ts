import { existsSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../src/core/stats/random.js'
import { openDatabase } from '../../src/store/database.js'
import { sql } from '../../src/store/engine/sql.js'
import { outcomeOf, query, urlOf, workbench } from '../cli/kit.js'
import { atEnd } from '../kit/cleanup.js'
import { cocoResults, manyCaptions } from '../kit/coco.js'
import { ALL_ENGINES, createTestDatabase } from '../kit/databases.js'
import { sendFile } from '../kit/uploads.js'

const IMAGES = 600
const bench = workbench()

const captionsOf = (shift: number) =>
  cocoResults(
    Object.fromEntries(
      Array.from({ length: IMAGES }, (_, index) => [
        String(index + 1),
        `w${(index * 7 + shift) % 50} w${index % 40} w${(index * 3) % 30} w${index % 9}.`,
      ]),
    ),
  )

const START = `mutation ($input: ImportFilesInput!) {
  importFiles(input: $input) { __typename ... on JobSuccess { job { id } } ... on MutationError { message } }
}`
const JOB = `query ($id: ID!) {
  job(id: $id) { status failure { message } result { ... on FilesResult { page isNewDataset } } }
}`

describe.each(ALL_ENGINES)('an import of files on %s', (engine) => {
  it('survives servers that are killed or stopped, and imports each file once', async () => {
    const { location, remove } = await createTestDatabase(engine)
    atEnd(async () => remove())
    // A database that has a dataset does not get the bundled one.
    bench.write('small.json', manyCaptions(2))
    expect(
      await bench.run(`import captions small.json --dataset small --database ${location}`),
    ).toMatchObject({ code: 0 })
    const start = async () => {
      const server = bench.start('serve --port 0 --workers 1', { ACCORD_DATABASE: location })
      const outcome = outcomeOf(server)
      const url = await urlOf(server)
      const end = async (signal: NodeJS.Signals) => {
        server.kill(signal)
        await outcome
      }
      return { url, end }
    }
    const first = await start()
    const files = [
      { content: 'RESULTS', system: 'one', upload: await sendFile(first.url, captionsOf(0), 'one.json') },
      { content: 'CAPTIONS', upload: await sendFile(first.url, manyCaptions(IMAGES), 'people.json') },
      { content: 'RESULTS', system: 'two', upload: await sendFile(first.url, captionsOf(1), 'two.json') },
    ]
    const { data } = await query(first.url, START, { input: { dataset: 'many', files } })
    expect(data.importFiles).toMatchObject({ __typename: 'JobSuccess' })
    const { id } = data.importFiles.job

    const database = await openDatabase(location, { mustExist: true })
    atEnd(() => database.close())
    const count = async (table: 'system' | 'agreement_score') => {
      const statements = {
        system: sql`SELECT id FROM system`,
        agreement_score: sql`SELECT id FROM agreement_score`,
      }
      return (await database.all(statements[table])).length
    }
    const status = async () =>
      (await database.all<{ status: string }>(sql`SELECT status FROM job WHERE kind = 'importFiles'`))[0]
        .status
    /** What the time does that a lease lasts. */
    const expireLeases = () =>
      database.run(sql`UPDATE job SET lease_until = '1970-01-01T00:00:00.000Z' WHERE status = 'RUNNING'`)
    const random = createRandom(4)

    // While the files are imported, at any moment.
    await expect.poll(status, { interval: 5 }).not.toBe('QUEUED')
    await sleep(random.next() * 300)
    await first.end('SIGKILL')
    expect([0, 2]).toContain(await count('system'))
    await expireLeases()

    // While people or systems are scored.
    const second = await start()
    await expect.poll(() => count('system'), { interval: 5 }).toBe(2)
    const [made] = await database.all(sql`SELECT id FROM dataset WHERE name = 'many'`)
    await second.end('SIGKILL')
    expect(await status()).toBe('RUNNING')
    await expireLeases()

    // A stopped server gives the job back.
    const third = await start()
    await expect.poll(status, { interval: 5 }).toBe('RUNNING')
    await third.end('SIGTERM')
    expect(['QUEUED', 'DONE']).toContain(await status())

    const last = await start()
    await expect.poll(status).toBe('DONE')
    expect((await query(last.url, JOB, { id })).data.job).toEqual({
      status: 'DONE',
      failure: null,
      result: { page: 'd/many/compare/one/two', isNewDataset: true },
    })
    expect(await database.all(sql`SELECT id FROM dataset WHERE name = 'many'`)).toEqual([made])
    expect(await count('system')).toBe(2)
    expect(await count('agreement_score')).toBeGreaterThan(0)
    const scores = sql`SELECT system_id FROM metric_score WHERE metric = 'CIDEr-D'`
    expect(await database.all(scores)).toHaveLength(2)
    expect(await database.all(sql`SELECT id FROM upload`)).toEqual([])
    const kept = () => (database.files && existsSync(database.files) ? readdirSync(database.files) : [])
    await expect.poll(kept).toEqual([])
    await last.end('SIGTERM')
  })
})
