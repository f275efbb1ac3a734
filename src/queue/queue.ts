import { createHash } from 'node:crypto'
import { AccordError } from '../errors.js'
import {
  type JobInputs,
  type JobKind,
  type JobResults,
  PRIORITIES,
  QUERY_KINDS,
} from '../services/jobs/kinds.js'
import type { Database, Session } from '../store/engine/session.js'
import {
  countUnfinishedJobs,
  findJobs,
  findNewestJobs,
  findUnfinishedJob,
  insertJob,
  isFinished,
  isRemovedSubject,
  JOB_CHANNEL,
  type JobRow,
  requestCancellation,
} from '../store/jobs.js'
import { toError } from './failure.js'
import { writeJson } from './json-pieces.js'

/** The owner of jobs of unknown clients. */
export const DEFAULT_OWNER = 'anonymous'

/** Maximum numbers of unfinished jobs, for jobs of {@link QUERY_KINDS} and for all others separately. */
export interface QueueOptions {
  /** Of one owner. Default: 100. */
  readonly maxPerOwner?: number
  /** Of all owners. Default: 1,000. */
  readonly maxLength?: number
}

export interface EnqueueOptions {
  /** Default: {@link DEFAULT_OWNER}. */
  readonly owner?: string
  /** Jobs of one owner are executed by descending priority. Default: that of the kind. */
  readonly priority?: number
  /** Whether it was requested by another job. Follow-up jobs are added even if the queue is full. */
  readonly isFollowUp?: boolean
}

/** The jobs of a database. Any server adds jobs; any worker executes them (worker.ts). */
export interface Queue {
  /**
   * Adds a job, or returns the unfinished job with the same input.
   *
   * @param session the database, or the transaction in which the job is added
   * @throws AccordError QUEUE_FULL; UNKNOWN_DATASET or UNKNOWN_SYSTEM if the subject of the job was removed
   */
  enqueue<Kind extends JobKind>(
    session: Session,
    kind: Kind,
    input: JobInputs[Kind],
    options?: EnqueueOptions,
  ): Promise<JobRow>
  /** Jobs by id, in no particular order; unknown ids are omitted. */
  find(ids: readonly number[]): Promise<JobRow[]>
  /** The newest job of a kind of each system that has one, in no particular order. */
  findNewest(kind: JobKind, systemIds: readonly number[]): Promise<JobRow[]>
  /**
   * Cancels a job: immediately if it is not running, otherwise its worker cancels it soon.
   *
   * @throws AccordError UNKNOWN_JOB; NOT_APPLICABLE if it has ended
   */
  cancel(id: number): Promise<JobRow>
  /**
   * Waits until a job is done, failed or cancelled, also while the database cannot be reached for a short time.
   *
   * @throws AccordError UNKNOWN_JOB if it does not exist or was removed; CANCELLED when the queue is closed;
   *   FILE_NOT_FOUND or BUSY if the database cannot be read for 30 s; the reason of the signal
   */
  waitForEnd(id: number, signal?: AbortSignal): Promise<JobRow>
  /** Waits for the result of a job. @throws like waitForEnd; the failure of the job; CANCELLED if it was cancelled */
  waitForResult<Kind extends JobKind>(kind: Kind, id: number, signal?: AbortSignal): Promise<JobResults[Kind]>
  /** Rejects all waiting calls. Call it before the database is closed. */
  close(): Promise<void>
}

/** Interval of checks without a notification, in milliseconds. */
const POLL_INTERVAL_MS = 1000

/** Time for which calls keep waiting while the database cannot be read, in milliseconds. */
const MAX_OUTAGE_MS = 30_000

const DEFAULT_MAX_PER_OWNER = 100
const DEFAULT_MAX_LENGTH = 1000

const BACKGROUND_KINDS = (Object.keys(PRIORITIES) as JobKind[]).filter((kind) => !QUERY_KINDS.includes(kind))

export function createQueue(database: Database, options: QueueOptions = {}): Queue {
  const watch = createWatch(database)
  return {
    enqueue: (session, kind, input, enqueueOptions) =>
      enqueueJob(session, kind, input, { ...options, ...enqueueOptions }),
    find: (ids) => findJobs(database, ids),
    findNewest: (kind, systemIds) => findNewestJobs(database, kind, systemIds),
    cancel: (id) => database.transaction((session) => cancelJob(session, id)),
    waitForEnd: watch.waitForEnd,
    async waitForResult(_kind, id, signal) {
      const job = await watch.waitForEnd(id, signal)
      if (job.state === 'DONE') return job.result as never
      if (job.failure !== null) throw toError(job.failure)
      throw new AccordError('CANCELLED', 'the job was cancelled')
    },
    close: watch.close,
  }
}

/** {@link Queue.enqueue} without a queue. */
export async function enqueueJob<Kind extends JobKind>(
  session: Session,
  kind: Kind,
  input: JobInputs[Kind],
  {
    owner = DEFAULT_OWNER,
    priority = PRIORITIES[kind],
    isFollowUp = false,
    ...bounds
  }: EnqueueOptions & QueueOptions = {},
): Promise<JobRow> {
  const uniqueKey = await keyOf(kind, input)
  const pieces: string[] = []
  await writeJson(input, { sortKeys: false }, (piece) => pieces.push(piece))
  const { datasetId = null, systemId = null } = input as { datasetId?: number; systemId?: number }
  return session.transaction(async (session) => {
    // If the insertion fails because of an equal job, that job may have ended: try again.
    for (;;) {
      const same = await findUnfinishedJob(session, uniqueKey)
      if (same) return same
      if (!isFollowUp) await requireSpace(session, kind, owner, bounds)
      const id = await insertJob(session, {
        kind,
        owner,
        uniqueKey,
        priority,
        input: pieces.join(''),
        parentId: null,
        datasetId,
        systemId,
      }).catch((error) => {
        throw isRemovedSubject(error) ? removedSubject(systemId) : error
      })
      if (id !== null) return (await findJobs(session, [id]))[0]
    }
  })
}

