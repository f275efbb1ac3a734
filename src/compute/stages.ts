import type { RunProgress } from './pool.js'

/** The current step of a computation, for progress messages. */
export type Stage = 'counting n-grams' | 'measuring' | 'computing intervals'

/**
 * Receives the completed share, 0 to 1, every few tens of milliseconds. If it throws, the work is cancelled on all
 * threads and the computation fails with its error.
 */
export type ComputeProgress = (share: number, stage: Stage) => void

/** Progress of the computation at the start and end of each stage. */
const BOUNDS: Readonly<Record<Stage, readonly [start: number, end: number]>> = {
  'counting n-grams': [0, 0.1],
  measuring: [0.1, 0.95],
  'computing intervals': [0.95, 1],
}

/** Maps the progress of one stage, or of its part from `from` to `to`, to that of the computation. */
export function stageProgress(
  onProgress: ComputeProgress | undefined,
  stage: Stage,
  from = 0,
  to = 1,
): RunProgress | undefined {
  const [start, end] = BOUNDS[stage]
  return onProgress && ((share) => onProgress(start + (from + share * (to - from)) * (end - start), stage))
}
