/** The backward pass of the language model, after its forward pass. Sizes in the comments are those of forward.ts. */
import { type Examples, inputOf, inputsOf, type Schedule } from './examples.js'
import { inputIdsOf } from './forward.js'
import type { Arena, Matrix } from './layout.js'
import {
  addProduct,
  addRows,
  addressOf,
  clearRows,
  gradientOf,
  type LanguageModel,
  multiply,
  rowAddress,
  rowsOf,
  transposed,
} from './memory.js'

/** From the gradient of the outputs (s) to that of the states (s), of W_p and of b_p. */
export function propagateOutputs(
  model: LanguageModel,
  arena: Arena,
  { rowCount }: Schedule,
  dropout: number,
): void {
  const { kernels, layout } = model
  const gradient = rowsOf(arena.outputsGradient, 0, rowCount)
  const [at, count] = [addressOf(model, gradient.start), rowCount * gradient.step]
  if (dropout > 0) kernels.multiplyBy(at, addressOf(model, arena.mask.start), count)
  kernels.tanhGradient(at, addressOf(model, arena.outputs.start), count)
  addRows(model, gradientOf(model, arena, 'bp'), gradient)
  const states = rowsOf(arena.states, 0, rowCount)
  addProduct(model, arena, gradientOf(model, arena, 'Wp'), transposed(states), gradient)
  multiply(model, arena, arena.statesGradient, gradient, transposed(layout.parameters.Wp))
}

/** From the gradient of the states (s) back through the steps, to that of the gates (4s) and of U. */
export function propagateSteps(model: LanguageModel, arena: Arena, schedule: Schedule): void {
  const { captions, steps, rowCount } = schedule
  const { cells, gatesGradient, statesGradient, cellsGradient, previousStates, zeros } = arena
  clearRows(model, rowsOf(cellsGradient, 0, captions.length))
  for (let step = steps.length - 1; step >= 0; step--) {
    const { first, count } = steps[step]
    if (step + 1 < steps.length) {
      const next = rowsOf(gatesGradient, steps[step + 1].first, steps[step + 1].count)
      const into = rowsOf(statesGradient, first, count)
      addProduct(model, arena, into, next, transposed(model.layout.parameters.U))
    }
    const previousCells = step === 0 ? zeros : rowsOf(cells, steps[step - 1].first, count)
    propagateStep(model, arena, steps[step], previousCells)
  }
  if (steps.length < 2) return
  const { first } = steps[1]
  const [states, gradient] = [previousStates, gatesGradient].map((all) =>
    rowsOf(all, first, rowCount - first),
  )
  addProduct(model, arena, gradientOf(model, arena, 'U'), transposed(states), gradient)
}

/** Computes the gradient of the gates (4s) of the rows of a step, and in cellsGradient that of the cells (s) before it. */
function propagateStep(
  model: LanguageModel,
  arena: Arena,
  { first, count }: Schedule['steps'][number],
  previousCells: Matrix,
): void {
  const { gates, gatesGradient, cells, statesGradient, cellsGradient } = arena
  for (let index = 0; index < count; index++) {
    const row = first + index
    model.kernels.stepGradient(
      rowAddress(model, gates, row),
      rowAddress(model, previousCells, index),
      rowAddress(model, cells, row),
      rowAddress(model, statesGradient, row),
      rowAddress(model, cellsGradient, index),
      rowAddress(model, gatesGradient, row),
      model.layout.state,
    )
  }
}

/**
 * From the gradient of the gates (4s) to those of the embeddings of inputs and bags (e), of W, A and b.
 *
 * @param inputCount number of distinct inputs
 */
export function propagateInputs(
  model: LanguageModel,
  arena: Arena,
  examples: Examples,
  schedule: Schedule,
  inputCount: number,
): void {
  const { inputs, inputsGradient, bags, bagsGradient } = arena
  const inputGates = rowsOf(arena.inputGatesGradient, 0, inputCount)
  const bagGates = rowsOf(arena.bagGatesGradient, 0, schedule.captions.length)
  sumGatesGradients(model, arena, examples, schedule, inputGates, bagGates)
  addRows(model, gradientOf(model, arena, 'b'), bagGates)
  for (const [name, embeddings, embeddingsGradient, gates] of [
    ['W', inputs, inputsGradient, inputGates],
    ['A', bags, bagsGradient, bagGates],
  ] as const) {
    const left = transposed(rowsOf(embeddings, 0, gates.rows))
    addProduct(model, arena, gradientOf(model, arena, name), left, gates)
    multiply(model, arena, embeddingsGradient, gates, transposed(model.layout.parameters[name]))
  }
}

/** Sums the gradients of the gates (4s) of all words by their input, and by their caption. */
function sumGatesGradients(
  model: LanguageModel,
  { gatesGradient }: Arena,
  examples: Examples,
  { captions, steps }: Schedule,
  byInput: Matrix,
  byCaption: Matrix,
): void {
  const { kernels, rowOfWord } = model
  clearRows(model, byInput)
  clearRows(model, byCaption)
  for (const [step, { first, count }] of steps.entries()) {
    for (let index = 0; index < count; index++) {
      const source = rowAddress(model, gatesGradient, first + index)
      const input = rowOfWord[inputOf(examples, captions[index], step)]
      kernels.add(rowAddress(model, byInput, input), source, gatesGradient.step)
      kernels.add(rowAddress(model, byCaption, captions[index]), source, gatesGradient.step)
    }
  }
}

/** Adds the gradients of the embeddings in an arena, for the captions of its last computation, to the common gradient. */
export function addEmbeddingGradients(model: LanguageModel, arena: Arena, examples: Examples): void {
  const { gradient, parameters } = model.layout
  const { inputsGradient, bagsGradient } = arena
  const add = (parameter: Matrix, embedding: number, source: number) => {
    const { start, step } = rowsOf(parameter, embedding, 1)
    model.kernels.add(addressOf(model, gradient + start), source, step)
  }
  const inputCount = new Set(inputsOf(examples)).size
  for (const [row, word] of inputIdsOf(model, arena).subarray(0, inputCount).entries())
    add(parameters.Ew, word, rowAddress(model, inputsGradient, row))
  const { atoms, atomOffsets } = examples
  for (let caption = 0; caption + 1 < atomOffsets.length; caption++)
    for (let i = atomOffsets[caption]; i < atomOffsets[caption + 1]; i++)
      add(parameters.Ea, atoms[i], rowAddress(model, bagsGradient, caption))
}
