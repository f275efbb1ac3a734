import type { CurvePoint } from '../../agreement/curve.js'
import { scoreCurve } from '../../agreement/phr.js'
import { emptyCounts, rankScores } from '../../agreement/word-scores.js'
import type { SystemWord } from '../../store/entities.js'
import type { Context } from '../context.js'
import { present } from '../present.js'

/** Precision against recall over a word's thresholds; of a captioning system its one point, where it has one. */
export async function curveOf(
  { systemId, wordId, referenceCount, precision, recall }: SystemWord,
  points: number,
  { loaders, inTurn }: Context,
): Promise<CurvePoint[]> {
  const scores = await loaders.wordScores.load({ systemId, wordId })
  if (!scores) return precision === null || recall === null ? [] : [{ recall, precision }]
  const word = present(await loaders.word.load(wordId))
  const [counted, uses] = await Promise.all([
    loaders.countedImageIds.load(word.datasetId),
    loaders.imageUse.load(wordId),
  ])
  return inTurn(() => {
    const { firstId, counts } = emptyCounts(counted)
    for (const { imageId, captionCount } of uses) counts[imageId - firstId] = captionCount
    const ranking = rankScores(scores.imageIds, scores.scores, { firstId, counts }, word.histogram)
    return scoreCurve(ranking, referenceCount, points)
  })
}
