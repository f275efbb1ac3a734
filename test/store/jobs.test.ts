import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/store/database.js'
import { createDataset } from '../../src/store/datasets.js'
import type { Database } from '../../src/store/engine/session.js'
import { sql } from '../../src/store/engine/sql.js'
import {
  type Claim,
  claimJob,
  deleteFinishedJobs,
  endClaimedJob,
  endShard,
  findExpiredJobs,
  findJobs,
  findUnfinishedJob,
  insertJob,
  type JobRow,
  LeaseLost,
  MAX_ATTEMPTS,
  type NewJob,
  recoverJob,
  releaseJob,
  renewLease,
  requestCancellation,
  waitForShards,
} from '../../src/store/jobs.js'
import type { JobStatus } from '../../src/store/schema/job-tables.js'
import { findShardPositions, readShard, saveShard } from '../../src/store/shards.js'
import { ALL_ENGINES, createTestDatabase } from '../kit/databases.js'

const KINDS = ['evaluate', 'compare', 'countDocuments']
const LEASE_MS = 600_000
const LOST = { code: 'WORKER_LOST', message: 'lost', summary: 'lost', detail: {} } as const

describe.each(ALL_ENGINES)('the job table on %s', async (engine) => {
  const { location, remove } = await createTestDatabase(engine)
  // Connections of three processes.
  const [database, ...others] = await Promise.all([1, 2, 3].map(() => openDatabase(location)))
  afterAll(async () => {
    await Promise.all([database, ...others].map((each) => each.close()))
    await remove()
  })
  const run = <Result>(work: (session: Database) => Promise<Result>, on = database) =>
    on.transaction((session) => work(session as Database))
  const clear = () => database.run(sql`DELETE FROM job`)
  // PostgreSQL returns them in any order.
  const jobs = async () =>
    (await findJobs(database, await allIds(database))).sort((one, other) => one.id - other.id)

  const add = (job: Partial<NewJob> = {}) =>
    run((session) =>
      insertJob(session, {
        kind: 'evaluate',
        owner: 'anna',
        uniqueKey: null,
        priority: 0,
        input: '{"systemId":7}',
        parentId: null,
        datasetId: null,
        systemId: null,
        ...job,
      }),
    ) as Promise<number>
  let claimCount = 0
  const claim = (kinds: readonly string[] = KINDS, on = database) =>
    run((session) => claimJob(session, { worker: `worker ${++claimCount}`, kinds, leaseMs: LEASE_MS }), on)
  const expire = (id: number) =>
    database.run(sql`UPDATE job SET lease_until = '1970-01-01T00:00:00.000Z' WHERE id = ${id}`)
  const finish = (held: Claim) =>
    run((session) => endClaimedJob(session, held, { status: 'DONE', result: { answer: 42 } }))

  async function claimed(): Promise<Claim> {
    const { id, worker } = (await claim())!
    return { id, worker: worker! }
  }

  it('assigns a job to one worker with its input, and stores its result', async () => {
    await clear()
    const id = await add()
    const job = await claim()
    expect(job).toMatchObject({ id, status: 'RUNNING', attempts: 1 })
    expect((await findJobs(database, [id]))[0]?.input).toEqual({ systemId: 7 })
    expect(await claim()).toBeNull()
    await finish({ id, worker: job!.worker! })
    const [done] = await findJobs(database, [id])
    expect(done).toMatchObject({ status: 'DONE', result: { answer: 42 }, progress: 1, worker: null })
    expect(done.input).toEqual({ systemId: 7 })
    expect(done.createdAt <= done.startedAt! && done.startedAt! <= done.endedAt!).toBe(true)
    expect(new Date(done.endedAt!).toISOString()).toBe(done.endedAt)
  })

  it('assigns only jobs of the requested kinds', async () => {
    await clear()
    await add({ kind: 'compare' })
    expect(await claim(['evaluate'])).toBeNull()
    expect(await claim(['evaluate', 'compare'])).not.toBeNull()
  })

  it('has one unfinished job per key', async () => {
    await clear()
    const id = await add({ uniqueKey: 'a' })
    expect(await add({ uniqueKey: 'a' })).toBeNull()
    expect((await findUnfinishedJob(database, 'a'))?.id).toBe(id)
    await finish(await claimed())
    expect(await findUnfinishedJob(database, 'a')).toBeNull()
    expect(await add({ uniqueKey: 'a' })).toBeGreaterThan(id)
  })

  it('alternates between owners: fewest running jobs, then least recently served', async () => {
    await clear()
    for (const owner of ['anna', 'anna', 'anna', 'ben', 'ben', 'cleo']) await add({ owner })
    const owners: string[] = []
    const held: Claim[] = []
    for (let turn = 0; turn < 4; turn++) {
      const job = (await claim())!
      owners.push(job.owner)
      held.push({ id: job.id, worker: job.worker! })
      await database.run(
        sql`UPDATE job SET started_at = ${`2026-01-01T00:00:0${turn}.000Z`} WHERE id = ${job.id}`,
      )
    }
    expect(owners).toEqual(['anna', 'ben', 'cleo', 'anna'])
    // No job of anna and ben is running; ben was served before anna.
    for (const each of held) await finish(each)
    expect((await claim())!.owner).toBe('ben')
  })

  it('prefers a higher priority, then the older one, among the jobs of an owner', async () => {
    await clear()
    const [low, high, alsoHigh] = [await add(), await add({ priority: 5 }), await add({ priority: 5 })]
    expect([(await claim())!.id, (await claim())!.id, (await claim())!.id]).toEqual([high, alsoHigh, low])
  })

  it('prefers the jobs of all owners to those with a negative priority', async () => {
    await clear()
    const late = await add({ owner: 'cleo', priority: -1 })
    const usual = [await add({ owner: 'anna' }), await add({ owner: 'anna' })]
    expect([(await claim())!.id, (await claim())!.id, (await claim())!.id]).toEqual([...usual, late])
  })

  it('assigns each job to one of many concurrent workers', async () => {
    await clear()
    for (let count = 0; count < 12; count++) await add({ owner: `owner ${count % 3}` })
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, index) => claim(KINDS, [database, ...others][index % 3])),
    )
    const ids = all.flatMap((job) => job?.id ?? [])
    // PostgreSQL skips a job that another worker is claiming.
    while (ids.length < 12) ids.push((await claim())!.id)
    expect(new Set(ids).size).toBe(12)
    expect(await claim()).toBeNull()
  })

  it('adds one of many equal jobs that are enqueued concurrently', async () => {
    await clear()
    const ids = await Promise.all(
      [database, ...others, database, ...others].map((on) =>
        on.transaction((session) =>
          insertJob(session, {
            kind: 'evaluate',
            owner: 'anna',
            uniqueKey: 'same',
            priority: 0,
            input: 'null',
            parentId: null,
            datasetId: null,
            systemId: null,
          }),
        ),
      ),
    )
    expect(ids.filter((id) => id !== null)).toHaveLength(1)
  })

  it('recovers a job with an expired lease; writes of its former worker are refused', async () => {
    await clear()
    await add()
    const first = await claimed()
    await run((session) => recoverJob(session, first.id, LOST))
    expect((await jobs())[0].status).toBe('RUNNING')
    await expire(first.id)
    expect(await findExpiredJobs(database)).toEqual([first.id])
    await run((session) => recoverJob(session, first.id, LOST))
    const second = await claimed()
    expect(second.id).toBe(first.id)
    await run((session) => renewLease(session, first, { fraction: 0.5, message: 'late' }, LEASE_MS))
    await run((session) => releaseJob(session, first))
    await expect(finish(first)).rejects.toThrow(LeaseLost)
    expect(await jobs()).toMatchObject([{ status: 'RUNNING', attempts: 2, message: null }])
    await finish(second)
    await expect(finish(second)).rejects.toThrow(LeaseLost)
  })

  it(`fails a job after ${MAX_ATTEMPTS} lost workers; released jobs do not count`, async () => {
    await clear()
    await add()
    await run(async (session) => releaseJob(session, await claimedIn(session)))
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const { id } = await claimed()
      await expire(id)
      await run((session) => recoverJob(session, id, LOST))
    }
    expect(await jobs()).toMatchObject([{ status: 'FAILED', failure: LOST, attempts: MAX_ATTEMPTS }])
  })

  async function claimedIn(session: Pick<Database, 'all'>): Promise<Claim> {
    const job = await claimJob(session as Database, { worker: 'inner', kinds: KINDS, leaseMs: LEASE_MS })
    return { id: job!.id, worker: 'inner' }
  }

  it('cancels a queued job immediately, and asks the worker of a running one', async () => {
    await clear()
    const queued = await add()
    expect(await run((session) => requestCancellation(session, queued))).toBe(true)
    expect(await jobs()).toMatchObject([{ status: 'CANCELLED' }])
    expect(await run((session) => requestCancellation(session, queued))).toBe(false)
    await clear()
    const running = await add({ uniqueKey: 'key' })
    await claim()
    expect(await run((session) => requestCancellation(session, running))).toBe(true)
    expect(await jobs()).toMatchObject([{ status: 'RUNNING', cancelRequested: true }])
    // The same work can already be requested again.
    expect(await add({ uniqueKey: 'key' })).not.toBeNull()
    // The worker stopped instead of cancelling it.
    await expire(running)
    await run((session) => recoverJob(session, running, LOST))
    expect(await findJobs(database, [running])).toMatchObject([{ status: 'CANCELLED' }])
  })

  it('removes jobs with their dataset or system, also while they run', async () => {
    await clear()
    const datasetId = await createDataset(database, 'pets')
    await add({ datasetId })
    const held = await claimed()
    await database.run(sql`DELETE FROM dataset`)
    await expect(finish(held)).rejects.toThrow(LeaseLost)
    await expect(add({ datasetId })).rejects.toMatchObject({ kind: 'FOREIGN_KEY' })
  })

  it('removes finished jobs of some kinds after a time', async () => {
    await clear()
    const [old] = [await add({ kind: 'compare' }), await add({ kind: 'compare' })]
    const other = await add({ kind: 'evaluate' })
    for (let count = 0; count < 3; count++) await finish(await claimed())
    const running = await add({ kind: 'compare' })
    const long = new Date(Date.now() - 120_000).toISOString()
    for (const id of [old, other, running])
      await database.run(sql`UPDATE job SET ended_at = ${long} WHERE id = ${id}`)
    await run((session) => deleteFinishedJobs(session, ['compare'], { ageMs: 60_000, kept: 2 }))
    expect((await jobs()).map(({ id }) => id)).toEqual([old + 1, other, running])
  })

  describe('shards', () => {
    async function divide(count: number): Promise<number> {
      await clear()
      const id = await add({ priority: 3 })
      const held = await claimed()
      const shards = Array.from({ length: count }, (_, position) => ({
        kind: 'countDocuments',
        input: { jobId: id, position },
      }))
      await run((session) => waitForShards(session, held, shards, 'waiting'))
      return id
    }
    const save = (jobId: number, position: number, text: string, session: Database = database) =>
      saveShard(session, { jobId, position, step: 'documents', content: Buffer.from(text) })
    const end = (held: Claim, on = database) =>
      run((session) => endShard(session, held, (share) => share / 2), on)

    /** The number of connections that wait for a lock of another. On SQLite one process at a time begins a transaction. */
    const waitingCount = async () =>
      (
        await database.all(
          sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
      ).length

    it('queue their parent after the last one, without counting an attempt', async () => {
      const id = await divide(3)
      const held = [await claimed(), await claimed(), await claimed()]
      expect(await claim()).toBeNull()
      await end(held[0])
      expect(await findJobs(database, [id])).toMatchObject([{ status: 'RUNNING', progress: 1 / 6 }])
      // Concurrently in two processes: one of them must detect that it is the last.
      let last: Promise<void> | undefined
      await run(async (session) => {
        await endShard(session, held[1], (share) => share / 2)
        last = end(held[2], others[0])
        if (engine === 'postgres') await expect.poll(waitingCount).toBe(1)
      })
      await last
      expect(await findJobs(database, [id])).toMatchObject([{ status: 'QUEUED', progress: 0.5, attempts: 0 }])
      expect(await claim()).toMatchObject({ id, attempts: 1 })
      expect((await findJobs(database, [id]))[0]?.input).toEqual({ systemId: 7 })
    })

    it('are executed before other jobs of their owner, but not before those of other owners', async () => {
      await divide(2)
      await add({ priority: 3 })
      expect((await claim())!.kind).toBe('countDocuments')
      await add({ owner: 'ben' })
      expect((await claim())!.owner).toBe('ben')
    })

    it('are removed with their output when their parent ends', async () => {
      const id = await divide(2)
      const shard = await claimed()
      await save(id, 0, 'table')
      expect((await readShard(database, id, 'documents', 0)).toString()).toBe('table')
      await run((session) => requestCancellation(session, id))
      expect(await jobs()).toMatchObject([{ id, status: 'CANCELLED' }])
      expect(await findShardPositions(database, id, 'documents')).toEqual([])
      await expect(end(shard)).rejects.toThrow(LeaseLost)
    })

    it('replace the output of an earlier attempt', async () => {
      const id = await divide(1)
      await save(id, 0, 'first attempt')
      await save(id, 0, 'second')
      expect(await findShardPositions(database, id, 'documents')).toEqual([0])
      expect((await readShard(database, id, 'documents', 0)).toString()).toBe('second')
      await expect(readShard(database, id, 'documents', 1)).rejects.toThrow('has no shard 1 of documents')
    })

    it('cannot be cancelled individually', async () => {
      const id = await divide(1)
      const shard = await claimed()
      expect(await run((session) => requestCancellation(session, shard.id))).toBe(false)
      await run((session) => endClaimedJob(session, shard, { status: 'CANCELLED' }))
      expect(await jobs()).toMatchObject([{ id, status: 'CANCELLED' }])
    })

    it('fail with their parent', async () => {
      const id = await divide(2)
      const failure = { code: 'UNKNOWN_METRIC', message: 'm', summary: 's', detail: {} } as const
      const held = await claimed()
      await run((session) => endClaimedJob(session, held, { status: 'FAILED', failure }))
      expect(await jobs()).toMatchObject([{ id, status: 'FAILED', failure }])
    })

    it('fail their parent after repeatedly lost workers', async () => {
      const id = await divide(1)
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        const shard = await claimed()
        await expire(shard.id)
        await run((session) => recoverJob(session, shard.id, LOST))
      }
      expect(await jobs()).toMatchObject([{ id, status: 'FAILED', failure: LOST }])
    })
  })

  it('agrees with its model for random sequences of actions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(ACTIONS, { minLength: 10, maxLength: 40 }), async (actions) => {
        await clear()
        const model = createModel()
        for (const action of actions) {
          await perform(action, model)
          expect(describeRows(await jobs())).toEqual(model.describe())
        }
        // Nothing is lost: working workers finally end all jobs.
        for (const { id } of model.running()) {
          await expire(id)
          await run((session) => recoverJob(session, id, LOST))
        }
        for (let job = await claim(); job !== null; job = await claim())
          await finish({ id: job.id, worker: job.worker! })
        expect((await jobs()).filter(({ status }) => !ENDS.includes(status))).toEqual([])
      }),
      { numRuns: engine === 'sqlite' ? 20 : 10 },
    )
  })

  async function perform(action: Action, model: Model): Promise<void> {
    const held = model.claims[action.claim % Math.max(1, model.claims.length)]
    switch (action.kind) {
      case 'add': {
        const uniqueKey = action.key === 0 ? null : `key ${action.key}`
        const id = await add({ owner: action.owner, priority: action.priority, uniqueKey })
        model.add(id, action, uniqueKey)
        break
      }
      case 'claim': {
        const job = await claim()
        model.claim(job)
        break
      }
      case 'renew':
        if (held)
          await run((session) => renewLease(session, held, { fraction: 0.5, message: null }, LEASE_MS))
        break
      case 'finish':
      case 'fail': {
        if (!held) break
        const isHolder = model.isHolder(held)
        const ending =
          action.kind === 'fail'
            ? ({ status: 'FAILED', failure: LOST } as const)
            : ({ status: 'DONE', result: null } as const)
        const ended = run((session) => endClaimedJob(session, held, ending))
        if (isHolder) await ended
        else await expect(ended).rejects.toThrow(LeaseLost)
        if (isHolder) model.end(held.id, ending.status)
        break
      }
      case 'release':
        if (!held) break
        await run((session) => releaseJob(session, held))
        if (model.isHolder(held)) model.release(held.id)
        break
      case 'lose': {
        // The worker is killed, or pauses until its lease expires; it may resume.
        if (!held) break
        const isHolder = model.isHolder(held)
        if (isHolder) await expire(held.id)
        for (const id of await findExpiredJobs(database))
          await run((session) => recoverJob(session, id, LOST))
        if (isHolder) model.lose(held.id)
        break
      }
      case 'cancel': {
        const id = model.ids[action.claim % Math.max(1, model.ids.length)]
        if (id === undefined) break
        expect(await run((session) => requestCancellation(session, id))).toBe(model.cancel(id))
      }
    }
  }
})

