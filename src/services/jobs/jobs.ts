import { recoverExpired } from '../../queue/lease.js'
import { changeBoardOfJob } from '../../store/boards.js'
import type { Direction, PagedRows, PageRequest } from '../../store/engine/keyset.js'
import type { Session } from '../../store/engine/session.js'
import * as store from '../../store/jobs.js'
import type { Accord, Client } from '../shared/accord.js'
import { keyBy, keyedRows } from '../shared/groups.js'
import type { JobInput, JobName, JobResult } from '../shared/job-kinds.js'
import { periodically } from '../shared/times.js'

export type Job = store.JobRow

export interface JobOf<Name extends JobName> extends Omit<Job, 'input' | 'result'> {
  readonly input: JobInput<Name>
  /** Null until it is done. */
  readonly result: JobResult<Name> | null
}

export function isOfKind<Name extends JobName>(job: Job, kind: Name): job is Job & JobOf<Name> {
  return job.kind === kind
}

export const jobsById = keyedRows(store.findJobs, ({ id }) => id)

export async function newestJobBySystem(
  { database }: Accord,
  kind: JobName,
  systemIds: readonly number[],
): Promise<Map<number, Job>> {
  return keyBy(await store.findNewestJobs(database, kind, systemIds), ({ systemId }) => systemId as number)
}

/** Number of jobs that wait, and that run, without the parts of divided ones. */
export function countOpenJobs({ database }: Accord): ReturnType<typeof store.countOpenJobs> {
  return store.countOpenJobs(database)
}

/** Jobs by the time of their start. Default: newest first. */
export function listJobs(
  { database }: Accord,
  filter: store.JobFilter,
  direction: Direction = 'DESC',
): PagedRows<Job> {
  return store.pagedJobs(database, filter, direction)
}

/**
 * Cancels a job and waits for its end. A job whose end cannot be awaited is cancelled as well, and returned as it was.
 *
 * @param note what the transaction that cancels it also writes
 * @throws AccordError UNKNOWN_JOB; NOT_APPLICABLE if it has ended
 */
export async function cancelJob(
  { database, queue }: Accord,
  id: number,
  { signal }: Client = {},
  note?: (session: Session) => Promise<void>,
): Promise<Job> {
  const job = await database.transaction(async (session) => {
    const cancelled = await queue.cancel(id, session)
    await changeBoardOfJob(session, id)
    await note?.(session)
    return cancelled
  })
  return queue.waitForEnd(id, signal).catch(() => job)
}

/** A job now and after each change, until it has ended. @throws AccordError UNKNOWN_JOB; the reason of the signal */
export function watchJob({ queue }: Accord, id: number, { signal }: Client): AsyncGenerator<Job> {
  return queue.changesOf(id, signal)
}

/** Yields now and whenever a page of a list of jobs has changed. @throws the reason of the signal */
export async function* watchJobs(
  { queue }: Accord,
  list: PagedRows<Job>,
  request: PageRequest,
  { signal }: Client,
): AsyncGenerator<undefined> {
  let last = ''
  for await (const _ of queue.looks(signal)) {
    const { rows } = await list.page(request)
    const current = JSON.stringify(rows.map(({ row: { leaseUntil: _, ...job } }) => job))
    if (current !== last) yield
    last = current
  }
}

/** Interval of checks for leases that have ended, in milliseconds. */
const RECOVERY_INTERVAL_MS = 2000

/**
 * Returns jobs to the queue whose worker was lost, now and periodically. Workers do the same; this is for a server on a
 * database where none is left.
 *
 * @returns stops it, and waits for the current check
 */
export function recoverLostJobs({ database }: Accord): () => Promise<void> {
  if (database.isReadOnly) return async () => {}
  return periodically(RECOVERY_INTERVAL_MS, () => recoverExpired(database))
}
