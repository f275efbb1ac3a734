import { datasetsById, datasetsByName } from '../../services/datasets/datasets.js'
import type { WordChoice } from '../../services/datasets/vocabulary.js'
import * as images from '../../services/images/images.js'
import { picturePaths } from '../../services/images/pictures.js'
import { vocabularyRecord } from '../../services/provenance/word-provenance.js'
import { isForEnglishTools } from '../../services/shared/tokens.js'
import { imagesOfWords, meansOverWords, wordsById } from '../../services/words/words.js'
import type { PageRequest } from '../../store/engine/keyset.js'
import type { Dataset, Image, Word } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import type { SystemSelection } from '../../store/systems.js'
import type { Context } from '../shared/context.js'
import { defineListLoader, defineLoader, defineRowLoader, present } from '../shared/loader.js'

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

/** The vocabulary, or the words of captions, as the provenance of means over them names it. */
export const loadVocabulary = defineLoader({
  part: toRecordKey,
  group: toRecordKey,
  read: async (accord, [part], [{ dataset, isOfCaptions = false, ...choice }]) =>
    new Map([[part, await vocabularyRecord(accord, dataset, choice, isOfCaptions)]]),
  absent: null,
})

interface WordMeansKey extends VocabularyKey {
  /** Null: people. */
  readonly system: System | null
  readonly references?: number | null
  readonly hasAveragePrecision: boolean
}

/** Means over a vocabulary with their intervals, of a system or of people where it is null; all systems by one job. */
export const loadWordMeans = defineLoader({
  part: ({ system }: WordMeansKey) => system?.id ?? 0,
  group: ({ references, hasAveragePrecision, ...key }) => [
    toVocabularyKey(key),
    references,
    hasAveragePrecision,
  ],
  async read(accord, ids, keys, { client, outside }) {
    const [{ dataset, references, hasAveragePrecision, partOfSpeech, vocabularyOf }] = keys
    const options = { references, hasAveragePrecision, partOfSpeech, vocabularyOf }
    const systems = keys.map(({ system }) => system)
    const means = await outside(meansOverWords(accord, dataset, systems, options, client))
    return new Map(ids.map((id, index) => [id, means[index]]))
  },
  absent: [],
})

function toRecordKey({ isOfCaptions = false, ...key }: VocabularyKey & { isOfCaptions?: boolean }): string {
  return JSON.stringify([toVocabularyKey(key), isOfCaptions])
}

function toVocabularyKey({ dataset, partOfSpeech, vocabularyOf }: VocabularyKey): string {
  return JSON.stringify([dataset.id, partOfSpeech ?? null, vocabularyOf ?? null])
}

export const loadImage = defineRowLoader(images.imagesById)
export const loadCaption = defineRowLoader(images.captionsById)
export const loadSystemCaption = defineRowLoader(images.systemCaptionsById)
export const loadCaptions = defineListLoader(images.captionsByImage)

export const loadSystemCaptions = defineLoader({
  part: ({ imageId }: { imageId: number; systems: SystemSelection }) => imageId,
  group: ({ systems }) => systems,
  read: (accord, imageIds, [{ systems }]) => images.systemCaptionsByImage(accord, imageIds, systems),
  absent: [],
})

/** The texts of the tokens of a human caption. */
export const loadTokens = defineListLoader(images.tokensOfCaptions)

/** The texts of the tokens of a system's caption. */
export const loadSystemTokens = defineListLoader(images.tokensOfSystemCaptions)

/** The words of the first K captions of an image. */
export const loadWordsOfImage = defineLoader({
  part: ({ id }: Image) => id,
  read: (accord, _ids, wanted) => images.wordsByImage(accord, wanted),
  absent: [],
})

/** The path of the picture of an image, by external id; null where it has none. */
export const loadPicture = defineLoader<{ datasetId: number; image: string }, string, string | null>({
  part: ({ image }) => image,
  group: ({ datasetId }) => datasetId,
  read: (accord, imageIds, [{ datasetId }]) => picturePaths(accord, datasetId, imageIds),
  absent: null,
})

export const loadWord = defineRowLoader(wordsById)

/** A page of the images in which exactly `captionCount` captions use the word; at least one if it is undefined. */
export const loadImagesOfWord = defineLoader({
  part: ({ word }: { word: Word; captionCount: number | undefined; request: PageRequest }) => word.id,
  group: ({ captionCount, request }) => [captionCount, request],
  read(accord, _ids, keys) {
    const [{ captionCount, request }] = keys
    const words = keys.map(({ word }) => word)
    return imagesOfWords(accord, words, captionCount, request)
  },
  absent: { rows: [], hasNextPage: false, hasPreviousPage: false },
})

/** Whether the parsers of English read the captions of an image. */
export async function isEnglishImage(context: Context, imageId: number): Promise<boolean> {
  const { datasetId } = present(await loadImage(context, imageId))
  return isForEnglishTools(present(await loadDataset(context, datasetId)))
}
