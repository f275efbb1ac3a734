import { agreementByDataset } from '../../services/agreement/agreement.js'
import { cachedSubsets } from '../../services/datasets/image-subsets.js'
import type { VocabularyOptions } from '../../services/datasets/vocabulary.js'
import { wordsPerCaptionBySystem } from '../../services/evaluations/caption-lengths.js'
import { foldScoresById, imageScoresById } from '../../services/evaluations/image-scores.js'
import { agreementStatisticsById, scoresBySystem, statisticsById } from '../../services/evaluations/scores.js'
import { provenanceById } from '../../services/provenance/word-provenance.js'
import * as systems from '../../services/systems/systems.js'
import { predictionsByWord } from '../../services/words/mistakes.js'
import { phrSummaries, unscoredPhr } from '../../services/words/phr.js'
import { systemWordEstimates } from '../../services/words/word-figures.js'
import { rateWords, type SystemWordRate } from '../../services/words/word-rates.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { defineLoader, defineRowLoader } from '../shared/loader.js'

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

/** The mean number of tokens of captions of a system; null for one without captions. */
export const loadWordsPerCaption = defineRowLoader(wordsPerCaptionBySystem)

/** How often a system uses words, beside people. */
export const loadWordRates = defineLoader({
  part: ({ system }: { dataset: Dataset; system: System }) => system.id,
  group: ({ dataset }) => dataset.id,
  async read(accord, _ids, keys, { turn }) {
    const rates = new Map<number, readonly SystemWordRate[]>()
    for (const { dataset, system } of keys)
      rates.set(system.id, await rateWords(accord, dataset, system, turn))
    return rates
  },
  absent: [],
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

/**
 * Corpus scores of a system, the newest of each metric: on folds of k references, or against all if they are null; with the
 * document frequencies of this hash, or of their own images.
 */
export const loadScores = defineLoader({
  part: ({ systemId }: { systemId: number; references: number | null; documents?: string }) => systemId,
  group: ({ references, documents = '' }) => `${references} ${documents}`,
  read: (accord, systemIds, [{ references, documents }]) =>
    scoresBySystem(accord, systemIds, references, documents),
  absent: [],
})

/** How a figure was computed. */
export const loadProvenance = defineRowLoader(provenanceById)
export const loadImageScores = defineRowLoader(imageScoresById)

/** The stored leave-one-out table of a dataset, by default with K − 1 references and document frequencies of
 * each fold. Empty before it has been computed. */
export const loadAgreement = defineLoader({
  part: ({ datasetId }: { datasetId: number; references?: number; documents?: string }) => datasetId,
  group: ({ references, documents = '' }) => `${references} ${documents}`,
  read: (accord, datasetIds, [{ references, documents }]) =>
    agreementByDataset(accord, datasetIds, references, documents),
  absent: [],
})

/** Image scores of all folds, by row of a leave-one-out table. */
export const loadFoldScores = defineRowLoader(foldScoresById)

/** The images of a dataset by the values of a field, which is unknown to others. */
export const loadSubsets = defineLoader({
  part: ({ field }: { dataset: Dataset; field: string }) => field,
  group: ({ dataset, field }) => [dataset.id, field],
  read: async ({ database }, [field], [{ dataset }]) =>
    new Map([[field, await cachedSubsets(database, dataset, field)]]),
  absent: [],
})

/** The rows of statistics of a corpus score, and of a row of a leave-one-out table. */
export const loadStatistics = defineRowLoader(statisticsById)
export const loadAgreementStatistics = defineRowLoader(agreementStatisticsById)
