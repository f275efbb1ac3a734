/** The backward pass of the language model, after its forward pass. Sizes in the comments are those of forward.ts. */
import { type Examples, inputOf, inputsOf, type Schedule } from './examples.js'
import { inputIdsOf } from './forward.js'
import type { Arena, Matrix } from './layout.js'
import {
  addRows,
  addressOf,
  clearRows,
  gradientOf,
  type LanguageModel,
  multiply,
  rowAddress,
  rowsFrom,
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
  const { parameters, state } = layout
  const { outputs, outputsGradient, mask, states, statesGradient } = arena
  const gradient = addressOf(model, outputsGradient.start)
  const count = rowCount * outputs.step
  if (dropout > 0) kernels.multiplyBy(gradient, addressOf(model, mask.start), count)
  kernels.tanhGradient(gradient, addressOf(model, outputs.start), count)
  addRows(model, gradientOf(model, arena, 'bp'), outputsGradient, rowCount)
  multiply(model, arena, {
    into: gradientOf(model, arena, 'Wp'),
    left: transposed(states),
    right: outputsGradient,
    rows: state,
    columns: state,
    depth: rowCount,
    adds: true,
  })
  multiply(model, arena, {
    into: statesGradient,
    left: outputsGradient,
    right: transposed(parameters.Wp),
    rows: rowCount,
    columns: state,
    depth: state,
    adds: false,
  })
}

/** From the gradient of the states (s) back through the steps, to that of the gates (4s) and of U. */
export function propagateSteps(model: LanguageModel, arena: Arena, schedule: Schedule): void {
  const { captions, steps, rowCount } = schedule
  const { parameters, state } = model.layout
  const { cells, gatesGradient, statesGradient, cellsGradient, previousStates, zeros } = arena
  clearRows(model, cellsGradient, captions.length)
  for (let step = steps.length - 1; step >= 0; step--) {
    if (step + 1 < steps.length) {
      const next = steps[step + 1]
      multiply(model, arena, {
        into: rowsFrom(statesGradient, steps[step].first),
        left: rowsFrom(gatesGradient, next.first),
        right: transposed(parameters.U),
        rows: next.count,
        columns: state,
        depth: 4 * state,
        adds: true,
      })
    }
    const previousCells = step === 0 ? zeros : rowsFrom(cells, steps[step - 1].first)
    propagateStep(model, arena, steps[step], previousCells)
  }
  if (steps.length < 2) return
  multiply(model, arena, {
    into: gradientOf(model, arena, 'U'),
    left: transposed(rowsFrom(previousStates, steps[1].first)),
    right: rowsFrom(gatesGradient, steps[1].first),
    rows: state,
    columns: 4 * state,
    depth: rowCount - steps[1].first,
    adds: true,
  })
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
  sumGatesGradients(model, arena, examples, schedule, inputCount)
  const { parameters, size, state } = model.layout
  const { inputs, inputsGradient, inputGatesGradient, bags, bagsGradient, bagGatesGradient } = arena
  const captionCount = schedule.captions.length
  addRows(model, gradientOf(model, arena, 'b'), bagGatesGradient, captionCount)
  for (const [name, embeddings, embeddingsGradient, gatesGradient, count] of [
    ['W', inputs, inputsGradient, inputGatesGradient, inputCount],
    ['A', bags, bagsGradient, bagGatesGradient, captionCount],
  ] as const) {
    multiply(model, arena, {
      into: gradientOf(model, arena, name),
      left: transposed(embeddings),
      right: gatesGradient,
      rows: size.embedding,
      columns: 4 * state,
      depth: count,
      adds: true,
    })
    multiply(model, arena, {
      into: embeddingsGradient,
      left: gatesGradient,
      right: transposed(parameters[name]),
      rows: count,
      columns: embeddings.step,
      depth: 4 * state,
      adds: false,
    })
  }
}

/** Adds the gradients of the gates (4s) of all words to those of their input and of their caption. */
function sumGatesGradients(
  model: LanguageModel,
  arena: Arena,
  examples: Examples,
  { captions, steps }: Schedule,
  inputCount: number,
): void {
  const { kernels, rowOfWord } = model
  const { gatesGradient, inputGatesGradient, bagGatesGradient } = arena
  clearRows(model, inputGatesGradient, inputCount)
  clearRows(model, bagGatesGradient, captions.length)
  for (const [step, { first, count }] of steps.entries()) {
    for (let index = 0; index < count; index++) {
      const source = rowAddress(model, gatesGradient, first + index)
      const input = rowOfWord[inputOf(examples, captions[index], step)]
      kernels.add(rowAddress(model, inputGatesGradient, input), source, gatesGradient.step)
      kernels.add(rowAddress(model, bagGatesGradient, captions[index]), source, gatesGradient.step)
    }
  }
}

/** Adds the gradients of the embeddings in an arena, for the captions of its last computation, to the common gradient. */
export function addEmbeddingGradients(model: LanguageModel, arena: Arena, examples: Examples): void {
  const { gradient, parameters } = model.layout
  const { inputsGradient, bagsGradient } = arena
  const add = (parameter: Matrix, embedding: number, source: number) => {
    const into = rowsFrom(parameter, embedding)
    model.kernels.add(addressOf(model, gradient + into.start), source, into.step)
  }
  const inputCount = new Set(inputsOf(examples)).size
  for (const [row, word] of inputIdsOf(model, arena).subarray(0, inputCount).entries())
    add(parameters.Ew, word, rowAddress(model, inputsGradient, row))
  const { atoms, atomOffsets } = examples
  for (let caption = 0; caption + 1 < atomOffsets.length; caption++)
    for (let i = atomOffsets[caption]; i < atomOffsets[caption + 1]; i++)
      add(parameters.Ea, atoms[i], rowAddress(model, bagsGradient, caption))
}
