import { readMetricModule } from '../../compute/metric-module.js'
import { openMetricRegistry } from '../../compute/resources.js'
import { isAmong, type ListedMetric } from '../../core/metrics/registry.js'

/** All metrics that are built in. */
export function listBuiltInMetrics(): readonly ListedMetric[] {
  return openMetricRegistry().metrics
}

/** Names of all metrics that are built in, as they are shown. */
export function listMetricNames(): string[] {
  return listBuiltInMetrics().map(({ name }) => name)
}

/** Names of the metrics of modules, which are executed. @throws AccordError as {@link readMetricModule} */
export function listOwnMetricNames(files: readonly string[]): string[] {
  return files.flatMap((file) => readMetricModule(file).metrics.map(({ name }) => name))
}

/** Whether a metric is the one of a name, as it may be written, or of the group of that name. */
export const isNamed = isAmong
