import type { SystemWordEstimates } from '../../core/agreement/system-word-intervals.js'
import type { PagedList } from '../../services/shared/paging.js'
import {
  type CurveInputs,
  curveInputs,
  resultsOfWords,
  systemsByDataset,
  systemsById,
  systemsByName,
  systemWords,
} from '../../services/systems/systems.js'
import { type Predict, predictionsByWord } from '../../services/words/mistakes.js'
import { type PhrSummary, phrSummaries, type UnscoredPhr, unscoredPhr } from '../../services/words/phr.js'
import type { VocabularyOptions } from '../../services/words/vocabulary.js'
import { systemWordEstimates } from '../../services/words/word-intervals.js'
import type { Dataset, System, SystemWord, Word } from '../../store/schema/entities.js'
import { defineLoader, defineRowLoader } from '../execution/loader.js'

export const loadSystem = defineRowLoader(systemsById)

/** The systems of a dataset, by name. */
export const loadSystemsOfDataset = defineLoader<
  { readonly datasetId: number; readonly includeBounds: boolean },
  number,
  readonly System[]
>({
  group: ({ includeBounds }) => String(includeBounds),
  part: ({ datasetId }) => datasetId,
  read: (accord, keys) =>
    systemsByDataset(
      accord,
      keys.map(({ datasetId }) => datasetId),
      keys[0].includeBounds,
    ),
  absent: [],
})

export const loadSystemByName = defineLoader<
  { readonly datasetId: number; readonly name: string },
  string,
  System | null
>({
  group: ({ datasetId }) => datasetId,
  part: ({ name }) => name,
  read: (accord, [{ datasetId }]) => systemsByName(accord, datasetId),
  absent: null,
})

export const loadSystemWord = defineLoader<
  { readonly systemId: number; readonly references: number; readonly wordId: number },
  number,
  SystemWord | null
>({
  group: ({ systemId, references }) => `${systemId} ${references}`,
  part: ({ wordId }) => wordId,
  read: (accord, keys) =>
    systemWords(
      accord,
      keys[0].systemId,
      keys[0].references,
      keys.map(({ wordId }) => wordId),
    ),
  absent: null,
})

/** The results of all systems on a word, by name of the system. k is null if no caption can be held out. */
export const loadResultsOfWord = defineLoader<
  { readonly word: Word; readonly references: number | null },
  number,
  PagedList<SystemWord> | null
>({
  group: ({ references }) => String(references),
  part: ({ word }) => word.id,
  read: (accord, keys) =>
    resultsOfWords(
      accord,
      keys.map(({ word }) => word),
      keys[0].references,
    ),
  absent: null,
})

/** Undefined for a word that the system has no scores for. */
export const loadCurveInputs = defineLoader<
  { readonly systemId: number; readonly wordId: number },
  number,
  CurveInputs | undefined
>({
  group: ({ systemId }) => systemId,
  part: ({ wordId }) => wordId,
  read: (accord, keys) =>
    curveInputs(
      accord,
      keys[0].systemId,
      keys.map(({ wordId }) => wordId),
    ),
  absent: undefined,
})

/** The figures of a word with their intervals. Null if the system has none. */
export const loadWordEstimates = defineLoader<
  { readonly dataset: Dataset; readonly system: System; readonly references: number; readonly word: Word },
  number,
  SystemWordEstimates | null
>({
  group: ({ system, references }) => `${system.id} ${references}`,
  part: ({ word }) => word.id,
  read(accord, keys, { turn }) {
    const [{ dataset, system, references }] = keys
    const words = keys.map(({ word }) => word)
    return systemWordEstimates(accord, dataset, system, words, { references, turn })
  },
  absent: null,
})

/** What a system predicts for a word, computed by the caller. Null if the system has no scores for it. */
export const loadPredictions = defineLoader<
  { readonly system: System; readonly wordId: number },
  number,
  Predict | null
>({
  group: ({ system }) => system.id,
  part: ({ wordId }) => wordId,
  read: (accord, keys) =>
    predictionsByWord(
      accord,
      keys[0].system,
      keys.map(({ wordId }) => wordId),
    ),
  absent: null,
})

/** How much of a mean PHR comes from images without a score. Null for systems without word scores. */
export const loadUnscoredPhr = defineLoader<
  VocabularyOptions & { readonly dataset: Dataset; readonly systemId: number },
  number,
  UnscoredPhr | null
>({
  group: ({ dataset, partOfSpeech, references }) => JSON.stringify([dataset.id, partOfSpeech, references]),
  part: ({ systemId }) => systemId,
  read: (accord, keys) =>
    unscoredPhr(
      accord,
      keys[0].dataset,
      keys.map(({ systemId }) => systemId),
      keys[0],
    ),
  absent: null,
})

export const loadPhrSummary = defineLoader<
  VocabularyOptions & { readonly dataset: Dataset; readonly systemId: number },
  number,
  PhrSummary | null
>({
  group: ({ dataset, partOfSpeech, references }) => JSON.stringify([dataset.id, partOfSpeech, references]),
  part: ({ systemId }) => systemId,
  read: (accord, keys) =>
    phrSummaries(
      accord,
      keys[0].dataset,
      keys.map(({ systemId }) => systemId),
      keys[0],
    ),
  absent: null,
})
