import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { shareThreads } from '../../../src/compute/shared-threads.js'
import { createQueue } from '../../../src/queue/queue.js'
import { CANCELLATION, runJob } from '../../../src/queue/run-job.js'
import { startWorkers } from '../../../src/queue/worker.js'
import { storedAgreement } from '../../../src/services/agreement/human-agreement.js'
import type { JobInput } from '../../../src/services/shared/job-kinds.js'
import { createKinds, KINDS } from '../../../src/services/workers/kinds.js'
import { openDatabase } from '../../../src/store/database.js'
import { update } from '../../../src/store/engine/rows.js'
import type { Database } from '../../../src/store/engine/session.js'
import { sql } from '../../../src/store/engine/sql.js'
import { claimJob, findExpiredJobs, findJobs, recoverJob } from '../../../src/store/jobs.js'
import { DatasetEntity } from '../../../src/store/schema/dataset-tables.js'
import type { System } from '../../../src/store/schema/system-tables.js'
import {
  readAgreementStatistics,
  readFoldScores,
  readImageScores,
  readScores,
  readStatistics,
} from '../../../src/store/scores.js'
import { ALL_ENGINES, createTestDatabase, ENGINES } from '../../kit/databases.js'
import { isSlow } from '../../kit/slow.js'
import {
  type CaptionedDataset,
  computeAgreement,
  evaluateSystem,
  importCaptions,
  threads,
} from './caption-metrics.js'

const PROCESS = fileURLToPath(new URL('../../kit/worker-process.js', import.meta.url))
const THREAD = 'sharding-worker.js'

const LOST = { code: 'WORKER_LOST', message: 'lost', summary: 'lost', detail: {} } as const

const SUBJECTS = ['a dog', 'a cat', 'the man', 'two people', 'a red bus']
const ACTS = ['runs on the grass', 'sleeps on a couch', 'rides down the street', 'sits in a park']

/** A caption for each image and number, from a small vocabulary. */
const caption = (image: number, index: number) =>
  `${SUBJECTS[(image + index) % 5]} ${ACTS[(image * 3 + index) % 4]} ${index % 2 ? 'near a tree' : ''}`

const imagesOf = (count: number, captions: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, image) => [
      `${image}`,
      Array.from({ length: captions }, (_, index) => caption(image, index)),
    ]),
  )

