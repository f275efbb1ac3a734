/**
 * Training of a composite metric (Sharif et al. 2018, sections 3 and 4): mini-batches, Adam (Kingma and Ba 2015); after
 * each epoch the agreement with judgements decides when to stop, and which epoch is retained.
 */

import { groupCaptions, pairCaptions } from '../judgements/caption-level.js'
import { contestsOf } from '../judgements/contest.js'
import type { Judgements } from '../judgements/judgement.js'
import { agreementOf } from '../judgements/meta-evaluation.js'
import { createRandom, shuffle } from '../stats/random.js'
import type { Epoch } from './artefact.js'
import {
  type ComparedFeatures,
  type Comparisons,
  clearNegativeWeights,
  createNetwork,
  initialWeights,
  type NetworkShape,
  THRESHOLD,
} from './network.js'

/** What composite metrics learn from: which captions are better. */

/** Captions of people are better than a threshold, those of systems worse. */
export function compareOrigins(isHuman: ArrayLike<number>): Comparisons {
  return {
    better: Int32Array.from(isHuman, (human, caption) => (human === 1 ? caption : THRESHOLD)),
    worse: Int32Array.from(isHuman, (human, caption) => (human === 1 ? THRESHOLD : caption)),
  }
}

/**
 * The preferences without ties, or the pairs of captions of the same image with different mean ratings.
 *
 * @param takesPart per caption
 */
export function compareJudgements(
  judgements: Judgements,
  takesPart: (caption: number) => boolean,
): Comparisons {
  const { better, worse } = allComparisons(judgements)
  const ofPart = (captions: Int32Array) =>
    captions.filter((_, place) => takesPart(better[place]) && takesPart(worse[place]))
  return { better: ofPart(better), worse: ofPart(worse) }
}

function allComparisons(judgements: Judgements): Comparisons {
  if (judgements.kind === 'PREFERENCES') return { better: judgements.preferred, worse: judgements.other }
  const { ratings, images } = contestsOf(judgements).all
  const groups = groupCaptions({ scores: ratings, ratings }, images.positions, images.count)
  const { first, second, preferred } = pairCaptions(ratings, groups)
  const select = (ifFirst: Int32Array, ifSecond: Int32Array) =>
    Int32Array.from(preferred, (sign, pair) => (sign > 0 ? ifFirst : ifSecond)[pair]).filter(
      (_, pair) => preferred[pair] !== 0,
    )
  return { better: select(first, second), worse: select(second, first) }
}

/** Judged captions as rows of features. */
interface JudgedFeatures {
  readonly features: Float64Array
  readonly judgements: Judgements
}

interface NetworkTraining {
  /** Each trains every shape. */
  readonly seeds: readonly number[]
  /** The shapes to choose from by the agreement with the validation data. Default: {@link SHAPES}. */
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
  readonly seed: number
  readonly network: NetworkShape
  /** At least one. */
  readonly epochs: readonly Epoch[]
}

interface Trained {
  readonly seed: number
  readonly shape: NetworkShape
  readonly weights: Float64Array
  /** Of the chosen shape. */
  readonly epochs: readonly Epoch[]
  /** Index of the epoch whose weights these are. */
  readonly bestEpoch: number
}

/** Candidates for the hidden layers; the first is linear. */
export const SHAPES: NonNullable<NetworkTraining['shapes']> = [
  { hidden: [], activation: 'tanh', dropout: 0 },
  { hidden: [8], activation: 'tanh', dropout: 0 },
  { hidden: [16], activation: 'relu', dropout: 0 },
  { hidden: [16, 8], activation: 'tanh', dropout: 0.2 },
]

const MAX_EPOCHS = 40
/** Epochs without a higher agreement after which training stops. */
const PATIENCE = 8
const BATCH = 128

/** Adam. */
const RATE = 0.002
const MOMENT_DECAY = 0.9
const SQUARE_DECAY = 0.999
const EPSILON = 1e-8

/**
 * Trains networks. Equal input gives equal weights.
 *
 * @returns for each seed the network with the highest agreement, the highest of all first
 */
export async function train(
  inputs: number,
  examples: ComparedFeatures,
  validation: JudgedFeatures,
  { seeds, shapes = SHAPES, maxEpochs = MAX_EPOCHS, onEpoch }: NetworkTraining,
): Promise<Trained[]> {
  const chosen: Trained[] = []
  const all = seeds.length * shapes.length
  for (const [index, seed] of seeds.entries()) {
    const trained: Trained[] = []
    for (const [shape, candidate] of shapes.entries()) {
      const position = index * shapes.length + shape
      const network = { inputs, ...candidate }
      const report = (epochs: readonly Epoch[]) =>
        onEpoch?.({ position, seed, network, epochs }, (position + epochs.length / maxEpochs) / all)
      trained.push(await trainShape(network, examples, validation, { seed, maxEpochs, onEpoch: report }))
    }
    chosen.push(inOrder(trained)[0])
  }
  return inOrder(chosen)
}

/** By agreement, the highest first. */
function inOrder(trained: readonly Trained[]): Trained[] {
  const agreement = ({ epochs, bestEpoch }: Trained) => rankOf(epochs[bestEpoch])
  return trained.toSorted((one, other) =>
    agreement(one) < agreement(other) ? 1 : agreement(one) > agreement(other) ? -1 : 0,
  )
}

function rankOf({ agreement }: Epoch): number {
  return agreement ?? Number.NEGATIVE_INFINITY
}

interface ShapeOptions {
  readonly seed: number
  readonly maxEpochs: number
  readonly onEpoch: (epochs: readonly Epoch[]) => void | Promise<void>
}

async function trainShape(
  shape: NetworkShape,
  examples: ComparedFeatures,
  validation: JudgedFeatures,
  { seed, maxEpochs, onEpoch }: ShapeOptions,
): Promise<Trained> {
  const random = createRandom(seed)
  const network = createNetwork(shape)
  const weights = initialWeights(shape, random)
  const adam = createAdam(weights.length)
  const gradient = new Float64Array(weights.length)
  const order = Int32Array.from(examples.comparisons.better, (_, comparison) => comparison)
  const epochs: Epoch[] = []
  let best = weights
  let bestEpoch = 0
  for (let epoch = 0; epoch < maxEpochs && epoch - bestEpoch < PATIENCE; epoch++) {
    shuffle(order, random)
    let loss = 0
    for (let start = 0; start < order.length; start += BATCH) {
      const batch = order.subarray(start, start + BATCH)
      loss += batch.length * network.gradient(weights, examples, batch, gradient, random)
      adam(weights, gradient)
      clearNegativeWeights(shape, weights)
    }
    const scores = network.predict(weights, validation.features)
    epochs.push({ loss: loss / order.length, agreement: agreementOf(validation.judgements, scores) })
    if (epoch === 0 || rankOf(epochs[epoch]) > rankOf(epochs[bestEpoch])) {
      best = weights.slice()
      bestEpoch = epoch
    }
    await onEpoch(epochs)
  }
  return { seed, shape, weights: best, epochs, bestEpoch }
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
