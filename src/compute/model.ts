import type { FoundCaption } from '../core/bounds/beam.js'
import type { Bags, Examples } from '../core/bounds/engine/examples.js'
import {
  captionsPerPart,
  collectEmbeddingGradients,
  PARTS,
  partCount,
  RANGES,
  type StepOptions,
} from '../core/bounds/engine/training.js'
import type { Threads } from './pool.js'
import type { OpenedModel } from './shared-model.js'

/** Trains a model with one mini-batch on all threads. @returns the loss: the sum over all words */
export async function trainStep(
  threads: Threads,
  { shared, model }: OpenedModel,
  batch: Examples,
  options: StepOptions,
): Promise<number> {
  const { batch: batchSize } = shared.specification
  const parts = partCount(batch, batchSize)
  const losses = await threads.run('modelGradient', { shared, batch, options }, parts)
  const loss = losses.reduce((sum, value) => sum + value, 0)
  if (!Number.isFinite(loss)) return loss
  collectEmbeddingGradients(model, batch, batchSize)
  await threads.run('modelUpdate', { shared, parts, decay: options.decay }, RANGES)
  return loss
}

/** Log-probabilities of all words of captions, computed on all threads. */
export async function logProbabilities(
  threads: Threads,
  { shared }: OpenedModel,
  examples: Examples,
): Promise<Float64Array> {
  const size = captionsPerPart(shared.specification.batch)
  const captions = examples.wordOffsets.length - 1
  const result = new Float64Array(examples.wordOffsets[captions])
  // A part of the memory is used by one task at a time.
  const round = size * PARTS
  for (let first = 0; first < captions; first += round) {
    const tasks = Math.min(PARTS, Math.ceil((captions - first) / size))
    const parts = await threads.run('modelScores', { shared, examples, first, size }, tasks)
    for (const [index, part] of parts.entries()) result.set(part, examples.wordOffsets[first + index * size])
  }
  return result
}

/** The caption of each bag of atoms that a beam search of a width finds, on all threads. */
export async function searchAll(
  threads: Threads,
  { shared }: OpenedModel,
  bags: Bags,
  width: number,
  onProgress?: (share: number) => void,
): Promise<FoundCaption[]> {
  const size = captionsPerPart(shared.specification.batch)
  const count = bags.atomOffsets.length - 1
  const result: FoundCaption[] = []
  for (let first = 0; first < count; first += size * PARTS) {
    onProgress?.(first / count)
    const tasks = Math.min(PARTS, Math.ceil((count - first) / size))
    const parts = await threads.run('modelSearch', { shared, bags, first, size, width }, tasks)
    result.push(...parts.flat())
  }
  return result
}
