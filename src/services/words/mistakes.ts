import { humanRecallThreshold } from '../../core/agreement/phr.js'
import type { PagedRows } from '../../store/engine/keyset.js'
import { readCountedImageIds } from '../../store/images.js'
import type { WordUses } from '../../store/postings.js'
import type { System } from '../../store/schema/system-tables.js'
import { findWords } from '../../store/words.js'
import type { Accord } from '../shared/accord.js'
import { pagedArray } from '../shared/groups.js'
import { type CurveInputs, curveInputs, rankingOf } from '../systems/systems.js'
import { placeWords } from './word-places.js'

/** An image on which a system gets a word wrong. */
export interface WordMistake {
  readonly imageId: number
  /** Number of the first K human captions that use the word. */
  readonly captionCount: number
  /** The system's score for the word; null for captioning systems and images without a score. */
  readonly score: number | null
}

/** FALSE_POSITIVE: the system predicts the word and no person uses it. FALSE_NEGATIVE: the reverse. */
export type MistakeKind = 'FALSE_POSITIVE' | 'FALSE_NEGATIVE'

/** What the mistakes of a system on a word follow from. */
export interface Predictions {
  /** Ids of the images of the statistics, ascending. */
  readonly countedImageIds: Int32Array
  /** Those that use the word. */
  readonly uses: WordUses | undefined
  readonly scoreOf: (imageId: number) => number | null
  readonly isPredicted: (imageId: number) => boolean
}

/** Computes the predictions for a word: null if they are undefined. */
export type Predict = () => Predictions | null

/**
 * Predictions of a system by word: of a captioning system the words of its captions, of word scores the images at or above
 * the threshold of PHR, which is computed when the predictions are. Undefined for words without a PHR.
 */
export async function predictionsByWord(
  accord: Accord,
  system: System,
  wordIds: readonly number[],
): Promise<Map<number, Predict>> {
  if (system.kind !== 'WORD_SCORES') return predictionsOfCaptions(accord, system, wordIds)
  const inputs = await curveInputs(accord, system.id, wordIds)
  return new Map(Array.from(inputs, ([wordId, ofWord]) => [wordId, () => predictionsOfScores(ofWord)]))
}

function predictionsOfScores(inputs: CurveInputs): Predictions | null {
  const found = humanRecallThreshold(rankingOf(inputs))
  if (found === null) return null
  const { imageIds, scores } = inputs.scores
  const scoresOfImages = new Map(Array.from(imageIds, (id, index) => [id, scores[index]]))
  const threshold = found.threshold ?? Number.NEGATIVE_INFINITY
  return {
    countedImageIds: inputs.countedImageIds,
    uses: inputs.uses,
    scoreOf: (id) => scoresOfImages.get(id) ?? null,
    // Without a threshold, images without a score are predicted as well.
    isPredicted: (id) => (scoresOfImages.get(id) ?? Number.NEGATIVE_INFINITY) >= threshold,
  }
}

async function predictionsOfCaptions(
  { database }: Accord,
  system: System,
  wordIds: readonly number[],
): Promise<Map<number, Predict>> {
  const words = await findWords(database, wordIds)
  const countedImageIds = await readCountedImageIds(database, system.datasetId)
  const predictions = new Map<number, Predict>()
  const imagesAt = (places: ArrayLike<number>) => Int32Array.from(places, (place) => countedImageIds[place])
  for await (const placed of placeWords(database, system, words, countedImageIds, words.length)) {
    const { images, counts } = placed.images
    const uses = { imageIds: imagesAt(images), captionCounts: Uint8Array.from(counts) }
    const predicted = new Set(imagesAt(placed.predicted ?? []))
    const isPredicted = (imageId: number) => predicted.has(imageId)
    predictions.set(placed.word.id, () => ({ countedImageIds, uses, scoreOf: () => null, isPredicted }))
  }
  return predictions
}

/**
 * The images on which a system gets a word wrong. False positives: the highest score first; false negatives: the most
 * captions first; then in the order of the dataset.
 */
export function listMistakes(predictions: Predictions | null, kind: MistakeKind): PagedRows<WordMistake> {
  const weightOf = ({ score, captionCount }: WordMistake) =>
    kind === 'FALSE_POSITIVE' ? (score ?? Number.MIN_SAFE_INTEGER) : captionCount
  const rows = [...mistakesOf(predictions, kind)].sort(
    (one, other) => weightOf(other) - weightOf(one) || one.imageId - other.imageId,
  )
  return pagedArray(rows, ({ imageId }) => imageId)
}

function* mistakesOf(predictions: Predictions | null, kind: MistakeKind): Generator<WordMistake> {
  if (predictions === null) return
  const { countedImageIds, uses, scoreOf, isPredicted } = predictions
  let used = 0
  for (const imageId of countedImageIds) {
    while (uses && uses.imageIds[used] < imageId) used++
    const captionCount = uses?.imageIds[used] === imageId ? uses.captionCounts[used] : 0
    const isMistake = kind === 'FALSE_POSITIVE' ? captionCount === 0 : captionCount > 0
    if (isMistake && isPredicted(imageId) === (kind === 'FALSE_POSITIVE')) {
      yield { imageId, captionCount, score: scoreOf(imageId) }
    }
  }
}
