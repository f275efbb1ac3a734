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
import { contentOf, createMemory } from '../shared/memory.js'
import { type PlacedWord, placeWords } from './word-places.js'

export interface EstimateOptions {
  /** k. */
  readonly references: number
  /** Awaited before each piece of work of a millisecond or more. */
  readonly turn: () => Promise<unknown>
}

/** Estimates of words, by what they are computed from. */
const estimatesIn = createMemory<{ readonly found: SystemWordEstimates | null }>(20_000)

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
  const memory = estimatesIn(database)
  const keyOf = (word: Word) =>
    JSON.stringify([contentOf(dataset), system.id, system.content, references, word.id])
  const estimates = new Map<number, SystemWordEstimates>()
  const unknown: Word[] = []
  for (const word of words) {
    const { found } = memory.get(keyOf(word)) ?? {}
    if (found === undefined) unknown.push(word)
    else if (found) estimates.set(word.id, found)
  }
  if (unknown.length === 0) return estimates
  const imageIds = await readCountedImageIds(database, dataset.id)
  const { captionsPerImage } = dataset
  await turn()
  const groups = imageGroups(imageIds.length, SEED)
  await turn()
  const replicator = createWordReplicator(groups, captionsPerImage, references)
  const sample = { replicator, groups, imageCount: imageIds.length, captionsPerImage, references }
  // Frequent words take longest, and less time once the code has been optimized: rare words are first.
  const ordered = unknown.toSorted((one, other) => one.imageCount - other.imageCount)
  for await (const placed of placeWords(database, system, ordered, imageIds, unknown.length)) {
    await turn()
    const found = estimatesOf(sample, placed)
    memory.set(keyOf(placed.word), { found })
    if (found) estimates.set(placed.word.id, found)
  }
  for (const word of unknown) if (!memory.has(keyOf(word))) memory.set(keyOf(word), { found: null })
  return estimates
}

function estimatesOf(
  sample: WordSample,
  { images, predicted, scores }: PlacedWord,
): SystemWordEstimates | null {
  if (predicted) return captionedWordEstimates(sample, images, predicted)
  return scores && scoredWordEstimates(sample, images, scores)
}
