import { AccordError } from '../../errors.js'
import type { System } from '../../store/entities.js'
import { type PageArguments, toConnection, toPageRequest } from '../connection.js'
import type { Context } from '../context.js'
import { present } from '../present.js'
import type { ScoreOrder } from '../schema-types.js'
import type { ImageScoreConnectionModel } from './models.js'

/** A page of a system's image scores by its newest score of a metric; equal scores by image. */
export async function imageScoresOf(
  system: System,
  metric: string,
  order: ScoreOrder,
  args: PageArguments,
  { loaders, metrics }: Context,
): Promise<ImageScoreConnectionModel> {
  const { higherIsBetter } = metrics.require(metric)
  const score = (await loaders.systemScores.load(system.id)).find((candidate) => candidate.metric === metric)
  if (!score) {
    throw new AccordError('NOT_APPLICABLE', 'the system was not evaluated by this metric yet', {
      source: 'metric',
      found: JSON.stringify(metric),
    })
  }
  const { imageIds, scores } = present(await loaders.imageScores.load(score.id))
  const ascending = (order === 'WORST_FIRST') === higherIsBetter
  const sorted = sortRows(scores, imageIds, ascending)
  const name = `image scores ${score.id} ${order}`
  const { limit, after } = toPageRequest(name, args)
  const start = after ? sorted.findIndex((row) => isBehind(scores[row], imageIds[row], after, ascending)) : 0
  const rows = start < 0 ? new Uint32Array(0) : sorted.subarray(start, start + limit)
  const page = {
    rows: Array.from(rows, (row) => ({
      row: { imageId: imageIds[row], metric, value: scores[row] },
      position: { value: scores[row], id: imageIds[row] },
    })),
    hasNextPage: start >= 0 && start + limit < sorted.length,
    hasPreviousPage: after !== undefined,
  }
  return toConnection(name, page, () => sorted.length)
}

function sortRows(scores: Float64Array, imageIds: Int32Array, ascending: boolean): Uint32Array {
  const sign = ascending ? 1 : -1
  return Uint32Array.from(scores.keys()).sort(
    (one, other) => sign * (scores[one] - scores[other]) || imageIds[one] - imageIds[other],
  )
}

function isBehind(
  score: number,
  imageId: number,
  after: { readonly value: string | number; readonly id: number },
  ascending: boolean,
): boolean {
  const position = Number(after.value)
  if (score === position) return imageId > after.id
  return ascending ? score > position : score < position
}
