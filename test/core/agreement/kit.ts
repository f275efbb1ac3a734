import fc from 'fast-check'
import {
  type LeaveOneOutTable,
  leaveOneOutTrials,
  summarizeFolds,
} from '../../../src/core/agreement/leave-one-out.js'
import type { MetricFamily } from '../../../src/core/metrics/metric.js'
import type { ReferenceLists } from '../../../src/core/metrics/reference-lists.js'
import type { Corpus } from '../../../src/core/text/sequences.js'

/** The leave-one-out table of a corpus, on this thread. */
export function leaveOneOut(
  corpus: Corpus,
  captions: ReferenceLists,
  families: readonly MetricFamily[],
  captionsPerImage: number,
  references = captionsPerImage - 1,
): LeaveOneOutTable {
  const folds = leaveOneOutTrials(captions, captionsPerImage, references)
  const measurements = families.map((family) => {
    const prepared = family.prepare(corpus)
    return { family, trials: folds.trials.map((trial) => family.measure(prepared, trial)) }
  })
  return summarizeFolds(folds, references, measurements)
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
export const captionsAndReferences = fc.integer({ min: 2, max: 7 }).chain((captionsPerImage) =>
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
