import type { Interval } from '../stats/interval.js'
import { scoreEstimates } from '../stats/jackknife.js'
import type { Scorer } from '../stats/measurement.js'
import { judgeSampleSize } from '../stats/sample-size.js'
import { SCORE_WIDTH, type SelectionScores } from './selection-metric.js'

/** 95 % intervals of the means over images; null for a value that is the same for all images. */
export interface SelectionIntervals {
  readonly precision: Interval | null
  readonly recall: Interval | null
  readonly f: Interval | null
}

/** Intervals of mean precision, recall and F by the jackknife over images; null for too few images. */
export function selectionIntervals({ values }: SelectionScores): SelectionIntervals | null {
  if (judgeSampleSize(values.length / SCORE_WIDTH).undefinedReason !== null) return null
  const estimates = scoreEstimates({ family: meansOverImages, trials: [values] })
  const [precision, recall, f] = estimates.map((estimate) => estimate?.interval ?? null)
  return { precision, recall, f }
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
