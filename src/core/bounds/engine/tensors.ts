import type { Layout, Matrix } from './layout.js'

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
