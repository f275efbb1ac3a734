/** How a plan is divided into parts. */
export interface Division {
  /** Minimum number of parts, if there are as many images. */
  readonly parts: number
  /** Maximum number of images of a part: bounds the memory of its computation. */
  readonly imagesPerPart: number
}

/** In one process, parts only bound the memory. */
export const IN_PROCESS: Division = { parts: 1, imagesPerPart: 32_768 }

/** When and how a plan is divided into parts for several workers. */
export interface Sharding extends Division {
  /** Plans with more images are divided. */
  readonly maxUndividedImages: number
}

/**
 * Enough parts for several workers, so that all end at nearly the same time and little is lost with one of them; but each
 * takes some hundred milliseconds or more.
 */
export const SHARDING: Sharding = { maxUndividedImages: 50_000, parts: 12, imagesPerPart: 32_768 }
