/** Entry point of worker threads, which take tasks of runs until none is left. Runs also come from ports that are sent. */
import { MessagePort, parentPort, workerData } from 'node:worker_threads'
import { AccordError, toErrorData } from '../errors.js'
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
      const failure: ThreadMessage = { run: message.run, kind: 'failed', error: toErrorData(error) }
      port.postMessage(failure)
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
