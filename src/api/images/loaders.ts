import {
  captionsById,
  captionsByImage,
  imagesById,
  systemCaptionsById,
  systemCaptionsByImage,
  tokensOfCaptions,
  tokensOfSystemCaptions,
  wordsByImage,
} from '../../services/images/images.js'
import type { CaptionProperty } from '../../store/images.js'
import type { Image } from '../../store/schema/entities.js'
import type { SystemSelection } from '../../store/systems.js'
import { defineListLoader, defineLoader, defineRowLoader } from '../execution/loader.js'

export const loadImage = defineRowLoader(imagesById)

export const loadCaption = defineRowLoader(captionsById)

export const loadSystemCaption = defineRowLoader(systemCaptionsById)

/** The human captions of an image, with some of their properties or, by default, all. */
export const loadCaptions = defineLoader({
  part: ({ imageId }: { imageId: number; only?: readonly CaptionProperty[] }) => imageId,
  group: ({ only }) => only,
  read: (accord, imageIds, [{ only }]) => captionsByImage(accord, imageIds, only),
  absent: [],
})

/** The captions of an image by systems. */
export const loadSystemCaptions = defineLoader({
  part: ({ imageId }: { imageId: number; systems: SystemSelection }) => imageId,
  group: ({ systems }) => systems,
  read: (accord, imageIds, [{ systems }]) => systemCaptionsByImage(accord, imageIds, systems),
  absent: [],
})

/** The texts of the tokens of a human caption. */
export const loadTokens = defineListLoader(tokensOfCaptions)

/** The texts of the tokens of a system's caption. */
export const loadSystemTokens = defineListLoader(tokensOfSystemCaptions)

/** The words of the first K captions of an image. */
export const loadWordsOfImage = defineLoader({
  part: ({ id }: Image) => id,
  read: (accord, _ids, images) => wordsByImage(accord, images),
  absent: [],
})
