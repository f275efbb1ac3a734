/** Features of captions: scores by several metrics, standardised on the training data. */

/** Mean and standard deviation of a feature. */
export interface Standardisation {
  readonly mean: number
  /** 1 for a constant feature. */
  readonly deviation: number
}

/** The standardisation of each column of scores. */
export function standardise(columns: readonly Float64Array[]): Standardisation[] {
  return columns.map((scores) => {
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
    const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0)
    const deviation = Math.sqrt(squares / scores.length)
    return { mean, deviation: deviation > 0 ? deviation : 1 }
  })
}

/** Columns of scores as rows of standardised features. */
export function toFeatures(
  columns: readonly Float64Array[],
  standardisations: readonly Standardisation[],
): Float64Array {
  const width = columns.length
  const rows = new Float64Array(width * columns[0].length)
  for (const [column, scores] of columns.entries()) {
    const { mean, deviation } = standardisations[column]
    for (let row = 0; row < scores.length; row++) {
      rows[row * width + column] = (scores[row] - mean) / deviation
    }
  }
  return rows
}
