/**
 * A feed-forward network with one logistic output (Sharif et al. 2018, section 3), the logistic loss of comparisons of
 * captions, and its gradient.
 *
 * Weights are one array: per layer a row of `inputs` weights and a bias for each unit, the output unit last. Weights
 * other than biases are not negative: a caption that scores higher by one metric never scores lower by the composite.
 * Without this, a network learns that captions of machines score higher than those of people by metrics that machines
 * were trained on, and prefers worse captions.
 */
import type { Random } from '../stats/random.js'

/** The layers of a network. */
export interface NetworkShape {
  readonly inputs: number
  /** Units of each hidden layer; empty for logistic regression. */
  readonly hidden: readonly number[]
  readonly activation: 'tanh' | 'relu'
  /** Share of hidden units that are dropped at random while training, 0 to below 1. */
  readonly dropout: number
}

/** Captions as rows of inputs, and which of two is better. */
export interface ComparedFeatures {
  readonly features: Float64Array
  readonly comparisons: Comparisons
}

/** Per comparison, the row of the better caption and that of the worse one, or {@link THRESHOLD} instead of one of them. */
export interface Comparisons {
  readonly better: Int32Array
  readonly worse: Int32Array
}

/** In place of a row: what a caption of a class is compared with. Its sum is 0, the output 1/2. */
export const THRESHOLD = -1

export function countWeights({ inputs, hidden }: NetworkShape): number {
  const sizes = [inputs, ...hidden, 1]
  return sizes.slice(1).reduce((sum, units, layer) => sum + units * (sizes[layer] + 1), 0)
}

/** Uniform weights from 0 to √(6 / (inputs + units)) of each layer (after Glorot and Bengio 2010), biases 0. */
export function initialWeights(shape: NetworkShape, random: Random): Float64Array {
  const weights = new Float64Array(countWeights(shape))
  const sizes = [shape.inputs, ...shape.hidden, 1]
  let position = 0
  for (let layer = 1; layer < sizes.length; layer++) {
    const limit = Math.sqrt(6 / (sizes[layer - 1] + sizes[layer]))
    for (let unit = 0; unit < sizes[layer]; unit++) {
      for (let input = 0; input < sizes[layer - 1]; input++) {
        weights[position++] = limit * random.next()
      }
      position++
    }
  }
  return weights
}

/** Sets negative weights to 0, except biases. */
export function clearNegativeWeights({ inputs, hidden }: NetworkShape, weights: Float64Array): void {
  let position = 0
  let width = inputs
  for (const units of [...hidden, 1]) {
    for (let unit = 0; unit < units; unit++) {
      for (let input = 0; input < width; input++, position++) {
        if (weights[position] < 0) weights[position] = 0
      }
      position++
    }
    width = units
  }
}

/** A network of one shape with memory for its units. */
interface Network {
  /** The output for each row of inputs, 0 to 1. */
  predict(weights: Float64Array, features: Float64Array): Float64Array
  /**
   * The mean of −ln σ(better − worse) over some comparisons of sums, and its gradient, written to `gradient`. Of comparisons
   * with the threshold it is the cross-entropy.
   *
   * @param chosen positions of the comparisons
   * @param random drops units; without it none is dropped
   */
  gradient(
    weights: Float64Array,
    examples: ComparedFeatures,
    chosen: Int32Array,
    gradient: Float64Array,
    random?: Random,
  ): number
}

