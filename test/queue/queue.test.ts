import { afterAll, describe, expect, it, vi } from 'vitest'
import { AccordError } from '../../src/errors.js'
import { createQueue } from '../../src/queue/queue.js'
import { KINDS } from '../../src/services/workers/kinds.js'
import { openDatabase } from '../../src/store/database.js'
import { createDataset } from '../../src/store/datasets.js'
import { find } from '../../src/store/engine/rows.js'
import type { Database } from '../../src/store/engine/session.js'
import { EMPTY, sql } from '../../src/store/engine/sql.js'
import type { JobRow } from '../../src/store/jobs.js'
import {
  claimJob,
  type Ending,
  endClaimedJob,
  findJobs,
  findNewestJobs,
  isWithoutWorker,
} from '../../src/store/jobs.js'
import { JobEntity } from '../../src/store/schema/job-tables.js'
import { insertSystem } from '../../src/store/systems.js'
import { createTestDatabase, ENGINES } from '../kit/databases.js'

const unreachable = new AccordError('DATABASE_UNAVAILABLE', 'the database cannot be reached')

describe.each(ENGINES)('the queue on %s', async (engine) => {
  const { location, remove } = await createTestDatabase(engine)
  // A server, and a worker in another process.
  const [database, other] = await Promise.all([openDatabase(location), openDatabase(location)])
  const queue = createQueue(database, KINDS, { maxLength: 30 })
  afterAll(async () => {
    await queue.close()
    await Promise.all([database.close(), other.close()])
    await remove()
  })

  const clear = () => database.run(sql`DELETE FROM job`)
  const compare = (metric: string, owner?: string, isFollowUp?: boolean) =>
    queue.enqueue(
      database,
      'compare',
      { datasetId: pets, systemIds: [1, 2], people: false, figures: [{ kind: 'METRIC', metric }] },
      { owner, isFollowUp },
    )
  const pets = await createDataset(database, 'pets')

  async function claim(): Promise<JobRow> {
    const job = await other.transaction((session) =>
      claimJob(session, { worker: 'other', kinds: ['compare', 'evaluate'], leaseMs: 60_000 }),
    )
    return job!
  }
  const end = ({ id }: JobRow, ending: Ending) =>
    other.transaction((session) => endClaimedJob(session, { id, worker: 'other' }, ending))

  it('returns the same job for the same work, until it is finished', async () => {
    await clear()
    const one = await queue.enqueue(database, 'compare', {
      datasetId: pets,
      systemIds: [1],
      people: false,
      figures: [{ kind: 'METRIC', metric: 'CIDEr' }],
    })
    const same = await queue.enqueue(database, 'compare', {
      people: false,
      figures: [{ kind: 'METRIC', metric: 'CIDEr' }],
      systemIds: [1],
      datasetId: pets,
    })
    const another = await queue.enqueue(database, 'compare', {
      datasetId: pets,
      systemIds: [2],
      people: false,
      figures: [{ kind: 'METRIC', metric: 'CIDEr' }],
    })
    expect(same).toEqual(one)
    expect(another.id).not.toBe(one.id)
    expect(one).toMatchObject({ status: 'QUEUED', owner: 'anonymous', datasetId: pets, progress: 0 })
    expect(await findJobs(database, [one.id, another.id, 999_999])).toHaveLength(2)
    await queue.cancel(one.id)
    expect((await compare('CIDEr')).id).not.toBe(one.id)
  })

  it('executes jobs in the background last, and queries that take seconds after those that others wait for less long', async () => {
    await clear()
    const background = await queue.enqueue(
      database,
      'evaluate',
      { datasetId: pets, systemId: await addSystem(database, pets, 'wren'), metrics: ['BLEU-4'] },
      { isBackground: true },
    )
    const heavy = await compare('CIDEr')
    const light = await queue.enqueue(database, 'coverage', { datasetId: pets, systemIds: [] } as never)
    const taken = async () =>
      (
        await other.transaction((session) =>
          claimJob(session, { worker: 'other', kinds: ['evaluate', 'compare', 'coverage'], leaseMs: 60_000 }),
        )
      )?.id
    expect([await taken(), await taken(), await taken()]).toEqual([light.id, heavy.id, background.id])
  })

  it('adds a job only if the surrounding transaction is committed', async () => {
    await clear()
    const failing = database.transaction(async (session) => {
      await queue.enqueue(session, 'compare', {
        datasetId: pets,
        systemIds: [],
        people: false,
        figures: [{ kind: 'METRIC', metric: 'CIDEr' }],
      })
      throw new Error('the import failed')
    })
    await expect(failing).rejects.toThrow('the import failed')
    expect(await database.all(sql`SELECT id FROM job`)).toEqual([])
  })

  it('is bounded for each owner and in total; follow-up jobs are always added', async () => {
    await clear()
    for (const metric of ['A', 'B', 'C']) await compare(metric, 'anna')
    await expect(compare('D', 'anna')).rejects.toMatchObject({
      code: 'QUEUE_FULL',
      message: 'too many unfinished jobs of this owner; try again later: expected fewer than 3, found 3',
    })
    expect((await compare('C', 'anna')).owner).toBe('anna')
    for (let owner = 0; owner < 27; owner++) await compare(`of ${owner}`, `owner ${owner}`)
    await expect(compare('E', 'cleo')).rejects.toMatchObject({
      code: 'QUEUE_FULL',
      message: 'too many unfinished jobs; try again later: expected fewer than 30, found 30',
    })
    await expect(compare('F', 'cleo', true)).resolves.toMatchObject({ status: 'QUEUED' })
    await end(await claim(), { status: 'DONE', result: null })
    await end(await claim(), { status: 'DONE', result: null })
    await compare('E', 'dora')
  })

  it('keeps places for owners who have none, however many others take all they can', async () => {
    await clear()
    const takeAll = async (owner: string) => {
      for (let taken = 0; ; taken++) {
        const job = await compare(`${owner} ${taken}`, owner).catch(() => null)
        if (job === null) return taken
      }
    }
    const taken: number[] = []
    for (let owner = 0; owner < 10; owner++) taken.push(await takeAll(`owner ${owner}`))
    expect(taken[0]).toBe(3)
    expect(Math.max(...taken)).toBe(3)
    expect(Math.min(...taken)).toBeGreaterThan(0)
    await compare('first', 'newcomer')
  })

  it('is bounded also for concurrent requests', async () => {
    await clear()
    const asked = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        queue.enqueue(
          index % 2 ? database : other,
          'compare',
          {
            datasetId: pets,
            systemIds: [index],
            people: false,
            figures: [{ kind: 'METRIC', metric: 'CIDEr' }],
          },
          { owner: `owner ${index}` },
        ),
      ),
    )
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(30)
  })

  it('refuses jobs of removed datasets and systems', async () => {
    await clear()
    await expect(
      queue.enqueue(database, 'agreement', { datasetId: 999_999, references: 4 }),
    ).rejects.toMatchObject({ code: 'UNKNOWN_DATASET' })
    await expect(
      queue.enqueue(database, 'evaluate', { datasetId: pets, systemId: 999_999 }),
    ).rejects.toMatchObject({ code: 'UNKNOWN_SYSTEM' })
  })

  it('finds the newest job of each system', async () => {
    await clear()
    const systems = await Promise.all(['parrot', 'magpie'].map((name) => addSystem(database, pets, name)))
    const evaluate = (systemId: number) => queue.enqueue(database, 'evaluate', { datasetId: pets, systemId })
    const [old] = [await evaluate(systems[0]), await evaluate(systems[1])]
    await queue.cancel(old.id)
    const newest = await evaluate(systems[0])
    const found = await findNewestJobs(database, 'evaluate', [systems[0], 999_999])
    expect(found.map(({ id }) => id)).toEqual([newest.id])
  })

  it('waits for jobs executed by another process', async () => {
    await clear()
    const jobs = [await compare('A'), await compare('B'), await compare('C')]
    const results = Promise.allSettled(jobs.map(({ id }) => queue.waitForResult('compare', id)))
    const detail = { source: 'metric', expected: 'a metric', found: '"B"' }
    await end(await claim(), { status: 'DONE', result: [{ pValue: 0.1 + 0.2 }] })
    await end(await claim(), {
      status: 'FAILED',
      failure: { code: 'UNKNOWN_METRIC', message: 'm', summary: 'unknown metric', detail },
    })
    await end(await claim(), { status: 'CANCELLED' })
    const [done, failed, cancelled] = await results
    expect(done).toEqual({ status: 'fulfilled', value: [{ pValue: 0.1 + 0.2 }] })
    expect(failed).toMatchObject({ reason: { code: 'UNKNOWN_METRIC', summary: 'unknown metric', detail } })
    expect(cancelled).toMatchObject({ reason: { code: 'CANCELLED' } })
    expect((await queue.waitForEnd(jobs[1].id)).status).toBe('FAILED')
  })

  it('hides the details of a bug from clients', async () => {
    await clear()
    const { id } = await compare('A')
    const failure = { code: 'INTERNAL', message: 'a bug in Accord', summary: 'a bug', detail: {} } as const
    await end(await claim(), { status: 'FAILED', failure })
    const error: unknown = await queue.waitForResult('compare', id).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toHaveProperty('code')
    expect((error as Error).message).toBe('a bug in Accord')
  })

  it('stops waiting when its caller aborts', async () => {
    await clear()
    const { id } = await compare('A')
    const controller = new AbortController()
    const waiting = queue.waitForEnd(id, controller.signal)
    controller.abort(new Error('the client has gone'))
    await expect(waiting).rejects.toThrow('the client has gone')
    await expect(queue.waitForEnd(id, controller.signal)).rejects.toThrow('the client has gone')
  })

  it('stops waiting for a removed job', async () => {
    await clear()
    const birds = await createDataset(database, 'birds')
    const { id } = await queue.enqueue(database, 'agreement', { datasetId: birds, references: 4 })
    // The removal can be noticed before its statement returns: the outcome is awaited from the start.
    const outcome = expect(queue.waitForEnd(id)).rejects.toMatchObject({ code: 'UNKNOWN_JOB' })
    await other.run(sql`DELETE FROM dataset WHERE id = ${birds}`)
    await outcome
    await expect(queue.waitForEnd(999_999)).rejects.toMatchObject({ code: 'UNKNOWN_JOB' })
  })

  it('cancels unfinished jobs', async () => {
    await clear()
    const queued = await compare('A')
    expect(await queue.cancel(queued.id)).toMatchObject({ status: 'CANCELLED', failure: null })
    const running = await compare('B')
    await claim()
    expect(await queue.cancel(running.id)).toMatchObject({ status: 'RUNNING', cancelRequested: true })
    expect(await queue.cancel(running.id)).toMatchObject({ status: 'RUNNING' })
    await expect(queue.cancel(queued.id)).rejects.toMatchObject({
      code: 'NOT_APPLICABLE',
      detail: { found: 'CANCELLED' },
    })
    await expect(queue.cancel(999_999)).rejects.toMatchObject({ code: 'UNKNOWN_JOB' })
  })

  it('bounds queries and other jobs separately', async () => {
    await clear()
    const system = await addSystem(database, pets, 'jackdaw')
    const evaluate = (references: number) =>
      queue.enqueue(
        database,
        'evaluate',
        { datasetId: pets, systemId: system, references },
        { owner: 'anna' },
      )
    for (const references of [1, 2, 3]) await evaluate(references)
    await expect(evaluate(4)).rejects.toMatchObject({ code: 'QUEUE_FULL' })
    for (const metric of ['A', 'B', 'C']) await compare(metric, 'anna')
    await expect(compare('D', 'anna')).rejects.toMatchObject({ code: 'QUEUE_FULL' })
  })

  describe('requests that wait for the same job', () => {
    const input = {
      datasetId: pets,
      systemIds: [1, 2],
      people: false,
      figures: [{ kind: 'METRIC' as const, metric: 'A' }],
    }
    const leave = async (client: AbortController, request: Promise<unknown>) => {
      client.abort(new Error('gone'))
      await expect(request).rejects.toThrow('gone')
    }
    const request = (client: AbortController, from = queue) => {
      const result = from.request('compare', input, { signal: client.signal })
      result.catch(() => {})
      return result
    }
    const waiterCounts = async () =>
      (await find(database, JobEntity, EMPTY)).map(({ waiterCount, status, cancelRequested }) => ({
        waiterCount,
        status,
        cancelled: cancelRequested,
      }))

    it('share it; it is cancelled with the last of them, also while it runs', async () => {
      await clear()
      const [one, two, three] = Array.from({ length: 3 }, () => new AbortController())
      // Servers that share a database.
      const remote = createQueue(other, KINDS)
      const first = request(one)
      await expect.poll(waiterCounts).toMatchObject([{ waiterCount: 1 }])
      const second = request(two, remote)
      await expect.poll(waiterCounts).toMatchObject([{ waiterCount: 2 }])
      await leave(one, first)
      expect(await waiterCounts()).toMatchObject([{ waiterCount: 1, status: 'QUEUED' }])
      const third = request(three)
      await expect.poll(waiterCounts).toMatchObject([{ waiterCount: 2 }])
      await leave(two, second)
      await claim()
      expect(await waiterCounts()).toMatchObject([{ status: 'RUNNING', cancelled: false }])
      await leave(three, third)
      expect(await waiterCounts()).toMatchObject([{ status: 'RUNNING', cancelled: true }])
      await remote.close()
    })

    it('fail if no worker executes jobs, and wait while one does', async () => {
      await clear()
      const lone = createQueue(database, KINDS, { mayLackWorkers: true })
      await expect(lone.request('compare', input)).rejects.toMatchObject({
        code: 'NO_WORKER',
        message: expect.stringContaining('accord worker'),
      })
      expect(await waiterCounts()).toMatchObject([{ waiterCount: 0, status: 'CANCELLED' }])
      await compare('busy')
      const busy = await claim()
      const client = new AbortController()
      const waiting = request(client, lone)
      await expect.poll(waiterCounts).toHaveLength(3)
      const [{ id }] = await database.all<{ id: number }>(sql`SELECT MAX(id) AS id FROM job`)
      expect(await isWithoutWorker(database, id)).toBe(false)
      await end(busy, { status: 'DONE', result: [] })
      expect(await isWithoutWorker(database, id)).toBe(true)
      await expect(waiting).rejects.toMatchObject({ code: 'NO_WORKER' })
      await lone.close()
    })

    it('leave the queue as it was before', async () => {
      await clear()
      const clients = Array.from({ length: 3 }, () => new AbortController())
      const requests = clients.map((client, index) => {
        const result = queue.request(
          'compare',
          { ...input, systemIds: [index] },
          { owner: 'anna', signal: client.signal },
        )
        result.catch(() => {})
        return result
      })
      await expect.poll(waiterCounts).toHaveLength(3)
      await Promise.all(clients.map((client, index) => leave(client, requests[index])))
      expect(await waiterCounts()).toEqual(
        Array(3).fill({ waiterCount: 0, status: 'CANCELLED', cancelled: false }),
      )
      for (const metric of ['A', 'B', 'C']) await compare(metric, 'anna')
    })

    it('do not cancel what was started to be executed in any case', async () => {
      for (const isStartedFirst of [true, false]) {
        await clear()
        const client = new AbortController()
        if (isStartedFirst) await compare('A')
        const waiting = request(client)
        await expect.poll(waiterCounts).toHaveLength(1)
        if (!isStartedFirst) await compare('A')
        await leave(client, waiting)
        expect(await waiterCounts()).toMatchObject([{ waiterCount: null, status: 'QUEUED' }])
      }
    })
  })

  it('keeps waiting while the database cannot be read', async () => {
    await clear()
    const { id } = await compare('A')
    let outages = 3
    const waiting = createQueue(
      {
        ...database,
        listen: () => Promise.reject(unreachable),
        all: (query) => (outages-- > 0 ? Promise.reject(unreachable) : database.all(query)),
      },
      KINDS,
    )
    const result = waiting.waitForResult('compare', id)
    await end(await claim(), { status: 'DONE', result: [] })
    expect(await result).toEqual([])
    expect(outages).toBeLessThan(0)
    await waiting.close()
  })

  it('rejects waiting when the database stays unreachable, and at once for a bug', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    try {
      let error: Error = unreachable
      const waiting = createQueue({ ...database, all: () => Promise.reject(error) }, KINDS)
      let isSettled = false
      const outcome = waiting.waitForEnd(1).catch((thrown) => {
        isSettled = true
        return thrown
      })
      while (vi.getTimerCount() === 0) await new Promise(setImmediate)
      await vi.advanceTimersByTimeAsync(29_000)
      expect(isSettled).toBe(false)
      await vi.advanceTimersByTimeAsync(3_000)
      expect(await outcome).toBe(unreachable)
      error = new Error('a bug')
      await expect(waiting.waitForEnd(1)).rejects.toBe(error)
      await waiting.close()
    } finally {
      vi.useRealTimers()
    }
  })

  it('rejects waiting after it is closed', async () => {
    await clear()
    const closing = createQueue(database, KINDS)
    const { id } = await compare('A')
    const waits = Promise.allSettled([closing.waitForEnd(id), closing.waitForEnd(id)])
    await closing.close()
    expect((await waits).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(closing.waitForEnd(id)).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})

function addSystem(database: Database, datasetId: number, name: string): Promise<number> {
  return insertSystem(database, { datasetId, name, imageCount: 0, missingImageCount: 0 }, 'CAPTIONS')
}
