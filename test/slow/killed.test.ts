import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../src/core/stats/random.js'
import { readResults } from '../../src/formats/captions/caption-files.js'
import { importCaptions } from '../../src/services/datasets/import-captions.js'
import { planInput, startEvaluation } from '../../src/services/evaluations/start-evaluation.js'
import { openAccord } from '../../src/services/open-accord.js'
import type { Accord } from '../../src/services/shared/accord.js'
import { importResults } from '../../src/services/systems/import-results.js'
import { withoutJob } from '../../src/services/uploads/import-job.js'
import { openDatabase } from '../../src/store/database.js'
import { requireDataset } from '../../src/store/datasets.js'
import type { Database } from '../../src/store/engine/session.js'
import { sql } from '../../src/store/engine/sql.js'
import type { JobStatus } from '../../src/store/schema/job-tables.js'
import { AT_TERMINAL, type Outcome, outcomeOf, query, untilWritten, urlOf, workbench } from '../cli/kit.js'
import { atEnd } from '../kit/cleanup.js'
import { cocoResults, manyCaptions } from '../kit/coco.js'
import { ALL_ENGINES, createTestDatabase } from '../kit/databases.js'
import { dump } from '../kit/dump.js'
import { sendFile } from '../kit/uploads.js'

/** Processes that are killed at moments that a seed chooses lose nothing that was committed, and leave nothing half. */

const IMAGES = 250

const bench = workbench()
const running = new Set<ChildProcess>()

beforeAll(() => {
  bench.write('large.json', manyCaptions(8000))
  bench.write('small.json', manyCaptions(IMAGES))
  bench.write('results.json', cocoResults(captionOf))
})

afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
})

const captionOf = Object.fromEntries(
  Array.from({ length: IMAGES }, (_, index) => [
    String(index + 1),
    `w${(index * 7) % 50} w${index % 40} w${(index * 3) % 30} w${index % 9}.`,
  ]),
)

function start(command: string, location: string): { child: ChildProcess; outcome: Promise<Outcome> } {
  const child = bench.start(command, { ACCORD_DATABASE: location, ...AT_TERMINAL })
  running.add(child)
  child.once('close', () => running.delete(child))
  return { child, outcome: outcomeOf(child) }
}

