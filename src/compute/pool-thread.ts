/** Entry point of worker threads, which take tasks of runs until none is left. Runs also come from ports that are sent. */
import { MessagePort, parentPort, workerData } from 'node:worker_threads'
import { AccordError } from '../errors.js'
import { isCancelled, type RunMessage, type ThreadMessage, takeTask, taskProgress } from './messages.js'
import { openMetricRegistry, type ResourceOptions } from './resources.js'
import { type PerformTask, type WorkKind, works } from './works.js'

if (!parentPort) throw new Error('This file is the entry point of a worker thread.')
const registry = openMetricRegistry(workerData as ResourceOptions)

serve(parentPort)

function serve(port: MessagePort): void {
  port.on('message', (message: RunMessage | MessagePort) => {
    if (message instanceof MessagePort) {
      serve(message)
      return
    }
    try {
      performTasks(port, message)
    } catch (error) {
      port.postMessage(describe(message.run, error))
    }
  })
}

function performTasks<Kind extends WorkKind>(
  port: MessagePort,
  { run, kind, input, taskCount, stored, control }: RunMessage<Kind>,
): void {
  const checkCancellation = () => {
    if (isCancelled(control)) throw new AccordError('CANCELLED', 'the job was cancelled')
  }
  registry.setStored(stored)
  let perform: PerformTask<Kind> | undefined
  for (let task = takeTask(control, taskCount); task >= 0; task = takeTask(control, taskCount)) {
    perform ??= works[kind](input, registry)
    const output = perform(task, taskProgress(control, checkCancellation))
    port.postMessage({ run, kind: 'output', task, output } satisfies ThreadMessage)
  }
}

function describe(run: number, error: unknown): ThreadMessage {
  if (error instanceof AccordError) {
    return { run, kind: 'refused', code: error.code, summary: error.summary, detail: error.detail }
  }
  return {
    run,
    kind: 'failed',
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  }
}
