import { hashMeteorData, readMeteorData } from '../../formats/meteor-data.js'
import { createMetricRegistry, type MetricRegistry } from '../../metrics/registry.js'

/** Where resources of metrics are. */
export interface ResourceOptions {
  /** A METEOR data folder; the bundled word lists when absent. */
  readonly meteorFolder?: string
}

/** A registry of metrics whose resources are read from files when a metric is first used. */
export function openMetricRegistry({ meteorFolder }: ResourceOptions = {}): MetricRegistry {
  return createMetricRegistry({
    meteor: {
      read: () => readMeteorData(meteorFolder),
      hash: () => hashMeteorData(meteorFolder),
    },
  })
}
