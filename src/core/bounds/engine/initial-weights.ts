import type { Random } from '../../stats/random.js'
import type { Layout, Matrix } from './layout.js'

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
