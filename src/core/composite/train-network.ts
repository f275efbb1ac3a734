/**
 * Training of a composite metric (Sharif et al. 2018, sections 3 and 4): cross-entropy, mini-batches, Adam (Kingma and
 * Ba 2015); after each epoch Kendall's τ on rated captions decides when to stop, and which epoch is retained.
 */
import { createRandom, shuffle } from '../stats/random.js'
import { createKendallCounter } from '../stats/rank-correlation.js'
import type { Epoch } from './artefact.js'
import {
  clearNegativeWeights,
  createNetwork,
  initialWeights,
  type LabelledFeatures,
  type NetworkShape,
} from './network.js'

/** Rated captions as rows of features; row i has the ratings `ratings[offsets[i]] … ratings[offsets[i + 1] - 1]`. */
interface RatedFeatures {
  readonly features: Float64Array
  readonly ratings: Float64Array
  readonly offsets: Int32Array
}

interface NetworkTraining {
  readonly seed: number
  /** The shapes to choose from by τ on the validation data. Default: {@link SHAPES}. */
  readonly shapes?: readonly Pick<NetworkShape, 'hidden' | 'activation' | 'dropout'>[]
  readonly maxEpochs?: number
  /**
   * Called after each epoch, with the completed share of the training, 0 to 1, and waited for. An error that it throws
   * ends the training.
   */
  readonly onEpoch?: (curve: Curve, share: number) => void | Promise<void>
}

/** The training of one network so far. */
export interface Curve {
  /** From 0, in the order of training. */
  readonly position: number
  readonly network: NetworkShape
  /** At least one. */
  readonly epochs: readonly Epoch[]
}

interface Trained {
  readonly shape: NetworkShape
  readonly weights: Float64Array
  /** Of the chosen shape. */
  readonly epochs: readonly Epoch[]
  /** Index of the epoch whose weights these are. */
  readonly bestEpoch: number
}

/** Candidates for the hidden layers. */
const SHAPES: NonNullable<NetworkTraining['shapes']> = [
  { hidden: [], activation: 'tanh', dropout: 0 },
  { hidden: [8], activation: 'tanh', dropout: 0 },
  { hidden: [16], activation: 'relu', dropout: 0 },
  { hidden: [16, 8], activation: 'tanh', dropout: 0.2 },
]

const MAX_EPOCHS = 40
/** Epochs without a higher τ after which training stops. */
const PATIENCE = 8
const BATCH = 128

/** Adam. */
const RATE = 0.002
const MOMENT_DECAY = 0.9
const SQUARE_DECAY = 0.999
const EPSILON = 1e-8

/** Trains every shape with the same seed and returns the one with the highest τ. Equal input gives equal weights. */
export async function train(
  inputs: number,
  examples: LabelledFeatures,
  validation: RatedFeatures,
  { seed, shapes = SHAPES, maxEpochs = MAX_EPOCHS, onEpoch }: NetworkTraining,
): Promise<Trained> {
  const trained: Trained[] = []
  for (const [position, candidate] of shapes.entries()) {
    const network = { inputs, ...candidate }
    trained.push(
      await trainShape(network, examples, validation, {
        seed,
        maxEpochs,
        onEpoch: (epochs) =>
          onEpoch?.({ position, network, epochs }, (position + epochs.length / maxEpochs) / shapes.length),
      }),
    )
  }
  return trained.reduce((best, other) => (tauOf(other) > tauOf(best) ? other : best))
}

function tauOf({ epochs, bestEpoch }: Trained): number {
  return epochs[bestEpoch].tau ?? Number.NEGATIVE_INFINITY
}

interface ShapeOptions extends Required<Pick<NetworkTraining, 'seed' | 'maxEpochs'>> {
  readonly onEpoch: (epochs: readonly Epoch[]) => void | Promise<void>
}

async function trainShape(
  shape: NetworkShape,
  examples: LabelledFeatures,
  validation: RatedFeatures,
  { seed, maxEpochs, onEpoch }: ShapeOptions,
): Promise<Trained> {
  const random = createRandom(seed)
  const network = createNetwork(shape)
  const weights = initialWeights(shape, random)
  const adam = createAdam(weights.length)
  const gradient = new Float64Array(weights.length)
  const order = Int32Array.from(examples.labels, (_, row) => row)
  const epochs: Epoch[] = []
  let best = weights
  let bestEpoch = 0
  for (let epoch = 0; epoch < maxEpochs && epoch - bestEpoch < PATIENCE; epoch++) {
    shuffle(order, random)
    let loss = 0
    for (let start = 0; start < order.length; start += BATCH) {
      const rows = order.subarray(start, start + BATCH)
      loss += rows.length * network.gradient(weights, examples, rows, gradient, random)
      adam(weights, gradient)
      clearNegativeWeights(shape, weights)
    }
    const { tauC: tau } = createKendallCounter({
      ...validation,
      scores: network.predict(weights, validation.features),
    }).tau()
    epochs.push({ loss: loss / order.length, tau })
    if (
      epoch === 0 ||
      (tau ?? Number.NEGATIVE_INFINITY) > (epochs[bestEpoch].tau ?? Number.NEGATIVE_INFINITY)
    ) {
      best = weights.slice()
      bestEpoch = epoch
    }
    await onEpoch(epochs)
  }
  return { shape, weights: best, epochs, bestEpoch }
}

function createAdam(size: number): (weights: Float64Array, gradient: Float64Array) => void {
  const moments = new Float64Array(size)
  const squares = new Float64Array(size)
  let step = 0
  return (weights, gradient) => {
    step++
    const momentScale = 1 / (1 - MOMENT_DECAY ** step)
    const squareScale = 1 / (1 - SQUARE_DECAY ** step)
    for (let i = 0; i < size; i++) {
      moments[i] = MOMENT_DECAY * moments[i] + (1 - MOMENT_DECAY) * gradient[i]
      squares[i] = SQUARE_DECAY * squares[i] + (1 - SQUARE_DECAY) * gradient[i] * gradient[i]
      weights[i] -= (RATE * moments[i] * momentScale) / (Math.sqrt(squares[i] * squareScale) + EPSILON)
    }
  }
}
