import fc from 'fast-check'
import { scoreEvaluation } from '../../../src/compute/evaluation.js'
import { measureShard } from '../../../src/compute/works.js'
import { leaveOneOutTrials } from '../../../src/core/agreement/leave-one-out.js'
import type { MetricFamily } from '../../../src/core/metrics/metric.js'
import type { ReferenceLists } from '../../../src/core/metrics/reference-lists.js'
import type { Corpus } from '../../../src/core/text/sequences.js'

export type LeaveOneOutTable = ReturnType<typeof leaveOneOut>

/** The leave-one-out table of a corpus, on this thread. */
export function leaveOneOut(
  corpus: Corpus,
  captions: ReferenceLists,
  families: readonly MetricFamily[],
  captionsPerImage: number,
  references = captionsPerImage - 1,
) {
  const { trials, ...folds } = leaveOneOutTrials(captions, captionsPerImage, references)
  const statistics = measureShard(families, corpus, trials)
  const scores = scoreEvaluation(families, statistics, trials[0]).flatMap(({ family, scores, warnings }) =>
    scores.map(({ metric, trials: values, value: mean, interval, imageScores }) => {
      const squares = values.reduce((sum, score) => sum + (score - mean) ** 2, 0)
      const standardDeviation = Math.sqrt(squares / (values.length - 1))
      return { family, metric, folds: values, mean, standardDeviation, interval, imageScores, warnings }
    }),
  )
  return { ...folds, references, folds: trials.length, scores }
}

/** All subsets with `size` items. */
export function subsets<Item>(items: readonly Item[], size: number): Item[][] {
  if (size === 0) return [[]]
  return items.flatMap((item, i) => subsets(items.slice(i + 1), size - 1).map((rest) => [item, ...rest]))
}

/** h_0 … h_K of images, given the number of captions of each image that contain the word. */
export function histogramOf(counts: Iterable<number>, captionsPerImage: number): number[] {
  const histogram = new Array<number>(captionsPerImage + 1).fill(0)
  for (const count of counts) histogram[count]++
  return histogram
}

/** K captions per image and a valid number of references. */
export const captionsAndReferences = fc
  .integer({ min: 2, max: 7 })
  .chain((captionsPerImage) =>
    fc.record({
      captionsPerImage: fc.constant(captionsPerImage),
      references: fc.integer({ min: 1, max: captionsPerImage - 1 }),
    }),
  )

/** Histograms of K + 1 cells with counts of different orders of magnitude. */
export function histograms(captionsPerImage: number, max = 1000): fc.Arbitrary<number[]> {
  const cell = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max }))
  return fc.array(cell, { minLength: captionsPerImage + 1, maxLength: captionsPerImage + 1 })
}
