import type { Caption, SystemCaption } from '../../store/entities.js'
import type { Context } from '../context.js'
import { present } from '../present.js'
import type { CaptionScoreModel } from './models.js'

type Names = readonly string[] | null | undefined

/** Scores of a system's caption by metric; none where the system, or the image with it, was not evaluated. */
export async function systemCaptionScores(
  { systemId, imageId }: SystemCaption,
  names: Names,
  { loaders, metrics }: Context,
): Promise<CaptionScoreModel[]> {
  const scores = metrics.pick(await loaders.systemScores.load(systemId), names)
  const values = scores.map(async ({ id, metric, signature }) => {
    const stored = present(await loaders.imageScores.load(id))
    const row = findSorted(stored.imageIds, imageId)
    return row < 0 ? [] : [{ metric, signature, value: stored.scores[row] }]
  })
  return (await Promise.all(values)).flat()
}

/** Scores of a human caption as the fold that holds it out gives them; none before the table was computed. */
export async function humanCaptionScores(
  { imageId, position }: Caption,
  names: Names,
  { loaders, metrics }: Context,
): Promise<CaptionScoreModel[]> {
  const { datasetId } = present(await loaders.image.load(imageId))
  const rows = metrics.pick(await loaders.agreement.load(datasetId), names)
  const values = rows.map(async ({ id, metric, signature, folds }) => {
    const { imageIds, scores } = present(await loaders.foldScores.load(id))
    const row = findSorted(imageIds, imageId)
    if (row < 0 || position >= folds.length) return []
    return [{ metric, signature, value: scores[position * imageIds.length + row] }]
  })
  return (await Promise.all(values)).flat()
}

/** Position of a number among ascending ones, −1 where it is not among them. */
function findSorted(numbers: Int32Array, wanted: number): number {
  let low = 0
  let high = numbers.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (numbers[middle] === wanted) return middle
    if (numbers[middle] < wanted) low = middle + 1
    else high = middle - 1
  }
  return -1
}
