import { openMetricRegistry } from '../../compute/resources.js'

/** Names of all metrics that are built in, as they are shown. */
export function listMetricNames(): string[] {
  return openMetricRegistry().metrics.map(({ name }) => name)
}
