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
  /** The rows of all images, row-major. */
  readonly statistics: Float64Array
  /** One entry per metric of the family. */
  readonly scores: readonly MetricResult[]
  /** Warnings to show beside the scores, as sentences. */
  readonly warnings: readonly string[]
}

export interface MetricResult {
  readonly metric: Metric
  /** The corpus score. */
  readonly value: number
  /** 95 % percentile interval over resampled images. */
  readonly interval: Interval
  /** One score per image of the trial. */
  readonly imageScores: Float64Array
}

/**
 * Evaluates a system on all threads. The scores do not depend on the number of threads.
 *
 * @param families of the registry of `threads`
 * @throws AccordError NOT_APPLICABLE for a trial without images, or an image without references; errors
 * of `onProgress`
 */
export async function computeEvaluation(
  threads: Threads,
  corpus: Corpus,
  trial: Trial,
  families: readonly MetricFamily[],
  options: ComputeOptions,
): Promise<FamilyScores[]> {
  countImages(trial)
  const measured = await measureTrials(threads, corpus, [trial], families, options.onProgress)
  const statistics = measured.statistics.map(([rows]) => rows)
  return scoreEvaluation(threads, families, statistics, measured.trials[0], options)
}

/**
 * The scores of a system from measured statistics.
 *
 * @param statistics for each family, the rows of all images, in image order
 * @param trial for warnings, with document frequencies if a family needs them
 */
export async function scoreEvaluation(
  threads: Threads,
  families: readonly MetricFamily[],
  statistics: readonly Float64Array[],
  trial: Trial,
  { seed, resamples, onProgress }: ComputeOptions,
): Promise<FamilyScores[]> {
  const values = families.map((family, index) => scoreCorpus(family, statistics[index]))
  const measurements = families.map((family, index): Measurement => ({ family, trials: [statistics[index]] }))
  const resampled = await resample(threads, measurements, {
    seed,
    resamples,
    onProgress: stageProgress(onProgress, 'resampling images'),
  })
  return families.map((family, index): FamilyScores => {
    const imageScores = scoreImages(family, statistics[index])
    return {
      family,
      statistics: statistics[index],
      scores: family.metrics.map((metric, column) => ({
        metric,
        value: values[index][column],
        interval: percentileInterval(resampled[index][column]),
        imageScores: imageScores[column],
      })),
      warnings: family.warnings?.(trial) ?? [],
    }
  })
}
