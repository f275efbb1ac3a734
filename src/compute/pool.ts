import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import type { MessagePort, Worker } from 'node:worker_threads'
import type { MetricRegistry } from '../core/metrics/registry.js'
import { AccordError, fromErrorData } from '../errors.js'
import {
  cancelRun,
  completedShare,
  createRunControl,
  type RunMessage,
  type ThreadMessage,
  takeTask,
  taskProgress,
} from './messages.js'
import { openMetricRegistry, type ResourceOptions } from './resources.js'
import { moveToSharedMemory } from './shared-memory.js'
import { startWorker } from './shared-threads.js'
import { type WorkKind, type Works, works } from './works.js'

export interface ThreadOptions extends ResourceOptions {
  /** Number of threads, including that of the caller. Default: the number of cores. */
  readonly threadCount?: number
  /** Ports to worker threads that other threads share, instead of own worker threads. */
  readonly ports?: readonly MessagePort[]
}

/** Receives the completed share, 0 to 1. If it throws, the run is cancelled on all threads. */
export type RunProgress = (share: number) => void

/** A run that was started on worker threads. */
export interface BegunRun<Kind extends WorkKind> {
  /** Does the remaining tasks, like {@link Threads.run}. */
  finish(onProgress?: RunProgress): Promise<Works[Kind]['output'][]>
  /** Cancels the run. No effect if it has finished. */
  cancel(): void
}

/** The metric registry of a process, and the threads that use it. */
export interface Threads {
  readonly registry: MetricRegistry
  readonly threadCount: number
  /** Starts the worker threads before they are needed. There are none if `threadCount` is 1. */
  start(): void
  /**
   * Starts a run on the first half of the worker threads, even with a single task, while this thread does other work.
   * Each thread then compiles and loads only what its own part of the work needs.
   */
  begin<Kind extends WorkKind>(kind: Kind, input: Works[Kind]['input'], taskCount: number): BegunRun<Kind>
  /**
   * Does the tasks of a run, on all worker threads if there are several tasks.
   *
   * @returns the outputs in the order of tasks
   * @throws errors of `onProgress`; AccordError and other errors of tasks
   */
  run<Kind extends WorkKind>(
    kind: Kind,
    input: Works[Kind]['input'],
    taskCount: number,
    onProgress?: RunProgress,
  ): Promise<Works[Kind]['output'][]>
  /** Stops the worker threads; current runs fail. Idle threads do not keep a process alive. */
  close(): Promise<void>
}

/** Minimum time between two progress reports, in milliseconds. */
const REPORT_INTERVAL = 20

interface ActiveRun {
  accept(message: ThreadMessage): void
  fail(error: Error): void
}

/** A worker thread, or the port to one. */
type Helper = Worker | MessagePort