const ENDS: readonly JobStatus[] = ['DONE', 'FAILED', 'CANCELLED']

async function allIds(database: Database): Promise<number[]> {
  const rows = await database.all<{ id: number }>(sql`SELECT id FROM job ORDER BY id`)
  return rows.map(({ id }) => id)
}

type Action = ReturnType<typeof ACTIONS.generate>['value']

const ACTIONS = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constant('add' as const) },
    { weight: 5, arbitrary: fc.constant('claim' as const) },
    {
      weight: 8,
      arbitrary: fc.constantFrom(
        'renew' as const,
        'finish' as const,
        'fail' as const,
        'release' as const,
        'lose' as const,
        'cancel' as const,
      ),
    },
  ),
  owner: fc.constantFrom('anna', 'ben', 'cleo'),
  priority: fc.integer({ min: -1, max: 2 }),
  key: fc.integer({ min: 0, max: 2 }),
  /** Index of a claim or job, modulo their number. */
  claim: fc.nat(1000),
})

interface ModelJob {
  readonly id: number
  readonly owner: string
  readonly priority: number
  key: string | null
  status: JobStatus
  worker: string | null
  attempts: number
  isCancelRequested: boolean
}

type Model = ReturnType<typeof createModel>

/** The expected content of the table. */
function createModel() {
  const all = new Map<number, ModelJob>()
  const claims: Claim[] = []
  const ids: number[] = []
  const inState = (status: JobStatus) => [...all.values()].filter((job) => job.status === status)
  const runningOf = (owner: string) => inState('RUNNING').filter((job) => job.owner === owner).length
  const end = (id: number, status: JobStatus) => Object.assign(all.get(id)!, { status, worker: null })

  return {
    claims,
    ids,
    running: () => inState('RUNNING'),
    isHolder: ({ id, worker }: Claim) => all.get(id)!.worker === worker,
    add(id: number | null, { owner, priority }: Action, key: string | null): void {
      const isTaken =
        key !== null && [...all.values()].some((job) => job.key === key && !ENDS.includes(job.status))
      expect(id === null).toBe(isTaken)
      if (id === null) return
      ids.push(id)
      all.set(id, {
        id,
        owner,
        priority,
        key,
        status: 'QUEUED',
        worker: null,
        attempts: 0,
        isCancelRequested: false,
      })
    },
    claim(row: JobRow | null): void {
      const waiting = inState('QUEUED')
      expect(row === null).toBe(waiting.length === 0)
      if (row === null) return
      const usual = waiting.filter(({ priority }) => priority >= 0)
      const queued = usual.length > 0 ? usual : waiting
      const job = all.get(row.id)!
      expect(queued).toContain(job)
      const fewest = Math.min(...queued.map(({ owner }) => runningOf(owner)))
      expect(runningOf(job.owner)).toBe(fewest)
      const ofOwner = queued.filter(({ owner }) => owner === job.owner)
      ofOwner.sort((one, other) => other.priority - one.priority || one.id - other.id)
      expect(job).toBe(ofOwner[0])
      Object.assign(job, { status: 'RUNNING', worker: row.worker, attempts: job.attempts + 1 })
      claims.push({ id: row.id, worker: row.worker! })
    },
    end,
    release(id: number): void {
      const job = end(id, 'QUEUED')
      job.attempts--
    },
    lose(id: number): void {
      const { isCancelRequested, attempts } = all.get(id)!
      end(id, isCancelRequested ? 'CANCELLED' : attempts >= MAX_ATTEMPTS ? 'FAILED' : 'QUEUED')
    },
    cancel(id: number): boolean {
      const job = all.get(id)!
      if (ENDS.includes(job.status)) return false
      if (job.status === 'RUNNING') Object.assign(job, { isCancelRequested: true, key: null })
      else end(id, 'CANCELLED')
      return true
    },
    describe: () =>
      [...all.values()].map(({ id, status, worker, attempts }) => ({ id, status, worker, attempts })),
  }
}

function describeRows(rows: readonly JobRow[]) {
  return rows
    .map(({ id, status, worker, attempts }) => ({ id, status, worker, attempts }))
    .sort((one, other) => one.id - other.id)
}
