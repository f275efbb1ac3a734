import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { SharedThreads } from '../compute/shared-threads.js'
import { AccordError } from '../errors.js'
import type { Log } from '../log.js'
import { openDatabase } from '../store/database.js'
import type { Database } from '../store/engine/session.js'
import { readOnlyDatabase } from '../store/engine/sqlite-file.js'
import {
  type Claim,
  claimJob,
  deleteFinishedJobs,
  hasQueuedJob,
  JOB_CHANNEL,
  releaseJob,
  renewLease,
} from '../store/jobs.js'
import type { ThreadData, ThreadReport, ThreadRequest } from './job-thread.js'
import { type Kinds, kindsWith } from './kind.js'
import { passCancellations, recoverExpired, recoverFrom } from './lease.js'
import { CANCELLATION, fromThread } from './run-job.js'

export interface WorkerOptions {
  /** Location of the database, see `openDatabase`. */
  readonly location: string
  /** Number of threads that execute jobs, at least 1. */
  readonly count: number
  /** A METEOR data folder. Default: the bundled WordNet data. */
  readonly meteorFolder?: string
  /** A file of word vectors. Default: the built-in ones. */
  readonly embeddingsFile?: string
  /** Receives each job that has ended here. */
  readonly log?: Log
}

/** Threads of this process that execute the jobs of a database. */
export interface Workers {
  /**
   * Stops claiming jobs, waits a few seconds for running ones that cannot continue later, returns the others to the
   * queue, and stops the threads.
   *
   * @param endingTime milliseconds to wait for the end of running jobs
   */
  close(endingTime?: number): Promise<void>
}

/** Lease duration; the job of a worker without a heartbeat is then taken over. */
const LEASE_MS = 15_000
const RENEWAL_INTERVAL_MS = 3000

/** Minimum time between two updates of a job's progress. */
const PROGRESS_INTERVAL_MS = 500

/** Interval of queue checks without a notification. */
const POLL_INTERVAL_MS = 500

/** Interval of checks for expired leases. */
const RECOVERY_INTERVAL_MS = 2000

/** Of finished queries these remain, as answers to equal ones: those of the last hour, and the newest. */
const KEPT_ANSWERS = { ageMs: 3_600_000, kept: 1000 }
const CLEANUP_INTERVAL_MS = 60_000

/** Size of the young generation of a thread's heap: with the default, computations collect garbage too often. */
const YOUNG_GENERATION_MB = 64

/** Time to wait for running jobs when the workers are closed, first for their end, then for their release. */
const ENDING_TIME_MS = 5000
const RELEASE_TIME_MS = 2000

/** Short, because every operation is repeated periodically. */
const BUSY_TIMEOUT_MS = 1000

/** A thread that runs at most one job. */
interface Slot {
  readonly kinds: readonly string[]
  thread?: Worker
  run?: Run
}

interface Run {
  readonly kind: string
  readonly claim: Claim
  readonly cancellation: Int32Array
  fraction: number
  message: string | null
  /** Whether there is progress that has not been stored. */
  hasProgress: boolean
  readonly startedAt: number
  renewedAt: number
}

/**
 * Executes the jobs of a database until the workers are closed. A crashed thread is replaced, and its job is retried.
 * An additional thread executes only jobs that requests wait for, so that they do not wait for the end of an evaluation.
 *
 * @param kinds as for the threads
 * @param entry the file executed by threads, which calls `serveJobs`
 * @param shared take part in the computations of all threads; closed with the workers
 * @throws AccordError as `openDatabase`; FORBIDDEN if the database is read-only
 */
