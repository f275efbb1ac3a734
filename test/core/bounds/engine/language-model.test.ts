import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readKernels } from '../../../../src/compute/shared-model.js'
import { addEmbeddingGradients } from '../../../../src/core/bounds/engine/backward.js'
import { BEGIN, END, type Examples } from '../../../../src/core/bounds/engine/examples.js'
import type { Precision } from '../../../../src/core/bounds/engine/kernels.js'
import {
  computeLogProbabilities,
  type GradientOptions,
} from '../../../../src/core/bounds/engine/language-model.js'
import {
  createLayout,
  createMemory,
  initialize,
  type Layout,
  type ModelSize,
  padWords,
  readTensor,
  type Tensor,
  tensorsOf,
  writeTensor,
} from '../../../../src/core/bounds/engine/layout.js'
import { openLanguageModel } from '../../../../src/core/bounds/engine/memory.js'
import { createRandom } from '../../../../src/core/stats/random.js'
import { dataFile, dataPresent } from '../../../kit/data.js'

interface CaptionWithAtoms {
  readonly words: readonly number[]
  readonly atoms: readonly number[]
}

function toExamples(captions: readonly CaptionWithAtoms[]): Examples {
  const offsets = (lists: readonly (readonly number[])[]) =>
    Int32Array.from([0, ...lists.map((_, i) => lists.slice(0, i + 1).flat().length)])
  return {
    words: Int32Array.from(captions.flatMap(({ words }) => words)),
    wordOffsets: offsets(captions.map(({ words }) => words)),
    atoms: Int32Array.from(captions.flatMap(({ atoms }) => atoms)),
    atomOffsets: offsets(captions.map(({ atoms }) => atoms)),
  }
}

function openModel(size: ModelSize, precision: Precision) {
  const layout = createLayout(size, { precision, captionsPerPart: 4, maxLength: 8, parts: 1 })
  const model = openLanguageModel(readKernels(precision), createMemory(layout), layout)
  const [arena] = layout.arenas
  const tensors = tensorsOf(layout)
  padWords(model.numbers, layout)
  return {
    layout,
    model,
    tensors,
    run: (examples: Examples, gradient?: GradientOptions) =>
      computeLogProbabilities(model, arena, examples, gradient),
    /** The gradient of the log-likelihood by tensor. */
    gradient(examples: Examples, options: Partial<GradientOptions> = {}): Map<string, number[]> {
      model.numbers.fill(0, layout.gradient, layout.gradient + layout.parameterCount)
      computeLogProbabilities(model, arena, examples, { scale: -1, dropout: 0, seed: 1, ...options })
      addEmbeddingGradients(model, arena, examples)
      const start = layout.gradient + layout.denseStart
      model.numbers.copyWithin(
        start,
        arena.gradient,
        arena.gradient + layout.parameterCount - layout.denseStart,
      )
      const shifted = (tensor: Tensor): Tensor => ({
        ...tensor,
        position: (row, column) => layout.gradient + tensor.position(row, column),
      })
      return new Map(tensors.map((tensor) => [tensor.name, readTensor(shifted(tensor), model.numbers)]))
    },
  }
}

const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0)
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x))

const GOLDEN = 'golden/lstm_small.json'

describe.skipIf(!dataPresent('the language model of the reference', [GOLDEN]))('the reference model', () => {
  it.each([
    ['double', 1e-9],
    ['single', 1e-5],
  ] as const)('has the same log-probabilities and gradient in %s precision', (precision, tolerance) => {
    const golden = JSON.parse(readFileSync(dataFile(GOLDEN), 'utf8'))
    const { model, tensors, run, gradient } = openModel(
      { words: 7, atoms: 5, embedding: 3, state: 4 },
      precision,
    )
    for (const tensor of tensors) writeTensor(tensor, model.numbers, golden.parameters[tensor.name].flat())
    const examples = toExamples(golden.captions)
    const expected: number[] = golden.captions.flatMap(
      ({ logProbabilities }: { logProbabilities: number[] }) => logProbabilities,
    )
    const largestDifference = (one: ArrayLike<number>, other: readonly number[]) => {
      expect(one).toHaveLength(other.length)
      return Math.max(...other.map((value, index) => Math.abs(value - one[index])))
    }
    expect(largestDifference(run(examples), expected)).toBeLessThan(tolerance)
    for (const [name, values] of gradient(examples))
      expect(largestDifference(values, golden.gradient[name].flat()), name).toBeLessThan(tolerance)
  })
})

const EXAMPLES = toExamples([
  { words: [3, 2, END], atoms: [0, 2] },
  { words: [END], atoms: [1] },
  { words: [2, 2, 4, 8, END], atoms: [] },
])

