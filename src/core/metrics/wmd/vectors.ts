/** Vectors of words, all of one length. */
export interface WordVectors {
  /** Enters the signature, e.g. `glove-6B-100d`. */
  readonly name: string
  /**
   * The vectors of words, scaled to unit length.
   *
   * @throws AccordError for what is wrong with the source
   */
  lookUp(words: readonly string[]): FoundVectors
}

export interface FoundVectors {
  /** Per word the row of its vector in `values`; −1 for a word without one. */
  readonly rows: Int32Array
  readonly dimension: number
  /** Rows of `dimension` numbers. */
  readonly values: Float64Array
}

/** Scales the vector at `start` to unit length. A vector of zeros remains. */
export function normalize(values: Float64Array, start: number, dimension: number): void {
  let squares = 0
  for (let i = start; i < start + dimension; i++) squares += values[i] * values[i]
  if (squares === 0) return
  const scale = 1 / Math.sqrt(squares)
  for (let i = start; i < start + dimension; i++) values[i] *= scale
}
