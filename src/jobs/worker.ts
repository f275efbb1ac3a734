/** The worker thread of a server: does one task at a time, on a connection of its own. */
import { parentPort, workerData } from 'node:worker_threads'
import { AccordError } from '../errors.js'
import { openDatabase } from '../store/database.js'
import type { TaskRequest, WorkerMessage } from './runner.js'
import { type TaskName, tasks } from './tasks.js'

/** Progress is told at most this often, in milliseconds. */
const REPORT_INTERVAL = 50

if (!parentPort) throw new Error('This file is the entry of a worker thread.')
const port = parentPort
const database = await openDatabase(workerData.databaseFile)

port.on('message', async (request: TaskRequest<TaskName>) => {
  port.postMessage(await perform(request))
})

async function perform<Name extends TaskName>({
  task,
  input,
  cancelled,
}: TaskRequest<Name>): Promise<WorkerMessage> {
  let lastReport = 0
  const progress = (fraction: number, message: string) => {
    if (Atomics.load(cancelled, 0)) throw new AccordError('CANCELLED', 'the work was cancelled')
    if (performance.now() - lastReport < REPORT_INTERVAL) return
    lastReport = performance.now()
    port.postMessage({ kind: 'progress', fraction, message } satisfies WorkerMessage)
  }
  try {
    return { kind: 'done', output: await tasks[task](database, input, progress) }
  } catch (error) {
    if (error instanceof AccordError) {
      return { kind: 'refused', code: error.code, summary: error.summary, detail: error.detail }
    }
    return { kind: 'failed', error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
