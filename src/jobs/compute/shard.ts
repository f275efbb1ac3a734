import { type MeasureProgress, type MetricFamily, stepProgress, type Trial } from '../../metrics/metric.js'
import type { Corpus } from '../../text/sequences.js'

/**
 * Rows of statistics of some images, per family and per trial. The rows are those that the images have when all
 * images of the trials are measured at once, if every trial has the document frequencies of all of them.
 *
 * @param corpus has at least the captions of the trials
 * @param trials without document frequencies, they are counted in the references of these images alone
 */
export function measureShard(
  families: readonly MetricFamily[],
  corpus: Corpus,
  trials: readonly Trial[],
  progress?: MeasureProgress,
): Float64Array[][] {
  return families.map((family, index) => {
    const familyProgress = stepProgress(progress, index, families.length)
    const prepared = family.prepare(corpus)
    return trials.map((trial, step) =>
      family.measure(prepared, trial, stepProgress(familyProgress, step, trials.length)),
    )
  })
}
