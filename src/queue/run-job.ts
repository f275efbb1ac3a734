import { setTimeout as sleep } from 'node:timers/promises'
import type { Threads } from '../compute/pool.js'
import { AccordError } from '../errors.js'
import type { Progress } from '../progress.js'
import { loadComposites } from '../services/composites/load-composites.js'
import type { JobInputs, JobKind, JobResults, ShardInput } from '../services/jobs/kinds.js'
import type { Database, Session } from '../store/engine/session.js'
import {
  type Claim,
  type Ending,
  endClaimedJob,
  endShard,
  expireLease,
  type JobRow,
  LeaseLost,
  readInput,
  recoverJob,
  releaseJob,
  waitForShards,
} from '../store/jobs.js'
import { saveShard } from '../store/shards.js'
import { toFailure } from './failure.js'

/** Returned by a handler that has stored the end of its job, or its shards, in the transaction of its work. */
export const RECORDED = Symbol('recorded')

/** Argument of handlers. */
export interface JobContext<Kind extends JobKind = JobKind> {
  readonly id: number
  readonly owner: string
  readonly input: JobInputs[Kind]
  readonly database: Database
  readonly threads: Threads
  /** Throws if the job must stop. */
  readonly progress: Progress
  /** Runs `work` and stores its result in one transaction, so that a job that has written data is not repeated. */
  finishWith(work: (session: Session) => Promise<JobResults[Kind]>): Promise<typeof RECORDED>
  /**
   * Adds shards; the handler of the job is called again after the last one has ended.
   *
   * @param prepare writes data for the shards in the same transaction
   */
  waitForShards(
    kind: 'countDocuments' | 'measureImages',
    shards: readonly ShardInput[],
    prepare?: (session: Session) => Promise<void>,
  ): Promise<typeof RECORDED>
  /**
   * Stores the output of a shard and ends it, in one transaction.
   *
   * @param progressOf progress of the parent for a share of ended shards
   */
  finishShard(
    parts: readonly { readonly step: string; readonly content: Buffer }[],
    progressOf: (share: number) => number,
  ): Promise<typeof RECORDED>
}

export type Handler<Kind extends JobKind> = (
  context: JobContext<Kind>,
) => Promise<JobResults[Kind] | typeof RECORDED>

export type Handlers = { readonly [Kind in JobKind]: Handler<Kind> }

/** Orders to a running job, in memory shared with the thread that runs it. */
export const ORDERS = { none: 0, cancel: 1, release: 2, leaseLost: 3 } as const

/** A job that a worker has claimed. */
export interface ClaimedJob {
  readonly job: JobRow
  readonly claim: Claim
  /** One entry, one of {@link ORDERS}. */
  readonly order: Int32Array
}

/** Resources of the thread that executes jobs. */
export interface Runtime {
  readonly database: Database
  readonly threads: Threads
  readonly handlers: Handlers
}

/** Initial and maximum time between attempts to store the end of a job, in milliseconds. */
const RETRY_INTERVAL_MS = 200
const MAX_RETRY_INTERVAL_MS = 5000

/** Executes a claimed job and stores how it ended. Does not throw. */
export async function runJob(runtime: Runtime, claimed: ClaimedJob, progress: Progress): Promise<void> {
  try {
    const input = await readInput(runtime.database, claimed.job.id)
    if (input === undefined) return
    await loadComposites(runtime.database, runtime.threads.registry)
    const result = await callHandler(runtime, claimed, input as JobInputs[JobKind], progress)
    if (result !== RECORDED) await recordEnding(runtime.database, claimed, { state: 'DONE', result })
  } catch (error) {
    await recordError(runtime.database, claimed, error)
  }
}

function callHandler<Kind extends JobKind>(
  { database, threads, handlers }: Runtime,
  { job, claim, order }: ClaimedJob,
  input: JobInputs[Kind],
  onProgress: Progress,
): Promise<JobResults[Kind] | typeof RECORDED> {
  return handlers[job.kind as Kind]({
    id: job.id,
    owner: job.owner,
    input,
    database,
    threads,
    progress(fraction, message) {
      if (Atomics.load(order, 0) !== ORDERS.none) throw cancelled()
      onProgress(fraction, message)
    },
    async finishWith(work) {
      await database.transaction(async (session) => {
        const result = await work(session)
        await endClaimedJob(session, claim, { state: 'DONE', result })
      })
      return RECORDED
    },
    async waitForShards(kind, shards, prepare) {
      await database.transaction(async (session) => {
        await prepare?.(session)
        await waitForShards(
          session,
          claim,
          shards.map((shard) => ({ kind, input: shard })),
          'waiting for shards',
        )
      })
      return RECORDED
    },
    async finishShard(parts, progressOf) {
      const { jobId, position } = input as ShardInput
      await database.transaction(async (session) => {
        for (const part of parts) await saveShard(session, { jobId, position, ...part })
        await endShard(session, claim, progressOf)
      })
      return RECORDED
    },
  })
}

async function recordError(database: Database, claimed: ClaimedJob, error: unknown): Promise<void> {
  if (error instanceof LeaseLost) return
  const order = Atomics.load(claimed.order, 0)
  const wasStopped = error instanceof AccordError && error.code === 'CANCELLED'
  if (wasStopped && order === ORDERS.leaseLost) return
  if (wasStopped && order === ORDERS.release) {
    await database.transaction((session) => releaseJob(session, claimed.claim)).catch(report)
    return
  }
  report(error)
  if (isOfDatabase(error, database)) await retryLater(database, claimed, error)
  else if (wasStopped) await recordEnding(database, claimed, { state: 'CANCELLED' })
  else await recordEnding(database, claimed, { state: 'FAILED', failure: toFailure(error) })
}

function recordEnding(database: Database, claimed: ClaimedJob, ending: Ending): Promise<void> {
  return persist(database, claimed, (session) => endClaimedJob(session, claimed.claim, ending))
}

/** Ends the attempt; the job is queued again, or fails after the last attempt. */
function retryLater(database: Database, claimed: ClaimedJob, error: unknown): Promise<void> {
  return persist(database, claimed, async (session) => {
    await expireLease(session, claimed.claim)
    await recoverJob(session, claimed.job.id, toFailure(error))
  })
}

/** Stores the state of a job, with retries while the database cannot be written. */
async function persist(
  database: Database,
  { order }: ClaimedJob,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  for (let interval = RETRY_INTERVAL_MS; ; interval = Math.min(interval * 2, MAX_RETRY_INTERVAL_MS)) {
    try {
      await database.transaction(work)
      return
    } catch (error) {
      if (error instanceof LeaseLost) return
      report(error)
    }
    const given = Atomics.load(order, 0)
    if (given === ORDERS.release || given === ORDERS.leaseLost) return
    await sleep(interval)
  }
}

/** Whether the database was missing or busy. */
function isOfDatabase(error: unknown, { location }: Database): boolean {
  if (!(error instanceof AccordError)) return false
  return error.code === 'BUSY' || (error.code === 'FILE_NOT_FOUND' && error.detail.source === location)
}

/** Logs bugs. */
function report(error: unknown): void {
  if (!(error instanceof AccordError)) console.error(error)
}

function cancelled(): AccordError {
  return new AccordError('CANCELLED', 'the job was cancelled')
}
