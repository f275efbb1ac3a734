import { gatherColumns, type Measurement, RESAMPLES } from '../../stats/bootstrap.js'
import { allocateShared } from './share.js'
import type { RunProgress, Threads } from './threads.js'

export interface ResampleOptions {
  readonly seed: number
  /** Number of resamples. Default: 1,000. */
  readonly resamples?: number
  readonly onProgress?: RunProgress
}

/** Resamples per task: a multiple of the number that is computed together. */
const RESAMPLES_PER_TASK = 20

/** Minimum number of multiplications to use several threads. */
const MIN_SPLIT_WORK = 5_000_000

/** `bootstrap` on all threads, with the same scores. */
export async function resample(
  threads: Threads,
  measurements: readonly Measurement[],
  { seed, resamples = RESAMPLES, onProgress }: ResampleOptions,
): Promise<Float64Array[][]> {
  const columns = gatherColumns(measurements, allocateShared)
  const resamplesPerTask = columns.length * resamples < MIN_SPLIT_WORK ? resamples : RESAMPLES_PER_TASK
  const input = {
    measurements: measurements.map(({ family, trials }) => ({ family: family.name, trials })),
    columns,
    seed,
    resamples,
    resamplesPerTask,
  }
  const tasks = await threads.run('resample', input, Math.ceil(resamples / resamplesPerTask), onProgress)
  return measurements.map(({ family }, measurement) =>
    family.metrics.map((_, metric) => {
      const all = new Float64Array(resamples)
      tasks.forEach((scores, task) => {
        all.set(scores[measurement][metric], task * resamplesPerTask)
      })
      return all
    }),
  )
}
