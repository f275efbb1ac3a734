import type { Interval } from '../stats/interval.js'
import { scoreEstimates } from '../stats/jackknife.js'
import type { Scorer } from '../stats/measurement.js'
import { SCORE_WIDTH, type SelectionScores } from './selection-metric.js'

/** 95 % intervals of the means over images. */
export interface SelectionIntervals {
  readonly precision: Interval
  readonly recall: Interval
  readonly f: Interval
}

/** Intervals of mean precision, recall and F by the jackknife over images; null for too few images. */
export function selectionIntervals({ values }: SelectionScores): SelectionIntervals | null {
  if (values.length === 0) return null
  const estimates = scoreEstimates({ family: meansOverImages, trials: [values] })
  const [precision, recall, f] = estimates.map((estimate) => estimate?.interval)
  return precision && recall && f ? { precision, recall, f } : null
}

/** Corpus scores are means of the per-image scores. */
const meansOverImages: Scorer = {
  width: SCORE_WIDTH,
  metrics: Array.from({ length: SCORE_WIDTH }, () => ({ highest: 1 })),
  corpusScores: {
    from: 'sums',
    score(sums, images, scores) {
      for (let s = 0; s < SCORE_WIDTH; s++) scores[s] = sums[s] / images
    },
  },
}
