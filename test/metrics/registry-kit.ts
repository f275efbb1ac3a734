import { createMetricRegistry, type MetricRegistry } from '../../src/metrics/registry.js'
import type { ResourceReaders } from '../../src/metrics/resources.js'
import type { SpiceResources } from '../../src/metrics/spice/resources.js'
import { TOY } from './meteor/kit.js'

/** A parser that takes the words of a caption for objects. */
const TOY_SPICE: SpiceResources = {
  parse: (words) => ({ objects: words, attributes: [], relations: [] }),
  parserName: 'toy',
  wordNet: TOY.wordNet,
}

/** A registry of all metrics, METEOR and SPICE with a WordNet of a few words. */
export function toyRegistry(changes: Partial<ResourceReaders> = {}): MetricRegistry {
  return createMetricRegistry({
    meteor: { read: () => TOY, hash: () => '00ff' },
    spice: { read: () => TOY_SPICE, hash: () => '11ee' },
    ...changes,
  })
}
