import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from '../store/database.js'
import { createThreads } from './compute/threads.js'
import { type ClaimedJob, type Handlers, runJob } from './run-job.js'

/** What a thread is started with. */
export interface ThreadData {
  readonly location: string
  readonly meteorFolder?: string
  /** Threads that a job may compute with, this one included. */
  readonly threadCount: number
}

/** What a thread is sent. */
export type ThreadRequest = ({ readonly kind: 'run' } & ClaimedJob) | { readonly kind: 'close' }

/** What a thread sends: any number of progress reports, then that the job has ended. */
export type ThreadReport =
  | { readonly kind: 'progress'; readonly fraction: number; readonly message: string }
  | { readonly kind: 'ended' }

/** Between two reports of progress. */
const REPORT_INTERVAL_MS = 50

/** A job that another process keeps from writing waits: what it has computed is not given up. */
const BUSY_TIMEOUT_MS = 600_000

/** Executes the jobs that this thread is sent, one at a time, on a connection and with a metric registry of its own. */
export async function serveJobs(handlers: Handlers): Promise<void> {
  if (!parentPort) throw new Error('This file is the entry of a worker thread.')
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
