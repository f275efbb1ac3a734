import { createMetricRegistry, type MetricRegistry } from '../../src/metrics/registry.js'
import type { ResourceReaders } from '../../src/metrics/resources.js'
import { TOY } from './meteor/kit.js'

/** A registry of all metrics, METEOR with a WordNet of a few words. */
export function toyRegistry(changes: Partial<ResourceReaders> = {}): MetricRegistry {
  return createMetricRegistry({ meteor: { read: () => TOY, hash: () => '00ff' }, ...changes })
}
