import { createMetricRegistry, type MetricRegistry } from '../../src/metrics/registry.js'
import type { ResourceReaders } from '../../src/metrics/resources.js'
import type { WordVectors } from '../../src/metrics/wmd/vectors.js'
import { TOY } from './meteor/kit.js'

/** Vectors of a few words, in two dimensions. */
const TOY_VECTORS: WordVectors = {
  name: 'toy',
  lookUp: (words) => ({
    rows: Int32Array.from(words, (word) => ['dog', 'cat'].indexOf(word)),
    dimension: 2,
    values: Float64Array.of(1, 0, 0, 1),
  }),
}

/** A registry of all metrics, METEOR with a WordNet of a few words. */
export function toyRegistry(changes: Partial<ResourceReaders> = {}): MetricRegistry {
  return createMetricRegistry({
    meteor: { read: () => TOY, hash: () => '00ff' },
    vectors: { read: () => TOY_VECTORS, hash: () => '11ee' },
    ...changes,
  })
}
