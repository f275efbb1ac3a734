import { AccordError } from '../../../errors.js'
import type { Random } from '../../stats/random.js'
import { COLUMNS, MAX_PAGES, PAGE_BYTES, type Precision, scratchSize } from './kernels.js'

/** Sizes of a language model. */
export interface ModelSize {
  /** Words of the vocabulary, the begin and the end of captions included. */
  readonly words: number
  /** Atoms that can be given; may be 0. */
  readonly atoms: number
  readonly embedding: number
  readonly state: number
}

/** A matrix in memory. The row step may exceed the number of columns; numbers between rows are 0. */
export interface Matrix {
  readonly rows: number
  readonly columns: number
  /** Position of the first number. */
  readonly start: number
  /** Numbers from one row to the next, a multiple of {@link COLUMNS}. */
  readonly step: number
}

/**
 * Parameters in the order of memory. Gates are side by side: f, i, o, c̃. All matrices are inputs × outputs, so that rows
 * of inputs are multiplied from the left.
 */
export const PARAMETERS = ['Ew', 'Ea', 'W', 'A', 'U', 'b', 'Wp', 'bp', 'Up', 'd'] as const
export type Parameter = (typeof PARAMETERS)[number]

/**
 * Memory of one part of a mini-batch. Matrices have a row for each distinct input (inputs…), for each caption (bags…,
 * cellsGradient, zeros), or for each word of a caption or hypothesis (the others), and as many columns as an embedding
 * (inputs, bags), as the gates (…gates…), as the vocabulary (logits) or as a state (the others).
 */
export interface Arena {
  /** Gradient of all parameters but the embeddings, in their order. */
  readonly gradient: number
  /** Ids of the words of the inputs, as 32-bit integers at this byte. */
  readonly inputIds: number
  readonly inputs: Matrix
  readonly inputsGradient: Matrix
  readonly inputGates: Matrix
  readonly inputGatesGradient: Matrix
  readonly bags: Matrix
  readonly bagsGradient: Matrix
  readonly bagGates: Matrix
  readonly bagGatesGradient: Matrix
  /** Before activation, then their values. */
  readonly gates: Matrix
  readonly gatesGradient: Matrix
  readonly cells: Matrix
  readonly cellsGradient: Matrix
  readonly states: Matrix
  readonly statesGradient: Matrix
  /** States of the step before. */
  readonly previousStates: Matrix
  readonly outputs: Matrix
  readonly outputsGradient: Matrix
  /** Factors of the outputs, and their products, where there is dropout. */
  readonly mask: Matrix
  readonly dropped: Matrix
  /** Of at most {@link LOGIT_ROWS} words at a time. Replaced by probabilities, and these by their gradient. */
  readonly logits: Matrix
  /** Cells before the first step. */
  readonly zeros: Matrix
  /** Memory of matrix products. */
  readonly scratch: number
}

/** Where everything is in the memory of a model. Positions count numbers, not bytes. */
export interface Layout {
  readonly precision: Precision
  readonly size: ModelSize
  /** Padded size of a state. */
  readonly state: number
  readonly parameters: Readonly<Record<Parameter, Matrix>>
  readonly parameterCount: number
  /** Position of the first parameter that is not an embedding. */
  readonly denseStart: number
  readonly weights: number
  readonly gradient: number
  readonly squares: number
  readonly updates: number
  /** One for each part of a mini-batch. */
  readonly arenas: readonly Arena[]
  readonly bytes: number
}

export interface LayoutOptions {
  readonly precision: Precision
  /** Captions of a part of a mini-batch. */
  readonly captionsPerPart: number
  /** Words of the longest caption, its end included. */
  readonly maxLength: number
  readonly parts: number
}

/** Maximum width of a beam. */
const MAX_BEAM = 5

/** Rows of logits that are in memory at a time. */
export const LOGIT_ROWS = 256

const padded = (columns: number) => Math.ceil(columns / COLUMNS) * COLUMNS

