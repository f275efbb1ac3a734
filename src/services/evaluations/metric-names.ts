import { readMetricModule } from '../../compute/metric-module.js'
import { openMetricRegistry } from '../../compute/resources.js'
import type { ListedMetric, MetricRegistry } from '../../core/metrics/registry.js'

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

/** Rows in the order in which metrics are shown. */
export function inOrder<Row extends { readonly metric: string }>(
  registry: MetricRegistry,
  rows: readonly Row[],
): readonly Row[] {
  const order = registry.metrics.map(({ name }) => name)
  return rows.toSorted((one, other) => order.indexOf(one.metric) - order.indexOf(other.metric))
}
