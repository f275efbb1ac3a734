import type { UndefinedReason } from '../../undefined-reason.js'

/** Precision of a word: predicted by a model, and measured. Null if undefined. */
export interface PrecisionPair {
  readonly predicted: number | null
  readonly empirical: number | null
}

/** Goodness of fit of predicted precision to empirical precision over a vocabulary. */
export interface GoodnessOfFit {
  /** Number of words with both precisions. Other words are ignored. */
  readonly wordCount: number
  /** Root mean square error, 0..1. Null if there are no words. */
  readonly rootMeanSquaredError: number | null
  /** R² = 1 − (residual sum of squares) / (total sum of squares), at most 1. */
  readonly rSquared: number | null
  /** Why R², or both values, are null. */
  readonly undefinedReason: UndefinedReason | null
}

/** Computes RMSE and R² of the predictions. No regression line is fitted, so R² can be negative. */
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
    return { wordCount, rootMeanSquaredError: null, rSquared: null, undefinedReason: 'TOO_FEW_WORDS' }
  }
  const mean = observations.reduce((sum, observed) => sum + observed) / wordCount
  const squaredErrors = observations.reduce((sum, observed, i) => sum + (observed - predictions[i]) ** 2, 0)
  const squaredDeviations = observations.reduce((sum, observed) => sum + (observed - mean) ** 2, 0)
  const rootMeanSquaredError = Math.sqrt(squaredErrors / wordCount)
  // Compare the values directly: rounding of the mean can make squaredDeviations nonzero for equal values.
  if (observations.every((observed) => observed === observations[0])) {
    const undefinedReason = wordCount === 1 ? 'TOO_FEW_WORDS' : 'CONSTANT_PRECISION'
    return { wordCount, rootMeanSquaredError, rSquared: null, undefinedReason }
  }
  return {
    wordCount,
    rootMeanSquaredError,
    rSquared: 1 - squaredErrors / squaredDeviations,
    undefinedReason: null,
  }
}
