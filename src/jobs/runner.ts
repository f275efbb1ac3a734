import { Worker } from 'node:worker_threads'
import { AccordError, type ErrorCode, type ErrorDetail } from '../errors.js'
import type { Progress } from './progress.js'
import type { TaskName, Tasks } from './tasks.js'

/** What the worker is sent. */
export interface TaskRequest<Name extends TaskName> {
  readonly task: Name
  readonly input: Tasks[Name]['input']
  /** Shared: its one entry is 1 once the task is cancelled. */
  readonly cancelled: Int32Array
}

/** What the worker sends: any number of progress messages, then one of the others. */
export type WorkerMessage =
  | { readonly kind: 'progress'; readonly fraction: number; readonly message: string }
  | { readonly kind: 'done'; readonly output: unknown }
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly summary: string
      readonly detail: ErrorDetail
    }
  | { readonly kind: 'failed'; readonly error: string }

/** A task that was handed to the runner. */
export interface RunningTask<Output> {
  /** Rejects with the task's AccordError, with CANCELLED, or with an Error where the task or its thread broke. */
  readonly result: Promise<Output>
  /** Ends the task soon; nothing of it is kept. No effect once it is done. */
  cancel(): void
}

/** Does tasks one after the other in a worker thread, so that the server's own thread stays free. */
export interface Runner {
  start<Name extends TaskName>(
    task: Name,
    input: Tasks[Name]['input'],
    progress?: Progress,
  ): RunningTask<Tasks[Name]['output']>
  /** Cancels all tasks and stops the thread. */
  close(): Promise<void>
}

// Sources run only under the test runner; worker threads always run what was built from them.
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/src/jobs/worker.js' : './worker.js',
  import.meta.url,
)

interface QueuedTask {
  readonly request: TaskRequest<TaskName>
  readonly progress: Progress | undefined
  readonly resolve: (output: unknown) => void
  readonly reject: (error: Error) => void
}

/**
 * A runner on a database file. The thread starts with the first task, and anew after it died.
 *
 * @param entry the worker's file
 */
export function createRunner(databaseFile: string, entry = ENTRY): Runner {
  const queue: QueuedTask[] = []
  let worker: Worker | undefined
  let current: QueuedTask | undefined
  let isClosed = false

  function next(): void {
    if (current || queue.length === 0) return
    current = queue.shift() as QueuedTask
    if (isCancelled(current.request)) {
      settle((task) => task.reject(cancelled()))
      return
    }
    worker ??= startWorker()
    worker.postMessage(current.request)
  }

  function settle(act: (task: QueuedTask) => void): void {
    const task = current
    current = undefined
    if (task) act(task)
    next()
  }

  function startWorker(): Worker {
    const started = new Worker(entry, { workerData: { databaseFile } })
    started.on('message', (message: WorkerMessage) => {
      if (message.kind === 'progress') current?.progress?.(message.fraction, message.message)
      else settle((task) => conclude(task, message))
    })
    started.on('error', (error) => lose(started, error))
    started.on('exit', (code) => lose(started, `exit code ${code}`))
    started.unref()
    return started
  }

  function lose(lost: Worker, cause: unknown): void {
    if (worker !== lost) return
    worker = undefined
    settle((task) =>
      task.reject(new Error('The thread that did the work ended before it was done.', { cause })),
    )
  }

  return {
    start(task, input, progress) {
      if (isClosed) return { result: Promise.reject(cancelled()), cancel() {} }
      const flag = new Int32Array(new SharedArrayBuffer(4))
      const result = new Promise<unknown>((resolve, reject) => {
        queue.push({ request: { task, input, cancelled: flag }, progress, resolve, reject })
      })
      next()
      return { result: result as Promise<never>, cancel: () => Atomics.store(flag, 0, 1) }
    },
    async close() {
      isClosed = true
      for (const { reject } of queue.splice(0)) reject(cancelled())
      const stopping = worker
      worker = undefined
      settle((task) => task.reject(cancelled()))
      await stopping?.terminate()
    },
  }
}

function conclude(
  { resolve, reject }: QueuedTask,
  message: Exclude<WorkerMessage, { kind: 'progress' }>,
): void {
  switch (message.kind) {
    case 'done':
      resolve(message.output)
      break
    case 'refused':
      reject(new AccordError(message.code, message.summary, message.detail))
      break
    case 'failed':
      reject(new Error('Accord failed in a way it should not; its log says more.', { cause: message.error }))
  }
}

function isCancelled({ cancelled: flag }: TaskRequest<TaskName>): boolean {
  return Atomics.load(flag, 0) === 1
}

function cancelled(): AccordError {
  return new AccordError('CANCELLED', 'the work was cancelled')
}