/** @throws AccordError OUT_OF_RANGE for a model that needs more than 2 GiB */
export function createLayout(size: ModelSize, options: LayoutOptions): Layout {
  const { precision, captionsPerPart, maxLength, parts } = options
  const bytesPerNumber = precision === 'single' ? 4 : 8
  let end = 0
  const reserve = (count: number): number => {
    const start = end
    end += padded(count)
    return start
  }
  const matrix = (rows: number, columns: number): Matrix => {
    const step = padded(columns)
    return { rows, columns, start: reserve(rows * step), step }
  }
  const { words, atoms, embedding, state: stateSize } = size
  const state = padded(stateSize)
  const parameters: Readonly<Record<Parameter, Matrix>> = {
    Ew: matrix(words, embedding),
    Ea: matrix(atoms, embedding),
    W: matrix(padded(embedding), 4 * state),
    A: matrix(padded(embedding), 4 * state),
    U: matrix(state, 4 * state),
    b: matrix(1, 4 * state),
    Wp: matrix(state, state),
    bp: matrix(1, state),
    Up: matrix(state, words),
    d: matrix(1, words),
  }
  const parameterCount = end
  const denseStart = parameters.W.start
  // The hypotheses of a beam use the same memory as the words of captions.
  const tokens = captionsPerPart * Math.max(maxLength, MAX_BEAM)
  const inputs = Math.min(words, tokens)
  const arena = (): Arena => ({
    gradient: reserve(parameterCount - denseStart),
    inputIds: reserve(inputs) * bytesPerNumber,
    inputs: matrix(inputs, embedding),
    inputGates: matrix(inputs, 4 * state),
    inputGatesGradient: matrix(inputs, 4 * state),
    inputsGradient: matrix(inputs, embedding),
    bags: matrix(captionsPerPart, embedding),
    bagGates: matrix(captionsPerPart, 4 * state),
    bagGatesGradient: matrix(captionsPerPart, 4 * state),
    bagsGradient: matrix(captionsPerPart, embedding),
    gates: matrix(tokens, 4 * state),
    gatesGradient: matrix(tokens, 4 * state),
    cells: matrix(tokens, state),
    states: matrix(tokens, state),
    previousStates: matrix(tokens, state),
    statesGradient: matrix(tokens, state),
    cellsGradient: matrix(captionsPerPart, state),
    outputs: matrix(tokens, state),
    mask: matrix(tokens, state),
    dropped: matrix(tokens, state),
    outputsGradient: matrix(tokens, state),
    logits: matrix(Math.min(tokens, Math.max(LOGIT_ROWS, captionsPerPart * MAX_BEAM)), words),
    zeros: matrix(captionsPerPart, state),
    scratch: reserve(scratchSize(Math.max(tokens, padded(embedding), state))),
  })
  const layout = {
    precision,
    size,
    state,
    parameters,
    parameterCount,
    denseStart,
    weights: 0,
    gradient: reserve(parameterCount),
    squares: reserve(parameterCount),
    updates: reserve(parameterCount),
    arenas: Array.from({ length: parts }, arena),
    bytes: end * bytesPerNumber,
  }
  if (layout.bytes <= 2 ** 31) return layout
  throw new AccordError('OUT_OF_RANGE', 'the model is too large', {
    source: 'bound',
    expected: 'at most 2 GiB for the parameters and a mini-batch',
    found: `${Math.ceil(layout.bytes / 2 ** 20)} MiB`,
  })
}

/** Memory for a layout, filled with zeros. It can be shared between threads. */
export function createMemory({ bytes }: Layout): WebAssembly.Memory {
  const pages = Math.min(MAX_PAGES, Math.ceil(bytes / PAGE_BYTES))
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
}

/** A parameter as the paper writes it (section 4.3): a matrix of outputs × inputs, or a column. */
export interface Tensor {
  readonly name: string
  readonly rows: number
  readonly columns: number
  /** Position in memory of an element. */
  position(row: number, column: number): number
}

const GATES = ['f', 'i', 'o', 'c']

/** The parameters of a model under their names in the paper; together they are all of its numbers but the padding. */
export function tensorsOf({ parameters, state, size }: Layout): Tensor[] {
  const { Ew, Ea, W, A, U, b, Wp, bp, Up, d } = parameters
  const asIs = (name: string, matrix: Matrix, rows: number, columns: number): Tensor => ({
    name,
    rows,
    columns,
    position: (row, column) => matrix.start + row * matrix.step + column,
  })
  const transposed = (name: string, matrix: Matrix, rows: number, columns: number, first = 0): Tensor => ({
    name,
    rows,
    columns,
    position: (row, column) => matrix.start + column * matrix.step + first + row,
  })
  return [
    asIs('E_w', Ew, size.words, size.embedding),
    asIs('E_a', Ea, size.atoms, size.embedding),
    ...GATES.flatMap((gate, index) => [
      transposed(`W_${gate}`, W, size.state, size.embedding, index * state),
      transposed(`U_${gate}`, U, size.state, size.state, index * state),
      transposed(`A_${gate}`, A, size.state, size.embedding, index * state),
      transposed(`b_${gate}`, b, size.state, 1, index * state),
    ]),
    transposed('W_p', Wp, size.state, size.state),
    transposed('b_p', bp, size.state, 1),
    transposed('U_p', Up, size.words, size.state),
    transposed('d', d, size.words, 1),
  ]
}

/** All elements of a tensor, row by row. */
export function readTensor(tensor: Tensor, numbers: Float32Array | Float64Array): number[] {
  const values: number[] = []
  for (let row = 0; row < tensor.rows; row++)
    for (let column = 0; column < tensor.columns; column++) values.push(numbers[tensor.position(row, column)])
  return values
}

/** Writes all elements of a tensor, given row by row. */
export function writeTensor(
  tensor: Tensor,
  numbers: Float32Array | Float64Array,
  values: ArrayLike<number>,
): void {
  for (let row = 0; row < tensor.rows; row++)
    for (let column = 0; column < tensor.columns; column++)
      numbers[tensor.position(row, column)] = values[row * tensor.columns + column]
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
