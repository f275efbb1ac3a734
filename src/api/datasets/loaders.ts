import { datasetsById, datasetsByName } from '../../services/datasets/datasets.js'
import { vocabularyRecord } from '../../services/evaluations/provenance.js'
import type { WordChoice } from '../../services/words/vocabulary.js'
import { meansOverWords } from '../../services/words/word-means.js'
import type { Dataset, System } from '../../store/schema/entities.js'
import { defineLoader, defineRowLoader } from '../execution/loader.js'

export const loadDataset = defineRowLoader(datasetsById)

export const loadDatasetByName = defineLoader({
  part: (name: string) => name,
  read: datasetsByName,
  absent: null,
})

/** Words of a dataset that means are taken over. */
export interface VocabularyKey extends WordChoice {
  readonly dataset: Dataset
}

/** The vocabulary, as the provenance of means over it names it. */
export const loadVocabulary = defineLoader({
  part: toVocabularyKey,
  group: toVocabularyKey,
  read: async (accord, [part], [{ dataset, ...choice }]) =>
    new Map([[part, await vocabularyRecord(accord, dataset, choice)]]),
  absent: null,
})

/** Means over a vocabulary with their intervals, of a system or of people where it is null; all systems by one job. */
export const loadWordMeans = defineLoader({
  part: ({ system }: VocabularyKey & { system: System | null; references?: number | null }) =>
    system?.id ?? 0,
  group: ({ references, ...key }) => [toVocabularyKey(key), references],
  async read(accord, ids, keys, { client, outside }) {
    const [{ dataset, references, partOfSpeech, vocabularyOf }] = keys
    const systems = keys.map(({ system }) => system)
    const means = await outside(
      meansOverWords(accord, dataset, systems, { references, partOfSpeech, vocabularyOf }, client),
    )
    return new Map(ids.map((id, index) => [id, means[index]]))
  },
  absent: [],
})

function toVocabularyKey({ dataset, partOfSpeech, vocabularyOf }: VocabularyKey): string {
  return JSON.stringify([dataset.id, partOfSpeech ?? null, vocabularyOf ?? null])
}