/** Creates the threads of a process. Worker threads start with the first run that has several tasks. */
export function createThreads({ threadCount: count, ports, ...resources }: ThreadOptions = {}): Threads {
  const threadCount = ports ? ports.length + 1 : (count ?? availableParallelism())
  const registry = openMetricRegistry(resources)
  const runs = new Map<number, ActiveRun>()
  let workers: readonly Helper[] = ports?.map(attach) ?? []
  let runCount = 0

  function start(): void {
    while (!ports && workers.length < threadCount - 1) workers = [...workers, attach(startWorker(resources))]
  }

  function attach(helper: Helper): Helper {
    helper.on('message', (message: ThreadMessage) => runs.get(message.run)?.accept(message))
    if ('terminate' in helper) {
      helper.on('error', (error) => lose(helper, error))
      helper.on('exit', (code) => lose(helper, `exit code ${code}`))
    } else helper.on('close', () => lose(helper, 'its port was closed'))
    helper.unref()
    return helper
  }

  function lose(helper: Helper, cause: unknown): void {
    if (!workers.includes(helper)) return
    workers = workers.filter((other) => other !== helper)
    for (const run of runs.values()) run.fail(new Error('A worker thread ended unexpectedly.', { cause }))
  }

  /** @param leastTasks worker threads take part in runs with more tasks than this */
  function prepareRun<Kind extends WorkKind>(
    kind: Kind,
    ownInput: Works[Kind]['input'],
    taskCount: number,
    leastTasks: number,
  ) {
    const isSplit = threadCount > 1 && taskCount > leastTasks
    const input = isSplit ? moveToSharedMemory(ownInput) : ownInput
    const control = createRunControl()
    const id = ++runCount
    const results = collectOutputs<Works[Kind]['output']>(taskCount)
    const message: RunMessage<Kind> = { run: id, kind, input, taskCount, stored: registry.stored, control }
    const helpers = new Set<Helper>()
    runs.set(id, results)

    /** Sends the run to a share of the worker threads. */
    function send(share: number): void {
      if (!isSplit) return
      start()
      for (const worker of workers.slice(0, Math.ceil(share * workers.length))) {
        if (helpers.has(worker)) continue
        helpers.add(worker)
        worker.postMessage(message)
      }
    }

    function cancel(): void {
      cancelRun(control)
      runs.delete(id)
    }

    async function finish(onProgress?: RunProgress): Promise<Works[Kind]['output'][]> {
      const report = createReport(() => onProgress?.(completedShare(control, taskCount)))
      // Reports progress while other threads work. The timer also keeps the process alive.
      const timer = setInterval(() => {
        try {
          report()
        } catch (error) {
          results.fail(error as Error)
        }
      }, REPORT_INTERVAL)
      try {
        onProgress?.(completedShare(control, taskCount))
        if (taskCount > 1) send(1)
        const perform = works[kind](input, registry)
        for (let task = takeTask(control, taskCount); task >= 0; task = takeTask(control, taskCount)) {
          results.add(task, perform(task, taskProgress(control, report)))
          if (isSplit) await setImmediate()
        }
        const outputs = await results.all
        onProgress?.(1)
        return outputs
      } finally {
        cancel()
        clearInterval(timer)
      }
    }

    return { send, finish, cancel }
  }

  return {
    registry,
    threadCount,
    start,
    begin(kind, input, taskCount) {
      const run = prepareRun(kind, input, taskCount, 0)
      run.send(1 / 2)
      return run
    },
    run: (kind, input, taskCount, onProgress) => prepareRun(kind, input, taskCount, 1).finish(onProgress),
    async close() {
      const stopping = workers
      workers = []
      for (const { fail } of runs.values()) fail(new AccordError('CANCELLED', 'the job was cancelled'))
      await Promise.all(
        stopping.map((helper) => ('terminate' in helper ? helper.terminate() : helper.close())),
      )
    },
  }
}

/** Collects the outputs of tasks of all threads. */
function collectOutputs<Output>(taskCount: number) {
  const outputs = new Array<Output>(taskCount)
  let missing = taskCount
  const { promise: all, resolve, reject } = withResolvers<Output[]>()
  // A failure while this thread is busy is reported when it waits for the outputs.
  all.catch(() => {})
  if (missing === 0) resolve(outputs)

  function add(task: number, output: Output): void {
    outputs[task] = output
    missing--
    if (missing === 0) resolve(outputs)
  }

  return {
    all,
    add,
    fail: reject as (error: Error) => void,
    accept(message: ThreadMessage): void {
      switch (message.kind) {
        case 'output':
          add(message.task, message.output as Output)
          break
        case 'failed':
          reject(fromErrorData(message.error))
      }
    },
  }
}

function withResolvers<Value>() {
  let resolve!: (value: Value) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<Value>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

/** Calls `report` at most once per {@link REPORT_INTERVAL}. */
function createReport(report: () => void): () => void {
  let last = performance.now()
  return () => {
    const now = performance.now()
    if (now - last < REPORT_INTERVAL) return
    last = now
    report()
  }
}