async function kill(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

async function stop({ child, outcome }: ReturnType<typeof start>): Promise<void> {
  child.kill('SIGTERM')
  expect(await outcome).toMatchObject({ code: 0, signal: null, stderr: '' })
}

function ignoreProgress(): void {}

async function open(location: string): Promise<Accord> {
  const accord = await openAccord({ location, mustExist: true, threadCount: 1 })
  atEnd(() => accord.close())
  return accord
}

/**
 * What the database itself finds wrong with it. A connection that has read a full-text index checks it by what it remembers of
 * it, and finds an index corrupt that another process has written since: a new one checks the file.
 */
async function requireIntact(location: string): Promise<void> {
  const database = await openDatabase(location, { mustExist: true })
  try {
    if (database.engine !== 'sqlite') return
    expect(await database.all(sql`PRAGMA integrity_check`)).toEqual([{ integrity_check: 'ok' }])
    expect(await database.all(sql`PRAGMA foreign_key_check`)).toEqual([])
  } finally {
    await database.close()
  }
}

/** PostgreSQL may still be executing the last statement of a client that is gone. */
async function untilAlone(database: Database): Promise<void> {
  if (database.engine !== 'postgres') return
  const others = sql`SELECT pid FROM pg_stat_activity
                     WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`
  while ((await database.all(others)).length > 0) await sleep(10)
}

describe.each(ALL_ENGINES)('an import of captions on %s', (engine) => {
  const COMMAND = 'import captions large.json --dataset large'

  /** A digest of the rows of each table, without the times at which they were written. */
  async function digestsOf(location: string): Promise<Record<string, string>> {
    const database = await openDatabase(location, { mustExist: true })
    try {
      await untilAlone(database)
      await requireIntact(location)
      // The row of the import itself remains: its job fails.
      const { job: _job, ...content } = await dump(database)
      return Object.fromEntries(
        Object.entries(content).map(([table, rows]) => {
          const text = rows.join('\n').replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"time"')
          return [table, createHash('sha256').update(text).digest('hex')]
        }),
      )
    } finally {
      await database.close()
    }
  }

  async function createDatabase(): Promise<string> {
    const { location, remove } = await createTestDatabase(engine)
    atEnd(async () => remove())
    return location
  }

  it('that is killed leaves the whole dataset or nothing', async () => {
    const [undisturbed, empty] = [await createDatabase(), await createDatabase()]
    const begin = performance.now()
    const whole = start(COMMAND, undisturbed)
    await untilWritten(whole.child, 'stderr', 'writing')
    const writing = performance.now()
    expect(await whole.outcome).toMatchObject({ code: 0 })
    const time = { reading: writing - begin, writing: performance.now() - writing }
    const [none, all] = [await digestsOf(empty), await digestsOf(undisturbed)]

    const random = createRandom(1)
    let remaining = { location: undisturbed, isThere: true }
    const rounds = ['reading', 'writing', 'writing'] as const
    for (const phase of rounds) {
      const location = await createDatabase()
      const { child, outcome } = start(COMMAND, location)
      if (phase === 'writing') await untilWritten(child, 'stderr', 'writing')
      await sleep(random.next() * time[phase])
      child.kill('SIGKILL')
      const { code } = await outcome
      const rows = await digestsOf(location)
      const isThere = rows.dataset !== none.dataset
      if (code === 0) expect(isThere).toBe(true)
      // The list of all tokens is shared by datasets and may grow before one is committed.
      expect(rows).toEqual(isThere ? all : { ...none, token: rows.token })
      expect([none.token, all.token]).toContain(rows.token)
      remaining = { location, isThere }
    }
    const again = await start(COMMAND, remaining.location).outcome
    expect(again.code, again.stderr).toBe(remaining.isThere ? 2 : 0)
  })
})

const SYSTEMS = ['one', 'two', 'three']

describe.each(ALL_ENGINES)('jobs on %s', (engine) => {
  let location: string
  let accord: Accord
  let database: Database
  let expected: unknown

  beforeAll(async () => {
    const created = await createTestDatabase(engine)
    atEnd(async () => created.remove())
    location = created.location
    accord = await open(location)
    database = accord.database
    const input = { file: bench.path('small.json'), dataset: 'small' }
    await importCaptions(withoutJob(database, ignoreProgress), input)
    for (const system of ['reference', ...SYSTEMS]) await importSystem(system)
    const { input: evaluation } = await planInput(accord, { dataset: 'small', system: 'reference' })
    await accord.run('evaluate', evaluation)
    expected = await resultsOf('reference')
  })

  async function importSystem(system: string): Promise<void> {
    const source = bench.path('results.json')
    const input = { source, captions: readResults(source), system, isMissingAllowed: false }
    const dataset = await requireDataset(database, 'small')
    await importResults(withoutJob(database, ignoreProgress), dataset, input)
  }

  /** Everything that an import and an evaluation store of a system; all systems have the same captions. */
  async function resultsOf(name: string): Promise<unknown> {
    const ofSystem = sql`system_id = (SELECT id FROM system WHERE name = ${name})`
    const scores = sql`SELECT signature, value, lower, upper, image_scores FROM metric_score WHERE ${ofSystem}
                       ORDER BY signature`
    const statistics = sql`SELECT family, statistics FROM metric_statistics WHERE ${ofSystem} ORDER BY family`
    return {
      captions: await database.all(
        sql`SELECT image_id, text FROM system_caption WHERE ${ofSystem} ORDER BY image_id`,
      ),
      imageSets: await database.all(sql`SELECT image_ids FROM image_set WHERE ${ofSystem}`),
      statistics: await database.all(statistics),
      scores: await database.all(scores),
    }
  }

  async function states(): Promise<JobStatus[]> {
    const jobs = await database.all<{ status: JobStatus }>(sql`SELECT status FROM job`)
    return jobs.map(({ status }) => status)
  }

  async function until(condition: (states: JobStatus[]) => boolean): Promise<void> {
    while (!condition(await states())) await sleep(20)
  }
  const untilFinished = () => until((found) => !found.some(isUnfinished))
  const untilBusy = () => until((found) => found.includes('RUNNING') || !found.some(isUnfinished))

  /** What the time does that a lease lasts. */
  async function expireLeases(): Promise<void> {
    await database.transaction((session) =>
      session.run(sql`UPDATE job SET lease_until = '1970-01-01T00:00:00.000Z' WHERE status = 'RUNNING'`),
    )
  }

  const startEvaluations = () =>
    Promise.all(SYSTEMS.map((system) => startEvaluation(accord, { dataset: 'small', system })))

  async function requireAllDone(): Promise<void> {
    expect(new Set(await states())).toEqual(new Set(['DONE']))
    const systems = await database.all<{ name: string }>(sql`SELECT name FROM system`)
    for (const { name } of systems) expect(await resultsOf(name), name).toEqual(expected)
    await requireIntact(location)
  }

  it('of a worker that is asked to stop are finished or given back', async () => {
    await startEvaluations()
    const worker = start('worker --workers 1', location)
    await untilBusy()
    await stop(worker)
    expect(['DONE', 'QUEUED']).toEqual(expect.arrayContaining(await states()))
  })

  it('of workers that are killed are executed by another, and stored once', async () => {
    const random = createRandom(2)
    await startEvaluations()
    const [survivor, ...victims] = [0, 1, 2].map(() => start('worker --workers 1', location))
    await untilBusy()
    for (const { child } of victims) {
      await sleep(random.next() * 600)
      await kill(child)
    }
    // The survivor also loses a job that it executes, as if it had been suspended.
    await expireLeases()
    await untilFinished()
    await requireAllDone()
    await stop(survivor)
  })

  it('of a server that is killed with its workers are executed by the next one', async () => {
    const random = createRandom(3)
    const imported: string[] = []
    const evaluations: string[] = []
    for (let round = 0; round < 2; round++) {
      const server = start('serve --port 0 --workers 1', location)
      const url = await urlOf(server.child)
      const system = `submitted ${round}`
      const importing = importThrough(url, system).then(() => imported.push(system))
      const requests = Promise.allSettled([
        importing,
        ...SYSTEMS.map(async (name) => {
          const { data } = await query(url, EVALUATE, { system: name })
          evaluations.push(data.startEvaluation.job.id)
        }),
      ])
      if (round > 0) await importing
      await sleep(random.next() * 800)
      await kill(server.child)
      await requests
      await untilAlone(database)
      await requireIntact(location)
      await requireWholeSystems(imported)
      await expireLeases()
    }
    // Uploads that no job imports are removed by the next server; what was not received completely, with them.
    await database.transaction((session) =>
      session.run(sql`UPDATE upload SET expires_at = '1970-01-01T00:00:00.000Z'`),
    )
    const last = start('serve --port 0 --workers 1', location)
    const url = await urlOf(last.child)
    await untilFinished()
    for (const id of evaluations) {
      const { data } = await query(url, 'query ($id: ID!) { job(id: $id) { status } }', { id })
      expect(data).toEqual({ job: { status: 'DONE' } })
    }
    await expect.poll(() => database.all(sql`SELECT upload_id FROM upload_piece`)).toEqual([])
    const files = () =>
      database.files !== null && existsSync(database.files) ? readdirSync(database.files) : []
    await expect.poll(files).toEqual([])
    expect(await database.all(sql`SELECT id FROM upload`)).toEqual([])
    await requireWholeSystems(imported)
    await requireAllDone()
    await stop(last)
  })

  /** Submitted systems that were reported as imported are there. Each that is there is whole and has its evaluation. */
  async function requireWholeSystems(imported: readonly string[]): Promise<void> {
    const systems = await database.all<{ name: string; captions: number; evaluations: number }>(sql`
      SELECT name, (SELECT COUNT(*) FROM system_caption WHERE system_id = system.id) AS captions,
             (SELECT COUNT(*) FROM job WHERE kind = 'evaluate' AND system_id = system.id) AS evaluations
      FROM system WHERE name LIKE 'submitted %'`)
    expect(systems.map(({ name }) => name)).toEqual(expect.arrayContaining([...imported]))
    for (const { name, captions, evaluations } of systems) {
      expect({ name, captions }).toEqual({ name, captions: IMAGES })
      expect(evaluations, name).toBeGreaterThan(0)
    }
  }
})

function isUnfinished(state: JobStatus): boolean {
  return state === 'QUEUED' || state === 'RUNNING'
}

/** Imports a system from a file and waits until it is imported. */
async function importThrough(url: string, system: string): Promise<void> {
  const upload = await sendFile(url, cocoResults(captionOf), 'results.json')
  const { data } = await query(url, IMPORT, { input: { dataset: 'small', system, upload } })
  const { id } = data.importResults.job
  const JOB = 'query ($id: ID!) { job(id: $id) { status } }'
  for (let status = ''; status !== 'DONE'; await sleep(20)) {
    status = (await query(url, JOB, { id })).data.job.status
    expect(status).not.toBe('FAILED')
  }
}

const IMPORT = `mutation ($input: ImportResultsInput!) {
  importResults(input: $input) { ... on JobSuccess { job { id } } ... on MutationError { message } }
}`

const EVALUATE = `mutation ($system: String!) {
  startEvaluation(input: { dataset: "small", system: $system }) { ... on JobSuccess { job { id } } }
}`
