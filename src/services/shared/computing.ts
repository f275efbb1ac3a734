import { createThreads, type Threads } from '../../compute/pool.js'
import type { MetricRegistry } from '../../core/metrics/registry.js'
import type { Accord } from './accord.js'
import { loadMetrics } from './load-metrics.js'

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
 * Loads the metrics of the database, which other processes may have trained, imported or removed. Call it before metrics
 * are looked up by name or listed.
 */
export function refreshMetrics(accord: Accord): Promise<void> {
  return loadMetrics(accord.database, metricsOf(accord))
}

/** The metrics of this process. */
export function metricsOf(accord: Accord): MetricRegistry {
  return threadsOf(accord).registry
}