export async function startWorkers(
  { location, count, meteorFolder, embeddingsFile, log }: WorkerOptions,
  kinds: Kinds,
  entry: URL,
  shared: SharedThreads,
): Promise<Workers> {
  const database = await openDatabase(location, { mustExist: true, busyTimeout: BUSY_TIMEOUT_MS })
  if (database.isReadOnly) {
    await database.close()
    throw readOnlyDatabase(location)
  }
  const slots: Slot[] = [
    { kinds: kindsWith(kinds, 'isAwaited') },
    ...Array.from({ length: count }, (): Slot => ({ kinds: Object.keys(kinds) })),
  ]
  const runs = () => slots.flatMap(({ run }) => run ?? [])
  const alarm = createAlarm()
  const isRecoveryDue = createTimer(RECOVERY_INTERVAL_MS)
  const isCleanupDue = createTimer(CLEANUP_INTERVAL_MS)
  let isClosing = false
  let isClosed = false

  function startThread(slot: Slot): Worker {
    const ports = shared.connect()
    const thread = new Worker(entry, {
      workerData: { location, meteorFolder, embeddingsFile, ports } satisfies ThreadData,
      transferList: ports,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      // Where a thread closes the file of the database, other threads lose their locks on it.
      trackUnmanagedFds: false,
    })
    thread.on('message', (report: ThreadReport) => {
      if (report.kind === 'ended') {
        const { run } = slot
        if (run) {
          const { kind, claim, startedAt } = run
          log?.({ event: 'job', id: claim.id, kind, code: report.code, ms: performance.now() - startedAt })
        }
        slot.run = undefined
        alarm.ring()
      } else if (slot.run) {
        slot.run.fraction = report.fraction
        slot.run.message = report.message
        slot.run.hasProgress = true
      }
    })
    thread.on('error', (error) => report(fromThread(error)))
    thread.on('exit', () => lose(slot, thread))
    return thread
  }

  /** Recovers the job of a stopped thread without waiting for the end of the lease. */
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
    const cancellation = new Int32Array(new SharedArrayBuffer(4))
    slot.run = {
      kind: job.kind,
      claim,
      cancellation,
      fraction: 0,
      message: null,
      hasProgress: false,
      startedAt: performance.now(),
      renewedAt: performance.now(),
    }
    slot.thread ??= startThread(slot)
    slot.thread.postMessage({ kind: 'run', job, claim, cancellation } satisfies ThreadRequest)
  }

  /** Checks running jobs and the queue once. */
  async function look(): Promise<void> {
    await passCancellations(database, runs())
    await renewLeases(database, runs())
    if (isClosing) return
    if (isRecoveryDue()) await recoverExpired(database)
    if (isCleanupDue())
      await database.transaction((session) =>
        deleteFinishedJobs(session, kindsWith(kinds, 'isQuery'), KEPT_ANSWERS),
      )
    for (const slot of slots) await fill(slot)
  }

  async function watch(): Promise<void> {
    let problem: string | null = null
    while (!isClosed) {
      try {
        await look()
        problem = null
      } catch (error) {
        // A persistent problem is reported once.
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
    async close(endingTime = ENDING_TIME_MS) {
      isClosing = true
      release(runs().filter(({ kind }) => kinds[kind].isResumable))
      await waitUntilIdle(endingTime)
      release(runs())
      await waitUntilIdle(RELEASE_TIME_MS)
      isClosed = true
      alarm.ring()
      await watching
      const unfinished = runs()
      await Promise.all(slots.map(stopThread))
      for (const { claim } of unfinished)
        await database.transaction((session) => releaseJob(session, claim)).catch(report)
      await shared.close()
      await stopListening()
      await database.close()
    },
  }
}

/** Gives jobs back to the queue. */
function release(runs: readonly Run[]): void {
  for (const { cancellation } of runs)
    Atomics.compareExchange(cancellation, 0, CANCELLATION.none, CANCELLATION.release)
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

/** Logs an error: the message of expected failures, and nothing for BUSY. */
function report(error: unknown): void {
  if (!(error instanceof AccordError)) console.error(error)
  else if (error.code !== 'BUSY') console.error(error.message)
}

/** An event to wait for; a ring is remembered until the next wait. */
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
