import type { Threads } from '../../compute/pool.js'
import type { JobPool, ThreadData } from '../../queue/job-thread.js'

/** The pool that the jobs of a worker thread compute with, created by the first of them that needs it. */
export function openJobPool(data: ThreadData): JobPool {
  let threads: Threads | undefined
  return {
    async threads(database) {
      const { createThreads } = await import('../../compute/pool.js')
      const { loadMetrics } = await import('../shared/load-metrics.js')
      threads ??= createThreads(data)
      await loadMetrics(database, threads.registry)
      return threads
    },
    async close() {
      await threads?.close()
    },
  }
}
