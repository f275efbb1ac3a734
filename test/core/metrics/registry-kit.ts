import { createMetricRegistry, type MetricRegistry } from '../../../src/core/metrics/registry.js'
import type { ResourceReaders, SpiceResources } from '../../../src/core/metrics/resources.js'
import type { WordVectors } from '../../../src/core/metrics/wmd/transport.js'
import { createWordVocabulary } from '../../../src/core/objects/object-mentions.js'
import { stemmers } from '../../../src/formats/words/stemmers.js'
import { TOY } from './meteor/kit.js'

/** A parser that takes the words of a caption for objects. */
const TOY_SPICE: SpiceResources = {
  parse: (words) => ({ objects: words, attributes: [], relations: [] }),
  parserName: 'toy',
  wordNet: TOY.wordNet,
}

/** Vectors of a few words, in two dimensions. */
const TOY_VECTORS: WordVectors = {
  name: 'toy',
  isBuiltIn: true,
  lookUp: (words) => ({
    rows: Int32Array.from(words, (word) => ['dog', 'cat'].indexOf(word)),
    dimension: 2,
    values: Float64Array.of(1, 0, 0, 1),
  }),
}

/** A registry of all metrics, METEOR and SPICE with a WordNet of a few words. */
export function toyRegistry(changes: Partial<ResourceReaders> = {}): MetricRegistry {
  return createMetricRegistry({
    meteor: { read: () => TOY, hash: () => '00ff' },
    spice: { read: () => TOY_SPICE, hash: () => '11ee' },
    stemmers: { read: () => stemmers, hash: () => '33cc' },
    vectors: { read: () => TOY_VECTORS, hash: () => '22dd' },
    objects: { read: () => createWordVocabulary(), hash: () => '44dd' },
    ...changes,
  })
}
