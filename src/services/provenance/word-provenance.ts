import type { UsageModelKind } from '../../core/agreement/usage-model.js'
import { findDifference, type ProvenanceRecord, signatureOf } from '../../core/metrics/provenance.js'
import { groupedIntervals, THIRDS } from '../../core/stats/jackknife.js'
import { VERSION } from '../../project.js'
import { readProvenance } from '../../store/provenance-records.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { chooseReferences } from '../datasets/references.js'
import { readVocabularyWords, readWordsOfCaptions, type WordChoice } from '../datasets/vocabulary.js'
import type { Accord } from '../shared/accord.js'
import { ofDatabase } from '../shared/groups.js'
import {
  recordVocabulary,
  recordWords,
  SEED,
  type VocabularyRecord,
  wordImages,
} from './record-provenance.js'

/** How a figure was made. */
export interface Provenance {
  readonly record: ProvenanceRecord
  /** The record in one line. */
  readonly signature: string
}

/** How figures were made, by id of the record. */
export const provenanceById = ofDatabase(readProvenance)

/** The vocabulary, as records of means over it name it. @param isOfCaptions of means over the words of captions */
export async function vocabularyRecord(
  { database }: Accord,
  dataset: Dataset,
  choice: WordChoice = {},
  isOfCaptions = false,
): Promise<VocabularyRecord> {
  const words = isOfCaptions
    ? (await readWordsOfCaptions(database, dataset, choice)).words
    : await readVocabularyWords(database, dataset, choice)
  return recordVocabulary(words.map(({ text }) => text))
}

/** Whether the mean of a figure is over the words of captions, while one of people is held out. */
export function isHeldOut(system: System | null, figure: WordFigure): boolean {
  return system?.kind === 'CAPTIONS' && figure === 'WORD_PRECISION'
}

/** Figures of words. `PHR` of people is human precision over the words with human recall above 0. */
export type WordFigure = 'PHR' | 'AVERAGE_PRECISION' | 'WORD_PRECISION' | 'WORD_RECALL'

/** The figures that a system has, or people where it is null. */
export function wordFiguresOf(system: System | null): readonly WordFigure[] {
  switch (system?.kind) {
    case undefined:
      return ['WORD_PRECISION', 'WORD_RECALL', 'PHR']
    case 'WORD_SCORES':
      return ['PHR', 'AVERAGE_PRECISION']
    case 'CAPTIONS':
      return ['WORD_PRECISION', 'WORD_RECALL']
    case 'DESCRIPTIONS':
      return []
  }
}

/** Intervals by profile likelihood need no random groups of images. */
const PROFILE = { interval: 'profile', seed: null } as const

const NO_INTERVAL = { interval: null, seed: null } as const

export interface WordProvenanceOptions {
  readonly figure: WordFigure
  /** The single word, or the words that the figure is a mean over. */
  readonly words: string | VocabularyRecord
  /** k. Default: K − 1. */
  readonly references?: number | null
  /** Whether the record is of each of the words, people with intervals and systems without, instead of a mean. Default: false. */
  readonly areSingle?: boolean
  /** Whether a mean precision is that of people's captions while one is held out, as that of systems is. Default: false. */
  readonly areHeldOut?: boolean
}

/**
 * How a figure of one word, or a mean over words, was made: of a system, or of people where it is null.
 *
 * @throws AccordError OUT_OF_RANGE for `references`
 */
export function wordProvenance(
  dataset: Dataset,
  system: System | null,
  { figure, words, references, areHeldOut = false, areSingle = false }: WordProvenanceOptions,
): Provenance {
  const isOfCaptions = figure === 'WORD_PRECISION' || figure === 'WORD_RECALL'
  const division = areHeldOut || isHeldOut(system, figure) ? THIRDS : undefined
  return toProvenance(
    recordWords(dataset, system, {
      metric: figure,
      references: chooseReferences(dataset, references),
      images: wordImages(dataset, system),
      words,
      method:
        areSingle && system !== null
          ? NO_INTERVAL
          : (areSingle || typeof words === 'string') && isOfCaptions
            ? PROFILE
            : groupedIntervals(SEED, division),
    }),
  )
}

/** How the usage model of a word was fitted: to all K captions of each image. */
export function usageModelProvenance(dataset: Dataset, word: string, model: UsageModelKind): Provenance {
  return toProvenance(
    recordWords(dataset, null, {
      metric: 'USAGE_MODEL',
      references: dataset.captionsPerImage,
      images: wordImages(dataset, null),
      words: word,
      parameters: { model },
      method: PROFILE,
    }),
  )
}

/** How the goodness of fit of a usage model was made. @param references k */
export function usageFitProvenance(
  dataset: Dataset,
  words: VocabularyRecord,
  model: UsageModelKind,
  references: number,
): Provenance {
  return toProvenance(
    recordWords(dataset, null, {
      metric: 'USAGE_FIT',
      references,
      images: wordImages(dataset, null),
      words,
      parameters: { model },
      method: { interval: null, seed: FIT_SEED },
    }),
  )
}

/** Seed of the halves of the images of goodness of fit out of sample. */
export const FIT_SEED = 1

function toProvenance(record: ProvenanceRecord): Provenance {
  return { record, signature: signatureOf(record, VERSION) }
}

/** Whether two figures can be shown beside each other: they were made in the same way, on the same images. */
export function areComparable(one: ProvenanceRecord, other: ProvenanceRecord): boolean {
  return findDifference(one, other, { sharedImages: false }) === null
}
