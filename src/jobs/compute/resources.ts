import { hashMeteorData, readMeteorData } from '../../formats/meteor-data.js'
import { createMetricRegistry, type MetricRegistry } from '../../metrics/registry.js'

/** Locations of metric resources. */
export interface ResourceOptions {
  /** A METEOR data folder. Default: the bundled WordNet data. */
  readonly meteorFolder?: string
}

/** A metric registry. Resources are read from files when a metric is first used. */
export function openMetricRegistry({ meteorFolder }: ResourceOptions = {}): MetricRegistry {
  return createMetricRegistry({
    meteor: {
      read: () => readMeteorData(meteorFolder),
      hash: () => hashMeteorData(meteorFolder),
    },
  })
}
