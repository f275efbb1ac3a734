import { imagesOfWords, wordsById } from '../../services/words/words.js'
import type { Page, PageRequest } from '../../store/engine/keyset.js'
import type { Image, Word } from '../../store/schema/entities.js'
import { defineLoader, defineRowLoader } from '../execution/loader.js'

export const loadWord = defineRowLoader(wordsById)

/** A page of the images in which exactly `captionCount` captions use the word; at least one if it is undefined. */
export const loadImagesOfWord = defineLoader<
  { readonly word: Word; readonly captionCount: number | undefined; readonly request: PageRequest },
  number,
  Page<Image>
>({
  group: ({ captionCount, request }) => JSON.stringify([captionCount, request]),
  part: ({ word }) => word.id,
  read: (accord, keys) =>
    imagesOfWords(
      accord,
      keys.map(({ word }) => word),
      keys[0].captionCount,
      keys[0].request,
    ),
  absent: { rows: [], hasNextPage: false, hasPreviousPage: false },
})
