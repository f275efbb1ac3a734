/** A trained composite metric as data: what it was made of, and the weights of its networks. */

import type { JudgementKind } from '../judgements/judgement.js'
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

/**
 * What a composite learns: to tell captions of people from those of systems (published), or to score the caption higher
 * that people rate higher, of the same image, or prefer.
 */
export type Objective = 'ORIGIN' | JudgementKind

/** The captions that a composite was trained on. */
export interface TrainingData {
  readonly objective: Objective
  readonly dataset: string
  /** Content hash of the dataset, or of its judgements. */
  readonly revision: string
  /** With the content hash of each; none for judgements. */
  readonly systems: readonly { readonly name: string; readonly content: string }[]
  readonly captionCount: number
  /** Pairs of captions; for `ORIGIN` one comparison for each caption, with a threshold. */
  readonly comparisonCount: number
  /** Images that were left out because they are among the validation images. */
  readonly excludedImageCount: number
}

/** The judged captions that decided when to stop. */
interface ValidationData {
  readonly kind: JudgementKind
  readonly dataset: string
  /** Content hash of the judgements. */
  readonly revision: string
  readonly captionCount: number
}

/** One epoch of the training. */
export interface Epoch {
  /** Mean logistic loss over the comparisons of the training data. */
  readonly loss: number
  /** τ-c, or the mean accuracy, on the validation data; null where it is undefined. */
  readonly agreement: number | null
}

/** A composite metric that was trained. */
export interface TrainedComposite {
  readonly header: ArtefactHeader
  /** Of the network, see network.ts, then those of the other ones in their order. */
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
  /** Trained with other seeds: none has a higher agreement with the validation data. */
  readonly others: readonly { readonly seed: number; readonly network: NetworkShape }[]
  readonly training: TrainingData
  readonly validation: ValidationData
  /** Of this network. */
  readonly seed: number
  readonly epochs: readonly Epoch[]
  /** Index of the epoch whose weights these are: that of the highest agreement. */
  readonly bestEpoch: number
}
