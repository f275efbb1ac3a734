import type { UndefinedReason } from './undefined-reason.js'

/** A word's precision under a model, and as counted; null where it is undefined. */
export interface PrecisionPair {
  readonly predicted: number | null
  readonly empirical: number | null
}

/** How well predicted precision explains the empirical one over a vocabulary. */
export interface GoodnessOfFit {
  /** Words with both precisions: the ones that count. */
  readonly words: number
  /** Root of the mean squared difference, 0..1. */
  readonly rootMeanSquaredError: number | null
  /** 1 − (squared differences) / (squared deviations of the empirical precision from its mean), ≤ 1. */
  readonly rSquared: number | null
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
  const words = observations.length
  if (words === 0) return { words, rootMeanSquaredError: null, rSquared: null, undefinedReason: 'NO_WORDS' }

  const mean = observations.reduce((sum, observed) => sum + observed) / words
  const squaredErrors = observations.reduce((sum, observed, i) => sum + (observed - predictions[i]) ** 2, 0)
  const squaredDeviations = observations.reduce((sum, observed) => sum + (observed - mean) ** 2, 0)
  const varies = observations.some((observed) => observed !== observations[0])
  return {
    words,
    rootMeanSquaredError: Math.sqrt(squaredErrors / words),
    rSquared: varies ? 1 - squaredErrors / squaredDeviations : null,
    undefinedReason: varies ? null : 'NO_VARIATION',
  }
}
