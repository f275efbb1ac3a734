import { type MeasureProgress, type MetricFamily, stepProgress, type Trial } from '../core/metrics/metric.js'
import type { Corpus } from '../core/text/sequences.js'

/**
 * Rows of statistics of some images, for each family and trial. They equal the rows from measuring all images at once
 * if every trial has the document frequencies of all images.
 *
 * @param corpus contains the captions of the trials
 * @param trials if they have no document frequencies, these are counted in the references of these images only
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
