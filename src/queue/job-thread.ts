import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Threads } from '../compute/pool.js'
import { openDatabase } from '../store/database.js'
import type { Database } from '../store/engine/session.js'
import { LeaseLost } from '../store/jobs.js'
import type { Kinds } from './kind.js'
import { type ClaimedJob, runJob, toFailure } from './run-job.js'

/** Data of a worker thread. */
export interface ThreadData {
  readonly location: string
  readonly meteorFolder?: string
  readonly embeddingsFile?: string
  /** Ports to the worker threads of the process, which take part in the computations of jobs. */
  readonly ports: readonly MessagePort[]
}

/** Message to a worker thread. */
export type ThreadRequest = ({ readonly kind: 'run' } & ClaimedJob) | { readonly kind: 'close' }

/** Message from a worker thread: progress reports, then the end of the job. */
export type ThreadReport =
  | { readonly kind: 'progress'; readonly fraction: number; readonly message: string }
  /** The code of the error, if there was one. */
  | { readonly kind: 'ended'; readonly code?: string }

/** The pool that jobs of a thread compute with. */
export interface JobPool {
  /** The pool, with the metrics of the database. */
  threads(database: Database): Promise<Threads>
  close(): Promise<void>
}

/** Minimum time between two progress reports, in milliseconds. */
const REPORT_INTERVAL_MS = 50

/** Jobs wait long for other writers, so that computed results are not lost. */
const BUSY_TIMEOUT_MS = 600_000

/** Executes the jobs sent to this thread, one at a time, with its own connection. */
export async function serveJobs(kinds: Kinds, openPool: (data: ThreadData) => JobPool): Promise<void> {
  if (!parentPort) throw new Error('This file is the entry point of a worker thread.')
  const port = parentPort
  const data = workerData as ThreadData
  const database = await openDatabase(data.location, { mustExist: true, busyTimeout: BUSY_TIMEOUT_MS })
  const pool = openPool(data)
  const runtime = { database, kinds, threads: () => pool.threads(database) }
  const report = (message: ThreadReport) => port.postMessage(message)

  port.on('message', async (request: ThreadRequest) => {
    if (request.kind === 'close') {
      await pool.close()
      await database.close()
      port.close()
      return
    }
    let lastReport = 0
    const error = await runJob(runtime, request, (fraction, message) => {
      if (performance.now() - lastReport < REPORT_INTERVAL_MS) return
      lastReport = performance.now()
      report({ kind: 'progress', fraction, message })
    })
    report({ kind: 'ended', code: codeOf(error) })
  })
}

/** The code of the error of a job; a job whose lease was lost goes on elsewhere. */
function codeOf(error: unknown): string | undefined {
  if (error === undefined) return undefined
  return error instanceof LeaseLost ? 'CANCELLED' : toFailure(error).code
}
