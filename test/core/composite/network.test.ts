import { describe, expect, test } from 'vitest'
import {
  countWeights,
  createNetwork,
  initialWeights,
  type NetworkShape,
  THRESHOLD,
} from '../../../src/core/composite/network.js'
import { compareOrigins } from '../../../src/core/composite/train-network.js'
import { createRandom } from '../../../src/core/stats/random.js'

const SHAPES: NetworkShape[] = [
  { inputs: 3, hidden: [], activation: 'tanh', dropout: 0 },
  { inputs: 3, hidden: [5], activation: 'tanh', dropout: 0 },
  { inputs: 2, hidden: [4, 3], activation: 'tanh', dropout: 0.3 },
  { inputs: 3, hidden: [6, 4], activation: 'relu', dropout: 0 },
]

describe.each(SHAPES)('a network of $inputs inputs and $hidden hidden units, $activation', (shape) => {
  const random = createRandom(5)
  const weights = initialWeights(shape, random).map((weight) => weight + 0.1 * random.next())
  const rows = 20
  const examples = {
    features: Float64Array.from({ length: rows * shape.inputs }, () => 4 * random.next() - 2),
    comparisons: {
      // Half of them with the threshold, half of two rows.
      better: Int32Array.from({ length: rows }, (_, row) => [row, THRESHOLD, row, row][row % 4]),
      worse: Int32Array.from(
        { length: rows },
        (_, row) => [THRESHOLD, row, (row + 1) % rows, (row + 5) % rows][row % 4],
      ),
    },
  }
  const all = Int32Array.from({ length: rows }, (_, row) => row)
  const network = createNetwork(shape)
  /** The same units are dropped every time. */
  const lossOf = (changed: Float64Array) =>
    network.gradient(changed, examples, all, new Float64Array(weights.length), createRandom(9))

  test('has the gradient of finite differences', () => {
    const gradient = new Float64Array(weights.length)
    network.gradient(weights, examples, all, gradient, createRandom(9))
    const step = 1e-6
    for (let i = 0; i < weights.length; i++) {
      const above = weights.with(i, weights[i] + step)
      const below = weights.with(i, weights[i] - step)
      expect(gradient[i]).toBeCloseTo((lossOf(above) - lossOf(below)) / (2 * step), 6)
    }
  })

  test('has the cross-entropy of its predictions, and the logistic loss of comparisons', () => {
    const predicted = network.predict(weights, examples.features)
    const labels = Uint8Array.from({ length: rows }, (_, row) => row % 2)
    const classes = { features: examples.features, comparisons: compareOrigins(labels) }
    const loss = predicted.reduce((sum, p, row) => sum - Math.log(labels[row] === 1 ? p : 1 - p) / rows, 0)
    const found = network.gradient(weights, classes, all, new Float64Array(weights.length))
    expect(found).toBeCloseTo(loss, 12)
    const oddsOf = (row: number) => (row === THRESHOLD ? 1 : predicted[row] / (1 - predicted[row]))
    const { better, worse } = examples.comparisons
    const compared = better.reduce(
      (sum, row, i) => sum + Math.log1p(oddsOf(worse[i]) / oddsOf(row)) / rows,
      0,
    )
    expect(network.gradient(weights, examples, all, new Float64Array(weights.length))).toBeCloseTo(
      compared,
      12,
    )
  })
})

test('weights are those of all layers', () => {
  expect(countWeights({ inputs: 4, hidden: [16, 8], activation: 'tanh', dropout: 0 })).toBe(80 + 136 + 9)
})

test('a large sum has a finite loss', () => {
  const network = createNetwork({ inputs: 1, hidden: [], activation: 'tanh', dropout: 0 })
  const examples = { features: Float64Array.of(1000), comparisons: compareOrigins([0]) }
  const gradient = new Float64Array(2)
  expect(network.gradient(Float64Array.of(10, 0), examples, Int32Array.of(0), gradient)).toBe(10_000)
  expect([...gradient]).toEqual([1000, 1])
})
