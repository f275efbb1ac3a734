/**
 * ROUGE-S: Lin 2004, section 5; COCO Captions (Chen et al. 2015), section 3.4.
 *
 *     matches = Σ over skip bigrams of min(count in candidate, count in reference)
 *     P = max over references of matches / skip bigrams of candidate
 *     R = max over references of matches / skip bigrams of reference
 *     F = (1 + β²) P R / (R + β² P), β = 1.2; 0 where P or R is 0
 *
 * A skip bigram is an ordered pair of words at positions i < j with j − i ≤ 4, the COCO paper's "distance of
 * at most 4 from each other" (Lin's ROUGE-S4 lets 4 words stand between them, j − i ≤ 5). Corpus: mean over
 * images. Range 0 to 1. A caption of fewer than two words has no skip bigram: it scores 0.
 */
import {
  clearCounts,
  clippedMatches,
  type NgramCounts,
  skipBigramCounts,
  spreadCounts,
} from '../text/ngrams.js'
import { countImages, type MetricFamily, meanOfImageScores, type Trial } from './metric.js'
import { fMeasure } from './rouge-l.js'

const DISTANCE = 4

interface Prepared {
  readonly skipBigrams: NgramCounts
  /** Per caption, how many skip bigrams it has, repeats included. */
  readonly totals: Int32Array
}

export const rougeS: MetricFamily<Prepared> = {
  metrics: [
    {
      name: 'ROUGE-S',
      description:
        'F-measure (β = 1.2, favouring recall) of skip bigrams: ordered pairs of words at most 4 positions ' +
        'apart. Precision and recall are each the best over references; the corpus score is the mean over ' +
        'images. 0 where the candidate has fewer than two words.',
      lowest: 0,
      highest: 1,
      higherIsBetter: true,
      citation:
        'Lin 2004: ROUGE: A Package for Automatic Evaluation of Summaries, section 5; ' +
        'COCO Captions 2015, section 3.4',
      parameters: { beta: '1.2', distance: String(DISTANCE) },
    },
  ],
  width: 1,

  prepare(corpus) {
    const skipBigrams = skipBigramCounts(corpus, DISTANCE)
    return { skipBigrams, totals: countTotals(skipBigrams) }
  },

  measure(prepared, trial) {
    const images = countImages(trial)
    const statistics = new Float64Array(images)
    const candidateCounts = new Int32Array(prepared.skipBigrams.distinct)
    for (let image = 0; image < images; image++) {
      statistics[image] = scoreImage(prepared, trial, image, candidateCounts)
    }
    return statistics
  },

  ...meanOfImageScores,
}

function scoreImage(
  { skipBigrams, totals }: Prepared,
  trial: Trial,
  image: number,
  candidateCounts: Int32Array,
): number {
  const candidate = trial.candidates[image]
  spreadCounts(skipBigrams, candidate, candidateCounts)
  let precision = 0
  let recall = 0
  for (let i = trial.referenceOffsets[image]; i < trial.referenceOffsets[image + 1]; i++) {
    const reference = trial.references[i]
    const matches = clippedMatches(skipBigrams, reference, candidateCounts)
    if (matches === 0) continue
    precision = Math.max(precision, matches / totals[candidate])
    recall = Math.max(recall, matches / totals[reference])
  }
  clearCounts(skipBigrams, candidate, candidateCounts)
  return fMeasure(precision, recall)
}

function countTotals({ counts, offsets }: NgramCounts): Int32Array {
  const totals = new Int32Array(offsets.length - 1)
  for (let caption = 0; caption < totals.length; caption++) {
    for (let i = offsets[caption]; i < offsets[caption + 1]; i++) totals[caption] += counts[i]
  }
  return totals
}
