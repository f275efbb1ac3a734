import { describe, expect, test } from 'vitest'
import type { Scorer } from '../../src/stats/bootstrap.js'
import { compareMeasurements } from '../../src/stats/comparison.js'
import { createRandom } from '../../src/stats/random.js'

const family = {
  metrics: ['mean'],
  width: 1,
  corpusScores: {
    from: 'sums',
    score(sums: Float64Array, images: number, scores: Float64Array): void {
      scores[0] = sums[0] / images
    },
  },
} satisfies Scorer

function measure(images: number, seed: number, shift = 0) {
  const random = createRandom(seed)
  return { family, trials: [Float64Array.from({ length: images }, () => shift + random.next())] }
}

describe('a comparison', () => {
  test('of systems that differ: the interval is above 0 and p small', () => {
    const [{ difference, interval, test: swap, undefinedReason, isSmall }] = compareMeasurements(
      measure(100, 1, 0.3),
      measure(100, 2),
      { seed: 1 },
    )
    expect(difference).toBeGreaterThan(0.15)
    expect(interval!.lower).toBeGreaterThan(0)
    expect(swap).toEqual({ pValue: 1 / 1001, isBound: true, isExact: false, resamples: 1000 })
    expect([undefinedReason, isSmall]).toEqual([null, false])
  })

  test.each([
    [1, 'TOO_FEW_IMAGES', false],
    [9, 'TOO_FEW_IMAGES', false],
    [10, null, true],
    [30, null, false],
  ])('of %i images: %s, small: %s', (images, undefinedReason, isSmall) => {
    const [comparison] = compareMeasurements(measure(images, 1), measure(images, 2), { seed: 1 })
    expect(comparison).toMatchObject({ undefinedReason, isSmall })
    for (const figure of [comparison.standardError, comparison.interval, comparison.test]) {
      expect(figure === null).toBe(undefinedReason !== null)
    }
  })

  test('of a system with itself: no difference, p = 1', () => {
    const [comparison] = compareMeasurements(measure(40, 1), measure(40, 1), { seed: 1 })
    expect(comparison).toMatchObject({
      difference: 0,
      interval: { lower: 0, upper: 0 },
      test: { pValue: 1, isBound: false },
    })
  })

  test('with a third system added stays the same', () => {
    const [first, second] = [measure(50, 1), measure(50, 2)]
    const before = compareMeasurements(first, second, { seed: 1 })
    compareMeasurements(first, measure(50, 3), { seed: 1 })
    expect(compareMeasurements(first, second, { seed: 1 })).toEqual(before)
  })
})
