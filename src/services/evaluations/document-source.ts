import type { Threads } from '../../compute/pool.js'
import { type HashedFrequencies, hashFrequencies } from '../../core/metrics/hashed-frequencies.js'
import type { DocumentFrequencySource } from '../../core/metrics/provenance.js'
import type { ReferenceLists } from '../../core/metrics/reference-lists.js'
import { AccordError, quote } from '../../errors.js'
import {
  BUILT_IN_FREQUENCIES,
  decodeFrequencies,
  encodeFrequencies,
  isFrequencyFile,
  readFrequencies,
} from '../../formats/words/frequencies.js'
import { requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { countCaptionedImages } from '../../store/image-ranges.js'
import { readReferenceCaptions } from '../../store/images.js'
import { findFrequencies, saveFrequencies } from '../../store/metrics.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { createTextReader } from '../../store/tokens.js'
import { recordDocuments } from '../provenance/record-provenance.js'
import { type FileSource, withSource } from '../uploads/import-job.js'
import { builtInDocuments, type FixedDocuments, fixDocuments } from './fixed-documents.js'
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
