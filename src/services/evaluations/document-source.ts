import type { HashedFrequencies } from '../../core/metrics/hashed-frequencies.js'
import type { DocumentFrequencySource } from '../../core/metrics/provenance.js'
import { AccordError } from '../../errors.js'
import {
  BUILT_IN_FREQUENCIES,
  decodeFrequencies,
  encodeFrequencies,
  type FrequencyFile,
  isFrequencyFile,
  readBuiltInFrequencies,
  readFrequencies,
} from '../../formats/words/frequencies.js'
import { requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { findFrequencies, saveFrequencies } from '../../store/frequencies.js'
import { type FileSource, withSource } from '../imports/import-job.js'

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
    await saveFrequencies(database, table.hash, encodeFrequencies(table))
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
}

/** Those that a name stands for without a database: the built-in ones or those of a file; null for the name of a dataset. */
export function namedDocuments(name: string): FixedDocuments | null {
  if (name === BUILT_IN_FREQUENCIES) return fixDocuments(readBuiltInFrequencies(), 'coco')
  return isFrequencyFile(name) ? fixDocuments(readFrequencies(name), 'file') : null
}

function fixDocuments(table: FrequencyFile, source: 'coco' | 'file'): FixedDocuments {
  return { table, record: { hash: table.hash, imageCount: table.imageCount, source } }
}

/** The table of a source that is not counted, or null. */
export async function readDocuments(
  session: Session,
  { documents, documentsHash }: DocumentSource,
): Promise<FixedDocuments | null> {
  if (documents === BUILT_IN_FREQUENCIES) return fixDocuments(readBuiltInFrequencies(), 'coco')
  if (documentsHash === undefined) return null
  const content = await findFrequencies(session, documentsHash)
  return fixDocuments(decodeFrequencies(content, documentsHash), 'file')
}

/** Below this number of images, document frequencies make scores depend on it. */
const ENOUGH_IMAGES = 5000

/** What to know when reading a difference of scores. @param imageCount of the document frequencies; null without them */
export function differenceFrequencyNotes(imageCount: number | null): string[] {
  if (imageCount === null || imageCount >= ENOUGH_IMAGES) return []
  return [
    `Document frequencies of ${imageCount.toLocaleString('en')} images: the scores are higher than with many. Both sides have the same ones, so that the difference hardly depends on it, and its interval covers the difference of many images.`,
  ]
}

/** What to know when reading scores. @param imageCounts of their document frequencies; null or undefined without them */
export function frequencyNotes(imageCounts: readonly (number | null | undefined)[]): string[] {
  const few = imageCounts.filter((count): count is number => count != null && count < ENOUGH_IMAGES)
  if (few.length === 0) return []
  return [
    `Document frequencies of ${Math.min(...few).toLocaleString('en')} images: CIDEr, CIDEr-D and SPIDEr are higher than with many (on COCO` +
      ' CIDEr-D by 20 % with 10 images, 14 % with 100, 4 % with 1,000), and intervals do not cover it.' +
      ' The built-in document frequencies `coco` were counted on 5,000 images.',
  ]
}
