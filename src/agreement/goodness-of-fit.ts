import type { UndefinedReason } from './undefined-reason.js'

/** A word's precision under a model, and as counted; null where it is undefined. */
export interface PrecisionPair {
  readonly predicted: number | null
  readonly empirical: number | null
}

/** How well predicted precision explains the empirical one over a vocabulary. */
export interface GoodnessOfFit {
  /** Words with both precisions: the ones that count. */
  readonly wordCount: number
  /** Root of the mean squared difference, 0..1; null without words. */
  readonly rootMeanSquareError: number | null
  /** 1 − (squared differences) / (squared deviations of the empirical precision from its mean), at most 1. */
  readonly rSquared: number | null
  /** Why R², or both, are null. */
  readonly undefinedReason: UndefinedReason | null
}

/** Compares predictions as they are: no line is fitted to them, so that R² can be negative. */
export function goodnessOfFit(pairs: Iterable<PrecisionPair>): GoodnessOfFit {
  const predictions: number[] = []
  const observations: number[] = []
  for (const { predicted, empirical } of pairs) {
    if (predicted === null || empirical === null) continue
    predictions.push(predicted)
    observations.push(empirical)
  }
  const wordCount = observations.length
  if (wordCount === 0) {
    return { wordCount, rootMeanSquareError: null, rSquared: null, undefinedReason: 'TOO_FEW_WORDS' }
  }
  const mean = observations.reduce((sum, observed) => sum + observed) / wordCount
  const squaredErrors = observations.reduce((sum, observed, i) => sum + (observed - predictions[i]) ** 2, 0)
  const squaredDeviations = observations.reduce((sum, observed) => sum + (observed - mean) ** 2, 0)
  const rootMeanSquareError = Math.sqrt(squaredErrors / wordCount)
  // Compared one by one: rounding of the mean can leave deviations where there is no variation.
  if (observations.every((observed) => observed === observations[0])) {
    const undefinedReason = wordCount === 1 ? 'TOO_FEW_WORDS' : 'NO_VARIATION'
    return { wordCount, rootMeanSquareError, rSquared: null, undefinedReason }
  }
  return {
    wordCount,
    rootMeanSquareError,
    rSquared: 1 - squaredErrors / squaredDeviations,
    undefinedReason: null,
  }
}
