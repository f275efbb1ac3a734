import { gatherColumns, type Measurement, RESAMPLES } from '../../stats/bootstrap.js'
import { allocateShared } from './share.js'
import type { RunProgress, Threads } from './threads.js'

export interface ResampleOptions {
  readonly seed: number
  /** Number of resamples, 1,000 when absent. */
  readonly resamples?: number
  readonly onProgress?: RunProgress
}

/** Resamples of a task: a multiple of the number that is computed at once. */
const RESAMPLES_PER_TASK = 20

/** Numbers multiplied below which threads cost more time than they save. */
const MIN_SPLIT_WORK = 5_000_000

/** `bootstrap` with its resamples split over the threads: the same scores. */
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
