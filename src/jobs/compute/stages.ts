import type { RunProgress } from './threads.js'

/** What a computation does at the moment, for progress messages. */
export type Stage = 'counting n-grams' | 'measuring' | 'resampling images'

export interface ComputeOptions {
  readonly seed: number
  /** Number of resamples, 1,000 when absent. */
  readonly resamples?: number
  /**
   * Receives the completed share, 0 to 1, every few tens of milliseconds. An error that it throws cancels the
   * work on all threads, and the computation fails with it.
   */
  readonly onProgress?: (share: number, stage: Stage) => void
}

/** The shares of the whole computation at which each stage starts and ends. */
const BOUNDS: Readonly<Record<Stage, readonly [start: number, end: number]>> = {
  'counting n-grams': [0, 0.1],
  measuring: [0.1, 0.6],
  'resampling images': [0.6, 1],
}

/** The progress of one stage, or of its part from `from` to `to`, as part of the whole. */
export function stageProgress(
  onProgress: ComputeOptions['onProgress'],
  stage: Stage,
  from = 0,
  to = 1,
): RunProgress | undefined {
  const [start, end] = BOUNDS[stage]
  return onProgress && ((share) => onProgress(start + (from + share * (to - from)) * (end - start), stage))
}
