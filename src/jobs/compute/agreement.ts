import { type LeaveOneOutTable, leaveOneOutTrials, summarizeFolds } from '../../agreement/leave-one-out.js'
import type { MetricFamily, ReferenceLists } from '../../metrics/metric.js'
import type { Measurement } from '../../stats/bootstrap.js'
import type { Corpus } from '../../text/sequences.js'
import { measureTrials } from './measuring.js'
import { resample } from './resampling.js'
import { type ComputeOptions, stageProgress } from './stages.js'
import type { Threads } from './threads.js'

export interface LeaveOneOutComputeOptions extends ComputeOptions {
  /** K, 2 or more. */
  readonly captionsPerImage: number
  /** k, from 1 to K − 1; K − 1 when absent. */
  readonly references?: number
}

/**
 * The leave-one-out table of a corpus, split over the threads: the figures do not depend on their number.
 *
 * @param captions per image, the positions of all its captions in the corpus, in order of annotation id
 * @param families of the registry of `threads`
 * @throws AccordError OUT_OF_RANGE for k outside 1..K − 1, NOT_APPLICABLE where no image has K captions; what
 * `onProgress` throws
 */
export async function computeLeaveOneOut(
  threads: Threads,
  corpus: Corpus,
  captions: ReferenceLists,
  families: readonly MetricFamily[],
  { captionsPerImage, references = captionsPerImage - 1, ...options }: LeaveOneOutComputeOptions,
): Promise<LeaveOneOutTable> {
  const folds = leaveOneOutTrials(captions, captionsPerImage, references)
  const { statistics, trials } = await measureTrials(
    threads,
    corpus,
    folds.trials,
    families,
    options.onProgress,
  )
  const measurements = families.map((family, index): Measurement => ({ family, trials: statistics[index] }))
  const resampled = await resample(threads, measurements, {
    seed: options.seed,
    resamples: options.resamples,
    onProgress: stageProgress(options.onProgress, 'resampling images'),
  })
  return summarizeFolds({ ...folds, trials }, references, measurements, resampled)
}
