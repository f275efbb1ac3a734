import * as images from '../../services/images/images.js'
import type { Image } from '../../store/schema/entities.js'
import type { SystemSelection } from '../../store/systems.js'
import { defineListLoader, defineLoader, defineRowLoader } from '../execution/loader.js'

export const loadImage = defineRowLoader(images.imagesById)

export const loadCaption = defineRowLoader(images.captionsById)

export const loadSystemCaption = defineRowLoader(images.systemCaptionsById)

/** The human captions of an image. */
export const loadCaptions = defineListLoader(images.captionsByImage)

/** The captions of an image by systems. */
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
