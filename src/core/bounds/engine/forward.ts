/**
 * The forward pass of the language model of Yao et al. 2016, section 4.3. Rows are words of captions or hypotheses; sizes
 * in the comments are those of a row: e numbers of an embedding, s of a state, 4s of the gates f, i, o, c̃ side by side.
 */
import { createRandom } from '../../stats/random.js'
import { type Bags, type Examples, inputOf, type Schedule } from './examples.js'
import type { Arena, Matrix } from './layout.js'
import {
  addProduct,
  addressOf,
  clearRows,
  copyRows,
  fillRows,
  type LanguageModel,
  multiply,
  rowAddress,
  rowsOf,
} from './memory.js'

/** The outputs that are set to 0. */
export interface Dropout {
  /** Their share; the others are divided by 1 − dropout. */
  readonly dropout: number
  readonly seed: number
}

/**
 * Computes what distinct words add to the gates: inputs · W (e → 4s), one row for each word.
 *
 * @param words may have repetitions
 * @returns the number of distinct words. They are forgotten by {@link forgetInputs}.
 */
export function prepareInputs(model: LanguageModel, arena: Arena, words: Iterable<number>): number {
  const { W } = model.layout.parameters
  const count = readInputs(model, arena, words)
  multiply(model, arena, arena.inputGates, rowsOf(arena.inputs, 0, count), W)
  return count
}

/** Reads the embeddings (e) of words. @returns the number of distinct ones */
function readInputs(model: LanguageModel, arena: Arena, words: Iterable<number>): number {
  const { rowOfWord, layout } = model
  const ids = inputIdsOf(model, arena)
  let count = 0
  for (const word of words) {
    if (rowOfWord[word] >= 0) continue
    rowOfWord[word] = count
    ids[count] = word
    copyRows(model, rowsOf(arena.inputs, count, 1), rowsOf(layout.parameters.Ew, word, 1))
    count++
  }
  return count
}

/** The word of each row of inputs. */
export function inputIdsOf({ integers }: LanguageModel, { inputIds }: Arena): Int32Array {
  return integers.subarray(inputIds / 4)
}

/** Ends what {@link prepareInputs} begins. */
export function forgetInputs(model: LanguageModel, arena: Arena, count: number): void {
  for (const word of inputIdsOf(model, arena).subarray(0, count)) model.rowOfWord[word] = -1
}

/** Computes what bags of atoms and the biases add to the gates: bags · A + b (e → 4s), one row for each caption. */
export function prepareBags(model: LanguageModel, arena: Arena, bags: Bags): void {
  const { A, b } = model.layout.parameters
  const count = bags.atomOffsets.length - 1
  const [sums, gates] = [rowsOf(arena.bags, 0, count), rowsOf(arena.bagGates, 0, count)]
  sumAtoms(model, sums, bags)
  fillRows(model, gates, b)
  addProduct(model, arena, gates, sums, A)
}

/** Computes the sum of the embeddings (e) of the atoms of each caption. */
function sumAtoms(model: LanguageModel, into: Matrix, { atoms, atomOffsets }: Bags): void {
  const { Ea } = model.layout.parameters
  clearRows(model, into)
  for (let caption = 0; caption < into.rows; caption++)
    for (let i = atomOffsets[caption]; i < atomOffsets[caption + 1]; i++)
      model.kernels.add(rowAddress(model, into, caption), rowAddress(model, Ea, atoms[i]), into.step)
}

/** Computes the gates (4s), cells and states (s) of all words of prepared captions, step by step. */
export function runSteps(
  model: LanguageModel,
  arena: Arena,
  examples: Examples,
  { captions, steps }: Schedule,
): void {
  const { cells, states, previousStates } = arena
  for (const [step, { first, count }] of steps.entries()) {
    for (let index = 0; index < count; index++)
      addInputs(model, arena, first + index, inputOf(examples, captions[index], step), captions[index])
    if (step === 0) {
      updateStates(model, arena, first, count, arena.zeros)
    } else {
      const previous = steps[step - 1].first
      copyRows(model, rowsOf(previousStates, first, count), rowsOf(states, previous, count))
      addPreviousStates(model, arena, first, count)
      updateStates(model, arena, first, count, rowsOf(cells, previous, count))
    }
  }
}

/** Sets the gates (4s) of a row to what its prepared word and caption add. */
export function addInputs(
  model: LanguageModel,
  { gates, inputGates, bagGates }: Arena,
  row: number,
  word: number,
  caption: number,
): void {
  model.kernels.sum(
    rowAddress(model, gates, row),
    rowAddress(model, inputGates, model.rowOfWord[word]),
    rowAddress(model, bagGates, caption),
    gates.step,
  )
}

/** gates += previousStates · U (s → 4s), for some rows. */
export function addPreviousStates(model: LanguageModel, arena: Arena, first: number, count: number): void {
  const [gates, states] = [rowsOf(arena.gates, first, count), rowsOf(arena.previousStates, first, count)]
  addProduct(model, arena, gates, states, model.layout.parameters.U)
}

/** Activates the gates of some rows, and computes their cells and states (s) from the previous cells. */
export function updateStates(
  model: LanguageModel,
  { gates, cells, states }: Arena,
  first: number,
  count: number,
  previousCells: Matrix,
): void {
  for (let index = 0; index < count; index++) {
    const row = first + index
    model.kernels.step(
      rowAddress(model, gates, row),
      rowAddress(model, previousCells, index),
      rowAddress(model, cells, row),
      rowAddress(model, states, row),
      model.layout.state,
    )
  }
}

/** Computes tanh(states · W_p + b_p) (s). @returns the outputs, or what dropout leaves of them */
export function computeOutputs(model: LanguageModel, arena: Arena, rows: number, dropout?: Dropout): Matrix {
  const { kernels, layout } = model
  const { Wp, bp } = layout.parameters
  const outputs = rowsOf(arena.outputs, 0, rows)
  fillRows(model, outputs, bp)
  addProduct(model, arena, outputs, rowsOf(arena.states, 0, rows), Wp)
  kernels.tanh(addressOf(model, outputs.start), rows * outputs.step)
  if (dropout === undefined || dropout.dropout === 0) return outputs
  const [mask, dropped] = [rowsOf(arena.mask, 0, rows), rowsOf(arena.dropped, 0, rows)]
  drawMask(model, mask, dropout)
  copyRows(model, dropped, outputs)
  kernels.multiplyBy(addressOf(model, dropped.start), addressOf(model, mask.start), rows * mask.step)
  return dropped
}

/** Writes the factors of outputs: 0, or 1 / (1 − dropout). */
function drawMask({ numbers }: LanguageModel, mask: Matrix, { dropout, seed }: Dropout): void {
  const random = createRandom(seed)
  const scale = 1 / (1 - dropout)
  const limit = Math.round(dropout * 2 ** 32)
  for (let i = mask.start; i < mask.start + mask.rows * mask.step; i++)
    numbers[i] = random.below(2 ** 32) < limit ? 0 : scale
}
