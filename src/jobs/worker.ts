import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { AccordError } from '../errors.js'
import { openDatabase } from '../store/database.js'
import {
  type Claim,
  claimJob,
  deleteFinishedJobs,
  expireLease,
  findExpiredJobs,
  hasQueuedJob,
  JOB_CHANNEL,
  MAX_ATTEMPTS,
  readClaims,
  recoverJob,
  releaseJob,
  renewLease,
} from '../store/jobs.js'
import type { Database } from '../store/session.js'
import { toFailure } from './failure.js'
import { type JobKind, PRIORITIES, QUERY_KINDS } from './kinds.js'
import { ORDERS } from './run-job.js'
import type { ThreadData, ThreadReport, ThreadRequest } from './thread.js'

export interface WorkerOptions {
  /** Of the database, as for `openDatabase`. */
  readonly location: string
  /** Threads that execute jobs, 1 or more. */
  readonly count: number
  /** A METEOR data folder; Accord's own word lists when absent. */
  readonly meteorFolder?: string
}

/** Threads of this process that execute the jobs of a database. */
export interface Workers {
  /**
   * Claims no more jobs, gives those that run a few seconds to end, gives back the others, and stops the threads.
   */
  close(): Promise<void>
}

/** A worker that gives no sign of life for so long has lost its jobs. */
const LEASE_MS = 15_000
const RENEWAL_INTERVAL_MS = 3000

/** How often progress is recorded. */
const PROGRESS_INTERVAL_MS = 500

/** How often the queue is looked at where no notification arrives. */
const POLL_INTERVAL_MS = 500

/** How often it is checked whether other workers have ended. */
const RECOVERY_INTERVAL_MS = 2000

/** How long the results of queries are stored. */
const RETENTION_MS = 3_600_000
const CLEANUP_INTERVAL_MS = 60_000

/** The time that running jobs have to end when the workers are closed, and then to be given back. */
const ENDING_TIME_MS = 5000
const RELEASE_TIME_MS = 2000

/** What keeps the database for longer is met again later. */
const BUSY_TIMEOUT_MS = 1000

// Sources run only under the test runner; worker threads always run the compiled files.
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/src/jobs/worker-thread.js' : './worker-thread.js',
  import.meta.url,
)

const ALL_KINDS = Object.keys(PRIORITIES) as JobKind[]

const WORKER_LOST = toFailure(
  new AccordError(
    'WORKER_LOST',
    `the work was started ${MAX_ATTEMPTS} times, and its worker ended each time`,
  ),
)

/** A thread, which runs at most one job. */
interface Slot {
  readonly kinds: readonly JobKind[]
  thread?: Worker
  run?: Run
}

interface Run {
  readonly claim: Claim
  readonly order: Int32Array
  fraction: number
  message: string | null
  /** Whether there is progress to be recorded. */
  hasProgress: boolean
  renewedAt: number
}

/**
 * Executes the jobs of a database until it is closed. A thread that crashes is replaced, and its job is tried again.
 * One more thread executes only jobs that requests wait for, so that these do not wait for an evaluation to end.
 *
 * @param entry the file that threads execute
 */
