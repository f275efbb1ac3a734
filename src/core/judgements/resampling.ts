import { requireInteger } from '../../errors.js'

/** How judgements are resampled. */
export interface ResamplingOptions {
  readonly seed: number
  /** {@link RESAMPLES} when absent. */
  readonly resamples?: number
  /** Receives the completed share, 0 to 1. An error that it throws ends the work. */
  readonly onProgress?: (share: number) => void
}

/** The number of resamples unless another is given. */
export const RESAMPLES = 1000

const MIN_RESAMPLES = 100
const MAX_RESAMPLES = 100_000

/** @throws AccordError OUT_OF_RANGE unless it is an integer from 100 to 100,000 */
export function checkResamples(resamples: number): void {
  requireInteger(resamples, MIN_RESAMPLES, MAX_RESAMPLES, 'resamples', 'invalid number of resamples')
}
