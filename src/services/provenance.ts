import { chooseReferences } from '../agreement/references.js'
import { recordWords, wordImages } from '../jobs/provenance.js'
import { findDifference, type ProvenanceRecord, signatureOf } from '../metrics/provenance.js'
import { VERSION } from '../project.js'
import type { Dataset, System } from '../store/entities.js'
import { readProvenance } from '../store/provenance.js'
import type { PartOfSpeech } from '../text/part-of-speech.js'
import type { Accord } from './accord.js'
import { readVocabularyWords } from './vocabulary.js'

export { type IncomparableReason, incomparableReasons, type ProvenanceRecord } from '../metrics/provenance.js'

/** How figures were made, by id of the record. */
export function provenanceById(
  { database }: Accord,
  ids: readonly number[],
): Promise<Map<number, ProvenanceRecord>> {
  return readProvenance(database, ids)
}

export interface WordProvenanceOptions {
  readonly figure: 'PHR' | 'AVERAGE_PRECISION' | 'WORD_PRECISION' | 'WORD_RECALL'
  /** Null for people. */
  readonly system: System | null
  /** k. Default: K − 1. */
  readonly references?: number | null
  /** Default: all. */
  readonly partOfSpeech?: readonly PartOfSpeech[] | null
}

/**
 * How a mean over the words of a vocabulary was made.
 *
 * @throws AccordError OUT_OF_RANGE for `references`
 */
export async function wordProvenance(
  accord: Accord,
  dataset: Dataset,
  { figure, system, references, partOfSpeech }: WordProvenanceOptions,
): Promise<{ readonly record: ProvenanceRecord; readonly signature: string }> {
  const vocabulary = await readVocabularyWords(accord, dataset, partOfSpeech)
  const record = recordWords(dataset, system, {
    metric: figure,
    references: chooseReferences(dataset.captionsPerImage, references),
    images: wordImages(dataset, system),
    vocabulary: vocabulary.map(({ text }) => text),
  })
  return { record, signature: signatureOf(record, VERSION) }
}

/** Whether two figures can be shown beside each other: they were made in the same way, on the same images. */
export function areComparable(one: ProvenanceRecord | null, other: ProvenanceRecord | null): boolean {
  return findDifference(one, other, { sharedImages: false }) === null
}
