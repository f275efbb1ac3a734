import type { PartOfSpeech } from '../../core/text/part-of-speech.js'
import { datasetsById, datasetsByName } from '../../services/datasets/datasets.js'
import { vocabularyRecord } from '../../services/evaluations/provenance.js'
import type { VocabularyRecord } from '../../services/evaluations/record-provenance.js'
import type { WordMean } from '../../services/words/compute-word-means.js'
import { meansOverWords } from '../../services/words/word-means.js'
import type { Dataset, System } from '../../store/schema/entities.js'
import { defineLoader, defineRowLoader } from '../execution/loader.js'

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

/** Means over a vocabulary with their intervals, of a system or of people where it is null; all systems by one job. */
export const loadWordMeans = defineLoader<
  VocabularyKey & { readonly system: System | null; readonly references?: number | null },
  number,
  readonly WordMean[]
>({
  group: ({ references, ...key }) => `${toVocabularyKey(key)} ${references ?? null}`,
  part: ({ system }) => system?.id ?? 0,
  async read(accord, keys, { client, outside }) {
    const [{ dataset, references, partOfSpeech }] = keys
    const systems = keys.map(({ system }) => system)
    const means = await outside(
      meansOverWords(accord, dataset, systems, { references, partOfSpeech }, client),
    )
    return new Map(systems.map((system, index) => [system?.id ?? 0, means[index]]))
  },
  absent: [],
})

function toVocabularyKey({ dataset, partOfSpeech }: VocabularyKey): string {
  return JSON.stringify([dataset.id, partOfSpeech ?? null])
}
