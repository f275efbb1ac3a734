/** A trained composite metric as data: what it was made of, and the weights of its network. */
import type { NetworkShape } from './network.js'

/** A metric whose image scores enter a composite, and how they are standardised. */
export interface ArtefactFeature {
  readonly metric: string
  /**
   * What decides the scores of the metric: its parameters, revision and resources, see `featureSignature`. An artefact
   * is used only where the feature's metric has the same signature.
   */
  readonly signature: string
  /** Of the training data. */
  readonly mean: number
  readonly deviation: number
}

/** The captions that a composite was trained on. */
interface TrainingData {
  readonly dataset: string
  /** Content hash of the dataset. */
  readonly revision: string
  /** With the content hash of each. */
  readonly systems: readonly { readonly name: string; readonly content: string }[]
  /** Of people and of machines together. */
  readonly exampleCount: number
  readonly humanCount: number
  /** Images that were left out because they are among the validation images. */
  readonly excludedImageCount: number
}

/** The rated captions that decided when to stop. */
interface ValidationData {
  readonly dataset: string
  /** Content hash of the judgements. */
  readonly revision: string
  readonly captionCount: number
}

/** One epoch of the training. */
export interface Epoch {
  /** Mean cross-entropy over the training data. */
  readonly loss: number
  /** Kendall's τ-c on the rated captions of the validation data; null where all scores are equal. */
  readonly tau: number | null
}

/** A composite metric that was trained. */
export interface TrainedComposite {
  readonly header: ArtefactHeader
  /** Of the network, see network.ts. */
  readonly weights: Float64Array
  /** SHA-256 of header and weights, in hexadecimal digits. */
  readonly hash: string
}

export interface ArtefactHeader {
  /** Format revision of header and weights. */
  readonly format: 1
  /** Of the composite, as published: `EvalMS`. */
  readonly name: string
  readonly features: readonly ArtefactFeature[]
  readonly network: NetworkShape
  readonly training: TrainingData
  readonly validation: ValidationData
  readonly seed: number
  readonly epochs: readonly Epoch[]
  /** Index of the epoch whose weights these are: that of the highest τ. */
  readonly bestEpoch: number
}
