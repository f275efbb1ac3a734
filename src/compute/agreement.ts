import { type LeaveOneOutTable, leaveOneOutTrials, summarizeFolds } from '../core/agreement/leave-one-out.js'
import type { MetricFamily } from '../core/metrics/metric.js'
import type { ReferenceLists } from '../core/metrics/reference-lists.js'
import type { Measurement } from '../core/stats/measurement.js'
import type { Corpus } from '../core/text/sequences.js'
import { measureTrials } from './measuring.js'
import type { Threads } from './pool.js'
import { type ComputeProgress, stageProgress } from './stages.js'

export interface LeaveOneOutComputeOptions {
  /** K, at least 2. */
  readonly captionsPerImage: number
  /** k, from 1 to K − 1. Default: K − 1. */
  readonly references?: number
  readonly onProgress?: ComputeProgress
}

/**
 * The leave-one-out table of a corpus with the rows of statistics of its folds, split over the threads: the figures do not
 * depend on their number.
 *
 * @param captions for each image, the positions of its captions in the corpus, by annotation id
 * @param families of the registry of `threads`
 * @throws AccordError OUT_OF_RANGE for k outside 1..K − 1, NOT_APPLICABLE if no image has K captions; errors
 * of `onProgress`
 */
export async function computeLeaveOneOut(
  threads: Threads,
  corpus: Corpus,
  captions: ReferenceLists,
  families: readonly MetricFamily[],
  { captionsPerImage, references = captionsPerImage - 1, onProgress }: LeaveOneOutComputeOptions,
): Promise<{
  readonly table: LeaveOneOutTable
  readonly measurements: readonly Measurement<MetricFamily>[]
}> {
  const folds = leaveOneOutTrials(captions, captionsPerImage, references)
  const { statistics, trials } = await measureTrials(threads, corpus, folds.trials, families, onProgress)
  const measurements = families.map(
    (family, index): Measurement<MetricFamily> => ({ family, trials: statistics[index] }),
  )
  const table = summarizeFolds(
    { ...folds, trials },
    references,
    measurements,
    stageProgress(onProgress, 'computing intervals'),
  )
  return { measurements, table }
}