export function createNetwork({ inputs, hidden, activation, dropout }: NetworkShape): Network {
  const sizes = [inputs, ...hidden, 1]
  /** Outputs of the units of each layer, and the derivative of the loss by the inputs of their activations. */
  const outputs = sizes.map((size) => new Float64Array(size))
  const deltas = sizes.map((size) => new Float64Array(size))
  /** Factor of each hidden unit: 0 where it is dropped. */
  const factors = sizes.map((size) => new Float64Array(size).fill(1))
  const starts = layerStarts(sizes)

  function activate(sum: number): number {
    return activation === 'tanh' ? Math.tanh(sum) : Math.max(0, sum)
  }

  /** Sets the outputs of all layers. @returns the input of the logistic function */
  function forward(weights: Float64Array, features: Float64Array, row: number): number {
    for (let input = 0; input < inputs; input++) outputs[0][input] = features[row * inputs + input]
    let sum = 0
    for (let layer = 1; layer < sizes.length; layer++) {
      const width = sizes[layer - 1]
      for (let unit = 0; unit < sizes[layer]; unit++) {
        const start = starts[layer] + unit * (width + 1)
        sum = weights[start + width]
        for (let input = 0; input < width; input++) sum += weights[start + input] * outputs[layer - 1][input]
        outputs[layer][unit] = activate(sum) * factors[layer][unit]
      }
    }
    return sum
  }

  /** Adds the gradient of one example whose outputs were set. @param delta derivative by the last sum */
  function backward(weights: Float64Array, delta: number, gradient: Float64Array): void {
    deltas[sizes.length - 1][0] = delta
    for (let layer = sizes.length - 1; layer > 0; layer--) {
      const width = sizes[layer - 1]
      const below = deltas[layer - 1].fill(0)
      for (let unit = 0; unit < sizes[layer]; unit++) {
        const start = starts[layer] + unit * (width + 1)
        const own = deltas[layer][unit]
        gradient[start + width] += own
        for (let input = 0; input < width; input++) {
          gradient[start + input] += own * outputs[layer - 1][input]
          below[input] += own * weights[start + input]
        }
      }
      if (layer > 1) for (let unit = 0; unit < width; unit++) below[unit] *= slope(layer - 1, unit)
    }
  }

  /** The derivative of a hidden unit's output by its sum. */
  function slope(layer: number, unit: number): number {
    const factor = factors[layer][unit]
    if (factor === 0) return 0
    const output = outputs[layer][unit] / factor
    return factor * (activation === 'tanh' ? 1 - output * output : output > 0 ? 1 : 0)
  }

  function drop(random: Random | undefined): void {
    for (let layer = 1; layer < sizes.length - 1; layer++) {
      for (let unit = 0; unit < sizes[layer]; unit++) {
        const isDropped = random !== undefined && dropout > 0 && random.next() < dropout
        factors[layer][unit] = isDropped ? 0 : random === undefined ? 1 : 1 / (1 - dropout)
      }
    }
  }

  return {
    predict(weights, features) {
      drop(undefined)
      return Float64Array.from({ length: features.length / inputs }, (_, row) =>
        logistic(forward(weights, features, row)),
      )
    },
    gradient(weights, { features, comparisons: { better, worse } }, chosen, gradient, random) {
      gradient.fill(0)
      const sumOf = (row: number) => (row === THRESHOLD ? 0 : forward(weights, features, row))
      let loss = 0
      for (const comparison of chosen) {
        drop(random)
        const [high, low] = [better[comparison], worse[comparison]]
        const difference = sumOf(high) - sumOf(low)
        loss += softplus(-difference)
        // Outputs of the units are those of the last row.
        const delta = logistic(-difference)
        if (low !== THRESHOLD) backward(weights, delta, gradient)
        if (high === THRESHOLD) continue
        if (low !== THRESHOLD) sumOf(high)
        backward(weights, -delta, gradient)
      }
      for (let i = 0; i < gradient.length; i++) gradient[i] /= chosen.length
      return loss / chosen.length
    },
  }
}

/** The position of the first weight of each layer; unused for the inputs. */
function layerStarts(sizes: readonly number[]): number[] {
  const starts = [0, 0]
  for (let layer = 2; layer < sizes.length; layer++) {
    starts.push(starts[layer - 1] + sizes[layer - 1] * (sizes[layer - 2] + 1))
  }
  return starts
}

function logistic(sum: number): number {
  return 1 / (1 + Math.exp(-sum))
}

/** ln(1 + e^x) without overflow. */
function softplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)))
}
