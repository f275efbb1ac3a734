import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { meanShareInterval, shareInterval } from '../../../src/core/stats/proportion.js'

/** P(X = k) for all k, from sums of logarithms. */
function binomial(trials: number, share: number): number[] {
  const logs = [0]
  for (let k = 1; k <= trials; k++) logs.push(logs[k - 1] + Math.log(k))
  return Array.from({ length: trials + 1 }, (_, k) =>
    Math.exp(
      logs[trials] - logs[k] - logs[trials - k] + k * Math.log(share) + (trials - k) * Math.log1p(-share),
    ),
  )
}

describe('shareInterval', () => {
  test('inverts the binomial test with half of the observed number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(), (trials, seed) => {
        const successes = seed % (trials + 1)
        const { lower, upper } = shareInterval(successes, trials)
        const tail = (share: number, isBeyond: (k: number) => boolean) =>
          binomial(trials, share).reduce(
            (sum, p, k) => sum + (k === successes ? p / 2 : isBeyond(k) ? p : 0),
            0,
          )
        if (successes > 0) expect(tail(lower, (k) => k > successes)).toBeCloseTo(0.025, 9)
        else expect(lower).toBe(0)
        if (successes < trials) expect(tail(upper, (k) => k < successes)).toBeCloseTo(0.025, 9)
        else expect(upper).toBe(1)
      }),
    )
  })

  test('all of 120: from .05^(1/120)', () => {
    expect(shareInterval(120, 120).lower).toBeCloseTo(0.05 ** (1 / 120), 12)
    expect(shareInterval(120, 120).upper).toBe(1)
  })

  // Exact: the sum of the probabilities of all numbers whose interval contains the share.
  test.each([
    [10, 0.988],
    [30, 0.988],
    [100, 0.988],
    [300, 0.988],
    [10, 0.5],
    [30, 0.8],
    [100, 0.95],
  ])('covers in 93 %% of samples and more: %i, %f', (trials, share) => {
    const coverage = binomial(trials, share).reduce((sum, p, k) => {
      const { lower, upper } = shareInterval(k, trials)
      return sum + (lower <= share && share <= upper ? p : 0)
    }, 0)
    expect(coverage).toBeGreaterThan(0.93)
  })

  test('fractions of trials have an interval that contains their share', () => {
    for (const trials of [0.4, 1, 2.5, 17.3]) {
      for (const share of [0, 0.1, 0.5, 0.99, 1]) {
        const { lower, upper } = shareInterval(share * trials, trials)
        expect(upper - lower).toBeGreaterThan(0)
        expect(lower).toBeLessThanOrEqual(share)
        expect(upper).toBeGreaterThanOrEqual(share)
      }
    }
  })
})

describe('meanShareInterval', () => {
  test('of one share is its interval', () => {
    expect(meanShareInterval([{ successes: 3, trials: 10 }])).toEqual({
      lower: expect.closeTo(shareInterval(3, 10).lower, 12),
      upper: expect.closeTo(shareInterval(3, 10).upper, 12),
    })
  })

  test('of several large ones is that of the normal limit', () => {
    const shares = [0.6, 0.9].map((share) => ({ successes: share * 1e5, trials: 1e5 }))
    const error = Math.sqrt((0.24 + 0.09) / 1e5) / 2
    const { lower, upper } = meanShareInterval(shares)
    expect(lower).toBeCloseTo(0.75 - 1.96 * error, 5)
    expect(upper).toBeCloseTo(0.75 + 1.96 * error, 5)
  })
})