describe('the language model', () => {
  it('computes one step with a state of 2', () => {
    const { model, tensors, run } = openModel({ words: 3, atoms: 1, embedding: 1, state: 2 }, 'double')
    const values: Record<string, number[]> = {
      E_w: [1, 0, 0],
      E_a: [2],
      W_f: [0, 0],
      W_i: [0.5, -1],
      W_o: [1, 0],
      W_c: [0.25, 1],
      A_i: [0.5, 1],
      A_o: [0, -0.5],
      A_c: [0.125, 0],
      W_p: [1, 0, 0.5, -1],
      b_p: [0.1, 0],
      U_p: [0, 0, 1, 0, 0, 2],
      d: [0, 0.5, 0],
    }
    for (const tensor of tensors)
      writeTensor(
        tensor,
        model.numbers,
        values[tensor.name] ?? new Array(tensor.rows * tensor.columns).fill(0),
      )
    const [i1, i2] = [sigmoid(0.5 + 1), sigmoid(-1 + 2)]
    const [o1, o2] = [sigmoid(1), sigmoid(-1)]
    const [h1, h2] = [o1 * i1 * Math.tanh(0.5), o2 * i2 * Math.tanh(1)]
    const [q1, q2] = [Math.tanh(h1 + 0.1), Math.tanh(0.5 * h1 - h2)]
    const logits = [0, q1 + 0.5, 2 * q2]
    const logSum = Math.log(logits.reduce((total, logit) => total + Math.exp(logit), 0))
    expect(run(toExamples([{ words: [END], atoms: [0] }]))[0]).toBeCloseTo(logits[END] - logSum, 14)
  })

  it.each([0, 0.4])('has the gradient of finite differences in every parameter, dropout %d', (dropout) => {
    const size = { words: 9, atoms: 3, embedding: 5, state: 6 }
    const { layout, model, tensors, run, gradient } = openModel(size, 'double')
    initialize(model.numbers, layout, createRandom(7))
    const options = { scale: -1, dropout, seed: 3 }
    const analytic = gradient(EXAMPLES, options)
    const step = 1e-5
    for (const tensor of tensors) {
      const values = readTensor(tensor, model.numbers)
      for (const [index, value] of values.entries()) {
        const at = (changed: number) => {
          writeTensor(tensor, model.numbers, values.with(index, changed))
          return sum(run(EXAMPLES, options))
        }
        const numeric = (at(value + step) - at(value - step)) / (2 * step)
        expect(analytic.get(tensor.name)?.[index], `${tensor.name} ${index}`).toBeCloseTo(numeric, 7)
      }
      writeTensor(tensor, model.numbers, values)
    }
  })

  it('keeps the padding at zero', () => {
    const { layout, model, tensors } = openModel({ words: 9, atoms: 3, embedding: 5, state: 6 }, 'single')
    initialize(model.numbers, layout, createRandom(7))
    const inUse = new Set(
      tensors.flatMap((tensor) =>
        Array.from({ length: tensor.rows * tensor.columns }, (_, index) =>
          tensor.position(Math.floor(index / tensor.columns), index % tensor.columns),
        ),
      ),
    )
    const paddingOf = (start: number) =>
      Array.from({ length: layout.parameters.d.start }, (_, index) => index)
        .filter((index) => !inUse.has(index))
        .map((index) => model.numbers[start + index])
    const { gradient } = openAgain(model, layout)
    gradient()
    expect(new Set(paddingOf(layout.weights))).toEqual(new Set([0]))
    expect(new Set(paddingOf(layout.gradient))).toEqual(new Set([0]))
  })

  it('gives the begin of a caption a probability, and all words together 1', () => {
    const { layout, model, run } = openModel({ words: 9, atoms: 0, embedding: 4, state: 4 }, 'single')
    initialize(model.numbers, layout, createRandom(2))
    const probabilities = Array.from({ length: 9 }, (_, word) =>
      Math.exp(run(toExamples([{ words: [word, END], atoms: [] }]))[0]),
    )
    expect(probabilities[BEGIN]).toBeGreaterThan(0)
    expect(probabilities.reduce((total, probability) => total + probability)).toBeCloseTo(1, 6)
  })

  it('does not depend on the other captions', () => {
    const { layout, model, run } = openModel({ words: 9, atoms: 3, embedding: 5, state: 6 }, 'single')
    initialize(model.numbers, layout, createRandom(7))
    const alone = run(toExamples([{ words: [3, 2, END], atoms: [0, 2] }]))
    expect(run(EXAMPLES).subarray(0, 3)).toEqual(alone)
  })

  it('is refused where it does not fit into memory', () => {
    const size = { words: 1_000_000, atoms: 0, embedding: 1024, state: 1024 }
    const options = { precision: 'single', captionsPerPart: 32, maxLength: 20, parts: 4 } as const
    expect(() => createLayout(size, options)).toThrow(/the model is too large/)
  })
})

/** The gradient of the examples, in the place of the common gradient. */
function openAgain(model: ReturnType<typeof openModel>['model'], layout: Layout) {
  return {
    gradient() {
      const [arena] = layout.arenas
      computeLogProbabilities(model, arena, EXAMPLES, { scale: 1, dropout: 0, seed: 1 })
      addEmbeddingGradients(model, arena, EXAMPLES)
      model.numbers.copyWithin(
        layout.gradient + layout.denseStart,
        arena.gradient,
        arena.gradient + layout.parameterCount - layout.denseStart,
      )
    },
  }
}
