import { createHash } from 'node:crypto'
import { AccordError, fromErrorData, wasRemoved } from '../errors.js'
import { findDataset } from '../store/datasets.js'
import type { Database, Session } from '../store/engine/session.js'
import {
  countUnfinishedJobs,
  findJobs,
  findUnfinishedJob,
  insertJob,
  isRemovedSubject,
  isWithoutWorker,
  type JobRow,
  joinJob,
  keepJob,
  leaveJob,
  requestCancellation,
} from '../store/jobs.js'
import { type InputOf, type Kind, type KindName, type Kinds, kindsWith, type ResultOf } from './kind.js'
import { createWatch, unknownJob } from './watch.js'

/** The owner of jobs of unknown clients. */
export const DEFAULT_OWNER = 'anonymous'

/**
 * Bounds of the queue, for jobs that requests wait for and for all others separately. An owner can have at most a ninth as
 * many unfinished jobs as there are free places: alone a tenth of all places, and less the more owners have jobs. A place
 * always remains for those who have none.
 */
export interface QueueOptions {
  /** Maximum number of unfinished jobs. Default: 1,000. */
  readonly maxLength?: number
  /** Whether workers are other processes, if there are any: requests fail where none takes their job. */
  readonly mayLackWorkers?: boolean
}

export interface EnqueueOptions {
  /** Default: {@link DEFAULT_OWNER}. */
  readonly owner?: string
  /** Of a query: its result is the answer to later ones with this key. */
  readonly cacheKey?: string
  /** Whether only requests want it: it is cancelled with the last one that waits for it. */
  readonly isWaitedFor?: boolean
  /** Whether nobody waits for it: it is executed when no other job is queued. */
  readonly isBackground?: boolean
  /** Whether it was requested by another job. Follow-up jobs are added even if the queue is full. */
  readonly isFollowUp?: boolean
}

/** The jobs of a database. Any server adds jobs; any worker executes them (worker.ts). */
export interface Queue<Table extends Kinds> {
  /**
   * Adds a job, or returns the unfinished job with the same input. `datasetId` and `systemId` of an input are the subject
   * of the job, which is removed with it.
   *
   * @param session the database, or the transaction in which the job is added
   * @throws AccordError QUEUE_FULL; UNKNOWN_DATASET or UNKNOWN_SYSTEM if the subject of the job was removed
   */
  enqueue<Name extends KindName<Table>>(
    session: Session,
    kind: Name,
    input: InputOf<Table[Name]>,
    options?: EnqueueOptions,
  ): Promise<JobRow>
  /**
   * Cancels a job: immediately if it is not running, otherwise its worker cancels it soon.
   *
   * @param session the transaction in which it is cancelled. Default: one of its own
   * @throws AccordError UNKNOWN_JOB; NOT_APPLICABLE if it has ended
   */
  cancel(id: number, session?: Session): Promise<JobRow>
  /**
   * Waits until a job is done, failed or cancelled, also while the database cannot be reached for a short time.
   *
   * @throws AccordError UNKNOWN_JOB if it does not exist or was removed; CANCELLED when the queue is closed;
   *   FILE_NOT_FOUND, DATABASE_UNAVAILABLE or BUSY if the database cannot be read for 30 s; the reason of the signal
   */
  waitForEnd(id: number, signal?: AbortSignal): Promise<JobRow>
  /** Waits for the result of a job. @throws like waitForEnd; the failure of the job; CANCELLED if it was cancelled */
  waitForResult<Name extends KindName<Table>>(
    kind: Name,
    id: number,
    signal?: AbortSignal,
  ): Promise<ResultOf<Table[Name]>>
  /**
   * Adds a job, or returns the unfinished job with the same input, and waits for its result. If requests wait for jobs of the
   * kind, the job is cancelled when the signal of the last request is aborted.
   *
   * @throws like enqueue and waitForResult; NO_WORKER
   */
  request<Name extends KindName<Table>>(
    kind: Name,
    input: InputOf<Table[Name]>,
    options?: Omit<EnqueueOptions, 'isWaitedFor'> & { readonly signal?: AbortSignal },
  ): Promise<ResultOf<Table[Name]>>
  /** A job now and after each change, until it has ended. @throws like waitForEnd */
  changesOf(id: number, signal?: AbortSignal): AsyncGenerator<JobRow>
  /**
   * Yields at once, after each notification of the database, and every second: what jobs change may have changed.
   *
   * @throws the reason of the signal
   */
  looks(signal?: AbortSignal): AsyncGenerator<unknown>
  /** Rejects all waiting calls. Call it before the database is closed. */
  close(): Promise<void>
}

