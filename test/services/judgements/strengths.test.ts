import { describe, expect, it } from 'vitest'
import type { Judgements } from '../../../src/core/judgements/judgement.js'
import { rankByPreferences } from '../../../src/services/judgements/strengths.js'

/** Systems, the first one the strongest. */
const NAMES = ['people', 'large', 'small', 'old']

/** Every system beats each weaker one in 6 of 8 comparisons, so that all strengths are defined. */
const ROWS = NAMES.flatMap((_, first) =>
  NAMES.flatMap((_, second) =>
    second <= first ? [] : Array.from({ length: 8 }, (_, round) => ({ first, second, won: round < 6 })),
  ),
)

/** Per row, two captions: that of the first system and that of the second. */
const judgements = {
  kind: 'PREFERENCES',
  contest: {
    names: NAMES,
    comparisons: {
      systemCount: NAMES.length,
      first: Int32Array.from(ROWS, ({ first }) => first),
      second: Int32Array.from(ROWS, ({ second }) => second),
      outcomes: Float64Array.from(ROWS, ({ won }) => Number(won)),
      images: Int32Array.from(ROWS, (_, row) => row),
      imageCount: ROWS.length,
    },
  },
  pairs: {
    first: Int32Array.from(ROWS, (_, row) => 2 * row),
    second: Int32Array.from(ROWS, (_, row) => 2 * row + 1),
  },
} as unknown as Parameters<typeof rankByPreferences>[0] & Judgements

/** Scores by which a metric ranks the systems in this order: it prefers the better one in 6 of 8 comparisons. */
function scoresBy(order: readonly number[]): Float64Array {
  const scores = new Float64Array(2 * ROWS.length)
  for (const [row, { first, second, won }] of ROWS.entries()) {
    const isFirst = order.indexOf(first) < order.indexOf(second) === won
    scores[2 * row + Number(!isFirst)] = 1
  }
  return scores
}

describe('the ranking of systems by a metric', () => {
  const strengths = rankByPreferences(judgements, undefined)

  it('has the strongest system first', () => {
    expect(strengths?.people.systems.map(({ name }) => name)).toEqual(NAMES)
    expect(strengths?.people.anchor).toBe('people')
  })

  // By hand: of the 6 pairs of systems, those in the same order less the others; 1 - 6 sum d^2 / (n (n^2 - 1)).
  it.each([
    ['as people do', [0, 1, 2, 3], 1, 1],
    ['the other way around', [3, 2, 1, 0], -1, -1],
    ['but for the weakest two', [0, 1, 3, 2], 0.8, 4 / 6],
    ['but for people, who come last', [1, 2, 3, 0], -0.2, 0],
  ])('agrees with people who rank %s', (_how, order, spearman, kendall) => {
    const ranking = strengths?.rankBy(scoresBy(order))
    expect(ranking?.spearman).toBeCloseTo(spearman, 12)
    expect(ranking?.kendall).toBeCloseTo(kendall, 12)
    const ratings = ranking?.ratings as number[]
    expect(ratings.indexOf(Math.max(...ratings))).toBe(order[0])
  })
})
