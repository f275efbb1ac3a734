import {
  captionedWordEstimates,
  type SystemWordEstimates,
  scoredWordEstimates,
  type WordSample,
} from '../../core/agreement/system-word-intervals.js'
import { createWordReplicator } from '../../core/agreement/word-replicates.js'
import { imageGroups } from '../../core/stats/jackknife.js'
import { readCountedImageIds } from '../../store/images.js'
import type { Dataset, System, Word } from '../../store/schema/entities.js'
import type { Accord } from '../accord.js'
import { SEED } from '../evaluations/record-provenance.js'
import { type PlacedWord, placeWords } from './word-places.js'

export interface EstimateOptions {
  /** k. */
  readonly references: number
  /** Awaited before each piece of work of a millisecond or more. */
  readonly turn: () => Promise<unknown>
}

/**
 * The figures of a system on words with their intervals, by id of the word; none of words that a system with word scores
 * gave no score to, and of systems without figures of words. The number of SQL statements does not depend on that of words.
 */
export async function systemWordEstimates(
  { database }: Accord,
  dataset: Dataset,
  system: System,
  words: readonly Word[],
  { references, turn }: EstimateOptions,
): Promise<Map<number, SystemWordEstimates>> {
  const imageIds = await readCountedImageIds(database, dataset.id)
  const { captionsPerImage } = dataset
  await turn()
  const groups = imageGroups(imageIds.length, SEED)
  await turn()
  const replicator = createWordReplicator(groups, captionsPerImage, references)
  const sample = { replicator, groups, imageCount: imageIds.length, captionsPerImage, references }
  const estimates = new Map<number, SystemWordEstimates>()
  // Frequent words take longest, and less time once the code has been optimized: rare words are first.
  const ordered = words.toSorted((one, other) => one.imageCount - other.imageCount)
  for await (const placed of placeWords(database, system, ordered, imageIds, words.length)) {
    await turn()
    const found = estimatesOf(sample, placed)
    if (found) estimates.set(placed.word.id, found)
  }
  return estimates
}

function estimatesOf(
  sample: WordSample,
  { images, predicted, scores }: PlacedWord,
): SystemWordEstimates | null {
  if (predicted) return captionedWordEstimates(sample, images, predicted)
  return scores && scoredWordEstimates(sample, images, scores)
}