/** Below that of any kind of jobs. */
const BACKGROUND_PRIORITY = -20

/** Free places for each place of an owner. */
const FREE_PER_OWNED = 9
const DEFAULT_MAX_LENGTH = 1000

export function createQueue<Table extends Kinds>(
  database: Database,
  kinds: Table,
  options: QueueOptions = {},
): Queue<Table> {
  const watch = createWatch(database)
  const queue: Queue<Table> = {
    enqueue: (session, kind, input, enqueueOptions) =>
      enqueueJob(session, kinds, kind, input, { ...options, ...enqueueOptions }),
    cancel: (id, session = database) => session.transaction((writer) => cancelJob(writer, id)),
    waitForEnd: watch.waitForEnd,
    async waitForResult(_kind, id, signal) {
      const job = await watch.waitForEnd(id, signal)
      if (job.status === 'DONE') return job.result as never
      if (job.failure !== null) throw fromErrorData(job.failure)
      throw new AccordError('CANCELLED', 'the job was cancelled')
    },
    async request(kind, input, { signal, ...requestOptions } = {}) {
      signal?.throwIfAborted()
      const isWaitedFor = kinds[kind].isAwaited
      const { id } = await queue.enqueue(database, kind, input, { ...requestOptions, isWaitedFor })
      const lack = options.mayLackWorkers ? watchWorkers(database, id) : null
      const ends = [signal ?? [], lack?.signal ?? []].flat()
      const ending = ends.length > 0 ? AbortSignal.any(ends) : undefined
      try {
        return await queue.waitForResult(kind, id, ending)
      } catch (error) {
        if (isWaitedFor && ending?.aborted) await database.transaction((session) => leaveJob(session, id))
        throw error
      } finally {
        lack?.stop()
      }
    },
    changesOf: watch.changesOf,
    looks: watch.looks,
    close: watch.close,
  }
  return queue
}

/** Interval of checks whether there is a worker: three times that in which workers look for jobs. */
const WORKER_CHECK_MS = 1500

/** A signal that is aborted where no worker takes a job. */
function watchWorkers(database: Database, id: number) {
  const controller = new AbortController()
  const check = async () => {
    if (!(await isWithoutWorker(database, id))) return
    controller.abort(
      new AccordError('NO_WORKER', 'no worker executes jobs', {
        expected: 'accord worker on this database, or accord serve with --workers 1 or more',
      }),
    )
  }
  // A check that fails is repeated.
  const timer = setInterval(() => check().catch(() => {}), WORKER_CHECK_MS)
  return { signal: controller.signal, stop: () => clearInterval(timer) }
}

