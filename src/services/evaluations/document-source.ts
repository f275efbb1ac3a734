import type { Threads } from '../../compute/pool.js'
import { type HashedFrequencies, hashFrequencies } from '../../core/metrics/hashed-frequencies.js'
import {
  type DocumentFrequencySource,
  ENOUGH_DOCUMENTS,
  type ProvenanceRecord,
} from '../../core/metrics/provenance.js'
import type { ReferenceLists } from '../../core/metrics/reference-lists.js'
import { nameLanguage } from '../../core/text/languages.js'
import { primaryLanguage } from '../../core/text/tokenization.js'
import { AccordError, quote } from '../../errors.js'
import {
  BUILT_IN_FREQUENCIES,
  type CountedTokens,
  decodeFrequencies,
  encodeFrequencies,
  type FrequencyFile,
  isFrequencyFile,
  readBuiltInFrequencies,
  readFrequencies,
} from '../../formats/words/frequencies.js'
import { counted } from '../../shared/numbers.js'
import { requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { countCaptionedImages } from '../../store/image-ranges.js'
import { readReferenceCaptions } from '../../store/images.js'
import { findFrequencies, saveFrequencies } from '../../store/metrics.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { createTextReader } from '../../store/tokens.js'
import { recordDocuments } from '../provenance/record-provenance.js'
import { isForEnglishTools } from '../shared/tokens.js'
import { type FileSource, withSource } from '../uploads/import-job.js'
import { countAll, IN_PROCESS, type Source } from './plan.js'
import { listAllReferences } from './reference-lists.js'

/** Where document frequencies come from, as the input of a job. Default: the system's own references. */
export interface DocumentSource {
  /** Name of the dataset in whose captions they are counted, or `coco` for the built-in ones. */
  readonly documents?: string
  /** Hash of those of a file, which are stored in the database, so that every worker has them. */
  readonly documentsHash?: string
}

/** What users name. @param name the name of a dataset or of a file on this machine, or `coco` */
export function documentsOf(name: string | undefined): DocumentOptions {
  if (name === undefined) return {}
  return isFrequencyFile(name) ? { documentsFile: { path: name } } : { documents: name }
}

/** A source of document frequencies. Default: the references of the measured images. */
export interface DocumentOptions {
  /** Name of a dataset, or `coco` for the built-in ones. */
  readonly documents?: string | null
  /** A file of `accord export frequencies` instead. */
  readonly documentsFile?: FileSource
}

/**
 * Checks the source of document frequencies, and stores those of a file.
 *
 * @throws AccordError UNKNOWN_DATASET; NOT_APPLICABLE for two sources; UNKNOWN_UPLOAD; errors of `readFrequencies`
 */
export async function requireDocuments(
  database: Session,
  { documents, documentsFile }: DocumentOptions,
): Promise<DocumentSource> {
  if (documentsFile !== undefined) {
    if (documents != null) throw twoSources()
    const table = await withSource(database, documentsFile, async (file) => readFrequencies(file))
    await saveFrequencies(database, table.hash, encodeFrequencies(table, table))
    return { documentsHash: table.hash }
  }
  if (documents == null) return {}
  if (documents !== BUILT_IN_FREQUENCIES) await requireDataset(database, documents)
  return { documents }
}

/**
 * Folds count their own document frequencies, unless these are not counted at all: those of a dataset would include the
 * captions that are held out.
 *
 * @throws AccordError NOT_APPLICABLE for the name of a dataset
 */
export function requireFixedDocuments({ documents }: DocumentSource): void {
  if (documents === undefined || documents === BUILT_IN_FREQUENCIES) return
  throw new AccordError('NOT_APPLICABLE', 'on folds, the document frequencies of a dataset cannot be used', {
    source: 'documents',
    expected: `${BUILT_IN_FREQUENCIES}, a file of document frequencies, or none: those of each fold`,
    found: JSON.stringify(documents),
  })
}

function twoSources(): AccordError {
  return new AccordError('NOT_APPLICABLE', 'two sources of document frequencies', {
    source: 'documents',
    expected: 'a name or a file, not both',
  })
}

/** Document frequencies that are not counted in a dataset. */
export interface FixedDocuments {
  readonly table: HashedFrequencies
  readonly record: DocumentFrequencySource
  /** Of the captions that they were counted in. */
  readonly counted: CountedTokens
}

/**
 * Document frequencies, and captions of training, are of captions in the same language that were tokenized alike.
 *
 * @param source what was counted
 * @throws AccordError LANGUAGE_NOT_SUPPORTED; NOT_APPLICABLE for another tokenizer
 */
export function requireSameTokens(
  counted: CountedTokens,
  measured: CountedTokens,
  source: 'document frequencies' | 'training dataset' = 'document frequencies',
): void {
  const describe = ({ language, tokenizer }: CountedTokens) =>
    `captions in ${nameLanguage(language)} (${language}), tokenizer ${tokenizer}`
  const expected = `${source} of ${describe(measured)}`
  const found = describe(counted)
  const detail = { source, expected, found }
  if (primaryLanguage(counted.language) !== primaryLanguage(measured.language))
    throw new AccordError('LANGUAGE_NOT_SUPPORTED', `${source} of another language`, detail)
  if (counted.tokenizer !== measured.tokenizer)
    throw new AccordError('NOT_APPLICABLE', `${source} of other tokens`, detail)
}

/** Metrics whose scores with document frequencies of the measured images have no interval, but with the built-in ones have one. */
const BESIDE_BUILT_IN: readonly string[] = ['CIDEr', 'CIDEr-D', 'SPIDEr']

/**
 * Those of the metrics that are also computed with the built-in document frequencies: the score that the reference toolkit prints
 * has no interval, the other one has.
 *
 * @param isOwn whether document frequencies are those of the measured images
 */
export function metricsBesideBuiltIn(
  metrics: readonly string[],
  isOwn: boolean,
  tokens: CountedTokens,
): string[] {
  return isOwn && isForEnglishTools(tokens) ? metrics.filter((name) => BESIDE_BUILT_IN.includes(name)) : []
}

/** Those that a name stands for without a database: the built-in ones or those of a file; null for the name of a dataset. */
export function namedDocuments(name: string): FixedDocuments | null {
  if (name === BUILT_IN_FREQUENCIES) return builtInDocuments()
  return isFrequencyFile(name) ? fixDocuments(readFrequencies(name), 'file') : null
}

export function builtInDocuments(): FixedDocuments {
  return fixDocuments(readBuiltInFrequencies(), 'coco')
}

function fixDocuments(table: FrequencyFile, source: 'coco' | 'file'): FixedDocuments {
  return { table, record: { hash: table.hash, imageCount: table.imageCount, source }, counted: table }
}

/** The table of a source that is not counted, or null. */
export async function readDocuments(
  session: Session,
  { documents, documentsHash }: DocumentSource,
): Promise<FixedDocuments | null> {
  if (documents === BUILT_IN_FREQUENCIES) return builtInDocuments()
  if (documentsHash === undefined) return null
  const content = await findFrequencies(session, documentsHash)
  return fixDocuments(decodeFrequencies(content, documentsHash), 'file')
}

/** What to know when reading a difference of scores. @param imageCount of the document frequencies; null without them */
export function differenceFrequencyNotes(imageCount: number | null): string[] {
  if (imageCount === null || imageCount >= ENOUGH_DOCUMENTS) return []
  return [
    `Document frequencies of ${counted(imageCount, 'image')}: the scores are higher than with many. Both sides have the same ones, so that the difference hardly depends on it, and its interval covers the difference of many images.`,
  ]
}

/** What to know when reading scores. @param records of how they were made */
export function frequencyNotes(
  records: readonly Pick<ProvenanceRecord, 'documentFrequencies' | 'language'>[],
): string[] {
  const counts = records.flatMap(({ documentFrequencies: df }) => df?.imageCount ?? [])
  const isEnglish = records.every(({ language }) => primaryLanguage(language) === 'en')
  const few = [...new Set(counts)].filter((count) => count < ENOUGH_DOCUMENTS)
  return few.map(
    (count) =>
      `Document frequencies of ${counted(count, 'image')}: CIDEr, CIDEr-D and SPIDEr are higher than with many (on COCO` +
      ' CIDEr-D by 20 % with 10 images, 14 % with 100, 4 % with 1,000).' +
      (isEnglish ? ' The built-in document frequencies `coco` were counted on 5,000 images.' : ''),
  )
}

/**
 * All captions of a dataset, in which document frequencies are counted.
 *
 * @throws AccordError NOT_APPLICABLE for a dataset without captions
 */
export async function captionsOf(
  session: Session,
  dataset: Dataset,
  readTexts = createTextReader(session),
): Promise<Source<ReferenceLists>> {
  const images = captioned(dataset)
  const imageCount = await countCaptionedImages(session, images)
  if (imageCount === 0) throw noCaptions(dataset)
  return {
    images,
    imageCount,
    async read(range) {
      const captions = await readReferenceCaptions(session, dataset.id, range)
      const { imageIds, lists } = listAllReferences(captions)
      return { corpus: { ...captions.sequences, texts: await readTexts() }, trials: [lists], imageIds }
    },
  }
}

function noCaptions({ name }: Dataset): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the dataset has no captions', {
    source: 'document frequencies',
    found: quote(name),
  })
}

function captioned({ id }: Dataset) {
  return { datasetId: id, minCaptionCount: 1 }
}

/** How document frequencies of all captions of a dataset are recorded. */
export async function recordDataset(session: Session, dataset: Dataset): Promise<DocumentFrequencySource> {
  const count = await countCaptionedImages(session, captioned(dataset))
  return recordDocuments(dataset.revision, { count, hash: null }, 'dataset')
}

/** The hash that scores with these document frequencies record; undefined for those of the measured images. */
export async function hashOfDocuments(
  session: Session,
  { documents, documentsHash }: DocumentSource,
): Promise<string | undefined> {
  if (documents === undefined) return documentsHash
  const fixed = await readDocuments(session, { documents })
  return (fixed?.record ?? (await recordDataset(session, await requireDataset(session, documents)))).hash
}

/** The document frequencies of all captions of a dataset. @throws AccordError NOT_APPLICABLE if it has none */
export async function hashDataset(
  session: Session,
  threads: Threads,
  dataset: Dataset,
): Promise<HashedFrequencies> {
  const [table] = await countAll(session, threads, await captionsOf(session, dataset), IN_PROCESS, () => {})
  return hashFrequencies(table, await createTextReader(session)())
}
