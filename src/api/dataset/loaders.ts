import { type Dataset, datasetsById, datasetsByName } from '../../services/datasets.js'
import { type VocabularyRecord, vocabularyRecord } from '../../services/provenance.js'
import type { PartOfSpeech } from '../../text/part-of-speech.js'
import { defineLoader, defineRowLoader } from '../loader.js'

export const loadDataset = defineRowLoader(datasetsById)

export const loadDatasetByName = defineLoader<string, string, Dataset | null>({
  part: (name) => name,
  read: datasetsByName,
  absent: null,
})

/** Words of a dataset that means are taken over. */
export interface VocabularyKey {
  readonly dataset: Dataset
  readonly partOfSpeech?: readonly PartOfSpeech[] | null
}

/** The vocabulary, as the provenance of means over it names it. */
export const loadVocabulary = defineLoader<VocabularyKey, string, VocabularyRecord | null>({
  group: toVocabularyKey,
  part: toVocabularyKey,
  read: async (accord, [key]) =>
    new Map([[toVocabularyKey(key), await vocabularyRecord(accord, key.dataset, key.partOfSpeech)]]),
  absent: null,
})

function toVocabularyKey({ dataset, partOfSpeech }: VocabularyKey): string {
  return JSON.stringify([dataset.id, partOfSpeech ?? null])
}
