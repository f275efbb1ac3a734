import type { Random } from '../../stats/random.js'
import { createRandom } from '../../stats/random.js'
import { createKernels, type Kernels } from './kernels.js'
import { type Arena, type Layout, LOGIT_ROWS, type Matrix, type Parameter } from './layout.js'

/** The begin of a caption, which is only an input. */
export const BEGIN = 0
/** The end of a caption, its last word. */
export const END = 1
/** Every word that is not in the vocabulary. */
export const UNKNOWN = 2

/** Captions with their bags of atoms. */
export interface Examples {
  /** Caption i is words[wordOffsets[i]] … words[wordOffsets[i + 1] − 1]; its last word is END. */
  readonly words: Int32Array
  readonly wordOffsets: Int32Array
  /** Distinct atoms of each caption, likewise. */
  readonly atoms: Int32Array
  readonly atomOffsets: Int32Array
}

/** Distinct atoms of captions. */
export type Bags = Pick<Examples, 'atoms' | 'atomOffsets'>

/** A caption that is continued. */
export interface Hypothesis {
  /** Index among the bags. */
  readonly caption: number
  /** The last word, BEGIN for the first. */
  readonly word: number
  /** Its index among the hypotheses of the previous step; −1 for the first. */
  readonly parent: number
}

/** Next words of hypotheses. */
export interface Continuations {
  /** `count` words of each hypothesis by descending probability, without BEGIN and UNKNOWN. */
  readonly words: Int32Array
  readonly logProbabilities: Float64Array
  /** Log-probability of the end of each hypothesis. */
  readonly ends: Float64Array
}

export interface GradientOptions {
  /** Factor of the gradient: −1 for that of the log-likelihood, 1 / n for that of the mean loss of n captions. */
  readonly scale: number
  /** Share of the outputs that are set to 0; the others are divided by 1 − dropout. */
  readonly dropout: number
  /** Seed of the outputs that are set to 0. */
  readonly seed: number
}

/** A language model in memory. All its functions use the memory of one part of a mini-batch, its arena. */
export interface LanguageModel {
  /** Numbers in memory, by position. */
  readonly numbers: Float32Array | Float64Array
  readonly kernels: Kernels
  /**
   * Log-probabilities (natural logarithms) of all words of some captions, in the order of `examples`.
   *
   * @param gradient writes the gradient to the arena; that of the embeddings is added to the common one by addEmbeddingGradients
   */
  logProbabilities(examples: Examples, arena: Arena, gradient?: GradientOptions): Float64Array
  /** Prepares the atoms of captions for {@link continue}. */
  begin(bags: Bags, arena: Arena): void
  /**
   * Computes the next states of hypotheses and the most probable next words.
   *
   * @param count number of words of each hypothesis
   */
  continue(hypotheses: readonly Hypothesis[], arena: Arena, count: number): Continuations
  /** Adds the gradients of the embeddings in an arena, for the captions of the last call, to the common gradient. */
  addEmbeddingGradients(examples: Examples, arena: Arena): void
  /** Byte of a position. */
  address(position: number): number
}

/** Captions of a part of a mini-batch in the order of the computation: the longest first, step by step. */
interface Schedule {
  /** Captions by descending number of words. */
  readonly captions: readonly number[]
  /** Captions that have a word at each step. */
  readonly active: readonly number[]
  /** First row of each step, and the number of rows. */
  readonly rows: readonly number[]
}

