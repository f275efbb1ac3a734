import { addEmbeddingGradients } from './backward.js'
import { type Examples, selectRange } from './examples.js'
import { computeLogProbabilities } from './language-model.js'
import { type ModelSize, PARAMETERS, type Parameter } from './layout.js'
import { addressOf, type LanguageModel } from './memory.js'

/**
 * Number of parts of a mini-batch. Parts are computed by any thread, and their gradients are added in their order: the
 * weights do not depend on the number of threads.
 */
export const PARTS = 4

/** Number of ranges of parameters that are updated by any thread. */
export const RANGES = 8

/** Decay of the averages and the constant of Adadelta (Zeiler 2012, section 4.1). */
const RHO = 0.95
const EPSILON = 1e-6

/** Parameters without weight decay. */
const BIASES: ReadonlySet<Parameter> = new Set(['b', 'bp', 'd'])

/** Captions of a part of a mini-batch of at most `batch` captions. */
export const captionsPerPart = (batch: number) => Math.ceil(batch / PARTS)

/** The number of parts that have captions. */
export const partCount = ({ wordOffsets }: Examples, batch: number) =>
  Math.ceil((wordOffsets.length - 1) / captionsPerPart(batch))

/** A part of a mini-batch. */
function selectPart(examples: Examples, batch: number, part: number): Examples {
  const size = captionsPerPart(batch)
  return selectRange(examples, part * size, Math.min((part + 1) * size, examples.wordOffsets.length - 1))
}

export interface StepOptions {
  readonly dropout: number
  readonly decay: number
  /** Seed of the training, and number of the mini-batch. */
  readonly seed: number
  readonly step: number
}

/**
 * Computes the gradient of the mean loss of a mini-batch by one of its parts. @returns the loss of the part: the sum of
 * the negative log-likelihoods of its words
 */
export function computePartGradient(
  model: LanguageModel,
  batch: Examples,
  batchSize: number,
  part: number,
  { dropout, seed, step }: StepOptions,
): number {
  const arena = model.layout.arenas[part]
  const logProbabilities = computeLogProbabilities(model, arena, selectPart(batch, batchSize, part), {
    scale: 1 / (batch.wordOffsets.length - 1),
    dropout,
    // Different numbers for each part of each mini-batch.
    seed: (seed % 2 ** 20) * 2 ** 32 + step * PARTS + part,
  })
  return -logProbabilities.reduce((sum, value) => sum + value, 0)
}

/** Collects the gradients of embeddings of all parts, before {@link updateRange}. */
export function collectEmbeddingGradients(model: LanguageModel, batch: Examples, batchSize: number): void {
  const { gradient, denseStart, arenas } = model.layout
  model.kernels.clear(addressOf(model, gradient), denseStart)
  for (let part = 0; part < partCount(batch, batchSize); part++)
    addEmbeddingGradients(model, arenas[part], selectPart(batch, batchSize, part))
}

/** Updates a range of the parameters, one of {@link RANGES}, with the gradients of `parts` parts. */
export function updateRange(model: LanguageModel, range: number, parts: number, decay: number): void {
  const { kernels, layout } = model
  const { parameters, parameterCount, denseStart, weights, gradient, squares, updates, arenas } = layout
  const address = (position: number) => addressOf(model, position)
  const bound = (index: number) => Math.floor((index * parameterCount) / RANGES / 8) * 8
  const [rangeStart, rangeEnd] = [bound(range), range + 1 === RANGES ? parameterCount : bound(range + 1)]
  for (const name of PARAMETERS) {
    const matrix = parameters[name]
    const start = Math.max(rangeStart, matrix.start)
    const count = Math.min(rangeEnd, matrix.start + matrix.rows * matrix.step) - start
    if (count <= 0) continue
    let source = gradient + start
    if (start >= denseStart) {
      source = arenas[0].gradient + start - denseStart
      for (const arena of arenas.slice(1, parts))
        kernels.add(address(source), address(arena.gradient + start - denseStart), count)
    }
    kernels.adadelta(
      address(weights + start),
      address(source),
      address(squares + start),
      address(updates + start),
      count,
      RHO,
      EPSILON,
      BIASES.has(name) ? 0 : decay,
    )
  }
}

/** Sizes of a model and of its memory. */
export interface ModelSpecification {
  readonly size: ModelSize
  readonly batch: number
  /** Words of the longest caption, its end included. */
  readonly maxLength: number
}
