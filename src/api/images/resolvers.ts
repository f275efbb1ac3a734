import { scoreOfHeldOut, scoreOfImage } from '../../services/evaluations/image-scores.js'
import { pickMetrics } from '../../services/evaluations/metrics.js'
import { requireSystem } from '../../services/systems/systems.js'
import type { CaptionText } from '../../store/images.js'
import type { Image as ImageModel } from '../../store/schema/dataset-tables.js'
import type { SystemCaptionText } from '../../store/systems.js'
import * as datasets from '../loaders/datasets.js'
import {
  loadAgreement,
  loadFoldScores,
  loadImageScores,
  loadScores,
  loadSystemByName,
} from '../loaders/systems.js'
import { type CaptionScoreModel, chosenReferences, type ReferenceChoice } from '../scores/scores.js'
import { unusedArgument } from '../shared/arguments.js'
import type { Context } from '../shared/context.js'
import { present } from '../shared/loader.js'
import type * as schema from '../shared/schema-types.js'
import { connectBySystem } from '../systems/models.js'

/** The images of a dataset have ids that follow each other, in the order of the file. */
async function neighbour(context: Context, { id, datasetId }: ImageModel, step: 1 | -1) {
  const image = await datasets.loadImage(context, id + step)
  return image?.datasetId === datasetId ? image : null
}

export const Image: schema.ImageResolvers = {
  // Pages that are served by https may not load pictures by http.
  url: ({ url }) => url?.replace(/^http:/i, 'https:') ?? null,
  picture: ({ datasetId, externalId }, _args, context) =>
    datasets.loadPicture(context, { datasetId, image: externalId }),
  previous: (image, _args, context) => neighbour(context, image, -1),
  next: (image, _args, context) => neighbour(context, image, 1),
  captions: ({ id }, _args, context) => datasets.loadCaptions(context, id),
  async systemCaptions({ id, datasetId }, { systems, isBoundIncluded, ...page }, context) {
    if (systems != null && isBoundIncluded)
      throw unusedArgument('isBoundIncluded', 'the systems are named', 'no value beside systems')
    await Promise.all((systems ?? []).map((name) => requireKnownSystem(datasetId, name, context)))
    return connectBySystem(
      datasets.loadSystemCaptions(context, {
        imageId: id,
        systems: { names: systems ?? undefined, isBoundIncluded: isBoundIncluded === true },
      }),
      page,
      context,
    )
  },
  words: (image, _args, context) => datasets.loadWordsOfImage(context, image),
}

export const Caption: schema.CaptionResolvers = {
  tokens: ({ id }, _args, context) => datasets.loadTokens(context, id),
  scores: (caption, { metrics }, context) => humanCaptionScores(caption, metrics, context),
}

export const SystemCaption: schema.SystemCaptionResolvers = {
  tokens: ({ id }, _args, context) => datasets.loadSystemTokens(context, id),
  scores: (caption, args, context) => systemCaptionScores(caption, args, context),
}

/** @throws AccordError UNKNOWN_SYSTEM */
async function requireKnownSystem(datasetId: number, name: string, context: Context): Promise<void> {
  if (await loadSystemByName(context, { datasetId, name })) return
  await requireSystem(context.accord, present(await datasets.loadDataset(context, datasetId)), name)
}

type Names = readonly string[] | null | undefined

/** Scores of a system's caption. Null if the system was not evaluated, empty if this image of it was not. */
async function systemCaptionScores(
  { systemId, imageId }: SystemCaptionText,
  { metrics, ...choice }: ReferenceChoice & { readonly metrics?: Names },
  context: Context,
): Promise<CaptionScoreModel[] | null> {
  const { datasetId } = present(await datasets.loadImage(context, imageId))
  const references = await chosenReferences(datasetId, choice, context)
  const all = await loadScores(context, { systemId, references })
  const rows = await pickMetrics(context.accord, all, metrics)
  if (rows.length === 0) return null
  const scores = rows.map(async ({ id, metric, signature }) => {
    const value = scoreOfImage(present(await loadImageScores(context, id)), imageId)
    return value === undefined ? [] : [{ metric, signature, value }]
  })
  return (await Promise.all(scores)).flat()
}

/** Scores of a human caption in the fold that holds it out. Null before the table has been computed. */
async function humanCaptionScores(
  { imageId, position }: CaptionText,
  names: Names,
  context: Context,
): Promise<CaptionScoreModel[] | null> {
  const { datasetId } = present(await datasets.loadImage(context, imageId))
  const rows = await pickMetrics(context.accord, await loadAgreement(context, { datasetId }), names)
  if (rows.length === 0) return null
  const scores = rows.map(async (row) => {
    const value = scoreOfHeldOut(row, present(await loadFoldScores(context, row.id)), imageId, position)
    return value === undefined ? [] : [{ metric: row.metric, signature: row.signature, value }]
  })
  return (await Promise.all(scores)).flat()
}
