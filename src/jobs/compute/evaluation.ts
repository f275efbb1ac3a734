import {
  countImages,
  type Metric,
  type MetricFamily,
  scoreCorpus,
  scoreImages,
  type Trial,
} from '../../metrics/metric.js'
import { type Interval, type Measurement, percentileInterval } from '../../stats/bootstrap.js'
import type { Corpus } from '../../text/sequences.js'
import { measureTrials } from './measuring.js'
import { resample } from './resampling.js'
import { type ComputeOptions, stageProgress } from './stages.js'
import type { Threads } from './threads.js'

/** Statistics and scores of one family of metrics for a system. */
export interface FamilyScores {
  readonly family: MetricFamily
  /** Per trial, the rows of all images, row-major. */
  readonly trials: readonly Float64Array[]
  /** One entry per metric of the family. */
  readonly scores: readonly MetricResult[]
  /** Warnings to show beside the scores, as sentences. */
  readonly warnings: readonly string[]
}

export interface MetricResult {
  readonly metric: Metric
  /** The score of the corpus, the mean over trials. */
  readonly value: number
  /** The score of each trial. */
  readonly trials: readonly number[]
  /** Percentile 95 % interval of the value, from resampled images. */
  readonly interval: Interval
  /** Per image the mean over trials. */
  readonly imageScores: Float64Array
}

/**
 * Evaluates a system on all threads. The scores do not depend on the number of threads.
 *
 * @param trials of the same images: one against all references, or one for each fold of references
 * @param families of the registry of `threads`
 * @throws AccordError NOT_APPLICABLE for a trial without images, or an image without references; errors
 * of `onProgress`
 */
export async function computeEvaluation(
  threads: Threads,
  corpus: Corpus,
  trials: readonly Trial[],
  families: readonly MetricFamily[],
  options: ComputeOptions,
): Promise<FamilyScores[]> {
  for (const trial of trials) countImages(trial)
  const measured = await measureTrials(threads, corpus, trials, families, options.onProgress)
  return scoreEvaluation(threads, families, measured.statistics, measured.trials[0], options)
}

/**
 * The scores of a system from measured statistics.
 *
 * @param statistics per family, per trial the rows of all images, in image order
 * @param trial the first one, as far as warnings need it: its numbers of images and references, and the document
 *   frequencies that were used
 */
export async function scoreEvaluation(
  threads: Threads,
  families: readonly MetricFamily[],
  statistics: readonly (readonly Float64Array[])[],
  trial: Trial,
  { seed, resamples, onProgress }: ComputeOptions,
): Promise<FamilyScores[]> {
  const measurements = families.map((family, index): Measurement => ({ family, trials: statistics[index] }))
  const values = measurements.map(({ family, trials }) => trials.map((rows) => scoreCorpus(family, rows)))
  const resampled = await resample(threads, measurements, {
    seed,
    resamples,
    onProgress: stageProgress(onProgress, 'resampling images'),
  })
  return measurements.map(({ family, trials }, index): FamilyScores => {
    const imageScores = trials.map((rows) => scoreImages(family, rows))
    return {
      family,
      trials,
      scores: family.metrics.map((metric, column) => {
        const scores = values[index].map((ofTrial) => ofTrial[column])
        return {
          metric,
          value: mean(scores),
          trials: scores,
          interval: percentileInterval(resampled[index][column]),
          imageScores: meanOf(imageScores.map((ofTrial) => ofTrial[column])),
        }
      }),
      warnings: family.warnings?.(trial) ?? [],
    }
  })
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function meanOf(arrays: readonly Float64Array[]): Float64Array {
  const [first] = arrays
  return arrays.length === 1 ? first : first.map((_, image) => mean(arrays.map((values) => values[image])))
}