/** {@link Queue.enqueue} without a queue. */
export async function enqueueJob(
  session: Session,
  kinds: Kinds,
  kind: string,
  input: unknown,
  {
    owner = DEFAULT_OWNER,
    isFollowUp = false,
    isWaitedFor = false,
    isBackground = false,
    cacheKey,
    ...bounds
  }: EnqueueOptions & QueueOptions = {},
): Promise<JobRow> {
  const uniqueKey = keyOf(kind, input)
  const job = {
    kind,
    owner,
    uniqueKey,
    cacheKey,
    waiterCount: isWaitedFor ? 1 : undefined,
    priority: isBackground ? BACKGROUND_PRIORITY : kinds[kind].priority,
    input: JSON.stringify(input),
  }
  return session.transaction(async (session) => {
    // If the insertion fails because of an equal job, that job may have ended: try again.
    for (;;) {
      const same = await findUnfinishedJob(session, uniqueKey)
      if (same) {
        if (same.waiterCount !== null) await (isWaitedFor ? joinJob : keepJob)(session, same.id)
        return same
      }
      if (!isFollowUp) await requireSpace(session, kinds, kind, owner, bounds)
      const id = await addRow(await subjectOf(session, kinds[kind], input), (subject) =>
        insertJob(session, { ...job, ...subject, parentId: null }),
      )
      if (id !== null) return (await findJobs(session, [id]))[0]
    }
  })
}

/** Adds a row for a subject. @throws AccordError UNKNOWN_DATASET or UNKNOWN_SYSTEM if the subject was removed */
export async function addRow<Result>(
  subject: Subject,
  add: (subject: Subject) => Promise<Result>,
): Promise<Result> {
  try {
    return await add(subject)
  } catch (error) {
    throw isRemovedSubject(error) ? wasRemoved(subject.systemId === null ? 'dataset' : 'system') : error
  }
}

/** What a job is removed with. */
export interface Subject {
  readonly datasetId: number | null
  readonly systemId: number | null
}

/** The subject of a job of a kind. A dataset that an import creates becomes its subject when it ends. */
export async function subjectOf(
  session: Session,
  kind: Kind<never, unknown>,
  input: unknown,
): Promise<Subject> {
  const { systemId = null } = input as Partial<Subject>
  const [datasetId = null] = await datasetsOf(session, kind, input)
  return { datasetId, systemId }
}

/** The ids of the existing datasets that a job of a kind is about. */
export async function datasetsOf(
  session: Session,
  { datasetNames }: Kind<never, unknown>,
  input: unknown,
): Promise<number[]> {
  const { datasetId } = input as Partial<Subject>
  const ids = datasetId == null ? [] : [datasetId]
  for (const name of datasetNames?.(input as never) ?? []) {
    const row = name === undefined ? null : await findDataset(session, name)
    if (row) ids.push(row.id)
  }
  return ids
}

/** A key that is equal for equal inputs, independent of the order of properties. */
export function keyOf(kind: string, input: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(input, sortedKeys))
  return `${kind} ${hash.digest('hex')}`
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

async function requireSpace(
  session: Session,
  kinds: Kinds,
  kind: string,
  owner: string,
  { maxLength = DEFAULT_MAX_LENGTH }: QueueOptions,
): Promise<void> {
  const { all, ofOwner } = await countUnfinishedJobs(session, owner, kindsBoundedWith(kinds, kind))
  if (all >= maxLength) {
    throw new AccordError('QUEUE_FULL', 'too many unfinished jobs; try again later', {
      expected: `fewer than ${maxLength}`,
      found: String(all),
    })
  }
  const share = Math.ceil((maxLength - all) / FREE_PER_OWNED)
  if (ofOwner >= share) {
    throw new AccordError('QUEUE_FULL', 'too many unfinished jobs of this owner; try again later', {
      expected: `fewer than ${share}`,
      found: String(ofOwner),
    })
  }
}

/** Queued evaluations must not prevent queries that requests wait for. */
function kindsBoundedWith(kinds: Kinds, kind: string): readonly string[] {
  const awaited = kindsWith(kinds, 'isAwaited')
  return awaited.includes(kind) ? awaited : Object.keys(kinds).filter((name) => !awaited.includes(name))
}

async function cancelJob(session: Session, id: number): Promise<JobRow> {
  const isUnfinished = await requestCancellation(session, id)
  const [job] = await findJobs(session, [id])
  if (job === undefined) throw unknownJob()
  if (isUnfinished) return job
  throw new AccordError('NOT_APPLICABLE', 'the job has ended', {
    source: 'id',
    expected: 'a job that is queued or running',
    found: job.status,
  })
}
