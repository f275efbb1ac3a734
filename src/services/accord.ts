import type { Progress } from '../progress.js'
import { createQueue, type Queue } from '../queue/queue.js'
import { openDatabase } from '../store/database.js'
import type { Database } from '../store/engine/session.js'
import { sql } from '../store/engine/sql.js'

/** What the services work on: a database with its queue of jobs. */
export interface Accord {
  readonly options: AccordOptions
  readonly database: Database
  readonly queue: Queue
  /** Calls `release` on `close`, before the database is closed. */
  beforeClose(release: () => Promise<void>): void
  /** Stops waiting for jobs, releases everything and closes the database. */
  close(): Promise<void>
}

/** For whom a service adds jobs, and until when it waits for them. */
export interface Client {
  /** The queue is bounded for each owner and alternates between owners. Default: one owner for all. */
  readonly owner?: string
  /** Ends waiting when it is aborted. Default: wait for the end of the job. */
  readonly signal?: AbortSignal
}

/** The progress of a computation for a client: ends it when the signal is aborted. */
export function untilAborted({ signal }: Client): Progress {
  return () => signal?.throwIfAborted()
}

export interface AccordOptions {
  /** Path of a SQLite file, or a URL that begins with `postgres://`. */
  readonly location: string
  /** Fail if the database does not exist, instead of creating it. */
  readonly mustExist?: boolean
  /** Path of a METEOR data folder. Default: the bundled WordNet data. */
  readonly meteorFolder?: string
  /** Path of a file of word vectors. Default: the built-in ones. */
  readonly embeddingsFile?: string
  /** Number of threads for computations in this process. Default: the number of cores. */
  readonly threadCount?: number
  /** Called with each SQL statement that is executed. */
  readonly onStatement?: (text: string) => void
  /** Milliseconds that a transaction waits for another one to end. SQLite only. */
  readonly busyTimeout?: number
}

/**
 * Opens a database for the services.
 *
 * @throws AccordError as {@link openDatabase}
 */
export async function openAccord(options: AccordOptions): Promise<Accord> {
  const database = await openDatabase(options.location, options)
  const queue = createQueue(database)
  const releases = [queue.close]
  return {
    options,
    database,
    queue,
    beforeClose(release) {
      releases.push(release)
    },
    async close() {
      for (const release of releases) await release()
      await database.close()
    },
  }
}

/** Whether the database can be read. */
export async function checkDatabase({ database }: Accord): Promise<boolean> {
  try {
    await database.all(sql`SELECT 1 AS one`)
    return true
  } catch {
    return false
  }
}