export async function startWorkers(options: WorkerOptions, entry = ENTRY): Promise<Workers> {
  const { location, count } = options
  const database = await openDatabase(location, { mustExist: true, busyTimeout: BUSY_TIMEOUT_MS })
  const data: ThreadData = {
    location,
    meteorFolder: options.meteorFolder,
    threadCount: Math.max(1, Math.floor(availableParallelism() / count)),
  }
  const slots: Slot[] = [
    { kinds: QUERY_KINDS },
    ...Array.from({ length: count }, (): Slot => ({ kinds: ALL_KINDS })),
  ]
  const runs = () => slots.flatMap(({ run }) => run ?? [])
  const alarm = createAlarm()
  const isRecoveryDue = createTimer(RECOVERY_INTERVAL_MS)
  const isCleanupDue = createTimer(CLEANUP_INTERVAL_MS)
  let isClosing = false
  let isClosed = false

  function startThread(slot: Slot): Worker {
    const thread = new Worker(entry, { workerData: data })
    thread.on('message', (report: ThreadReport) => {
      if (report.kind === 'ended') {
        slot.run = undefined
        alarm.ring()
      } else if (slot.run) {
        slot.run.fraction = report.fraction
        slot.run.message = report.message
        slot.run.hasProgress = true
      }
    })
    thread.on('error', report)
    thread.on('exit', () => lose(slot, thread))
    return thread
  }

  /** A thread has ended; its job is given to another one without waiting for the end of its lease. */
  function lose(slot: Slot, thread: Worker): void {
    if (slot.thread !== thread) return
    slot.thread = undefined
    const { run } = slot
    slot.run = undefined
    if (run && !isClosed) recoverFrom(database, run.claim).catch(report).finally(alarm.ring)
  }

  async function fill(slot: Slot): Promise<void> {
    if (slot.run || !(await hasQueuedJob(database, slot.kinds))) return
    const worker = randomUUID()
    const job = await database.transaction((session) =>
      claimJob(session, { worker, kinds: slot.kinds, leaseMs: LEASE_MS }),
    )
    if (job === null) return
    const claim = { id: job.id, worker }
    const order = new Int32Array(new SharedArrayBuffer(4))
    slot.run = { claim, order, fraction: 0, message: null, hasProgress: false, renewedAt: performance.now() }
    slot.thread ??= startThread(slot)
    slot.thread.postMessage({ kind: 'run', job, claim, order } satisfies ThreadRequest)
  }

  /** One look at the queue and at the jobs that run. */
  async function look(): Promise<void> {
    await passOrders(database, runs())
    await renewLeases(database, runs())
    if (isClosing) return
    if (isRecoveryDue()) await recoverExpired(database)
    if (isCleanupDue())
      await database.transaction((session) => deleteFinishedJobs(session, QUERY_KINDS, RETENTION_MS))
    for (const slot of slots) await fill(slot)
  }

  async function watch(): Promise<void> {
    let problem: string | null = null
    while (!isClosed) {
      try {
        await look()
        problem = null
      } catch (error) {
        // It may last; it is reported once.
        if (String(error) !== problem) report(error)
        problem = String(error)
      }
      await alarm.wait(POLL_INTERVAL_MS)
    }
  }

  async function waitUntilIdle(milliseconds: number): Promise<void> {
    for (const end = performance.now() + milliseconds; runs().length > 0 && performance.now() < end; )
      await sleep(20)
  }

  const stopListening = await database.listen(JOB_CHANNEL, alarm.ring).catch(async (error) => {
    await database.close()
    throw error
  })
  const watching = watch()
  return {
    async close() {
      isClosing = true
      await waitUntilIdle(ENDING_TIME_MS)
      for (const { order } of runs()) Atomics.compareExchange(order, 0, ORDERS.none, ORDERS.release)
      await waitUntilIdle(RELEASE_TIME_MS)
      isClosed = true
      alarm.ring()
      await watching
      const unfinished = runs()
      await Promise.all(slots.map(stopThread))
      for (const { claim } of unfinished)
        await database.transaction((session) => releaseJob(session, claim)).catch(report)
      await stopListening()
      await database.close()
    },
  }
}

async function stopThread({ thread, run }: Slot): Promise<void> {
  if (!thread) return
  if (run) {
    await thread.terminate()
    return
  }
  const exit = new Promise((resolve) => thread.once('exit', resolve))
  thread.postMessage({ kind: 'close' } satisfies ThreadRequest)
  await Promise.race([exit, sleep(RELEASE_TIME_MS, undefined, { ref: false })])
  await thread.terminate()
}

/** Tells threads that their job is to be cancelled, or that it is no longer theirs. */
async function passOrders(database: Database, runs: readonly Run[]): Promise<void> {
  if (runs.length === 0) return
  const claims = await readClaims(
    database,
    runs.map(({ claim }) => claim.id),
  )
  const byWorker = new Map(claims.map((status) => [status.worker, status]))
  for (const { claim, order } of runs) {
    const status = byWorker.get(claim.worker)
    if (status === undefined) Atomics.store(order, 0, ORDERS.leaseLost)
    else if (status.cancelRequested) Atomics.compareExchange(order, 0, ORDERS.none, ORDERS.cancel)
  }
}

async function renewLeases(database: Database, runs: readonly Run[]): Promise<void> {
  const now = performance.now()
  const due = runs.filter(
    ({ hasProgress, renewedAt }) =>
      now - renewedAt >= (hasProgress ? PROGRESS_INTERVAL_MS : RENEWAL_INTERVAL_MS),
  )
  if (due.length === 0) return
  await database.transaction(async (session) => {
    for (const run of due) await renewLease(session, run.claim, run, LEASE_MS)
  })
  for (const run of due) {
    run.hasProgress = false
    run.renewedAt = now
  }
}

/** Tells the operator; of an expected failure its message, and nothing where another process writes for a while. */
function report(error: unknown): void {
  if (!(error instanceof AccordError)) console.error(error)
  else if (error.code !== 'BUSY') console.error(error.message)
}

/** Takes jobs from workers that have given no sign of life. */
async function recoverExpired(database: Database): Promise<void> {
  for (const id of await findExpiredJobs(database))
    await database.transaction((session) => recoverJob(session, id, WORKER_LOST))
}

async function recoverFrom(database: Database, claim: Claim): Promise<void> {
  await database.transaction(async (session) => {
    await expireLease(session, claim)
    await recoverJob(session, claim.id, WORKER_LOST)
  })
}

/** Something to wait for, which may ring while nobody waits. */
function createAlarm() {
  let isRinging = false
  let wake = () => {}
  return {
    ring(): void {
      isRinging = true
      wake()
    },
    async wait(milliseconds: number): Promise<void> {
      if (!isRinging) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      isRinging = false
    },
  }
}

/** True at most once per interval. */
function createTimer(milliseconds: number): () => boolean {
  let last = performance.now()
  return () => {
    const now = performance.now()
    if (now - last < milliseconds) return false
    last = now
    return true
  }
}