/** A key that is equal for equal inputs, independent of the order of properties. */
async function keyOf(kind: JobKind, input: unknown): Promise<string> {
  const hash = createHash('sha256')
  await writeJson(input, { sortKeys: true }, (piece) => hash.update(piece))
  return `${kind} ${hash.digest('hex')}`
}

async function requireSpace(
  session: Session,
  kind: JobKind,
  owner: string,
  { maxPerOwner = DEFAULT_MAX_PER_OWNER, maxLength = DEFAULT_MAX_LENGTH }: QueueOptions,
): Promise<void> {
  const { all, ofOwner } = await countUnfinishedJobs(session, owner, kindsBoundedWith(kind))
  if (ofOwner >= maxPerOwner) {
    throw new AccordError('QUEUE_FULL', 'too many unfinished jobs of this owner; try again later', {
      expected: `fewer than ${maxPerOwner}`,
      found: String(ofOwner),
    })
  }
  if (all >= maxLength) {
    throw new AccordError('QUEUE_FULL', 'too many unfinished jobs; try again later', {
      expected: `fewer than ${maxLength}`,
      found: String(all),
    })
  }
}

/** Queued evaluations must not prevent queries that requests wait for. */
function kindsBoundedWith(kind: JobKind): readonly JobKind[] {
  return QUERY_KINDS.includes(kind) ? QUERY_KINDS : BACKGROUND_KINDS
}

async function cancelJob(session: Session, id: number): Promise<JobRow> {
  const isUnfinished = await requestCancellation(session, id)
  const [job] = await findJobs(session, [id])
  if (job === undefined) throw unknownJob()
  if (isUnfinished) return job
  throw new AccordError('NOT_APPLICABLE', 'the job has ended', {
    source: 'id',
    expected: 'a job that is queued or running',
    found: job.state,
  })
}

interface Waiter {
  readonly id: number
  resolve(job: JobRow): void
  reject(error: unknown): void
}

/** Checks all awaited jobs together, after each notification and periodically. */
function createWatch(database: Database) {
  const waiters = new Set<Waiter>()
  let stopListening: Promise<() => Promise<void>> | undefined
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let isDue = false
  /** Start of the current outage of the database. */
  let failingSince: number | null = null
  let isClosed = false

  function remove(waiter: Waiter): void {
    waiters.delete(waiter)
    if (waiters.size > 0) return
    clearInterval(timer)
    timer = undefined
    failingSince = null
  }

  async function settle(): Promise<void> {
    const waiting = [...waiters]
    const jobs = await findJobs(
      database,
      waiting.map(({ id }) => id),
    )
    const byId = new Map(jobs.map((job) => [job.id, job]))
    for (const waiter of waiting) {
      const job = byId.get(waiter.id)
      if (job !== undefined && !isFinished(job)) continue
      remove(waiter)
      if (job === undefined) waiter.reject(unknownJob())
      else waiter.resolve(job)
    }
  }

  function rejectAll(error: unknown): void {
    for (const waiter of [...waiters]) {
      remove(waiter)
      waiter.reject(error)
    }
  }

  /** The job continues while the database cannot be read: the next periodic check repeats a failed one. */
  function fail(error: unknown): void {
    failingSince ??= performance.now()
    if (!isOutage(error) || performance.now() - failingSince >= MAX_OUTAGE_MS) rejectAll(error)
  }

  /** If the database cannot be reached, periodic checks replace the notifications. */
  async function startListening(): Promise<void> {
    stopListening ??= database.listen(JOB_CHANNEL, look)
    await stopListening.catch((error) => {
      stopListening = undefined
      if (!isOutage(error)) throw error
    })
  }

  /** Checks run one at a time; a notification during a check causes another one. */
  async function look(): Promise<void> {
    isDue = true
    if (isLooking) return
    isLooking = true
    while (isDue && waiters.size > 0) {
      isDue = false
      await settle().then(() => {
        failingSince = null
      }, fail)
    }
    isLooking = false
  }

  return {
    async waitForEnd(id: number, signal?: AbortSignal): Promise<JobRow> {
      await startListening()
      signal?.throwIfAborted()
      if (isClosed) throw stopped()
      timer ??= setInterval(look, POLL_INTERVAL_MS)
      return new Promise((resolve, reject) => {
        const abort = () => {
          remove(waiter)
          reject(signal?.reason)
        }
        const settled = () => signal?.removeEventListener('abort', abort)
        const waiter: Waiter = {
          id,
          resolve(job) {
            settled()
            resolve(job)
          },
          reject(error) {
            settled()
            reject(error)
          },
        }
        signal?.addEventListener('abort', abort, { once: true })
        waiters.add(waiter)
        look()
      })
    },
    async close(): Promise<void> {
      isClosed = true
      rejectAll(stopped())
      await (await stopListening)?.()
    },
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof AccordError && (error.code === 'FILE_NOT_FOUND' || error.code === 'BUSY')
}

function stopped(): AccordError {
  return new AccordError('CANCELLED', 'the server is stopping')
}

function unknownJob(): AccordError {
  return new AccordError('UNKNOWN_JOB', 'unknown job', {
    source: 'id',
    expected: 'a job whose dataset and system were not removed',
  })
}

function removedSubject(systemId: number | null): AccordError {
  return systemId === null
    ? new AccordError('UNKNOWN_DATASET', 'the dataset was removed', { source: 'dataset' })
    : new AccordError('UNKNOWN_SYSTEM', 'the system was removed', { source: 'system' })
}