describe.each(isSlow ? ALL_ENGINES : ENGINES)('a sharded computation on %s', async (engine) => {
  const { location, remove } = await createTestDatabase(engine)
  const [database, other] = await Promise.all([openDatabase(location), openDatabase(location)])
  const queue = createQueue(database, KINDS)
  afterAll(async () => {
    await queue.close()
    await Promise.all([database.close(), other.close()])
    await remove()
  })

  let pets: CaptionedDataset
  let parrot: System
  beforeAll(async () => {
    pets = await importCaptions(database, 'pets', imagesOf(11, 4))
    await importCaptions(database, 'birds', imagesOf(8, 2))
    const guesses = Array.from({ length: 10 }, (_, image) => [`${image}`, caption(image, 7)])
    parrot = await pets.captionSystem('parrot', Object.fromEntries(guesses))
  })

  /** All stored scores of the system, to the last bit. */
  const scoreIds = async () => (await readScores(database, [parrot.id])).map(({ id }) => id)

  async function readEvaluation() {
    const scores = await readScores(database, [parrot.id])
    const imageScores = await readImageScores(
      database,
      scores.map(({ id }) => id),
    )
    return Promise.all(
      scores.map(async ({ id, statisticsId, ...score }) => ({
        score,
        imageScores: imageScores.get(id),
        statistics: await readStatistics(database, statisticsId),
      })),
    )
  }

  async function readTable() {
    const { rows } = await storedAgreement(database, threads.registry, pets.row, { references: 2 })
    const folds = await readFoldScores(
      database,
      rows.map(({ id }) => id),
    )
    return Promise.all(
      rows.map(async ({ id, statisticsId, ...row }) => ({
        row,
        folds: folds.get(id),
        statistics: await readAgreementStatistics(database, statisticsId as number),
      })),
    )
  }

  async function clear() {
    for (const table of [sql`job`, sql`metric_statistics`, sql`agreement_score`])
      await database.run(sql`DELETE FROM ${table}`)
  }

  const kinds = createKinds({ maxUndividedImages: 4, parts: 1, imagesPerPart: 3 })
  let claimCount = 0

  /**
   * Executes a job.
   *
   * @param fate lost: the worker is killed at the first progress report; late: its lease expires at that time, another
   * worker executes the job, and this one continues
   * @returns the kind of the job; null if none is queued
   */
  async function work(fate: Fate = 'works', on = database): Promise<string | null> {
    const worker = `worker ${++claimCount}`
    const job = await on.transaction((session) =>
      claimJob(session, { worker, kinds: Object.keys(kinds), leaseMs: 600_000 }),
    )
    if (job === null) return null
    const cancellation = new Int32Array(1)
    let reports = 0
    const lateWork: Promise<unknown>[] = []
    await runJob(
      { database: on, threads: async () => threads, kinds },
      { job, claim: { id: job.id, worker }, cancellation },
      () => {
        if (++reports > 1 || fate === 'works') return
        if (fate === 'killed') cancellation[0] = CANCELLATION.leaseLost
        else lateWork.push(overtake(job.id))
      },
    )
    await Promise.all(lateWork)
    if (fate === 'killed') await recover(job.id)
    return job.kind
  }

  async function recover(id: number) {
    await other.run(
      sql`UPDATE job SET lease_until = '1970-01-01T00:00:00.000Z' WHERE id = ${id} AND status = 'RUNNING'`,
    )
    for (const expired of await findExpiredJobs(other))
      await other.transaction((session) => recoverJob(session, expired, LOST))
  }

  async function overtake(id: number) {
    await recover(id)
    await work('works', other)
  }

  async function workUntilDone(fates: readonly Fate[] = []): Promise<string[]> {
    const kinds: string[] = []
    for (let turn = 0; ; turn++) {
      // One of three attempts at a job succeeds.
      const fate = turn % 3 === 2 ? 'works' : (fates[turn % Math.max(1, fates.length)] ?? 'works')
      const kind = await work(fate)
      if (kind === null) return kinds
      kinds.push(kind)
    }
  }

  const rowCounts = async () => {
    const [counts] = await database.all(sql`
      SELECT (SELECT COUNT(*) FROM shard) AS shards, (SELECT COUNT(*) FROM job) AS jobs`)
    return counts
  }

  const inputs: readonly [string, Omit<JobInput<'evaluate'>, 'datasetId' | 'systemId'>, readonly string[]][] =
    [
      [
        'all metrics',
        {},
        [
          'evaluate',
          ...Array(4).fill('countDocuments'),
          'evaluate',
          ...Array(4).fill('measureImages'),
          'evaluate',
        ],
      ],
      [
        'document frequencies of another dataset',
        { metrics: ['CIDEr'], documents: 'birds' },
        [
          'evaluate',
          ...Array(3).fill('countDocuments'),
          'evaluate',
          ...Array(4).fill('measureImages'),
          'evaluate',
        ],
      ],
      [
        'folds of references',
        { metrics: ['CIDEr', 'BLEU-4'], references: 2 },
        [
          'evaluate',
          ...Array(4).fill('countDocuments'),
          'evaluate',
          ...Array(4).fill('measureImages'),
          'evaluate',
        ],
      ],
      [
        'no document frequencies',
        { metrics: ['BLEU-4', 'METEOR'] },
        ['evaluate', ...Array(4).fill('measureImages'), 'evaluate'],
      ],
    ]

  it.each(inputs)('has the scores of an evaluation without shards: %s', async (_what, input, kinds) => {
    await clear()
    await evaluateSystem(database, threads, parrot, input, () => {})
    const expected = await readEvaluation()
    expect(expected.length).toBeGreaterThan(0)
    await clear()
    const { id } = await queue.enqueue(database, 'evaluate', {
      ...input,
      datasetId: pets.row.id,
      systemId: parrot.id,
    })
    expect(await workUntilDone()).toEqual(kinds)
    expect((await queue.waitForResult('evaluate', id)).scoreIds).toEqual(await scoreIds())
    expect(await readEvaluation()).toEqual(expected)
    expect(await rowCounts()).toEqual({ shards: 0, jobs: 1 })
  })

  const tableInput = () => ({ datasetId: pets.row.id, references: 2 })

  it('has the human agreement table of a computation without shards', async () => {
    await clear()
    await computeAgreement(database, threads, pets.row, { references: 2 }, () => {})
    const expected = await readTable()
    expect(expected.length).toBeGreaterThan(0)
    await clear()
    await queue.enqueue(database, 'agreement', tableInput())
    expect(await workUntilDone()).toContain('measureImages')
    expect(await readTable()).toEqual(expected)
    expect(await rowCounts()).toEqual({ shards: 0, jobs: 1 })
    await queue.enqueue(database, 'agreement', tableInput())
    expect(await workUntilDone()).toEqual(['agreement'])
  })

  it('counts every shard once if workers are killed or late', async () => {
    await clear()
    const input = { datasetId: pets.row.id, systemId: parrot.id, metrics: ['CIDEr', 'ROUGE-L'] }
    await evaluateSystem(database, threads, parrot, input, () => {})
    const expected = await readEvaluation()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...FATES), { minLength: 3, maxLength: 12 }),
        async (fates) => {
          await clear()
          const { id } = await queue.enqueue(database, 'evaluate', input)
          await workUntilDone(fates)
          expect((await findJobs(database, [id]))[0]).toMatchObject({ status: 'DONE', failure: null })
          expect(await readEvaluation()).toEqual(expected)
          expect(await rowCounts()).toEqual({ shards: 0, jobs: 1 })
        },
      ),
      { numRuns: engine === 'sqlite' ? 12 : 6 },
    )
  })

  it('ends with all its shards when it is cancelled', async () => {
    await clear()
    const { id } = await queue.enqueue(database, 'evaluate', { datasetId: pets.row.id, systemId: parrot.id })
    expect([await work(), await work(), await work()]).toEqual([
      'evaluate',
      'countDocuments',
      'countDocuments',
    ])
    expect((await findJobs(database, [id]))[0]).toMatchObject({
      status: 'RUNNING',
      message: 'waiting for shards',
    })
    expect((await queue.cancel(id)).status).toBe('CANCELLED')
    expect(await rowCounts()).toEqual({ shards: 0, jobs: 1 })
    expect(await work()).toBeNull()
    expect(await readEvaluation()).toEqual([])
  })

  it('fails with the failure of a shard', async () => {
    await clear()
    const { id } = await queue.enqueue(database, 'evaluate', {
      datasetId: pets.row.id,
      systemId: parrot.id,
      documents: 'birds',
    })
    expect([await work(), await work()]).toEqual(['evaluate', 'countDocuments'])
    await update(database, DatasetEntity, { name: 'sparrows' }, sql`name = 'birds'`)
    // Of a worker that has not opened the plan before.
    await work('works', other)
    await update(database, DatasetEntity, { name: 'birds' }, sql`name = 'sparrows'`)
    await expect(queue.waitForResult('evaluate', id)).rejects.toMatchObject({ code: 'UNKNOWN_DATASET' })
    expect(await rowCounts()).toEqual({ shards: 0, jobs: 1 })
  })

  it.skipIf(!isSlow)('loses nothing when processes are killed', async () => {
    await clear()
    const input = { datasetId: pets.row.id, systemId: parrot.id }
    await evaluateSystem(database, threads, parrot, {}, () => {})
    const expected = await readEvaluation()
    await clear()
    const processes = await Promise.all([startProcess(location), startProcess(location)])
    const { id } = await queue.enqueue(database, 'evaluate', input)
    // At any stage of their work.
    const doomed = processes.map(async (child, index) => {
      await expect.poll(() => countRunning(database, index), { interval: 5 }).toBeGreaterThan(0)
      child.kill('SIGKILL')
      await once(child, 'exit')
    })
    await Promise.all(doomed)
    await database.run(sql`UPDATE job SET lease_until = '1970-01-01T00:00:00.000Z' WHERE status = 'RUNNING'`)
    const workers = await startWorkers(
      { location, count: 2 },
      KINDS,
      new URL(`../../kit/${THREAD}`, import.meta.url),
      shareThreads(0),
    )
    onTestFinished(() => workers.close())
    expect((await queue.waitForResult('evaluate', id)).scoreIds).toEqual(await scoreIds())
    expect(await readEvaluation()).toEqual(expected)
    expect(await rowCounts()).toEqual({ shards: 0, jobs: 1 })
  })
})

const FATES = ['works', 'killed', 'late'] as const
type Fate = (typeof FATES)[number]

async function startProcess(location: string): Promise<ChildProcess> {
  const child = fork(PROCESS, [location, '1', THREAD])
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  expect((await once(child, 'message'))[0]).toBe('ready')
  return child
}

/** The number of started jobs if at least `storedShards` shards are stored, otherwise 0. */
async function countRunning(database: Database, storedShards: number): Promise<number> {
  const [{ running, stored }] = await database.all<{ running: number; stored: number }>(sql`
    SELECT (SELECT COUNT(*) FROM job WHERE status <> 'QUEUED') AS running, (SELECT COUNT(*) FROM shard) AS stored`)
  return stored >= storedShards ? running : 0
}
