import { pickMetrics, scoreOfHeldOut, scoreOfImage } from '../../services/evaluations/scores.js'
import type { CaptionText } from '../../store/images.js'
import type { SystemCaptionText } from '../../store/systems.js'
import type { Context } from '../execution/context.js'
import { present } from '../execution/present.js'
import { loadImage } from '../images/loaders.js'
import { loadAgreement, loadFoldScores, loadImageScores, loadScores } from './loaders.js'
import type { CaptionScoreModel } from './models.js'
import { chosenReferences, type ReferenceChoice } from './scores.js'

type Names = readonly string[] | null | undefined

/** Scores of a system's caption. Empty if the system, or this image of it, was not evaluated. */
export async function systemCaptionScores(
  { systemId, imageId }: SystemCaptionText,
  { metrics, ...choice }: ReferenceChoice & { readonly metrics?: Names },
  context: Context,
): Promise<CaptionScoreModel[]> {
  const { datasetId } = present(await loadImage(context, imageId))
  const references = await chosenReferences(datasetId, choice, context)
  const all = await loadScores(context, { systemId, references })
  const rows = await pickMetrics(context.accord, all, metrics)
  const scores = rows.map(async ({ id, metric, signature }) => {
    const value = scoreOfImage(present(await loadImageScores(context, id)), imageId)
    return value === undefined ? [] : [{ metric, signature, value }]
  })
  return (await Promise.all(scores)).flat()
}

/** Scores of a human caption in the fold that holds it out. Empty before the table has been computed. */
export async function humanCaptionScores(
  { imageId, position }: CaptionText,
  names: Names,
  context: Context,
): Promise<CaptionScoreModel[]> {
  const { datasetId } = present(await loadImage(context, imageId))
  const rows = await pickMetrics(context.accord, await loadAgreement(context, { datasetId }), names)
  const scores = rows.map(async (row) => {
    const value = scoreOfHeldOut(row, present(await loadFoldScores(context, row.id)), imageId, position)
    return value === undefined ? [] : [{ metric: row.metric, signature: row.signature, value }]
  })
  return (await Promise.all(scores)).flat()
}
