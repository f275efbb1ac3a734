/** When and how computations are divided. */
export interface Division {
  /** Computations on more images are divided into shards. */
  readonly maxUndividedImages: number
  readonly imagesPerShard: number
}

export const DIVISION: Division = { maxUndividedImages: 20_000, imagesPerShard: 5_000 }
