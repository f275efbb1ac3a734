import { createThreads, type Threads } from '../../compute/pool.js'
import type { MetricRegistry } from '../../core/metrics/registry.js'
import type { Accord } from '../accord.js'
import { loadComposites } from '../composites/load-composites.js'

const threadsByAccord = new WeakMap<Accord, Threads>()

/**
 * The computing threads of this process. They are not part of `Accord`, so that services without computations do not
 * load the metrics.
 */
export function threadsOf(accord: Accord): Threads {
  let threads = threadsByAccord.get(accord)
  if (!threads) {
    threads = createThreads(accord.options)
    accord.beforeClose(threads.close)
    threadsByAccord.set(accord, threads)
  }
  return threads
}

/**
 * Loads the composite metrics of the database, which other processes may have trained or removed. Call it before metrics
 * are looked up by name or listed.
 */
export function refreshComposites(accord: Accord): Promise<void> {
  return loadComposites(accord.database, metricsOf(accord))
}

/** The metrics of this process. */
export function metricsOf(accord: Accord): MetricRegistry {
  return threadsOf(accord).registry
}
