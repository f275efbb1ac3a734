import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { shareThreads } from '../../src/compute/shared-threads.js'
import { createQueue } from '../../src/queue/queue.js'
import { startWorkers, type Workers } from '../../src/queue/worker.js'
import { KINDS } from '../../src/services/workers/kinds.js'
import { openDatabase } from '../../src/store/database.js'
import { createDataset } from '../../src/store/datasets.js'
import { sql } from '../../src/store/engine/sql.js'
import { findJobs } from '../../src/store/jobs.js'
import { ALL_ENGINES, createTestDatabase } from '../kit/databases.js'

const FRAGILE = new URL('../kit/fragile-worker.js', import.meta.url)
const PROCESS = fileURLToPath(new URL('../kit/worker-process.js', import.meta.url))

/** Longer than workers wait for another process that writes, before they try again. */
const WRITING_MS = 2000

describe.each(ALL_ENGINES)('workers on %s', async (engine) => {
  const { location, remove } = await createTestDatabase(engine)
  const database = await openDatabase(location)
  const queue = createQueue(database, KINDS)
  const datasetId = await createDataset(database, 'pets')
  afterAll(async () => {
    await queue.close()
    await database.close()
    await remove()
  })

  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  beforeEach(() => log.mockClear())

  // Jobs that compute without a pause look at a file: nothing else reaches them.
  const folder = mkdtempSync(join(tmpdir(), 'accord-test-'))
  const endFile = join(folder, 'end')
  const endComputing = () => writeFileSync(endFile, '')
  beforeAll(() => {
    process.env.ACCORD_TEST_END = endFile
    return () => {
      delete process.env.ACCORD_TEST_END
      rmSync(folder, { recursive: true })
    }
  })

  const running: Workers[] = []
  afterEach(async () => {
    endComputing()
    await Promise.all(running.splice(0).map((workers) => workers.close()))
    rmSync(endFile)
    await database.run(sql`DELETE FROM job`)
  })
  async function start(count = 1): Promise<Workers> {
    const workers = await startWorkers({ location, count }, KINDS, FRAGILE, shareThreads(0))
    running.push(workers)
    return workers
  }
  async function startProcess(): Promise<ChildProcess> {
    const child = fork(PROCESS, [location, '1', 'fragile-worker.js'])
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    expect((await once(child, 'message'))[0]).toBe('ready')
    return child
  }
  const enqueue = async (metric: string, systemIds: readonly number[] = [], owner?: string) =>
    (
      await queue.enqueue(
        database,
        'compare',
        { datasetId, systemIds, people: false, figures: [{ kind: 'METRIC', metric }] },
        { owner },
      )
    ).id
  const find = async (id: number) => (await findJobs(database, [id]))[0]
  const hasState = (id: number, state: string) =>
    expect.poll(async () => (await find(id)).status, { interval: 20 }).toBe(state)

  it('execute existing and added jobs', async () => {
    const before = await enqueue('echo', [1, 2])
    await start(2)
    expect(await queue.waitForResult('compare', before)).toEqual([1, 2])
    const after = await Promise.all([3, 4, 5, 6].map((id) => enqueue('echo', [id])))
    const results = await Promise.all(after.map((id) => queue.waitForResult('compare', id)))
    expect(results).toEqual([[3], [4], [5], [6]])
    expect(await find(before)).toMatchObject({ status: 'DONE', attempts: 1, progress: 1, message: null })
  })

  it('store expected failures for the client and log bugs for the operator', async () => {
    await start()
    const [refused, bug] = [await enqueue('refuse'), await enqueue('bug')]
    await expect(queue.waitForResult('compare', refused)).rejects.toMatchObject({
      code: 'UNKNOWN_METRIC',
      message: 'metric: unknown metric: found "X"',
    })
    expect((await queue.waitForEnd(bug)).failure).toMatchObject({ code: 'INTERNAL' })
    expect((await queue.waitForEnd(bug)).failure?.message).not.toContain('no such luck')
    expect(await queue.waitForResult('compare', await enqueue('echo', [7]))).toEqual([7])
  })

  it('replace a stopped thread, and retry its job', async () => {
    await start()
    const id = await enqueue('exit once')
    expect(await queue.waitForResult('compare', id)).toEqual(['survived'])
    expect((await find(id)).attempts).toBe(2)
  })

  it('retry a job after the database was busy', async () => {
    await start()
    const id = await enqueue('busy once')
    expect(await queue.waitForResult('compare', id)).toEqual(['done'])
    expect((await find(id)).attempts).toBe(2)
  })

  it.each(['exit', 'throw'])('fail a job that stops its thread in every attempt (%s)', async (how) => {
    await start()
    const id = await enqueue(how)
    await expect(queue.waitForResult('compare', id)).rejects.toMatchObject({ code: 'WORKER_LOST' })
    expect((await find(id)).attempts).toBe(3)
    expect(await queue.waitForResult('compare', await enqueue('echo', [1]))).toEqual([1])
  })

  it('report progress and cancel a running job', async () => {
    await start()
    const id = await enqueue('wait')
    await expect.poll(async () => (await find(id)).progress).toBe(0.25)
    expect(await find(id)).toMatchObject({ status: 'RUNNING', message: 'waiting' })
    await queue.cancel(id)
    expect((await queue.waitForEnd(id)).status).toBe('CANCELLED')
  })

  it('renew the lease of a job that computes without a pause', async () => {
    await start()
    const id = await enqueue('compute until told')
    await hasState(id, 'RUNNING')
    const leaseOf = async () => Date.parse((await find(id)).leaseUntil!)
    const first = await leaseOf()
    await expect.poll(leaseOf).toBeGreaterThan(first)
    endComputing()
    expect(await queue.waitForResult('compare', id)).toEqual(['computed'])
    expect((await find(id)).attempts).toBe(1)
  })

  it('stop a job that was removed with its dataset', async () => {
    await start()
    const id = await enqueue('wait')
    await hasState(id, 'RUNNING')
    await database.run(sql`DELETE FROM job WHERE id = ${id}`)
    // Both threads are free again.
    const [one, other] = [await enqueue('compute', [200]), await enqueue('compute', [201])]
    await Promise.all([one, other].map((job) => queue.waitForEnd(job)))
  })

  it('store the end of a job after another process has finished writing', async () => {
    await start()
    const id = await enqueue('compute until told')
    await hasState(id, 'RUNNING')
    const blocking = await openDatabase(location)
    await blocking.transaction(async (session) => {
      await session.run(sql`UPDATE job SET priority = 1 WHERE id = ${id}`)
      endComputing()
      await sleep(WRITING_MS)
      expect((await find(id)).status).toBe('RUNNING')
    })
    await blocking.close()
    expect(await queue.waitForResult('compare', id)).toEqual(['computed'])
    expect((await find(id)).attempts).toBe(1)
  })

  it('wait for a job when they are closed, and release one that does not end', async () => {
    const workers = await start(2)
    const [short, long, hanging] = [
      await enqueue('compute until told'),
      await enqueue('wait'),
      await enqueue('hang'),
    ]
    for (const id of [short, long, hanging]) await hasState(id, 'RUNNING')
    const closing = workers.close()
    endComputing()
    await closing
    running.length = 0
    expect((await find(short)).status).toBe('DONE')
    for (const id of [long, hanging])
      expect(await find(id)).toMatchObject({ status: 'QUEUED', attempts: 0, worker: null })
  })

  it('take over the jobs of a killed process, but not those of others', async () => {
    const killed = await startProcess()
    // A process with one worker has a second thread for such jobs.
    const lost = [await enqueue('wait', [1]), await enqueue('wait', [2])]
    for (const id of lost) await hasState(id, 'RUNNING')
    await startProcess()
    const kept = await enqueue('wait', [3])
    await hasState(kept, 'RUNNING')
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    await start()
    await database.run(sql`UPDATE job SET lease_until = '1970-01-01T00:00:00.000Z' WHERE id <> ${kept}`)
    const attempts = async () => (await Promise.all(lost.map(find))).map((job) => job.attempts)
    await expect.poll(attempts).toEqual([2, 2])
    expect(await find(kept)).toMatchObject({ status: 'RUNNING', attempts: 1 })
    for (const id of [...lost, kept]) {
      await queue.cancel(id)
      expect(await queue.waitForEnd(id)).toMatchObject({ status: 'CANCELLED' })
    }
  })
})
