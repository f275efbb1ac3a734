import { parentPort, workerData } from 'node:worker_threads'
import { createThreads } from '../compute/pool.js'
import { openDatabase } from '../store/database.js'
import { type ClaimedJob, type Handlers, runJob } from './run-job.js'

/** Data of a worker thread. */
export interface ThreadData {
  readonly location: string
  readonly meteorFolder?: string
  readonly embeddingsFile?: string
  /** Number of threads for the computations of a job, including this one. */
  readonly threadCount: number
}

/** Message to a worker thread. */
export type ThreadRequest = ({ readonly kind: 'run' } & ClaimedJob) | { readonly kind: 'close' }

/** Message from a worker thread: progress reports, then the end of the job. */
export type ThreadReport =
  | { readonly kind: 'progress'; readonly fraction: number; readonly message: string }
  | { readonly kind: 'ended' }

/** Minimum time between two progress reports, in milliseconds. */
const REPORT_INTERVAL_MS = 50

/** Jobs wait long for other writers, so that computed results are not lost. */
const BUSY_TIMEOUT_MS = 600_000

/** Executes the jobs sent to this thread, one at a time, with its own connection and metric registry. */
export async function serveJobs(handlers: Handlers): Promise<void> {
  if (!parentPort) throw new Error('This file is the entry point of a worker thread.')
  const port = parentPort
  const { location, ...resources } = workerData as ThreadData
  const database = await openDatabase(location, { mustExist: true, busyTimeout: BUSY_TIMEOUT_MS })
  const threads = createThreads(resources)
  const report = (message: ThreadReport) => port.postMessage(message)

  port.on('message', async (request: ThreadRequest) => {
    if (request.kind === 'close') {
      await threads.close()
      await database.close()
      port.close()
      return
    }
    let lastReport = 0
    await runJob({ database, threads, handlers }, request, (fraction, message) => {
      if (performance.now() - lastReport < REPORT_INTERVAL_MS) return
      lastReport = performance.now()
      report({ kind: 'progress', fraction, message })
    })
    report({ kind: 'ended' })
  })
}
