import { createKernels, type Kernels } from './kernels.js'
import type { Arena, Layout, Matrix, Parameter } from './layout.js'

/** A language model in memory. */
export interface LanguageModel {
  readonly layout: Layout
  readonly kernels: Kernels
  /** Numbers in memory, by position. */
  readonly numbers: Float32Array | Float64Array
  /** The same memory as 32-bit integers. */
  readonly integers: Int32Array
  /** The row of each word among the distinct inputs of a computation; −1 for other words, and between computations. */
  readonly rowOfWord: Int32Array
}

/** Opens a model. @param module the kernels for the precision of the layout */
export function openLanguageModel(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  layout: Layout,
): LanguageModel {
  // The types of typed arrays do not know that a memory may be shared.
  const buffer = memory.buffer as unknown as ArrayBuffer
  return {
    layout,
    kernels: createKernels(module, memory),
    numbers: layout.precision === 'single' ? new Float32Array(buffer) : new Float64Array(buffer),
    integers: new Int32Array(buffer),
    rowOfWord: new Int32Array(layout.size.words).fill(-1),
  }
}

/** Byte of a position. */
export function addressOf({ numbers }: LanguageModel, position: number): number {
  return position * numbers.BYTES_PER_ELEMENT
}

/** Byte of the first number of a row. */
export function rowAddress({ numbers }: LanguageModel, { start, step }: Matrix, row: number): number {
  return (start + row * step) * numbers.BYTES_PER_ELEMENT
}

/** The rows of a matrix from one on. */
export function rowsFrom(matrix: Matrix, first: number): Matrix {
  return { ...matrix, start: matrix.start + first * matrix.step }
}

/** The gradient, by one part of a mini-batch, of a parameter that is not an embedding: of its shape. */
export function gradientOf({ layout }: LanguageModel, { gradient }: Arena, name: Parameter): Matrix {
  const parameter = layout.parameters[name]
  return { ...parameter, start: gradient + parameter.start - layout.denseStart }
}

/** A factor of a product. */
interface Factor extends Pick<Matrix, 'start' | 'step'> {
  readonly isTransposed?: boolean
}

export function transposed(matrix: Matrix): Factor {
  return { ...matrix, isTransposed: true }
}

export interface Product {
  readonly into: Matrix
  /** rows × depth */
  readonly left: Factor
  /** depth × columns */
  readonly right: Factor
  readonly rows: number
  readonly columns: number
  readonly depth: number
  /** Whether the product is added to what is there. */
  readonly adds: boolean
}

/** into = left · right, or into += left · right. Without rows or depth nothing changes. */
export function multiply(
  model: LanguageModel,
  { scratch }: Arena,
  { into, left, right, rows, columns, depth, adds }: Product,
): void {
  if (rows === 0 || depth === 0) return
  const bytes = model.numbers.BYTES_PER_ELEMENT
  /** Bytes from one row to the next, and from one column to the next. */
  const stepsOf = ({ step, isTransposed }: Factor) =>
    isTransposed ? [bytes, step * bytes] : [step * bytes, bytes]
  const [leftRow, leftColumn] = stepsOf(left)
  const [rightRow, rightColumn] = stepsOf(right)
  model.kernels.multiply(
    into.start * bytes,
    into.step * bytes,
    left.start * bytes,
    leftRow,
    leftColumn,
    right.start * bytes,
    rightRow,
    rightColumn,
    rows,
    columns,
    depth,
    adds ? 1 : 0,
    scratch * bytes,
  )
}

/** Sets the first `count` rows to 0. */
export function clearRows(model: LanguageModel, matrix: Matrix, count: number): void {
  model.kernels.clear(addressOf(model, matrix.start), count * matrix.step)
}

/** Copies the first `count` rows to a matrix with as many columns. */
export function copyRows({ numbers }: LanguageModel, into: Matrix, from: Matrix, count = 1): void {
  numbers.copyWithin(into.start, from.start, from.start + count * from.step)
}

/** Sets each of the first `count` rows to the only row of a matrix with as many columns. */
export function fillRows(model: LanguageModel, into: Matrix, count: number, row: Matrix): void {
  for (let index = 0; index < count; index++) copyRows(model, rowsFrom(into, index), row)
}

/** Adds the sum of the first `count` rows to the only row of `into`. */
export function addRows(model: LanguageModel, into: Matrix, matrix: Matrix, count: number): void {
  for (let index = 0; index < count; index++)
    model.kernels.add(addressOf(model, into.start), rowAddress(model, matrix, index), into.step)
}