/** Opens a model. @param module the kernels for the precision of the layout */
export function openLanguageModel(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  layout: Layout,
): LanguageModel {
  const kernels = createKernels(module, memory)
  const bytes = layout.precision === 'single' ? 4 : 8
  const { buffer } = memory
  // The types of typed arrays do not know that a memory may be shared.
  const numbers =
    bytes === 4
      ? new Float32Array(buffer as unknown as ArrayBuffer)
      : new Float64Array(buffer as unknown as ArrayBuffer)
  const integers = new Int32Array(buffer as unknown as ArrayBuffer)
  const { parameters, state, size, denseStart } = layout
  const address = (position: number) => position * bytes
  const row = (matrix: Matrix, index: number) => (matrix.start + index * matrix.step) * bytes

  /** Rows from one on, or all. */
  const from = (matrix: Matrix, first: number): Matrix => ({
    ...matrix,
    start: matrix.start + first * matrix.step,
  })

  interface Product {
    readonly into: Matrix
    /** Rows of the product, its columns, and the numbers in each sum. */
    readonly rows: number
    readonly columns: number
    readonly depth: number
    /** Whether to add to what is there. */
    readonly adds: boolean
  }

  /** into = left · right; matrices are transposed where it is said. */
  function multiply(
    left: Matrix,
    right: Matrix,
    { into, rows, columns, depth, adds }: Product,
    scratch: number,
    transposed: { readonly left?: boolean; readonly right?: boolean } = {},
  ): void {
    if (rows === 0 || depth === 0) return
    const steps = (matrix: Matrix, isTransposed: boolean | undefined) =>
      isTransposed ? [bytes, matrix.step * bytes] : [matrix.step * bytes, bytes]
    const [leftRow, leftColumn] = steps(left, transposed.left)
    const [rightRow, rightColumn] = steps(right, transposed.right)
    kernels.multiply(
      address(into.start),
      into.step * bytes,
      address(left.start),
      leftRow,
      leftColumn,
      address(right.start),
      rightRow,
      rightColumn,
      rows,
      columns,
      depth,
      adds ? 1 : 0,
      address(scratch),
    )
  }

  /** The gradient of a parameter that is no embedding. */
  const gradientOf = ({ gradient }: Arena, name: Parameter): Matrix => ({
    ...parameters[name],
    start: gradient + parameters[name].start - denseStart,
  })

  function fillRows(matrix: Matrix, count: number, { start, step }: Matrix): void {
    for (let index = 0; index < count; index++)
      numbers.copyWithin(matrix.start + index * matrix.step, start, start + step)
  }

  /** Adds the sum of rows to a row. */
  function addRows(into: Matrix, matrix: Matrix, count: number): void {
    for (let index = 0; index < count; index++)
      kernels.add(address(into.start), row(matrix, index), into.step)
  }

  const clearRows = (matrix: Matrix, count: number) =>
    kernels.clear(address(matrix.start), count * matrix.step)

  /** Distinct words of inputs, and the row of each word. */
  const rowOfWord = new Int32Array(size.words).fill(-1)

  /** Reads the embeddings of words. @returns the number of distinct ones */
  function readInputs(words: Iterable<number>, arena: Arena): number {
    let count = 0
    const ids = integers.subarray(arena.inputIds / 4)
    for (const word of words) {
      if (rowOfWord[word] >= 0) continue
      rowOfWord[word] = count
      ids[count++] = word
    }
    for (let index = 0; index < count; index++) {
      const { start, step } = parameters.Ew
      const source = start + ids[index] * step
      numbers.copyWithin(arena.inputs.start + index * step, source, source + step)
    }
    return count
  }

  function forgetInputs(count: number, arena: Arena): void {
    for (let index = 0; index < count; index++) rowOfWord[integers[arena.inputIds / 4 + index]] = -1
  }

  function readBags({ atoms, atomOffsets }: Bags, arena: Arena): void {
    const count = atomOffsets.length - 1
    clearRows(arena.bags, count)
    for (let caption = 0; caption < count; caption++)
      for (let i = atomOffsets[caption]; i < atomOffsets[caption + 1]; i++)
        kernels.add(row(arena.bags, caption), row(parameters.Ea, atoms[i]), arena.bags.step)
  }

  /** The gates' inputs by words, section 4.3. @returns the number of distinct words */
  function prepareInputs(words: Iterable<number>, arena: Arena): number {
    const count = readInputs(words, arena)
    const product = { into: arena.inputGates, rows: count, columns: 4 * state, depth: size.embedding }
    multiply(arena.inputs, parameters.W, { ...product, adds: false }, arena.scratch)
    return count
  }

  /** The gates' inputs by atoms, and their biases. */
  function prepareBags(examples: Bags, arena: Arena): void {
    readBags(examples, arena)
    const captions = examples.atomOffsets.length - 1
    fillRows(arena.bagGates, captions, parameters.b)
    const product = { into: arena.bagGates, rows: captions, columns: 4 * state, depth: size.embedding }
    multiply(arena.bags, parameters.A, { ...product, adds: true }, arena.scratch)
  }

  /** The word that is the input of a step. */
  const inputOf = ({ words, wordOffsets }: Examples, caption: number, step: number) =>
    step === 0 ? BEGIN : words[wordOffsets[caption] + step - 1]

  function runSteps(examples: Examples, { captions, active, rows }: Schedule, arena: Arena): void {
    const { gates, cells, states, previousStates, inputGates, bagGates, scratch } = arena
    for (let step = 0; step < active.length; step++) {
      const first = rows[step]
      for (let index = 0; index < active[step]; index++) {
        const word = inputOf(examples, captions[index], step)
        kernels.sum(
          row(gates, first + index),
          row(inputGates, rowOfWord[word]),
          row(bagGates, captions[index]),
          gates.step,
        )
      }
      if (step > 0) {
        const previous = rows[step - 1]
        const copied = states.start + previous * states.step
        numbers.copyWithin(
          previousStates.start + first * states.step,
          copied,
          copied + active[step] * states.step,
        )
        multiply(
          from(states, previous),
          parameters.U,
          { into: from(gates, first), rows: active[step], columns: 4 * state, depth: state, adds: true },
          scratch,
        )
      }
      for (let index = 0; index < active[step]; index++) {
        const previous = step === 0 ? address(arena.zeros) : row(cells, rows[step - 1] + index)
        const current = first + index
        kernels.step(row(gates, current), previous, row(cells, current), row(states, current), state)
      }
    }
  }

  /** tanh(W_p h + b_p) of all rows, and what is left of it by dropout. */
  function computeOutputs(count: number, arena: Arena, gradient: GradientOptions | undefined): Matrix {
    const { states, outputs, mask, dropped, scratch } = arena
    fillRows(outputs, count, parameters.bp)
    const product = { into: outputs, rows: count, columns: state, depth: state, adds: true }
    multiply(states, parameters.Wp, product, scratch)
    kernels.tanh(address(outputs.start), count * outputs.step)
    if (gradient === undefined || gradient.dropout === 0) return outputs
    drawMask(gradient, mask, count)
    numbers.copyWithin(dropped.start, outputs.start, outputs.start + count * outputs.step)
    kernels.multiplyBy(address(dropped.start), address(mask.start), count * mask.step)
    return dropped
  }

  function drawMask({ dropout, seed }: GradientOptions, mask: Matrix, count: number): void {
    const random = createRandom(seed)
    const scale = 1 / (1 - dropout)
    const limit = Math.round(dropout * 2 ** 32)
    for (let i = mask.start; i < mask.start + count * mask.step; i++)
      numbers[i] = random.below(2 ** 32) < limit ? 0 : scale
  }

  /** Log-probabilities of the words of all rows, in their order, and the gradient by the rows of outputs. */
  function computeSoftmax(
    targets: Int32Array,
    inputs: Matrix,
    arena: Arena,
    gradient: GradientOptions | undefined,
  ): Float64Array {
    const { logits, outputsGradient, scratch } = arena
    const { Up, d } = parameters
    const logProbabilities = new Float64Array(targets.length)
    for (let first = 0; first < targets.length; first += LOGIT_ROWS) {
      const count = Math.min(LOGIT_ROWS, targets.length - first)
      fillRows(logits, count, d)
      const product = { rows: count, columns: Up.step, depth: state, adds: true }
      multiply(from(inputs, first), Up, { ...product, into: logits }, scratch)
      for (let index = 0; index < count; index++) {
        const target = logits.start + index * logits.step + targets[first + index]
        const at = row(logits, index)
        const max = kernels.max(at, logits.step)
        const logit = numbers[target]
        const sum = kernels.exponential(at, logits.step, max)
        logProbabilities[first + index] = logit - max - Math.log(sum)
        if (gradient === undefined) continue
        kernels.scale(at, logits.step, gradient.scale / sum)
        numbers[target] -= gradient.scale
      }
      if (gradient === undefined) continue
      const into = gradientOf(arena, 'Up')
      const depth = { columns: Up.step, depth: count, adds: true }
      multiply(from(inputs, first), logits, { ...depth, into, rows: state }, scratch, { left: true })
      addRows(gradientOf(arena, 'd'), logits, count)
      const ofOutputs = { into: from(outputsGradient, first), rows: count, columns: state, adds: false }
      multiply(logits, Up, { ...ofOutputs, depth: Up.columns }, scratch, { right: true })
    }
    return logProbabilities
  }

  /** The most probable words by rows of outputs. */
  function mostProbable(outputs: Matrix, rows: number, arena: Arena, count: number): Continuations {
    const { logits, scratch } = arena
    const { Up, d } = parameters
    fillRows(logits, rows, d)
    const product = { into: logits, rows, columns: Up.step, depth: state, adds: true }
    multiply(outputs, Up, product, scratch)
    const result = {
      words: new Int32Array(rows * count).fill(-1),
      logProbabilities: new Float64Array(rows * count).fill(Number.NEGATIVE_INFINITY),
      ends: new Float64Array(rows),
    }
    for (let index = 0; index < rows; index++) {
      const start = logits.start + index * logits.step
      const words = result.words.subarray(index * count, (index + 1) * count)
      const values = result.logProbabilities.subarray(index * count, (index + 1) * count)
      const end = numbers[start + END]
      selectLargest(numbers.subarray(start, start + size.words), words, values)
      const max = kernels.max(address(start), logits.step)
      const logSum = max + Math.log(kernels.exponential(address(start), logits.step, max))
      for (let i = 0; i < count; i++) values[i] -= logSum
      result.ends[index] = end - logSum
    }
    return result
  }

  /** From the gradient of the outputs to that of the states, and of the parameters between. */
  function propagateOutputs(count: number, arena: Arena, { dropout }: GradientOptions): void {
    const { outputs, outputsGradient, mask, states, statesGradient, scratch } = arena
    const all = count * outputs.step
    if (dropout > 0) kernels.multiplyBy(address(outputsGradient.start), address(mask.start), all)
    kernels.tanhGradient(address(outputsGradient.start), address(outputs.start), all)
    addRows(gradientOf(arena, 'bp'), outputsGradient, count)
    const ofWeights = { into: gradientOf(arena, 'Wp'), rows: state, columns: state, depth: count, adds: true }
    multiply(states, outputsGradient, ofWeights, scratch, { left: true })
    const ofStates = { into: statesGradient, rows: count, columns: state, depth: state, adds: false }
    multiply(outputsGradient, parameters.Wp, ofStates, scratch, { right: true })
  }

  /** From the gradient of the states back through the steps, to that of the gates. */
  function propagateSteps({ active, rows }: Schedule, arena: Arena): void {
    const { gates, gatesGradient, cells, statesGradient, cellsGradient, previousStates, scratch } = arena
    clearRows(cellsGradient, active[0])
    for (let step = active.length - 1; step >= 0; step--) {
      const first = rows[step]
      if (step + 1 < active.length) {
        const product = { rows: active[step + 1], columns: state, depth: 4 * state, adds: true }
        const next = from(gatesGradient, rows[step + 1])
        multiply(next, parameters.U, { ...product, into: from(statesGradient, first) }, scratch, {
          right: true,
        })
      }
      for (let index = 0; index < active[step]; index++) {
        const current = first + index
        kernels.stepGradient(
          row(gates, current),
          step === 0 ? address(arena.zeros) : row(cells, rows[step - 1] + index),
          row(cells, current),
          row(statesGradient, current),
          row(cellsGradient, index),
          row(gatesGradient, current),
          state,
        )
      }
    }
    if (rows.length < 3) return
    const depth = rows[active.length] - rows[1]
    const ofWeights = { into: gradientOf(arena, 'U'), rows: state, columns: 4 * state, depth, adds: true }
    multiply(from(previousStates, rows[1]), from(gatesGradient, rows[1]), ofWeights, scratch, { left: true })
  }

  /** From the gradient of the gates to those of the embeddings, of W, A and b. */
  function propagateInputs(
    examples: Examples,
    inputCount: number,
    { captions, active, rows }: Schedule,
    arena: Arena,
  ): void {
    const { inputGatesGradient, bagGatesGradient, gatesGradient, inputs, bags, scratch } = arena
    clearRows(inputGatesGradient, inputCount)
    clearRows(bagGatesGradient, captions.length)
    for (let step = 0; step < active.length; step++) {
      for (let index = 0; index < active[step]; index++) {
        const caption = captions[index]
        const source = row(gatesGradient, rows[step] + index)
        const word = rowOfWord[inputOf(examples, caption, step)]
        kernels.add(row(inputGatesGradient, word), source, gatesGradient.step)
        kernels.add(row(bagGatesGradient, caption), source, gatesGradient.step)
      }
    }
    addRows(gradientOf(arena, 'b'), bagGatesGradient, captions.length)
    const ofWeights = { rows: size.embedding, columns: 4 * state, adds: true }
    const [W, A] = [gradientOf(arena, 'W'), gradientOf(arena, 'A')]
    const transposed = { left: true }
    multiply(inputs, inputGatesGradient, { ...ofWeights, into: W, depth: inputCount }, scratch, transposed)
    multiply(bags, bagGatesGradient, { ...ofWeights, into: A, depth: captions.length }, scratch, transposed)
    const ofInputs = { columns: parameters.Ew.step, depth: 4 * state, adds: false }
    const { inputsGradient, bagsGradient } = arena
    multiply(
      inputGatesGradient,
      parameters.W,
      { ...ofInputs, into: inputsGradient, rows: inputCount },
      scratch,
      {
        right: true,
      },
    )
    multiply(
      bagGatesGradient,
      parameters.A,
      { ...ofInputs, into: bagsGradient, rows: captions.length },
      scratch,
      {
        right: true,
      },
    )
  }

  return {
    numbers,
    kernels,
    address,

    logProbabilities(examples, arena, gradient) {
      const schedule = scheduleOf(examples)
      const { captions, active, rows } = schedule
      const count = rows[active.length]
      const inputCount = prepareInputs(inputsOf(examples), arena)
      prepareBags(examples, arena)
      runSteps(examples, schedule, arena)
      const targets = new Int32Array(count)
      const position = new Int32Array(count)
      for (let step = 0; step < active.length; step++) {
        for (let index = 0; index < active[step]; index++) {
          position[rows[step] + index] = examples.wordOffsets[captions[index]] + step
          targets[rows[step] + index] = examples.words[position[rows[step] + index]]
        }
      }
      if (gradient) kernels.clear(address(arena.gradient), layout.parameterCount - denseStart)
      const inputs = computeOutputs(count, arena, gradient)
      const byRow = computeSoftmax(targets, inputs, arena, gradient)
      if (gradient) {
        propagateOutputs(count, arena, gradient)
        propagateSteps(schedule, arena)
        propagateInputs(examples, inputCount, schedule, arena)
      }
      forgetInputs(inputCount, arena)
      const result = new Float64Array(count)
      const offset = examples.wordOffsets[0]
      for (let index = 0; index < count; index++) result[position[index] - offset] = byRow[index]
      return result
    },

    begin: prepareBags,

    continue(hypotheses, arena, count) {
      const { gates, cells, states, previousStates, statesGradient: previousCells, scratch } = arena
      const rows = hypotheses.length
      for (const [index, { parent }] of hypotheses.entries()) {
        for (const [source, target] of [
          [states, previousStates],
          [cells, previousCells],
        ]) {
          const from = parent < 0 ? arena.zeros : source.start + parent * source.step
          numbers.copyWithin(target.start + index * target.step, from, from + source.step)
        }
      }
      const inputs = hypotheses.map(({ word }) => word)
      const inputCount = prepareInputs(inputs, arena)
      for (const [index, { word, caption }] of hypotheses.entries()) {
        const [byWord, byAtoms] = [row(arena.inputGates, rowOfWord[word]), row(arena.bagGates, caption)]
        kernels.sum(row(gates, index), byWord, byAtoms, gates.step)
      }
      forgetInputs(inputCount, arena)
      const product = { into: gates, rows, columns: 4 * state, depth: state, adds: true }
      multiply(previousStates, parameters.U, product, scratch)
      for (let index = 0; index < rows; index++) {
        const [at, previous] = [row(gates, index), row(previousCells, index)]
        kernels.step(at, previous, row(cells, index), row(states, index), state)
      }
      return mostProbable(computeOutputs(rows, arena, undefined), rows, arena, count)
    },

    addEmbeddingGradients(examples, arena) {
      const gradient = layout.gradient
      const inputCount = new Set(inputsOf(examples)).size
      const ids = integers.subarray(arena.inputIds / 4)
      for (let index = 0; index < inputCount; index++) {
        const into = address(gradient + parameters.Ew.start + ids[index] * parameters.Ew.step)
        kernels.add(into, row(arena.inputsGradient, index), parameters.Ew.step)
      }
      const { atoms, atomOffsets } = examples
      for (let caption = 0; caption + 1 < atomOffsets.length; caption++) {
        for (let i = atomOffsets[caption]; i < atomOffsets[caption + 1]; i++) {
          const into = address(gradient + parameters.Ea.start + atoms[i] * parameters.Ea.step)
          kernels.add(into, row(arena.bagsGradient, caption), parameters.Ea.step)
        }
      }
    },
  }
}

