/**
 * ROUGE-N for n = 1..4: Lin 2004, section 2; COCO Captions (Chen et al. 2015), section 3.4.
 *
 *     ROUGE_n = Σ over references Σ over n-grams g of min(count in candidate, count in reference)
 *               / Σ over references (number of n-grams)
 *
 * The recall of n-grams over all references taken together: a reference weighs as much as it has n-grams,
 * and an n-gram of the candidate is matched by every reference that has it. Corpus: mean over images, as for
 * ROUGE-L. Range 0 to 1. Where no reference has n words there is nothing to recall, and the score is 0 as in
 * Lin's program.
 */
import {
  type CorpusNgrams,
  clearCounts,
  clippedMatches,
  corpusNgrams,
  MAX_ORDER,
  type NgramCounts,
  spreadCounts,
} from '../text/ngrams.js'
import type { TokenSequences } from '../text/sequences.js'
import {
  type Metric,
  type MetricFamily,
  meanOfImageScores,
  measureImages,
  stepProgress,
  TOKENS_ONLY,
  type Trial,
} from './metric.js'
import { countImages } from './reference-lists.js'

export const rougeN: MetricFamily<CorpusNgrams> = {
  name: 'ROUGE-N',
  layoutRevision: 1,
  width: MAX_ORDER,
  needs: { ...TOKENS_ONLY, ngrams: true },
  metrics: Array.from({ length: MAX_ORDER }, (_, index) => describe(index + 1)),
  prepare: corpusNgrams,

  measure({ orders, words }, trial, progress) {
    const images = countImages(trial)
    const statistics = new Float64Array(images * MAX_ORDER)
    for (let order = 0; order < MAX_ORDER; order++) {
      const candidateCounts = new Int32Array(orders[order].distinct)
      measureImages(images, stepProgress(progress, order, MAX_ORDER), (start, end) => {
        for (let image = start; image < end; image++) {
          const matches = countMatches(orders[order], trial, image, candidateCounts)
          const total = countNgrams(words, trial, image, order + 1)
          statistics[image * MAX_ORDER + order] = total === 0 ? 0 : matches / total
        }
      })
    }
    return statistics
  },

  ...meanOfImageScores,
}

function countMatches(order: NgramCounts, trial: Trial, image: number, candidateCounts: Int32Array): number {
  spreadCounts(order, trial.candidates[image], candidateCounts)
  let matches = 0
  for (let i = trial.referenceOffsets[image]; i < trial.referenceOffsets[image + 1]; i++) {
    matches += clippedMatches(order, trial.references[i], candidateCounts)
  }
  clearCounts(order, trial.candidates[image], candidateCounts)
  return matches
}

function countNgrams({ offsets }: TokenSequences, trial: Trial, image: number, n: number): number {
  let total = 0
  for (let i = trial.referenceOffsets[image]; i < trial.referenceOffsets[image + 1]; i++) {
    const reference = trial.references[i]
    total += Math.max(0, offsets[reference + 1] - offsets[reference] - n + 1)
  }
  return total
}

function describe(n: number): Metric {
  return {
    name: `ROUGE-${n}`,
    description:
      `The share of the references' ${n === 1 ? 'words' : `sequences of ${n} words`} that the candidate has, ` +
      'each counted as often as both have it, over all references of an image together; the corpus score is ' +
      `the mean over images. 0 where no reference has ${n} ${n === 1 ? 'word' : 'words'}.`,
    notes: ['ROUGE-N is recall only: longer captions score higher, whatever else they say.'],
    lowest: 0,
    highest: 1,
    higherIsBetter: true,
    citation:
      'Lin 2004: ROUGE: A Package for Automatic Evaluation of Summaries, section 2; ' +
      'COCO Captions 2015, section 3.4',
    revision: 1,
    parameters: { n: String(n) },
  }
}
