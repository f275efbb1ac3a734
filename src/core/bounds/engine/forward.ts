/**
 * The forward pass of the language model of Yao et al. 2016, section 4.3. Rows are words of captions or hypotheses; sizes
 * in the comments are those of a row: e numbers of an embedding, s of a state, 4s of the gates f, i, o, c̃ side by side.
 */
import { createRandom } from '../../stats/random.js'
import { type Bags, type Examples, inputOf, type Schedule } from './examples.js'
import type { Arena, Matrix } from './layout.js'
import {
  addressOf,
  clearRows,
  copyRows,
  fillRows,
  type LanguageModel,
  multiply,
  rowAddress,
  rowsFrom,
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
  const { parameters, size, state } = model.layout
  const { inputs: left, inputGates: into } = arena
  const rows = readInputs(model, arena, words)
  const columns = 4 * state
  multiply(model, arena, {
    into,
    left,
    right: parameters.W,
    rows,
    columns,
    depth: size.embedding,
    adds: false,
  })
  return rows
}

/** Reads the embeddings (e) of words. @returns the number of distinct ones */
function readInputs(model: LanguageModel, arena: Arena, words: Iterable<number>): number {
  const { rowOfWord } = model
  const ids = inputIdsOf(model, arena)
  let count = 0
  for (const word of words) {
    if (rowOfWord[word] >= 0) continue
    rowOfWord[word] = count
    ids[count] = word
    copyRows(model, rowsFrom(arena.inputs, count), rowsFrom(model.layout.parameters.Ew, word))
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
  const { parameters, size, state } = model.layout
  const { bags: left, bagGates: into } = arena
  const rows = bags.atomOffsets.length - 1
  readBags(model, left, bags)
  fillRows(model, into, rows, parameters.b)
  const columns = 4 * state
  multiply(model, arena, {
    into,
    left,
    right: parameters.A,
    rows,
    columns,
    depth: size.embedding,
    adds: true,
  })
}

/** Reads the sum of the embeddings (e) of the atoms of each caption. */
function readBags(model: LanguageModel, into: Matrix, { atoms, atomOffsets }: Bags): void {
  const { Ea } = model.layout.parameters
  const count = atomOffsets.length - 1
  clearRows(model, into, count)
  for (let caption = 0; caption < count; caption++)
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
      copyRows(model, rowsFrom(previousStates, first), rowsFrom(states, previous), count)
      addPreviousStates(model, arena, first, count)
      updateStates(model, arena, first, count, rowsFrom(cells, previous))
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
export function addPreviousStates(model: LanguageModel, arena: Arena, first: number, rows: number): void {
  const { parameters, state } = model.layout
  const [into, left] = [rowsFrom(arena.gates, first), rowsFrom(arena.previousStates, first)]
  multiply(model, arena, {
    into,
    left,
    right: parameters.U,
    rows,
    columns: 4 * state,
    depth: state,
    adds: true,
  })
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
  const { parameters, state } = model.layout
  const { states: left, outputs, mask, dropped } = arena
  fillRows(model, outputs, rows, parameters.bp)
  const product = {
    into: outputs,
    left,
    right: parameters.Wp,
    rows,
    columns: state,
    depth: state,
    adds: true,
  }
  multiply(model, arena, product)
  model.kernels.tanh(addressOf(model, outputs.start), rows * outputs.step)
  if (dropout === undefined || dropout.dropout === 0) return outputs
  drawMask(model, mask, rows, dropout)
  copyRows(model, dropped, outputs, rows)
  model.kernels.multiplyBy(addressOf(model, dropped.start), addressOf(model, mask.start), rows * mask.step)
  return dropped
}

/** Writes the factors of outputs: 0, or 1 / (1 − dropout). */
function drawMask({ numbers }: LanguageModel, mask: Matrix, rows: number, { dropout, seed }: Dropout): void {
  const random = createRandom(seed)
  const scale = 1 / (1 - dropout)
  const limit = Math.round(dropout * 2 ** 32)
  for (let i = mask.start; i < mask.start + rows * mask.step; i++)
    numbers[i] = random.below(2 ** 32) < limit ? 0 : scale
}
