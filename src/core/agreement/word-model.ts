import type { UndefinedReason } from '../../shared/undefined-reason.js'
import type { Interval } from '../stats/interval.js'
import { profileInterval } from '../stats/multinomial-profile.js'
import { findRoot } from '../stats/optimise.js'
import {
  fitUsageModel,
  LIKELIHOOD_REACH,
  type LikelihoodKind,
  predictedPrecision,
  predictedRecall,
  profileLikelihoods,
  type UsageFitResult,
  type UsageModelKind,
} from './usage-model.js'
import { heldOutWeights } from './weights.js'
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
    undefinedReason,
  }
}

export function modelIntervals({ kind, histogram }: Pick<WordModel, 'kind' | 'histogram'>): ModelIntervals {
  const { usageProbability, objectProbability } = usageIntervals(kind, histogram)
  return { usageProbabilityInterval: usageProbability, objectProbabilityInterval: objectProbability }
}

/** 95 % intervals of p and q of a word's usage model. Null if there is no fit. */
interface UsageIntervals {
  readonly usageProbability: Interval | null
  /** Also null for `MOMENT`, if human recall depends on a single image, and if q is 1. */
  readonly objectProbability: Interval | null
}

/**
 * 95 % intervals of the parameters of a usage model.
 *
 * - `BINOMIAL`, `BETA_BINOMIAL`: profile likelihood. A value is in the interval if the likelihood, with the other
 *   parameters at their best, is within 1.92 of the maximum on the logarithmic scale. An interval of q from a small
 *   value to 1 means that the captions do not tell how many images show the object.
 * - `MOMENT`: p is human recall, with its interval; q by the jackknife over images, on the logarithmic scale.
 *
 * @param histogram h_0 … h_K
 */
export function usageIntervals(kind: UsageModelKind, histogram: ArrayLike<number>): UsageIntervals {
  const { fit } = fitUsageModel(kind, histogram)
  if (fit === null) return { usageProbability: null, objectProbability: null }
  return kind === 'MOMENT' ? momentIntervals(histogram) : likelihoodIntervals(kind, histogram)
}

function likelihoodIntervals(kind: LikelihoodKind, histogram: ArrayLike<number>): UsageIntervals {
  const { maximum, logLikelihood, usage, object } = profileLikelihoods(kind, histogram)
  const least = logLikelihood - LIKELIHOOD_REACH
  return {
    usageProbability: intervalAround(maximum.usageProbability, (p) => usage(p) - least),
    objectProbability: intervalAround(maximum.objectProbability, (q) => object(q) - least),
  }
}

/** Log-odds beyond which a probability is 0 or 1. */
const MAX_LOG_ODDS = 25

/** The probabilities around a maximum at which a function is positive. The search is on the scale of log-odds. */
function intervalAround(maximum: number, excess: (probability: number) => number): Interval {
  const center = Math.max(-MAX_LOG_ODDS, Math.min(MAX_LOG_ODDS, Math.log(maximum / (1 - maximum))))
  const end = (limit: number) => {
    if (limit === center || excess(probabilityOf(limit)) >= 0) return limit < 0 ? 0 : 1
    // Rounding may make the maximum itself negative if the likelihood is nearly a spike.
    if (excess(probabilityOf(center)) <= 0) return maximum
    return probabilityOf(findRoot((logOdds) => excess(probabilityOf(logOdds)), limit, center))
  }
  return { lower: end(-MAX_LOG_ODDS), upper: end(MAX_LOG_ODDS) }
}

function probabilityOf(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds))
}

/** The 97.5th percentile of the normal distribution. */
const NORMAL_QUANTILE = 1.959963984540054

function momentIntervals(histogram: ArrayLike<number>): UsageIntervals {
  const { truePositive, positive } = heldOutWeights(histogram.length - 1, 1)
  return {
    usageProbability: profileInterval(histogram, truePositive, positive),
    objectProbability: jackknifeObjectProbability(histogram),
  }
}

/** ln q = ln (Σ c·h_c)² − ln Σ c(c−1)·h_c + …, without one image of each count in turn. */
function jackknifeObjectProbability(histogram: ArrayLike<number>): Interval | null {
  const captionsPerImage = histogram.length - 1
  let images = 0
  let captions = 0
  let pairs = 0
  for (let count = 0; count <= captionsPerImage; count++) {
    images += histogram[count]
    captions += count * histogram[count]
    pairs += count * (count - 1) * histogram[count]
  }
  const logOf = (count: number, removed: number) =>
    2 * Math.log(captions - count * removed) -
    Math.log(pairs - count * (count - 1) * removed) -
    Math.log(images - removed)
  const whole = logOf(0, 0)
  let sum = 0
  let squares = 0
  for (let count = 0; count <= captionsPerImage; count++) {
    if (histogram[count] === 0) continue
    const change = logOf(count, 1) - whole
    if (!Number.isFinite(change)) return null
    sum += histogram[count] * change
    squares += histogram[count] * change * change
  }
  const variance = ((images - 1) / images) * (squares - (sum * sum) / images)
  const q = Math.exp(whole) * ((captionsPerImage - 1) / captionsPerImage)
  // The moment estimate is at 1 or beyond, where it is cut: leaving out images does not tell how far below 1 q may be.
  // Integers are compared, as rounding can make q slightly less than 1.
  if (captions ** 2 * (captionsPerImage - 1) >= pairs * images * captionsPerImage) return null
  const factor = Math.exp(NORMAL_QUANTILE * Math.sqrt(Math.max(0, variance)))
  return { lower: Math.min(1, q / factor), upper: Math.min(1, q * factor) }
}
