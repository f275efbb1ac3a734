import type { UndefinedReason } from '../../undefined-reason.js'
import type { Interval } from '../stats/interval.js'
import {
  fitUsageModel,
  predictedPrecision,
  predictedRecall,
  type UsageFitResult,
  type UsageModelKind,
} from './usage-model.js'
import { usageIntervals } from './usage-profile.js'
import { humanWordAgreement } from './words.js'

/** A usage model fitted to one word. */
export interface WordModel {
  readonly kind: UsageModelKind
  /** h_0 … h_K, where h_c is the number of images in which exactly c of the K captions contain the word. */
  readonly histogram: readonly number[]
  readonly result: UsageFitResult
}

/** Figures of a word's usage model. All are null if there is no fit, with the reason in `undefinedReason`. */
export interface ModelFigures {
  /** p, 0..1. */
  readonly usageProbability: number | null
  /** q, 0..1. */
  readonly objectProbability: number | null
  /** ρ, 0 ≤ ρ < 1. */
  readonly overdispersion: number | null
  readonly logLikelihood: number | null
  readonly aic: number | null
  /** Predicted human precision, 0..1. */
  readonly precision: number | null
  /** Predicted human recall, 0..1. */
  readonly recall: number | null
  /** Human precision minus predicted precision. Also null if human precision is undefined. */
  readonly residual: number | null
  /** Whether the counts barely determine q, and with it p. See `UsageFit`. */
  readonly isWeaklyIdentified: boolean | null
  /** Whether the likelihood is highest at q = 1, but so flat that a smaller q was preferred. See `UsageFit`. */
  readonly isInteriorPreferred: boolean | null
  readonly undefinedReason: UndefinedReason | null
}

/** 95 % intervals of p and q. See {@link usageIntervals}. */
export interface ModelIntervals {
  readonly usageProbabilityInterval: Interval | null
  readonly objectProbabilityInterval: Interval | null
}

/** Fits a usage model to a word with the histogram h_0 … h_K. See {@link fitUsageModel}. */
export function fitWord(histogram: readonly number[], kind: UsageModelKind): WordModel {
  return { kind, histogram, result: fitUsageModel(kind, histogram) }
}

/**
 * The figures of a model for a number of references.
 *
 * @throws AccordError OUT_OF_RANGE unless 1 ≤ references ≤ K − 1
 */
export function modelFigures({ histogram, result }: WordModel, references: number): ModelFigures {
  const { fit, undefinedReason } = result
  const human = humanWordAgreement(histogram, references).precision
  const precision = fit && predictedPrecision(fit, references)
  return {
    usageProbability: fit?.usageProbability ?? null,
    objectProbability: fit?.objectProbability ?? null,
    overdispersion: fit?.overdispersion ?? null,
    logLikelihood: fit?.logLikelihood ?? null,
    aic: fit?.aic ?? null,
    precision,
    recall: fit && predictedRecall(fit),
    residual: precision === null || human === null ? null : human - precision,
    isWeaklyIdentified: fit?.isWeaklyIdentified ?? null,
    isInteriorPreferred: fit?.isInteriorPreferred ?? null,
    undefinedReason,
  }
}

export function modelIntervals({ kind, histogram }: Pick<WordModel, 'kind' | 'histogram'>): ModelIntervals {
  const { usageProbability, objectProbability } = usageIntervals(kind, histogram)
  return { usageProbabilityInterval: usageProbability, objectProbabilityInterval: objectProbability }
}
