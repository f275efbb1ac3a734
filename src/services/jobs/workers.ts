import * as queue from '../../queue/worker.js'
import { KINDS } from './kinds.js'

// Only the test runner executes sources; worker threads always execute the compiled files.
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/src/services/jobs/worker-thread.js' : './worker-thread.js',
  import.meta.url,
)

/** Starts threads of this process that execute the jobs of a database. @throws AccordError as `startWorkers` of the queue */
export function startWorkers(options: queue.WorkerOptions): Promise<queue.Workers> {
  return queue.startWorkers(options, KINDS, ENTRY)
}
