import { AccordError } from '../../errors.js'
import type { Direction } from '../../store/engine/keyset.js'
import { findJobs, findNewestJobs, type JobFilter, type JobRow, pagedJobs } from '../../store/jobs.js'
import type { Accord, Client } from '../accord.js'
import { keyBy, keyedRows } from '../shared/groups.js'
import type { PagedList } from '../shared/paging.js'
import type { JobInput, JobName, JobResult } from './kinds.js'

/** A job of any kind. */
export type Job = JobRow

/** A job of a kind. */
export interface JobOf<Name extends JobName> extends Omit<Job, 'input' | 'result'> {
  readonly input: JobInput<Name>
  /** Null until it is done. */
  readonly result: JobResult<Name> | null
}

/** Whether a job is of a kind. */
export function isOfKind<Name extends JobName>(job: Job, kind: Name): job is Job & JobOf<Name> {
  return job.kind === kind
}

/** Jobs by id. */
export const jobsById = keyedRows(findJobs, ({ id }) => id)

/** The newest job of a kind of each system. */
export async function newestJobBySystem(
  { database }: Accord,
  kind: JobName,
  systemIds: readonly number[],
): Promise<Map<number, Job>> {
  return keyBy(await findNewestJobs(database, kind, systemIds), ({ systemId }) => systemId as number)
}

/** Jobs by the time of their start. Default: newest first. */
export function listJobs(
  { database }: Accord,
  filter: JobFilter,
  direction: Direction = 'DESC',
): PagedList<Job> {
  return { order: `jobs ${JSON.stringify(filter)} ${direction}`, ...pagedJobs(database, filter, direction) }
}

/**
 * Cancels a job and waits for its end.
 *
 * @throws AccordError UNKNOWN_JOB; NOT_APPLICABLE if it has ended
 */
export async function cancelJob({ queue }: Accord, id: number, { signal }: Client = {}): Promise<Job> {
  await queue.cancel(id)
  return queue.waitForEnd(id, signal)
}

/** Cancels a job unless it has ended or was removed, and waits for its end. */
export async function cancelUnlessEnded(accord: Accord, id: number, client: Client): Promise<void> {
  try {
    await cancelJob(accord, id, client)
  } catch (error) {
    const hasEnded = error instanceof AccordError && ['NOT_APPLICABLE', 'UNKNOWN_JOB'].includes(error.code)
    if (!hasEnded) throw error
  }
}

/** A job now and after each change, until it has ended. @throws AccordError UNKNOWN_JOB; the reason of the signal */
export function watchJob({ queue }: Accord, id: number, { signal }: Client): AsyncGenerator<Job> {
  return queue.changesOf(id, signal)
}
