/** Features of captions: scores by several metrics, standardised on the training data. */

/** Mean and standard deviation of a feature. */
interface Standardisation {
  readonly mean: number
  /** 1 for a constant feature. */
  readonly deviation: number
}

/** The standardisation of each column of scores, without undefined ones (NaN). */
export function standardise(columns: readonly Float64Array[]): Standardisation[] {
  return columns.map((scores) => {
    const defined = scores.filter((score) => !Number.isNaN(score))
    const mean = defined.reduce((sum, score) => sum + score, 0) / Math.max(1, defined.length)
    const squares = defined.reduce((sum, score) => sum + (score - mean) ** 2, 0)
    const deviation = Math.sqrt(squares / Math.max(1, defined.length))
    return { mean, deviation: deviation > 0 ? deviation : 1 }
  })
}

/** Columns of scores as rows of standardised features; an undefined score (NaN) is as the mean. */
export function toFeatures(
  columns: readonly Float64Array[],
  standardisations: readonly Standardisation[],
): Float64Array {
  const width = columns.length
  const rows = new Float64Array(width * columns[0].length)
  for (const [column, scores] of columns.entries()) {
    const { mean, deviation } = standardisations[column]
    for (let row = 0; row < scores.length; row++) {
      rows[row * width + column] = Number.isNaN(scores[row]) ? 0 : (scores[row] - mean) / deviation
    }
  }
  return rows
}

/** The mean of each row of standardised features, which orders captions without any training. */
export function meanOfFeatures(rows: Float64Array, width: number): Float64Array {
  return Float64Array.from({ length: rows.length / width }, (_, row) => {
    let sum = 0
    for (let column = 0; column < width; column++) sum += rows[row * width + column]
    return sum / width
  })
}
