import {
  type Metric,
  type MetricFamily,
  scoreCorpus,
  scoreImages,
  type Trial,
} from '../core/metrics/metric.js'
import { countImages } from '../core/metrics/reference-lists.js'
import type { Interval } from '../core/stats/interval.js'
import { scoreEstimates } from '../core/stats/jackknife.js'
import { mean } from '../core/stats/mean.js'
import { sumRows } from '../core/stats/measurement.js'
import type { Corpus } from '../core/text/sequences.js'
import { type ComputeProgress, measureTrials, stageProgress } from './measuring.js'
import type { Threads } from './pool.js'

/** Statistics and scores of one family of metrics for a system. */
export interface FamilyScores {
  readonly family: MetricFamily
  /** Per trial, the rows of all images, row-major. */
  readonly trials: readonly Float64Array[]
  /** One entry per metric of the family whose score is defined. */
  readonly scores: readonly MetricResult[]
  /** The other metrics: undefined for every image. */
  readonly undefinedMetrics: readonly Metric[]
  /** Warnings to show beside the scores, as sentences. */
  readonly warnings: readonly string[]
}

export interface MetricResult {
  readonly metric: Metric
  /** The score of the corpus, the mean over trials. */
  readonly value: number
  /** The score of each trial. */
  readonly trials: readonly number[]
  /** 95 % interval of the value, by the jackknife. Null for too few images. */
  readonly interval: Interval | null
  /** Per trial the score of each image. */
  readonly imageScores: readonly Float64Array[]
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
  onProgress?: ComputeProgress,
): Promise<FamilyScores[]> {
  for (const trial of trials) countImages(trial)
  const measured = await measureTrials(threads, corpus, trials, families, onProgress)
  return scoreEvaluation(families, measured.statistics, measured.trials[0], onProgress)
}

/**
 * The scores of a system or of people from measured statistics.
 *
 * @param statistics per family, per trial the rows of all images, in image order
 * @param trial the first one; warnings need only its numbers of images and references, and the document
 *   frequencies that were used
 */
export function scoreEvaluation(
  families: readonly MetricFamily[],
  statistics: readonly (readonly Float64Array[])[],
  trial: Trial,
  onProgress?: ComputeProgress,
): FamilyScores[] {
  const progress = stageProgress(onProgress, 'computing intervals')
  const scored = families.map((family, index): FamilyScores => {
    progress?.(index / families.length)
    const trials = statistics[index]
    const values = trials.map((rows) => scoreCorpus(family, rows))
    const estimates = scoreEstimates({ family, trials })
    const imageScores = trials.map((rows) => scoreImages(family, rows))
    const scores = family.metrics.map((metric, column) => {
      const ofTrials = values.map((ofTrial) => ofTrial[column])
      return {
        metric,
        value: mean(ofTrials),
        trials: ofTrials,
        interval: estimates[column]?.interval ?? null,
        imageScores: imageScores.map((ofTrial) => ofTrial[column]),
      }
    })
    return {
      family,
      trials,
      scores: scores.filter(({ value }) => !Number.isNaN(value)),
      undefinedMetrics: scores.filter(({ value }) => Number.isNaN(value)).map(({ metric }) => metric),
      warnings: family.warnings?.(trial, sumRows(trials[0], family.width)) ?? [],
    }
  })
  progress?.(1)
  return scored
}
