import { describe, expect, it } from 'vitest'
import {
  SCORE_WIDTH,
  type SelectionScores,
  selectionIntervals,
} from '../../../src/core/selection/selection-metric.js'

/** Precision alternates between 0 and 1, recall is 0.5, F is 0.25. */
function scores(images: number): SelectionScores {
  const imageIds = Array.from({ length: images }, (_, i) => String(i))
  const values = new Float64Array(images * SCORE_WIDTH)
  for (let i = 0; i < images; i++) values.set([i % 2, 0.5, 0.25], i * SCORE_WIDTH)
  return { imageIds, values, imagesLeftOut: 0 }
}

describe('selectionIntervals', () => {
  it('contain the mean and have the width expected from the standard error', () => {
    const { precision, recall, f } = selectionIntervals(scores(400))!
    // The standard error of a mean of 400 zeros and ones is 0.025, so the interval is approximately 0.5 ± 0.049.
    expect(precision!.lower).toBeCloseTo(0.5 - 0.049, 3)
    expect(precision!.upper).toBeCloseTo(0.5 + 0.049, 3)
    // They are the same for all images.
    expect({ recall, f }).toEqual({ recall: null, f: null })
  })

  it.each([0, 1, 9])('are null for %i images', (images) => {
    expect(selectionIntervals(scores(images))).toBeNull()
  })

  it('stay between 0 and 1', () => {
    const { precision } = selectionIntervals({
      ...scores(10),
      values: Float64Array.from({ length: 10 * SCORE_WIDTH }, (_, cell) => (cell === 0 ? 0.1 : 1)),
    })!
    expect(precision!.upper).toBeLessThanOrEqual(1)
    expect(precision!.lower).toBeGreaterThanOrEqual(0)
  })
})
