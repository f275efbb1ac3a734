/** Probabilities of words from the outputs of the language model: softmax(outputs · U_p + d), one row for each word. */
import { END, UNKNOWN } from './examples.js'
import { type Arena, LOGIT_ROWS, type Matrix } from './layout.js'
import {
  addProduct,
  addRows,
  fillRows,
  gradientOf,
  type LanguageModel,
  multiply,
  rowAddress,
  rowsOf,
  transposed,
} from './memory.js'

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
export function scoreTargets(
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
export function mostProbable(
  model: LanguageModel,
  arena: Arena,
  outputs: Matrix,
  count: number,
): Continuations {
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
