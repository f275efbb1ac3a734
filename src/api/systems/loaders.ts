import * as systems from '../../services/systems/systems.js'
import { predictionsByWord } from '../../services/words/mistakes.js'
import { phrSummaries, unscoredPhr } from '../../services/words/phr.js'
import type { VocabularyOptions } from '../../services/words/vocabulary.js'
import { systemWordEstimates } from '../../services/words/word-intervals.js'
import type { Dataset, System, Word } from '../../store/schema/entities.js'
import { defineLoader, defineRowLoader } from '../execution/loader.js'

export const loadSystem = defineRowLoader(systems.systemsById)

/** The systems of a dataset, by name. */
export const loadSystemsOfDataset = defineLoader({
  part: ({ datasetId }: { datasetId: number; isBoundIncluded: boolean }) => datasetId,
  group: ({ isBoundIncluded }) => isBoundIncluded,
  read: (accord, datasetIds, [{ isBoundIncluded }]) =>
    systems.systemsByDataset(accord, datasetIds, isBoundIncluded),
  absent: [],
})

export const loadSystemByName = defineLoader({
  part: ({ name }: { datasetId: number; name: string }) => name,
  group: ({ datasetId }) => datasetId,
  read: (accord, _names, [{ datasetId }]) => systems.systemsByName(accord, datasetId),
  absent: null,
})

export const loadSystemWord = defineLoader({
  part: ({ wordId }: { systemId: number; references: number; wordId: number }) => wordId,
  group: ({ systemId, references }) => [systemId, references],
  read: (accord, wordIds, [{ systemId, references }]) =>
    systems.systemWords(accord, systemId, references, wordIds),
  absent: null,
})

/** The results of all systems on a word, by name of the system. k is null if no caption can be held out. */
export const loadResultsOfWord = defineLoader({
  part: ({ word }: { word: Word; references: number | null }) => word.id,
  group: ({ references }) => references,
  read: (accord, _ids, keys) => systems.resultsOfWords(accord, wordsOf(keys), keys[0].references),
  absent: null,
})

/** Undefined for a word that the system has no scores for. */
export const loadCurveInputs = defineLoader({
  part: ({ wordId }: { systemId: number; wordId: number }) => wordId,
  group: ({ systemId }) => systemId,
  read: (accord, wordIds, [{ systemId }]) => systems.curveInputs(accord, systemId, wordIds),
  absent: undefined,
})

/** The figures of a word with their intervals. Null if the system has none. */
export const loadWordEstimates = defineLoader({
  part: ({ word }: { dataset: Dataset; system: System; references: number; word: Word }) => word.id,
  group: ({ system, references }) => [system.id, references],
  read(accord, _ids, keys, { turn }) {
    const [{ dataset, system, references }] = keys
    return systemWordEstimates(accord, dataset, system, wordsOf(keys), { references, turn })
  },
  absent: null,
})

/** What a system predicts for a word, computed by the caller. Null if the system has no scores for it. */
export const loadPredictions = defineLoader({
  part: ({ wordId }: { system: System; wordId: number }) => wordId,
  group: ({ system }) => system.id,
  read: (accord, wordIds, [{ system }]) => predictionsByWord(accord, system, wordIds),
  absent: null,
})

/** A system's PHR over a vocabulary. */
const byVocabulary = {
  part: ({ systemId }: VocabularyOptions & { dataset: Dataset; systemId: number }) => systemId,
  group: ({ dataset, partOfSpeech, vocabularyOf, references }: VocabularyOptions & { dataset: Dataset }) => [
    dataset.id,
    partOfSpeech,
    vocabularyOf,
    references,
  ],
}

/** How much of a mean PHR comes from images without a score. Null for systems without word scores. */
export const loadUnscoredPhr = defineLoader({
  ...byVocabulary,
  read: (accord, systemIds, [key]) => unscoredPhr(accord, key.dataset, systemIds, key),
  absent: null,
})

export const loadPhrSummary = defineLoader({
  ...byVocabulary,
  read: (accord, systemIds, [key]) => phrSummaries(accord, key.dataset, systemIds, key),
  absent: null,
})

function wordsOf(keys: readonly { readonly word: Word }[]): Word[] {
  return keys.map(({ word }) => word)
}
