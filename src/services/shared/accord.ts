import type { Threads } from '../../compute/pool.js'
import type { ResourceOptions } from '../../compute/resources.js'
import { AccordError } from '../../errors.js'
import { type Progress, step } from '../../progress.js'
import type { Queue } from '../../queue/queue.js'
import type { Database, OpenOptions, Session } from '../../store/engine/session.js'
import { sql } from '../../store/engine/sql.js'
import type { JobRow } from '../../store/jobs.js'
import type { JobInput, JobKinds, JobName, JobResult } from './job-kinds.js'

/** What the services work on: a database with its queue of jobs. */
export interface Accord {
  readonly options: AccordOptions
  readonly database: Database
  readonly queue: Queue<JobKinds>
  /**
   * Runs a job and waits for its result: by a worker, or in this process where that is asked for by the options. Queries
   * are answered in this process if the database is read-only.
   *
   * @throws AccordError QUEUE_FULL; FORBIDDEN for a job that would change a read-only database; the error of the job;
   *   the reason of the client's signal
   */
  run<Name extends JobName>(kind: Name, input: JobInput<Name>, client?: Client): Promise<JobResult<Name>>
  /**
   * Starts a job by workers, or returns the unfinished one with the same input.
   *
   * @param session the transaction in which the job is added. Default: one of its own
   * @throws AccordError QUEUE_FULL; FORBIDDEN if the database is read-only; UNKNOWN_DATASET or UNKNOWN_SYSTEM if the
   *   subject was removed
   */
  start<Name extends JobName>(
    kind: Name,
    input: JobInput<Name>,
    client?: Client,
    session?: Session,
  ): Promise<JobRow>
  /** The pool of this process, with the metrics of the database. */
  threads(): Promise<Threads>
  /** Calls `release` on `close`, before the database is closed. */
  beforeClose(release: () => Promise<void>): void
  /** Stops waiting for jobs, releases everything and closes the database. */
  close(): Promise<void>
}

/** For whom a service runs jobs, and until when it waits for them. */
export interface Client {
  /** The queue is bounded for each owner and alternates between owners. Default: one owner for all. */
  readonly owner?: string
  /** Whether nobody waits for what it starts: it is executed when no other job is queued. */
  readonly isBackground?: boolean
  /** Ends waiting when it is aborted. Default: wait for the end of the job. */
  readonly signal?: AbortSignal
  /** Receives the progress of what runs in this process. */
  readonly progress?: Progress
  /** Receives the expected duration of work that depends on the data, in microseconds, before it; throws if it is too much. */
  readonly spend?: (microseconds: number) => void
}

export interface AccordOptions
  extends Pick<ResourceOptions, 'meteorFolder' | 'embeddingsFile' | 'metricModules'>,
    Pick<OpenOptions, 'mustExist' | 'onStatement' | 'busyTimeout'> {
  /** Path of a SQLite file, or a URL that begins with `postgres://`. */
  readonly location: string
  /** Files that are imported: if one of them cannot be, no database is created. */
  readonly reads?: readonly string[]
  /** Folder of the pictures of datasets that have no folder of their own. Default: these have no pictures. */
  readonly imagesFolder?: string
  /** Number of threads for computations in this process. Default: the number of cores. */
  readonly threadCount?: number
  /** Whether workers execute jobs, as for a server. Default: this process does. */
  readonly hasWorkers?: boolean
  /** Whether these are other processes, if there are any: requests fail where none takes their job. */
  readonly mayLackWorkers?: boolean
}

/** The client of one of `count` steps of a larger use case. */
export function clientOfStep(client: Client, index: number, count: number): Client {
  const { progress } = client
  return progress ? { ...client, progress: step(progress, index, count) } : client
}

/** Why the database cannot be read, without places; undefined if it can. */
export async function findDatabaseProblem({ database }: Accord): Promise<string | undefined> {
  try {
    await database.all(sql`SELECT 1 AS one`)
    return undefined
  } catch (error) {
    return error instanceof AccordError ? error.summary : 'the database cannot be read'
  }
}
