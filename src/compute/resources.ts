import { createHash } from 'node:crypto'
import { createMetricRegistry, type MetricRegistry } from '../core/metrics/registry.js'
import type { ResourceReaders, SpiceResources } from '../core/metrics/resources.js'
import { createPublishedVocabulary, createWordVocabulary } from '../core/objects/object-mentions.js'
import type { ObjectVocabulary } from '../core/objects/object-vocabulary.js'
import { PARSER_NAME } from '../core/text/scene-graph.js'
import { hashSceneGraphData, openSceneGraphParser } from '../formats/english/english.js'
import { hashMeteorData, readMeteorData } from '../formats/english/meteor-data.js'
import { readObjectWords } from '../formats/words/object-words-file.js'
import { hashStemmers, stemmers } from '../formats/words/stemmers.js'
import { hashWordVectors, openWordVectors } from '../formats/words/word-vectors.js'
import { readMetricModule } from './metric-module.js'

/** Locations of metric resources. */
export interface ResourceOptions {
  /** A METEOR data folder. Default: the bundled WordNet data. */
  readonly meteorFolder?: string
  /** A file of word vectors. Default: the built-in ones. */
  readonly embeddingsFile?: string
  /** A file of words of objects. Default: ours. */
  readonly objectWordsFile?: string
  /** Whether objects are found as the published program of CHAIR does it, which needs a file of its words. */
  readonly isChairCompatible?: boolean
  /** Modules of metrics of the user's own, which are executed: never from a server or a request. */
  readonly metricModules?: readonly string[]
}

/** A metric registry. Resources are read from files when a metric is first used. */
export function openMetricRegistry({
  meteorFolder,
  embeddingsFile,
  metricModules = [],
  ...objects
}: ResourceOptions = {}): MetricRegistry {
  const readers = {
    meteor: { read: () => readMeteorData(meteorFolder), hash: () => hashMeteorData(meteorFolder) },
    stemmers: { read: () => stemmers, hash: hashStemmers },
    vectors: { read: () => openWordVectors(embeddingsFile), hash: () => hashWordVectors(embeddingsFile) },
    spice: { read: spiceResources, hash: hashSpiceData },
    // Its parameters have the hash of its words.
    objects: { read: () => openObjects(objects), hash: () => hashJoined([]) },
  } satisfies ResourceReaders
  return createMetricRegistry(readers, metricModules.map(readMetricModule))
}

let spice: SpiceResources | undefined

/** The parser and the word lists of SPICE; those of the process, which caches scene graphs. Files are read when used. */
export function spiceResources(): SpiceResources {
  spice ??= { parse: openSceneGraphParser(), parserName: PARSER_NAME, wordNet: readMeteorData().wordNet }
  return spice
}

/** SHA-256 of the data of {@link spiceResources}, in hexadecimal digits. */
export function hashSpiceData(): string {
  return hashJoined([hashSceneGraphData(), hashMeteorData()])
}

function openObjects({ objectWordsFile, isChairCompatible }: ResourceOptions): ObjectVocabulary {
  const given = objectWordsFile === undefined ? undefined : readObjectWords(objectWordsFile)
  return isChairCompatible && given ? createPublishedVocabulary(given) : createWordVocabulary(given)
}

function hashJoined(hashes: readonly string[]): string {
  return createHash('sha256').update(hashes.join('\n')).digest('hex')
}
