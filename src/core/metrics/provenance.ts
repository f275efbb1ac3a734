import type { UndefinedReason } from '../../shared/undefined-reason.js'
/**
 * How a figure was made, as data. Two figures are ranked or tested against each other only where their records agree
 * in everything but the subject; {@link findDifference} says why others are not. The version of the package decides nothing.
 */
import { ENGLISH, versionOf } from '../text/tokenization.js'
import type { Metric, MetricFamily } from './metric.js'
import type { ResourceName } from './resources.js'

/**
 * Revision of the statistics of words: counts, human precision and recall, PHR and average precision. Increased whenever
 * the same captions or scores get other figures.
 */
export const WORD_REVISION = 1

export interface ProvenanceRecord {
  /** Content hash of the dataset. */
  readonly dataset: string
  /** What was measured, and the hash of its captions or scores; of people the hash of the dataset. */
  readonly subject: { readonly kind: 'system' | 'people' | 'judgements'; readonly content: string }
  readonly family: string
  readonly metric: string
  /** Of the metric. */
  readonly revision: number
  readonly parameters: Readonly<Record<string, string>>
  /** Content hashes by name of the resource. */
  readonly resources: Readonly<Record<string, string>>
  /** With its version, see tokenization.ts. */
  readonly tokenizer: string
  /** BCP 47. */
  readonly language: string
  /** What the metric reads of captions; `external`: what another program does. */
  readonly text: 'tokens' | 'raw' | 'external'
  /** Null where the metric uses none. */
  readonly documentFrequencies: DocumentFrequencySource | null
  readonly references: ReferenceRecord
  readonly images: ImageRecord
  /** How the interval was made (`IntervalMethod` in src/core/stats/jackknife.ts); null where there is none. */
  readonly interval: string | null
  /** Of random groups of images, and of random selections; null where nothing is random. */
  readonly seed: number | null
  /** Of the stored rows of statistics; null where there are none. */
  readonly layoutRevision: number | null
}

/** The images that document frequencies were counted in, with which of their captions. */
export interface DocumentFrequencySource {
  /** Equal where the same captions of the same images were counted. */
  readonly hash: string
  readonly imageCount: number
  /**
   * The references themselves; those of each fold, of the whole dataset; all captions of a dataset that was named; the
   * built-in ones of COCO val2017; those of a file.
   */
  readonly source: 'own' | 'fold' | 'dataset' | 'coco' | 'file'
}

/** References per image. */
export interface ReferenceRange {
  readonly least: number
  readonly most: number
  /** K, where the figure is a mean over folds. */
  readonly folds: number | null
}

export interface ReferenceRecord extends ReferenceRange {
  /** k; null where an image has all of its captions as references. */
  readonly count: number | null
}

export interface ImageRecord {
  readonly count: number
  /** Images of the dataset that a complete system has. */
  readonly of: number
  /** Hash of their ids; null where `count` is `of`. */
  readonly hash: string | null
}

/** Whether the figure leaves out images that a complete system has. */
export function isPartial({ images }: ProvenanceRecord): boolean {
  return images.count < images.of
}

/**
 * What decides whether figures can be compared, in the order in which a difference is reported. Figures that are computed
 * again on the images that both have may differ in what is marked with `recomputed`.
 */
const ASPECTS: readonly {
  readonly reason: UndefinedReason
  readonly recomputed?: true
  readonly of: (record: ProvenanceRecord) => unknown
}[] = [
  { reason: 'OTHER_DATASET', of: ({ dataset }) => dataset },
  { reason: 'OTHER_METRIC', of: ({ family, metric, text }) => [family, metric, text] },
  { reason: 'OTHER_REVISION', of: ({ revision }) => revision },
  { reason: 'OTHER_PARAMETERS', of: ({ parameters }) => parameters },
  { reason: 'OTHER_RESOURCES', of: ({ resources }) => resources },
  { reason: 'OTHER_TOKENIZER', of: ({ tokenizer, language }) => [tokenizer, language] },
  { reason: 'OTHER_REFERENCES', of: ({ references: { count, folds } }) => [count, folds] },
  { reason: 'OTHER_IMAGES', recomputed: true, of: ({ images }) => images },
  {
    reason: 'OTHER_DOCUMENT_FREQUENCIES',
    of: ({ documentFrequencies: df }) => df && [df.hash, df.imageCount],
  },
  { reason: 'OTHER_REFERENCES', recomputed: true, of: ({ references: { least, most } }) => [least, most] },
  { reason: 'OTHER_LAYOUT', of: ({ layoutRevision }) => layoutRevision },
  { reason: 'OTHER_INTERVALS', recomputed: true, of: ({ interval, seed }) => [interval, seed] },
]

interface ComparedOn {
  /** Whether the figures are computed again on the images that both have. */
  readonly sharedImages: boolean
}

/** Equal for figures that can be compared: the record without its subject. */
export function comparisonKey(record: ProvenanceRecord, { sharedImages }: ComparedOn): string {
  return canonicalJson(decisive(sharedImages).map(({ of }) => of(record)))
}

/** Why two figures cannot be compared; null where they can be. */
export function findDifference(
  one: ProvenanceRecord,
  other: ProvenanceRecord,
  { sharedImages }: ComparedOn,
): UndefinedReason | null {
  const differs = ({ of }: (typeof ASPECTS)[number]) => canonicalJson(of(one)) !== canonicalJson(of(other))
  const reason = decisive(sharedImages).find(differs)?.reason ?? null
  return reason === 'OTHER_IMAGES' && isPartial(one) !== isPartial(other) ? 'PARTIAL' : reason
}

