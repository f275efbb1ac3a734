import { setTimeout as sleep } from 'node:timers/promises'
import { AccordError, type ErrorData, fromErrorData, hasCode, toErrorData } from '../errors.js'
import type { Progress } from '../progress.js'
import type { Database, Session } from '../store/engine/session.js'
import {
  type Claim,
  type Ending,
  endClaimedJob,
  endShard,
  expireLease,
  type JobRow,
  LeaseLost,
  MAX_OUTAGES,
  recoverJob,
  releaseJob,
  requireClaim,
  storeResult,
  waitForShards,
} from '../store/jobs.js'
import type { JobFailure } from '../store/schema/job-tables.js'
import { saveShard } from '../store/shards.js'
import { type Handler, type JobContext, type Kinds, RECORDED } from './kind.js'
import { enqueueJob } from './queue.js'

/** States of the cancellation flag of a running job, in memory shared with the thread that runs it. */
export const CANCELLATION = { none: 0, cancel: 1, release: 2, leaseLost: 3 } as const

/** A job that a worker has claimed. */
export interface ClaimedJob {
  readonly job: JobRow
  readonly claim: Claim
  /** One entry, one of {@link CANCELLATION}. */
  readonly cancellation: Int32Array
  /** Whether this process waits for the end of the job, which is then stored only if that is possible at once. */
  readonly isLocal?: boolean
}

/** What executes jobs. */
export interface Runtime extends Pick<JobContext<never, never>, 'database' | 'threads'> {
  readonly kinds: Kinds
}

/** Initial and maximum time between attempts to store the end of a job, in milliseconds. */
const RETRY_INTERVAL_MS = 200
const MAX_RETRY_INTERVAL_MS = 5000

/**
 * Executes a claimed job and stores how it ended.
 *
 * @returns the error of a job that failed or was stopped. Does not throw
 */
export async function runJob(runtime: Runtime, claimed: ClaimedJob, progress: Progress): Promise<unknown> {
  try {
    const handler = (await runtime.kinds[claimed.job.kind].load()) as Handler<unknown, unknown>
    const result = await handler(contextOf(runtime, claimed, progress))
    if (result !== RECORDED) await recordEnding(runtime.database, claimed, { status: 'DONE', result })
    return undefined
  } catch (error) {
    await recordError(runtime.database, claimed, error)
    return error
  }
}

function contextOf(
  { database, threads, kinds }: Runtime,
  { job, claim, cancellation, isLocal = false }: ClaimedJob,
  onProgress: Progress,
): JobContext<unknown, unknown> {
  return {
    id: job.id,
    owner: job.owner,
    result: job.result,
    isLocal,
    input: job.input,
    database,
    threads,
    progress(fraction, message) {
      if (Atomics.load(cancellation, 0) !== CANCELLATION.none) throw cancelled()
      onProgress(fraction, message)
    },
    requireLease: (session) => requireClaim(session, claim),
    storeResult: (session, result) => storeResult(session, claim, result),
    async follow(session, kind, next) {
      return (await enqueueJob(session, kinds, kind, next, { owner: job.owner, isFollowUp: true })).id
    },
    async finishWith(work) {
      await database.transaction(async (session) => {
        const result = await work(session)
        await endClaimedJob(session, claim, { status: 'DONE', result })
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
    async finishShard(content, progressOf) {
      const { jobId, position } = job.input as ShardInput
      await database.transaction(async (session) => {
        await saveShard(session, { jobId, step: job.kind, position, content })
        await endShard(session, claim, progressOf)
      })
      return RECORDED
    },
  }
}

/** What the queue knows of the input of a shard: its job, and its position among the shards of a step. */
interface ShardInput {
  readonly jobId: number
  readonly position: number
}

async function recordError(database: Database, claimed: ClaimedJob, error: unknown): Promise<void> {
  if (error instanceof LeaseLost) return
  const cancellation = Atomics.load(claimed.cancellation, 0)
  const wasStopped = hasCode(error, 'CANCELLED')
  if (wasStopped && cancellation === CANCELLATION.leaseLost) return
  if (wasStopped && cancellation === CANCELLATION.release) {
    await database.transaction((session) => releaseJob(session, claimed.claim)).catch(report)
    return
  }
  // Whoever waits for a local job receives its error.
  if (!claimed.isLocal) report(error)
  if (isOfDatabase(error, database)) await retryLater(database, claimed, error)
  else if (wasStopped) await recordEnding(database, claimed, { status: 'CANCELLED' })
  else await recordEnding(database, claimed, { status: 'FAILED', failure: toFailure(error) })
}

function recordEnding(database: Database, claimed: ClaimedJob, ending: Ending): Promise<void> {
  return persist(database, claimed, (session) => endClaimedJob(session, claimed.claim, ending))
}

/** Ends the attempt; the job is queued again, or fails after {@link MAX_OUTAGES}. */
function retryLater(database: Database, claimed: ClaimedJob, error: unknown): Promise<void> {
  return persist(database, claimed, async (session) => {
    await expireLease(session, claimed.claim)
    await recoverJob(session, claimed.job.id, toFailure(error), MAX_OUTAGES)
  })
}

/** Stores the state of a job, with retries while the database cannot be written. */
async function persist(
  database: Database,
  { cancellation, isLocal }: ClaimedJob,
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
    if (isLocal) return
    const given = Atomics.load(cancellation, 0)
    if (given === CANCELLATION.release || given === CANCELLATION.leaseLost) return
    await sleep(interval)
  }
}

/** Whether the database was missing or busy. */
function isOfDatabase(error: unknown, { location }: Database): boolean {
  if (!(error instanceof AccordError)) return false
  if (error.code === 'BUSY' || error.code === 'DATABASE_UNAVAILABLE') return true
  return error.code === 'FILE_NOT_FOUND' && error.detail.source === location
}

/** Logs bugs. */
function report(error: unknown): void {
  if (!(error instanceof AccordError)) console.error(error)
}

function cancelled(): AccordError {
  return new AccordError('CANCELLED', 'the job was cancelled')
}

/** The stored failure of a job. The details of a bug are hidden from clients. */
export function toFailure(error: unknown): JobFailure {
  if (error instanceof AccordError) return toErrorData(error)
  const summary = 'the job failed because of a bug in Accord; the log of the worker contains the error'
  return { code: 'INTERNAL', message: summary, summary, detail: {} }
}

/** An error that ended another thread. Between threads, errors keep their properties, but lose their class. */
export function fromThread(error: unknown): unknown {
  return error instanceof Error && error.name === 'AccordError'
    ? fromErrorData(error as Error & ErrorData)
    : error
}
