import { imagesOfWords, wordsById } from '../../services/words/words.js'
import type { PageRequest } from '../../store/engine/keyset.js'
import type { Word } from '../../store/schema/entities.js'
import { defineLoader, defineRowLoader } from '../execution/loader.js'

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
