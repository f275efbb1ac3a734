import {
  type BootstrapOptions,
  bootstrap,
  type Interval,
  percentileInterval,
  type Scorer,
} from '../stats/bootstrap.js'
import { SCORE_WIDTH, type SelectionScores } from './metric.js'

/** 95 % percentile intervals of the means over images. */
export interface SelectionIntervals {
  readonly precision: Interval
  readonly recall: Interval
  readonly f: Interval
}

/**
 * Computes bootstrap intervals of mean precision, recall and F over images. All systems use the same resamples.
 *
 * @param systems scores of the same images in the same order
 * @returns one entry per system, null if there are no images
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

/** Corpus scores are means of the per-image scores. */
const meansOverImages: Scorer = {
  width: SCORE_WIDTH,
  metrics: ['precision', 'recall', 'f'],
  corpusScores: {
    from: 'sums',
    score(sums, images, scores) {
      for (let s = 0; s < SCORE_WIDTH; s++) scores[s] = sums[s] / images
    },
  },
}
