import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawBinomial } from '../../src/stats/binomial.js'
import { createRandom } from '../../src/stats/random.js'

/** P(0), P(1), … of the binomial distribution, computed by recurrence from the mode. */
function distribution(trials: number, probability: number): number[] {
  const mode = Math.floor(trials * probability)
  const weights = new Array<number>(trials + 1).fill(0)
  const odds = probability / (1 - probability)
  weights[mode] = 1
  for (let k = mode + 1; k <= trials; k++) weights[k] = (weights[k - 1] * odds * (trials - k + 1)) / k
  for (let k = mode - 1; k >= 0; k--) weights[k] = (weights[k + 1] * (k + 1)) / (odds * (trials - k))
  const total = weights.reduce((sum, weight) => sum + weight)
  return weights.map((weight) => weight / total)
}

describe('drawBinomial', () => {
  // Small means use inversion, large ones rejection. For probabilities above 1/2, failures are drawn.
  it.each([
    { trials: 1, probability: 0.5 },
    { trials: 5, probability: 0.3 },
    { trials: 5000, probability: 0.0004 },
    { trials: 100, probability: 0.0999 },
    { trials: 25, probability: 0.4 },
    { trials: 100, probability: 0.1 },
    { trials: 40, probability: 0.9 },
    { trials: 5000, probability: 0.3 },
    { trials: 40_000, probability: 0.02 },
  ])('follows the distribution of $trials trials at $probability', ({ trials, probability }) => {
    const draws = 50_000
    const random = createRandom(17)
    const observed = new Float64Array(trials + 1)
    for (let draw = 0; draw < draws; draw++) observed[drawBinomial(random, trials, probability)]++

    // Chi-square test over cells with at least 20 expected draws. Smaller cells are merged with their neighbor.
    let chiSquare = 0
    let cells = 0
    let cell = { observed: 0, expected: 0 }
    let left = draws
    for (const [k, chance] of distribution(trials, probability).entries()) {
      cell.observed += observed[k]
      cell.expected += draws * chance
      left -= draws * chance
      if (cell.expected < 20 || left < 20) continue
      chiSquare += (cell.observed - cell.expected) ** 2 / cell.expected
      cells++
      cell = { observed: 0, expected: 0 }
    }
    if (cell.expected > 0) {
      chiSquare += (cell.observed - cell.expected) ** 2 / cell.expected
      cells++
    }
    // Wilson and Hilferty's approximation of the 0.1 % point.
    const freedom = cells - 1
    const limit = freedom * (1 - 2 / (9 * freedom) + 3.09 * Math.sqrt(2 / (9 * freedom))) ** 3
    expect(freedom).toBeGreaterThan(0)
    expect(chiSquare).toBeLessThan(limit)
  })

  it('is between 0 and the number of trials', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 0, max: 1e6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (seed, trials, probability) => {
          const random = createRandom(seed)
          for (let draw = 0; draw < 20; draw++) {
            const successes = drawBinomial(random, trials, probability)
            expect(Number.isInteger(successes) && successes >= 0 && successes <= trials).toBe(true)
          }
        },
      ),
    )
  })

  it('is certain for probabilities 0 and 1', () => {
    const random = createRandom(1)
    expect([drawBinomial(random, 9, 0), drawBinomial(random, 9, 1), drawBinomial(random, 0, 0.5)]).toEqual([
      0, 9, 0,
    ])
  })
})