function decisive(sharedImages: boolean) {
  return ASPECTS.filter(({ recomputed }) => !(recomputed && sharedImages))
}

/** Images from which on document frequencies of the measured images hardly change with their number. */
export const ENOUGH_DOCUMENTS = 5000

/**
 * Whether the document frequencies of a score are those of the images that it is over. Then its 95 % interval covers the score of
 * many images in .83, .72, .69 of samples of 30, 100, 1,000 images and in about .78 of samples of 5,000, that of people in .79, .57,
 * .52 (bench/SIMULATION.md): it is not reported. Differences of scores with the same document frequencies are covered.
 */
export function hasOwnDocuments({
  documentFrequencies: df,
  images,
}: Pick<ProvenanceRecord, 'documentFrequencies' | 'images'>): boolean {
  if (df === null) return false
  return (
    df.source === 'own' || df.source === 'fold' || (df.source === 'dataset' && df.imageCount <= images.count)
  )
}

/**
 * Whether a score has the document frequencies that are meant; one without any has.
 *
 * @param hash of a table. Absent: those of the measured images
 */
export function hasDocuments(
  { documentFrequencies: df }: Pick<ProvenanceRecord, 'documentFrequencies'>,
  hash: string | undefined,
): boolean {
  if (df === null) return true
  return hash === undefined ? df.source === 'own' || df.source === 'fold' : df.hash === hash
}

/** JSON with sorted keys and no blanks: equal values are equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
}

/** Hexadecimal digits of a hash that signatures show. */
const SHORT_HASH = 8

/**
 * The record in one line: the metric and its parameters, where document frequencies come from, references per image,
 * images, tokenizer, language where it is not English, dataset, resources, revisions, how the interval was made, seed; and the version of Accord.
 *
 *     CIDEr-D|n:4|sigma:6|df:own-1a2b3c4d|refs:5-7|images:5000|tok:ptb-3.4.1|data:0f1e2d3c|rev:1|layout:1|ci:jackknife|version:1.0.0
 *
 * Document frequencies are followed by their hash, and by the number of images where these are not those of the
 * score. A mean over folds has `folds`; a score of a part of the images has the number of all, and a hash of the part.
 * Scores of another program begin with `external:` and have no tokenizer.
 */
export function signatureOf(record: ProvenanceRecord, version: string): string {
  const { references, images, documentFrequencies: df } = record
  const isExternal = record.text === 'external'
  return joinFields(nameInSignature(record.metric, isExternal), [
    ...Object.entries(record.parameters),
    df && [
      'df',
      `${df.source}-${short(df.hash)}${df.imageCount === images.count ? '' : `/${df.imageCount}`}`,
    ],
    ['refs', referenceRange(references)],
    references.folds !== null && ['folds', String(references.folds)],
    [
      'images',
      images.hash === null ? String(images.count) : `${images.count}/${images.of}-${short(images.hash)}`,
    ],
    !isExternal && ['tok', record.tokenizer],
    record.language !== 'en' && ['lang', record.language],
    record.text === 'raw' && ['text', 'raw'],
    ['data', short(record.dataset)],
    ...Object.entries(record.resources).map(([name, hash]) => ['res', `${name}-${short(hash)}`] as const),
    ['rev', String(record.revision)],
    record.layoutRevision !== null && ['layout', String(record.layoutRevision)],
    record.interval !== null && ['ci', record.interval],
    record.seed !== null && ['seed', String(record.seed)],
    ['version', version],
  ])
}

/** The part of a signature that does not depend on captions. */
export function metricSignature(
  { needs }: Pick<MetricFamily, 'needs'>,
  { name, parameters, revision }: Metric,
  { tokenizer, version }: { readonly tokenizer: string; readonly version: string },
): string {
  const isExternal = needs.text === 'external'
  return joinFields(nameInSignature(name, isExternal), [
    ...Object.entries(parameters),
    needs.documentFrequencies && ['df', 'own'],
    !isExternal && ['tok', tokenizer],
    ['rev', String(revision)],
    ['version', version],
  ])
}

/** What decides the scores of a metric of English captions, apart from these: a composite metric is valid for features of equal signatures. */
export function featureSignature(
  { needs }: Pick<MetricFamily, 'needs'>,
  { name, parameters, revision }: Metric,
  contentHash: (resource: ResourceName) => string,
): string {
  const isExternal = needs.text === 'external'
  return joinFields(nameInSignature(name, isExternal), [
    ...Object.entries(parameters),
    needs.documentFrequencies && ['df', 'own'],
    !isExternal && ['tok', versionOf(ENGLISH)],
    ...needs.resources.map((resource) => ['res', `${resource}-${short(contentHash(resource))}`] as const),
    ['rev', String(revision)],
  ])
}

function nameInSignature(metric: string, isExternal: boolean): string {
  return isExternal ? `external:${metric}` : metric
}

type Field = readonly [name: string, value: string]

function joinFields(metric: string, fields: readonly (Field | false | null)[]): string {
  return [metric, ...fields.filter(Boolean).map((field) => (field as Field).join(':'))].join('|')
}

/** `5`, or `5-7` where it varies. */
function referenceRange({ least, most }: ReferenceRange): string {
  return least === most ? String(least) : `${least}-${most}`
}

function short(hash: string): string {
  return hash.slice(0, SHORT_HASH)
}
