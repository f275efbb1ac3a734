import { meanRanks } from './rank-correlation.js'

/** Correlations of two aligned lists of numbers. */
export interface Correlation {
  /** Pearson's r, −1..1. Null if one of the lists does not vary, or for fewer than two values. */
  readonly pearson: number | null
  /** Spearman's ρ: Pearson's r of the ranks, the mean rank for ties. */
  readonly spearman: number | null
}

export function pearsonAndSpearman(one: Float64Array, other: Float64Array): Correlation {
  return { pearson: pearson(one, other), spearman: pearson(meanRanks(one), meanRanks(other)) }
}

function pearson(one: Float64Array, other: Float64Array): number | null {
  const [meanOfOne, meanOfOther] = [meanOf(one), meanOf(other)]
  let product = 0
  let squaresOfOne = 0
  let squaresOfOther = 0
  for (let index = 0; index < one.length; index++) {
    const [x, y] = [one[index] - meanOfOne, other[index] - meanOfOther]
    product += x * y
    squaresOfOne += x * x
    squaresOfOther += y * y
  }
  if (!varies(one) || !varies(other)) return null
  // Rounding must not lead beyond the range.
  return Math.max(-1, Math.min(1, product / Math.sqrt(squaresOfOne * squaresOfOther)))
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function varies(values: Float64Array): boolean {
  return values.some((value) => value !== values[0])
}
