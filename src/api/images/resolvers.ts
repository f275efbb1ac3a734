import { loadDataset } from '../datasets/loaders.js'
import { connectById } from '../execution/connection.js'
import { toGlobalId } from '../execution/ids.js'
import { present } from '../execution/present.js'
import type { CaptionResolvers, ImageResolvers, SystemCaptionResolvers } from '../execution/schema-types.js'
import { humanCaptionScores, systemCaptionScores } from '../scores/caption-scores.js'
import { loadSystem } from '../systems/loaders.js'
import {
  loadCaptions,
  loadImage,
  loadSystemCaptions,
  loadSystemTokens,
  loadTokens,
  loadWordsOfImage,
} from './loaders.js'

export const Image: ImageResolvers = {
  id: ({ id }) => toGlobalId('Image', id),
  dataset: ({ datasetId }, _args, context) => loadDataset(context, datasetId).then(present),
  // Pages that are served by https may not load pictures by http.
  url: ({ url }) => url?.replace(/^http:/i, 'https:') ?? null,
  captions: ({ id }, _args, context) => loadCaptions(context, id),
  systemCaptions: ({ id }, { systems, isBoundIncluded, ...page }, context) =>
    connectById(
      'captions of an image',
      loadSystemCaptions(context, {
        imageId: id,
        systems: { names: systems ?? undefined, isBoundIncluded: isBoundIncluded === true },
      }),
      page,
    ),
  words: (image, _args, context) => loadWordsOfImage(context, image),
}

export const Caption: CaptionResolvers = {
  id: ({ id }) => toGlobalId('Caption', id),
  image: ({ imageId }, _args, context) => loadImage(context, imageId).then(present),
  tokens: ({ id }, _args, context) => loadTokens(context, id),
  scores: (caption, { metrics }, context) => humanCaptionScores(caption, metrics, context),
}

export const SystemCaption: SystemCaptionResolvers = {
  id: ({ id }) => toGlobalId('SystemCaption', id),
  system: ({ systemId }, _args, context) => loadSystem(context, systemId).then(present),
  image: ({ imageId }, _args, context) => loadImage(context, imageId).then(present),
  tokens: ({ id }, _args, context) => loadSystemTokens(context, id),
  scores: (caption, args, context) => systemCaptionScores(caption, args, context),
}
