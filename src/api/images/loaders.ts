import {
  captionsById,
  captionsByImage,
  type ImageWord,
  imagesById,
  systemCaptionsById,
  systemCaptionsByImage,
  tokensOfCaptions,
  tokensOfSystemCaptions,
  wordsByImage,
} from '../../services/images/images.js'
import type { CaptionProperty, CaptionText } from '../../store/images.js'
import type { Image } from '../../store/schema/entities.js'
import type { SystemCaptionText, SystemSelection } from '../../store/systems.js'
import { defineListLoader, defineLoader, defineRowLoader } from '../execution/loader.js'

export const loadImage = defineRowLoader(imagesById)

export const loadCaption = defineRowLoader(captionsById)

export const loadSystemCaption = defineRowLoader(systemCaptionsById)

/** The human captions of an image, with some of their properties or, by default, all. */
export const loadCaptions = defineLoader<
  { readonly imageId: number; readonly only?: readonly CaptionProperty[] },
  number,
  readonly CaptionText[]
>({
  group: ({ only }) => only?.join() ?? '*',
  part: ({ imageId }) => imageId,
  read: (accord, keys) =>
    captionsByImage(
      accord,
      keys.map(({ imageId }) => imageId),
      keys[0].only,
    ),
  absent: [],
})

/** The captions of an image by systems. */
export const loadSystemCaptions = defineLoader<
  { readonly imageId: number; readonly systems: SystemSelection },
  number,
  readonly SystemCaptionText[]
>({
  group: ({ systems }) => JSON.stringify(systems),
  part: ({ imageId }) => imageId,
  read: (accord, keys) =>
    systemCaptionsByImage(
      accord,
      keys.map(({ imageId }) => imageId),
      keys[0].systems,
    ),
  absent: [],
})

/** The texts of the tokens of a human caption. */
export const loadTokens = defineListLoader(tokensOfCaptions)

/** The texts of the tokens of a system's caption. */
export const loadSystemTokens = defineListLoader(tokensOfSystemCaptions)

/** The words of the first K captions of an image. */
export const loadWordsOfImage = defineLoader<Image, number, readonly ImageWord[]>({
  part: ({ id }) => id,
  read: wordsByImage,
  absent: [],
})
