import { availableParallelism } from 'node:os'
import { shareThreads } from '../../compute/shared-threads.js'
import * as queue from '../../queue/worker.js'
import { KINDS } from './kinds.js'

// Only the test runner executes sources; worker threads always execute the compiled files.
const ENTRY = new URL(
  import.meta.url.endsWith('.ts')
    ? '../../../dist/src/services/workers/worker-thread.js'
    : './worker-thread.js',
  import.meta.url,
)

/**
 * Starts threads of this process that execute the jobs of a database. The cores that they leave take part in the
 * computations of all of them.
 */
export function startWorkers(options: queue.WorkerOptions): Promise<queue.Workers> {
  const shared = shareThreads(Math.max(0, availableParallelism() - options.count), options)
  return queue.startWorkers(options, KINDS, ENTRY, shared)
}
