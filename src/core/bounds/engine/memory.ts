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

/** Some rows of a matrix. */
export function rowsOf(matrix: Matrix, first: number, count: number): Matrix {
  return { ...matrix, rows: count, start: matrix.start + first * matrix.step }
}

/** The gradient, by one part of a mini-batch, of a parameter that is not an embedding: of its shape. */
export function gradientOf({ layout }: LanguageModel, { gradient }: Arena, name: Parameter): Matrix {
  const parameter = layout.parameters[name]
  return { ...parameter, start: gradient + parameter.start - layout.denseStart }
}

/** A factor of a product. */
interface Factor extends Matrix {
  readonly isTransposed?: boolean
}

export function transposed(matrix: Matrix): Factor {
  return { ...matrix, isTransposed: true }
}

/** into = left · right. Without rows of the left factor or of the right one nothing changes. */
export function multiply(
  model: LanguageModel,
  arena: Arena,
  into: Matrix,
  left: Factor,
  right: Factor,
  adds = false,
): void {
  const [rows, depth] = left.isTransposed ? [left.columns, left.rows] : [left.rows, left.columns]
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
    into.step,
    depth,
    adds ? 1 : 0,
    arena.scratch * bytes,
  )
}

/** into += left · right, likewise. */
export function addProduct(
  model: LanguageModel,
  arena: Arena,
  into: Matrix,
  left: Factor,
  right: Factor,
): void {
  multiply(model, arena, into, left, right, true)
}

export function clearRows(model: LanguageModel, { start, rows, step }: Matrix): void {
  model.kernels.clear(addressOf(model, start), rows * step)
}

/** Copies the rows of a matrix to the first ones of another with as many columns. */
export function copyRows({ numbers }: LanguageModel, into: Matrix, { start, rows, step }: Matrix): void {
  numbers.copyWithin(into.start, start, start + rows * step)
}

/** Sets each row to that of a matrix with one row. */
export function fillRows(model: LanguageModel, into: Matrix, row: Matrix): void {
  for (let index = 0; index < into.rows; index++) copyRows(model, rowsOf(into, index, 1), row)
}

/** Adds the sum of the rows of a matrix to the row of another. */
export function addRows(model: LanguageModel, into: Matrix, matrix: Matrix): void {
  for (let index = 0; index < matrix.rows; index++)
    model.kernels.add(addressOf(model, into.start), rowAddress(model, matrix, index), into.step)
}
