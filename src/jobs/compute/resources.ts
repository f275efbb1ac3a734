import { hashMeteorData, readMeteorData } from '../../formats/meteor-data.js'
import { hashWordVectors, openWordVectors } from '../../formats/word-vectors.js'
import { createMetricRegistry, type MetricRegistry } from '../../metrics/registry.js'

/** Locations of metric resources. */
export interface ResourceOptions {
  /** A METEOR data folder. Default: the bundled WordNet data. */
  readonly meteorFolder?: string
  /** A file of word vectors. Default: the built-in ones. */
  readonly embeddingsFile?: string
}

/** A metric registry. Resources are read from files when a metric is first used. */
export function openMetricRegistry({ meteorFolder, embeddingsFile }: ResourceOptions = {}): MetricRegistry {
  return createMetricRegistry({
    meteor: {
      read: () => readMeteorData(meteorFolder),
      hash: () => hashMeteorData(meteorFolder),
    },
    vectors: {
      read: () => openWordVectors(embeddingsFile),
      hash: () => hashWordVectors(embeddingsFile),
    },
  })
}
