/**
 * How the scores of a corpus are computed, one per metric of the family, written to `scores`; NaN where a score is
 * undefined.
 */
export type CorpusScores =
  | {
      /** From the sum of the images' rows. */
      readonly from: 'sums'
      score(sums: Float64Array, imageCount: number, scores: Float64Array): void
    }
  | {
      /** From all rows, row-major, in image order. */
      readonly from: 'rows'
      score(rows: Float64Array, imageCount: number, scores: Float64Array): void
    }

/** A family of metrics as statistics know it: how many scores there are, their largest value, and how they are computed. */
export interface Scorer {
  /** Columns of one image's row of sufficient statistics. */
  readonly width: number
  /** One entry per score. */
  readonly metrics: readonly { readonly highest: number }[]
  readonly corpusScores: CorpusScores
}

/** What a family measured on the images: one array of rows per trial, the same images in the same order. */
export interface Measurement<Family extends Scorer = Scorer> {
  readonly family: Family
  readonly trials: readonly Float64Array[]
}

/** The sum of all rows, in image order: the same sums however the rows were computed. */
export function sumRows(statistics: Float64Array, width: number): Float64Array {
  const sums = new Float64Array(width)
  for (let row = 0; row < statistics.length; row += width) {
    for (let column = 0; column < width; column++) sums[column] += statistics[row + column]
  }
  return sums
}
