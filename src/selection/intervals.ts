import {
  type BootstrapOptions,
  bootstrap,
  type Interval,
  percentileInterval,
  type Scorer,
} from '../stats/bootstrap.js'
import { SCORE_WIDTH, type SelectionScores } from './metric.js'

/** Percentile 95 % intervals of the means over images. */
export interface SelectionIntervals {
  readonly precision: Interval
  readonly recall: Interval
  readonly f: Interval
}

/**
 * Bootstraps the mean precision, recall and F over images, all systems on the same resamples.
 *
 * @param systems scores of the same images in the same order
 * @returns one entry per system; `null` where there is no image to resample
 */
export function bootstrapIntervals(
  systems: readonly SelectionScores[],
  options: BootstrapOptions,
): (SelectionIntervals | null)[] {
  if (systems.every(({ imageIds }) => imageIds.length === 0)) return systems.map(() => null)
  const measurements = systems.map(({ values }) => ({ family: meansOverImages, trials: [values] }))
  return bootstrap(measurements, options).map(([precision, recall, f]) => ({
    precision: percentileInterval(precision),
    recall: percentileInterval(recall),
    f: percentileInterval(f),
  }))
}

/** Scores of a corpus are means of per-image scores. */
const meansOverImages: Scorer = {
  width: SCORE_WIDTH,
  metrics: ['precision', 'recall', 'f'],
  corpusScores(sums: Float64Array, images: number, scores: Float64Array): void {
    for (let s = 0; s < SCORE_WIDTH; s++) scores[s] = sums[s] / images
  },
}
