import { createContentHash, hashText } from '../../compute/content-hash.js'
import type { Metric, MetricFamily } from '../../core/metrics/metric.js'
import {
  canonicalJson,
  type DocumentFrequencySource,
  type ImageRecord,
  type ProvenanceRecord,
  type ReferenceRecord,
  WORD_REVISION,
} from '../../core/metrics/provenance.js'
import type { MetricRegistry } from '../../core/metrics/registry.js'
import { describeIntervals } from '../../core/stats/jackknife.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'

/** Seed of random groups of images: systems of one dataset are measured on the same ones. */
export const SEED = 1

/** What all scores that are computed together have in common. */
export interface ScoreContext extends Pick<ProvenanceRecord, 'tokenizer' | 'language'> {
  /** Content hash of the dataset. */
  readonly dataset: string
  readonly subject: ProvenanceRecord['subject']
  readonly references: ReferenceRecord
  readonly images: ImageRecord
  /** Of metrics that use them. */
  readonly documentFrequencies: DocumentFrequencySource
  /** Hash of the annotated objects, of metrics that use them; absent for none. */
  readonly objects?: string
}

/** How a score of a metric was made by this version. */
export function recordScore(
  registry: MetricRegistry,
  { name: family, needs, layoutRevision, corpusScores }: MetricFamily,
  { name: metric, revision, parameters }: Metric,
  { documentFrequencies, objects, ...context }: ScoreContext,
): ProvenanceRecord {
  const resources = Object.fromEntries(needs.resources.map((name) => [name, registry.contentHash(name)]))
  return {
    ...context,
    family,
    metric,
    revision,
    parameters,
    resources: needs.objects && objects !== undefined ? { ...resources, objects } : resources,
    text: needs.text,
    documentFrequencies: needs.documentFrequencies ? documentFrequencies : null,
    ...describeIntervals({ corpusScores }),
    layoutRevision,
  }
}

/** Whether this version would make the score in the same way. */
export function isCurrent(registry: MetricRegistry, record: ProvenanceRecord): boolean {
  const family = registry.family(record.family)
  const metric = family.metrics.find(({ name }) => name === record.metric)
  if (metric === undefined) return false
  const { dataset, subject, references, images, documentFrequencies, tokenizer, language, resources } = record
  const context = {
    dataset,
    subject,
    references,
    images,
    tokenizer,
    language,
    objects: resources.objects,
    documentFrequencies: documentFrequencies ?? { hash: '', imageCount: 0, source: 'own' },
  } as const
  return canonicalJson(recordScore(registry, family, metric, context)) === canonicalJson(record)
}

/** Document frequencies in all captions of images. A dataset that is named may be the system's own. */
export function recordDocuments(
  dataset: string,
  { count, hash }: Pick<ImageRecord, 'count' | 'hash'>,
  source: 'own' | 'dataset',
): DocumentFrequencySource {
  return { hash: hashText(canonicalJson(['all captions', dataset, hash])), imageCount: count, source }
}

/** Document frequencies in the references of each fold, over all images of a dataset that have K captions. */
export function recordFolds(
  dataset: string,
  references: number,
  imageCount: number,
): DocumentFrequencySource {
  return { hash: hashText(canonicalJson(['folds', dataset, references])), imageCount, source: 'fold' }
}

/** Images by their external ids, a complete system having `of`. */
export function describeImages(externalIds: readonly string[], of: number): ImageRecord {
  const count = externalIds.length
  if (count === of) return { count, of, hash: null }
  const content = createContentHash()
  for (const id of externalIds) content.add(id)
  return { count, of, hash: content.digest(['images']) }
}

export interface WordContext {
  readonly metric: string
  /** k */
  readonly references: number
  readonly images: ImageRecord
  /** The single word of the figure, or what the figure is a mean over. */
  readonly words: string | VocabularyRecord
  /** Default: none. */
  readonly parameters?: Readonly<Record<string, string>>
  readonly method: WordMethod
}

/** How the interval of a figure of words was made. */
export interface WordMethod extends Pick<ProvenanceRecord, 'interval' | 'seed'> {}

/** Words, in any order. */
export interface VocabularyRecord {
  readonly count: number
  readonly hash: string
}

export function recordVocabulary(words: Iterable<string>): VocabularyRecord {
  const content = createContentHash()
  let count = 0
  for (const word of words) {
    content.add(word)
    count++
  }
  return { count, hash: content.digest(['vocabulary']) }
}

/** The images of figures of words: those with K captions, of which a system may lack some. */
export function wordImages({ imageCount, excludedImageCount }: Dataset, system: System | null): ImageRecord {
  const of = imageCount - excludedImageCount
  const missing = system?.missingCountedCount ?? 0
  // Which ones are missing follows from the content of the system.
  return { count: Math.max(0, of - missing), of, hash: missing === 0 ? null : (system?.content ?? '') }
}

/** How a figure of words was made, of a system or of people. */
export function recordWords(
  { revision, wordRevision, tokenizer, language }: Dataset,
  system: System | null,
  { metric, references, images, words, parameters, method }: WordContext,
): ProvenanceRecord {
  const isSingle = typeof words === 'string'
  return {
    dataset: revision,
    subject:
      system === null ? { kind: 'people', content: revision } : { kind: 'system', content: system.content },
    family: 'words',
    metric,
    revision: (system === null ? wordRevision : system.wordRevision) ?? WORD_REVISION,
    parameters: { ...(isSingle ? { word: words } : { words: String(words.count) }), ...parameters },
    resources: isSingle ? {} : { vocabulary: words.hash },
    tokenizer,
    language,
    text: 'tokens',
    documentFrequencies: null,
    references: { count: references, least: references, most: references, folds: null },
    images,
    ...method,
    layoutRevision: null,
  }
}
