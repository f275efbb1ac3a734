import type { CurvePoint } from '../../agreement/curve.js'
import { scoreCurve } from '../../agreement/phr.js'
import { emptyCounts, rankScores } from '../../agreement/word-scores.js'
import type { SystemWord } from '../../store/entities.js'
import { readCountedImageIds, readImageCounts } from '../../store/images.js'
import { readWordScores } from '../../store/systems.js'
import type { Context } from '../context.js'
import { present } from '../present.js'

/** Precision against recall over a word's thresholds; of a captioning system its one point, where it has one. */
export async function curveOf(
  { systemId, wordId, referenceCount, precision, recall }: SystemWord,
  points: number,
  { database, loaders, checkTime }: Context,
): Promise<CurvePoint[]> {
  checkTime()
  const scores = readWordScores(database, systemId, wordId)
  if (!scores) return precision === null || recall === null ? [] : [{ recall, precision }]
  const word = present(await loaders.word.load(wordId))
  const imageCounts = emptyCounts(readCountedImageIds(database, word.datasetId))
  for (const [imageId, count] of readImageCounts(database, wordId)) {
    imageCounts.counts[imageId - imageCounts.firstId] = count
  }
  const ranking = rankScores(scores.imageIds, scores.scores, imageCounts, word.histogram)
  return scoreCurve(ranking, referenceCount, points)
}