/** The words that are inputs of a step, with repetitions. */
function* inputsOf({ words, wordOffsets }: Examples): Generator<number> {
  yield BEGIN
  for (let caption = 0; caption + 1 < wordOffsets.length; caption++)
    for (let i = wordOffsets[caption]; i < wordOffsets[caption + 1] - 1; i++) yield words[i]
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

function scheduleOf({ wordOffsets }: Examples): Schedule {
  const lengthOf = (caption: number) => wordOffsets[caption + 1] - wordOffsets[caption]
  const captions = Array.from({ length: wordOffsets.length - 1 }, (_, caption) => caption)
  captions.sort((one, other) => lengthOf(other) - lengthOf(one) || one - other)
  const active: number[] = []
  const rows = [0]
  for (let step = 0; captions.length > 0 && step < lengthOf(captions[0]); step++) {
    const count = captions.findLastIndex((caption) => lengthOf(caption) > step) + 1
    active.push(count)
    rows.push(rows[step] + count)
  }
  return { captions, active, rows }
}

/** Selects captions of examples, as views. */
export function selectRange(examples: Examples, first: number, end: number): Examples {
  return {
    words: examples.words,
    wordOffsets: examples.wordOffsets.subarray(first, end + 1),
    atoms: examples.atoms,
    atomOffsets: examples.atomOffsets.subarray(first, end + 1),
  }
}

/** Added to the logits of the padding, whose probabilities are therefore 0. */
const NO_WORD = -1e30

/**
 * Writes random weights: uniform with the variance of Glorot & Bengio 2010 for matrices, 0 for biases but 1 for that of
 * the forget gate (Jozefowicz et al. 2015).
 */
export function initialize(numbers: Float32Array | Float64Array, layout: Layout, random: Random): void {
  const { parameters, state, size } = layout
  const draw = ({ start, step }: Matrix, rows: number, columns: number, inputs: number, outputs: number) => {
    const limit = Math.sqrt(6 / (inputs + outputs))
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++)
        numbers[start + row * step + column] = limit * (2 * random.next() - 1)
  }
  const { Ew, Ea, W, A, U, b, Wp, Up } = parameters
  draw(Ew, size.words, size.embedding, size.embedding, size.embedding)
  draw(Ea, size.atoms, size.embedding, size.embedding, size.embedding)
  for (let gate = 0; gate < 4; gate++) {
    const part = (matrix: Matrix) => ({ ...matrix, start: matrix.start + gate * state })
    draw(part(W), size.embedding, size.state, size.embedding, size.state)
    draw(part(A), size.embedding, size.state, size.embedding, size.state)
    draw(part(U), size.state, size.state, size.state, size.state)
  }
  numbers.fill(1, b.start, b.start + size.state)
  draw(Wp, size.state, size.state, size.state, size.state)
  draw(Up, size.state, size.words, size.state, size.words)
  padWords(numbers, layout)
}

/** Excludes the padding of the vocabulary from the softmax. */
export function padWords(numbers: Float32Array | Float64Array, { parameters: { d } }: Layout): void {
  numbers.fill(NO_WORD, d.start + d.columns, d.start + d.step)
}
