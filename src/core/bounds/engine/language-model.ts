import { propagateInputs, propagateOutputs, propagateSteps } from './backward.js'
import { type Examples, inputsOf, type Schedule, scheduleOf } from './examples.js'
import {
  addInputs,
  addPreviousStates,
  computeOutputs,
  type Dropout,
  forgetInputs,
  prepareBags,
  prepareInputs,
  runSteps,
  updateStates,
} from './forward.js'
import type { Arena, Matrix } from './layout.js'
import { addressOf, copyRows, type LanguageModel, rowsOf } from './memory.js'
import { type Continuations, mostProbable, scoreTargets } from './softmax.js'

export interface GradientOptions extends Dropout {
  /** Factor of the gradient: −1 for that of the log-likelihood, 1 / n for that of the mean loss of n captions. */
  readonly scale: number
}

/**
 * Computes the log-probabilities (natural logarithms) of all words of some captions, in the order of `examples`.
 *
 * @param gradient writes the gradient to the arena; that of the embeddings is added to the common one by
 *   addEmbeddingGradients
 */
export function computeLogProbabilities(
  model: LanguageModel,
  arena: Arena,
  examples: Examples,
  gradient?: GradientOptions,
): Float64Array {
  const { parameterCount, denseStart } = model.layout
  const schedule = scheduleOf(examples)
  const { positions, targets } = targetsOf(examples, schedule)
  const inputCount = prepareInputs(model, arena, inputsOf(examples))
  prepareBags(model, arena, examples)
  runSteps(model, arena, examples, schedule)
  if (gradient) model.kernels.clear(addressOf(model, arena.gradient), parameterCount - denseStart)
  const outputs = computeOutputs(model, arena, schedule.rowCount, gradient)
  const byRow = scoreTargets(model, arena, outputs, targets, gradient?.scale)
  if (gradient) {
    propagateOutputs(model, arena, schedule, gradient.dropout)
    propagateSteps(model, arena, schedule)
    propagateInputs(model, arena, examples, schedule, inputCount)
  }
  forgetInputs(model, arena, inputCount)
  const result = new Float64Array(byRow.length)
  for (const [row, position] of positions.entries()) result[position] = byRow[row]
  return result
}

/** The word that each row of a computation predicts, and its position among the words of the captions. */
function targetsOf({ words, wordOffsets }: Examples, { captions, steps, rowCount }: Schedule) {
  const positions = new Int32Array(rowCount)
  const targets = new Int32Array(rowCount)
  for (const [step, { first, count }] of steps.entries()) {
    for (let index = 0; index < count; index++) {
      const word = wordOffsets[captions[index]] + step
      positions[first + index] = word - wordOffsets[0]
      targets[first + index] = words[word]
    }
  }
  return { positions, targets }
}

/** A caption that is continued. */
export interface Hypothesis {
  /** Index among the bags. */
  readonly caption: number
  /** The last word, BEGIN for the first. */
  readonly word: number
  /** Its index among the hypotheses of the previous step; −1 for the first. */
  readonly parent: number
}

/**
 * Computes the next states of hypotheses and the most probable next words, after prepareBags for their captions.
 *
 * @param count number of words of each hypothesis
 */
export function continueHypotheses(
  model: LanguageModel,
  arena: Arena,
  hypotheses: readonly Hypothesis[],
  count: number,
): Continuations {
  const { states, previousStates, cells, statesGradient: previousCells, zeros } = arena
  for (const [index, { parent }] of hypotheses.entries()) {
    const rowOf = (matrix: Matrix) => (parent < 0 ? rowsOf(zeros, 0, 1) : rowsOf(matrix, parent, 1))
    copyRows(model, rowsOf(previousStates, index, 1), rowOf(states))
    copyRows(model, rowsOf(previousCells, index, 1), rowOf(cells))
  }
  const inputCount = prepareInputs(
    model,
    arena,
    hypotheses.map(({ word }) => word),
  )
  for (const [index, { word, caption }] of hypotheses.entries()) addInputs(model, arena, index, word, caption)
  forgetInputs(model, arena, inputCount)
  addPreviousStates(model, arena, 0, hypotheses.length)
  updateStates(model, arena, 0, hypotheses.length, previousCells)
  return mostProbable(model, arena, computeOutputs(model, arena, hypotheses.length), count)
}
