import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { profileInterval } from '../../../src/core/stats/multinomial-profile.js'

describe('the profile interval', () => {
  // Two cells: a proportion. Its likelihood interval has 2·(n·ln of the ratio of likelihoods) = 3.8415 at its ends.
  test.each([
    [7, 3],
    [1, 99],
    [50, 50],
  ])('of a proportion, %i of %i more, is its likelihood interval', (hits, misses) => {
    const { lower, upper } = profileInterval([misses, hits], [0, 1], [1, 1])!
    const logLikelihood = (share: number) => hits * Math.log(share) + misses * Math.log(1 - share)
    for (const end of [lower, upper]) {
      expect(2 * (logLikelihood(hits / (hits + misses)) - logLikelihood(end))).toBeCloseTo(3.8415, 4)
    }
    expect(lower).toBeLessThan(hits / (hits + misses))
    expect(upper).toBeGreaterThan(hits / (hits + misses))
  })

  test('of no hits in n is known: 1 − exp(−1.92/n)', () => {
    const { lower, upper } = profileInterval([20, 0], [0, 1], [1, 1])!
    expect(lower).toBe(0)
    expect(upper).toBeCloseTo(1 - Math.exp(-3.8415 / 40), 5)
  })

  test('contains the estimate, is not empty, and ignores cells without a denominator', () => {
    const cells = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(cells, ([h1, h2, h3, h0]) => {
        fc.pre(h1 + h2 + h3 > 0)
        const [numerator, denominator] = [
          [0, 0, 1, 3],
          [0, 1, 2, 3],
        ]
        const { lower, upper } = profileInterval([h0, h1, h2, h3], numerator, denominator)!
        const estimate = (h2 + 3 * h3) / (h1 + 2 * h2 + 3 * h3)
        expect(lower).toBeLessThanOrEqual(estimate)
        expect(upper).toBeGreaterThanOrEqual(estimate)
        expect(upper - lower).toBeGreaterThan(0)
        expect(lower).toBeGreaterThanOrEqual(0)
        expect(upper).toBeLessThanOrEqual(1)
        expect(profileInterval([h0 + 1000, h1, h2, h3], numerator, denominator)).toEqual({ lower, upper })
      }),
    )
  })

  test('of a ratio of means has the width of the delta method where there are many observations', () => {
    const histogram = [0, 4000, 3000, 3000]
    const [numerator, denominator] = [
      [0, 0, 1, 3],
      [0, 1, 2, 3],
    ]
    const { lower, upper } = profileInterval(histogram, numerator, denominator)!
    const [a, b] = [12_000, 19_000]
    const variance = histogram.reduce(
      (sum, images, cell) => sum + images * (numerator[cell] - (a / b) * denominator[cell]) ** 2,
      0,
    )
    expect(upper - lower).toBeCloseTo((2 * 1.96 * Math.sqrt(variance)) / b, 4)
  })

  test('of nothing observed is null', () => {
    expect(profileInterval([5, 0, 0], [0, 0, 1], [0, 1, 1])).toBeNull()
  })
})
