import { describe, expect, it } from 'vitest'
import { bootstrapIntervals } from '../../src/selection/intervals.js'
import { SCORE_WIDTH, type SelectionScores } from '../../src/selection/metric.js'

/** Scores of 400 images: precision alternates between 0 and 1, recall is 0.5, F is given. */
function scores(f: number): SelectionScores {
  const imageIds = Array.from({ length: 400 }, (_, i) => String(i))
  const values = new Float64Array(400 * SCORE_WIDTH)
  for (let i = 0; i < 400; i++) values.set([i % 2, 0.5, f], i * SCORE_WIDTH)
  return { imageIds, values, imagesLeftOut: 0 }
}

describe('bootstrapIntervals', () => {
  it('contains the mean and has the width expected from the standard error', () => {
    const [interval] = bootstrapIntervals([scores(0.25)], { seed: 1 })
    const { lower, upper } = interval!.precision
    // The standard error of a mean of 400 zeros and ones is 0.025, so the interval is approximately 0.5 ± 0.049.
    expect(lower).toBeGreaterThan(0.5 - 0.058)
    expect(lower).toBeLessThan(0.5 - 0.04)
    expect(upper).toBeGreaterThan(0.5 + 0.04)
    expect(upper).toBeLessThan(0.5 + 0.058)
    expect(interval!.recall.lower).toBeCloseTo(0.5, 12)
    expect(interval!.f.upper).toBeCloseTo(0.25, 12)
  })

  it('uses the same resamples for all systems and all calls with the same seed', () => {
    const [first, second] = bootstrapIntervals([scores(0), scores(1)], { seed: 1 })
    expect(second!.precision).toEqual(first!.precision)
    expect(bootstrapIntervals([scores(1)], { seed: 1 })).toEqual([second])
  })

  it('is null if there are no images', () => {
    const nothing = { imageIds: [], values: new Float64Array(0), imagesLeftOut: 3 }
    expect(bootstrapIntervals([nothing, nothing], { seed: 1 })).toEqual([null, null])
    expect(bootstrapIntervals([], { seed: 1 })).toEqual([])
  })
})
