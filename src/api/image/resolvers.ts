import { toInt32Array } from '../../store/blobs.js'
import type { Context } from '../context.js'
import { toGlobalId } from '../ids.js'
import { humanCaptionScores, systemCaptionScores } from '../metric/caption-scores.js'
import { present } from '../present.js'
import type { CaptionResolvers, ImageResolvers, SystemCaptionResolvers } from '../schema-types.js'
import { wordsOfImage } from './words.js'

export const Image: ImageResolvers = {
  id: ({ id }) => toGlobalId('Image', id),
  captions: ({ id }, _args, { loaders }) => loaders.captions.load(id),
  systemCaptions: ({ id }, { systems }, { loaders }) =>
    loaders.systemCaptions.load({ imageId: id, names: systems ?? undefined }),
  words: (image, _args, { loaders }) => wordsOfImage(image, loaders),
}

export const Caption: CaptionResolvers = {
  tokens: ({ tokens }, _args, context) => textsOf(tokens, context),
  scores: (caption, { metrics: names }, context) => humanCaptionScores(caption, names, context),
}

export const SystemCaption: SystemCaptionResolvers = {
  system: ({ systemId }, _args, { loaders }) => loaders.system.load(systemId).then(present),
  image: ({ imageId }, _args, { loaders }) => loaders.image.load(imageId).then(present),
  tokens: ({ tokens }, _args, context) => textsOf(tokens, context),
  scores: (caption, { metrics: names }, context) => systemCaptionScores(caption, names, context),
}

function textsOf(tokens: Buffer, { loaders }: Context): Promise<string[]> {
  return loaders.tokenTexts.load(toInt32Array(tokens))
}
