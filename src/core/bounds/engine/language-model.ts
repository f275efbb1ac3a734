import { propagateInputs, propagateOutputs, propagateSteps } from './backward.js'
import { END, type Examples, inputsOf, type Schedule, scheduleOf, UNKNOWN } from './examples.js'
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
import { type Arena, LOGIT_ROWS, type Matrix } from './layout.js'
import {
  addProduct,
  addRows,
  addressOf,
  copyRows,
  fillRows,
  gradientOf,
  type LanguageModel,
  multiply,
  rowAddress,
  rowsOf,
  transposed,
} from './memory.js'

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

/** Probabilities of words from the outputs of the language model: softmax(outputs · U_p + d), one row for each word. */

/** Next words of hypotheses. */
export interface Continuations {
  /** `count` words of each hypothesis by descending probability, without BEGIN and UNKNOWN. */
  readonly words: Int32Array
  readonly logProbabilities: Float64Array
  /** Log-probability of the end of each hypothesis. */
  readonly ends: Float64Array
}

/**
 * Log-probabilities of one word of each row of outputs.
 *
 * @param scale factor of the gradient; with it, the gradients of the outputs, of U_p and of d are written to the arena
 */
function scoreTargets(
  model: LanguageModel,
  arena: Arena,
  outputs: Matrix,
  targets: Int32Array,
  scale?: number,
): Float64Array {
  const { kernels, numbers } = model
  const { logits } = arena
  const logProbabilities = new Float64Array(targets.length)
  for (let first = 0; first < targets.length; first += LOGIT_ROWS) {
    const count = Math.min(LOGIT_ROWS, targets.length - first)
    const part = rowsOf(outputs, first, count)
    computeLogits(model, arena, part)
    for (let index = 0; index < count; index++) {
      const target = logits.start + index * logits.step + targets[first + index]
      const logit = numbers[target]
      const { max, sum } = exponentiate(model, logits, index)
      logProbabilities[first + index] = logit - max - Math.log(sum)
      if (scale === undefined) continue
      kernels.scale(rowAddress(model, logits, index), logits.step, scale / sum)
      numbers[target] -= scale
    }
    if (scale !== undefined) propagateLogits(model, arena, part, rowsOf(arena.outputsGradient, first, count))
  }
  return logProbabilities
}

/** logits = outputs · U_p + d (s → words). */
function computeLogits(model: LanguageModel, arena: Arena, outputs: Matrix): void {
  const { Up, d } = model.layout.parameters
  const logits = rowsOf(arena.logits, 0, outputs.rows)
  fillRows(model, logits, d)
  addProduct(model, arena, logits, outputs, Up)
}

/** Replaces a row of logits by exp(logit − max). @returns max, and the sum of the row */
function exponentiate(model: LanguageModel, logits: Matrix, row: number): { max: number; sum: number } {
  const address = rowAddress(model, logits, row)
  const max = model.kernels.max(address, logits.step)
  return { max, sum: model.kernels.exponential(address, logits.step, max) }
}

/** From the gradient of the logits, in their place, to those of U_p, d and the outputs. */
function propagateLogits(model: LanguageModel, arena: Arena, outputs: Matrix, outputsGradient: Matrix): void {
  const logits = rowsOf(arena.logits, 0, outputs.rows)
  addProduct(model, arena, gradientOf(model, arena, 'Up'), transposed(outputs), logits)
  addRows(model, gradientOf(model, arena, 'd'), logits)
  multiply(model, arena, outputsGradient, logits, transposed(model.layout.parameters.Up))
}

/** The `count` most probable words of each row of outputs. */
function mostProbable(model: LanguageModel, arena: Arena, outputs: Matrix, count: number): Continuations {
  const { numbers, layout } = model
  const { logits } = arena
  const { rows } = outputs
  computeLogits(model, arena, outputs)
  const result = {
    words: new Int32Array(rows * count).fill(-1),
    logProbabilities: new Float64Array(rows * count).fill(Number.NEGATIVE_INFINITY),
    ends: new Float64Array(rows),
  }
  for (let row = 0; row < rows; row++) {
    const start = logits.start + row * logits.step
    const words = result.words.subarray(row * count, (row + 1) * count)
    const values = result.logProbabilities.subarray(row * count, (row + 1) * count)
    const end = numbers[start + END]
    selectLargest(numbers.subarray(start, start + layout.size.words), words, values)
    const { max, sum } = exponentiate(model, logits, row)
    const logSum = max + Math.log(sum)
    for (let i = 0; i < count; i++) values[i] -= logSum
    result.ends[row] = end - logSum
  }
  return result
}

/** The largest logits of words other than BEGIN and UNKNOWN, in descending order; of equal ones the first word. */
function selectLargest(logits: Float32Array | Float64Array, words: Int32Array, values: Float64Array): void {
  const last = values.length - 1
  for (let word = END; word < logits.length; word++) {
    const logit = logits[word]
    if (logit <= values[last] || word === UNKNOWN) continue
    let place = last
    for (; place > 0 && values[place - 1] < logit; place--) {
      values[place] = values[place - 1]
      words[place] = words[place - 1]
    }
    values[place] = logit
    words[place] = word
  }
}
