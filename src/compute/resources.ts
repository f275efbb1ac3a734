import { createHash } from 'node:crypto'
import { createMetricRegistry, type MetricRegistry } from '../core/metrics/registry.js'
import type { SpiceResources } from '../core/metrics/resources.js'
import { PARSER_NAME } from '../core/text/scene-graph.js'
import { hashSceneGraphData, openSceneGraphParser } from '../formats/english/english.js'
import { hashMeteorData, readMeteorData } from '../formats/english/meteor-data.js'
import { hashStemmers, stemmers } from '../formats/words/stemmers.js'
import { hashWordVectors, openWordVectors } from '../formats/words/word-vectors.js'

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
    meteor: { read: () => readMeteorData(meteorFolder), hash: () => hashMeteorData(meteorFolder) },
    stemmers: { read: () => stemmers, hash: hashStemmers },
    vectors: { read: () => openWordVectors(embeddingsFile), hash: () => hashWordVectors(embeddingsFile) },
    spice: { read: spiceResources, hash: () => hashJoined([hashSceneGraphData(), hashMeteorData()]) },
  })
}

let spice: SpiceResources | undefined

/** The parser and the word lists of SPICE; those of the process, which caches scene graphs. Files are read when used. */
export function spiceResources(): SpiceResources {
  spice ??= { parse: openSceneGraphParser(), parserName: PARSER_NAME, wordNet: readMeteorData().wordNet }
  return spice
}

function hashJoined(hashes: readonly string[]): string {
  return createHash('sha256').update(hashes.join('\n')).digest('hex')
}
