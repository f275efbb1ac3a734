import { describe, expect, test } from 'vitest'
import { preferencesOf, type Rating, ratingsOf } from '../../../src/core/judgements/judgement.js'
import {
  compareJudged,
  judgeRaters,
  judgeScores,
  type RatingFigures,
} from '../../../src/core/judgements/meta-evaluation.js'
import { createRandom } from '../../../src/core/stats/random.js'

const OPTIONS = { seed: 1, resamples: 300 }

const random = createRandom(7)
const truth = Float64Array.from({ length: 80 }, () => random.next())
const noisy = (noise: number) => truth.map((value) => value + noise * random.next())
const rated = ratingsOf(
  Array.from(truth, (value): Rating[] =>
    [0, 1, 2].map(() => ({ rater: null, value: Math.ceil(3 * value + random.next()) })),
  ),
)

describe('correlation with ratings', () => {
  test('has an interval around τ-c, and a small p-value where scores follow the ratings', () => {
    const { figures, resampled } = judgeScores(rated, noisy(0.1), OPTIONS)
    if (figures.kind !== 'RATINGS') throw new Error(figures.kind)
    const { tauC, interval, pValue } = figures
    const { lower, upper } = interval!
    expect(lower as number).toBeLessThan(tauC as number)
    expect(upper as number).toBeGreaterThan(tauC as number)
    expect(pValue).toBe(1 / 301)
    expect(resampled).toHaveLength(300)
  })

  test('of unrelated scores has a large p-value', () => {
    const unrelated = Float64Array.from({ length: 80 }, () => random.next())
    expect(judgeScores(rated, unrelated, OPTIONS).figures).toMatchObject({ kind: 'RATINGS' })
    const pValues = Array.from({ length: 20 }, () => {
      const { figures } = judgeScores(
        rated,
        truth.map(() => random.next()),
        { seed: 3, resamples: 100 },
      )
      return figures.kind === 'RATINGS' ? (figures.pValue as number) : Number.NaN
    })
    expect(pValues.filter((pValue) => pValue < 0.05).length).toBeLessThan(6)
  })

  test('of constant scores is null with the reason, also in a comparison', () => {
    const constant = judgeScores(rated, new Float64Array(80), OPTIONS)
    expect(constant.figures).toEqual({
      kind: 'RATINGS',
      tauB: null,
      tauC: null,
      spearman: null,
      pearson: null,
      interval: null,
      pValue: null,
      undefinedReason: 'CONSTANT_SCORES',
    })
    expect(compareJudged(constant, judgeScores(rated, truth, OPTIONS))).toBeNull()
  })
})

test('raters: each rating is compared with the others of its caption', () => {
  const judged = judgeRaters(
    ratingsOf([
      [1, 1, 2].map((value) => ({ rater: null, value })),
      [4, 3, 3].map((value) => ({ rater: null, value })),
      [2].map((value) => ({ rater: null, value })),
    ]),
    OPTIONS,
  )
  // 12 pairs: (1,1) (1,2) (1,1) (1,2) (2,1) (2,1) (4,3) (4,3) (3,4) (3,3) (3,4) (3,3)
  // scipy 1.17: kendalltau, variants b and c
  const figures = judged?.figures as RatingFigures
  expect(figures.tauB).toBeCloseTo(0.5384615384615385, 12)
  expect(figures.tauC).toBeCloseTo(0.5185185185185185, 12)
  expect(judgeRaters(ratingsOf([[{ rater: 'a', value: 1 }], [{ rater: 'a', value: 2 }]]), OPTIONS)).toBeNull()
})

describe('accuracy on preferences', () => {
  const judgements = preferencesOf([
    { first: 0, second: 1, preferred: 0, category: 'HC' },
    { first: 2, second: 3, preferred: 1, category: 'HC' },
    { first: 4, second: 5, preferred: 0, category: 'MM' },
    { first: 6, second: 7, preferred: 1, category: 'MM' },
  ])

  test('is the share of pairs, a tie counting one half, and its mean over categories', () => {
    const { figures } = judgeScores(judgements, Float64Array.of(2, 1, 2, 1, 3, 3, 0, 1), OPTIONS)
    expect(figures).toMatchObject({ kind: 'PREFERENCES', accuracy: { HC: 0.5, MM: 0.75 }, mean: 0.625 })
    expect(figures.interval).toEqual({ lower: 0.25, upper: 1 })
  })

  test('undefined scores tie, and are left out of correlations', () => {
    const scores = Float64Array.of(2, Number.NaN, 1, 2, Number.NaN, Number.NaN, 0, 1)
    expect(judgeScores(judgements, scores, OPTIONS).figures).toMatchObject({
      accuracy: { HC: 0.75, MM: 0.75 },
    })
    const partial = truth.map((value, index) => (index < 5 ? Number.NaN : value))
    const others = ratingsOf(
      Array.from({ length: 75 }, (_, index): Rating[] => {
        const start = rated.offsets[index + 5]
        return [0, 1, 2].map((place) => ({ rater: null, value: rated.ratings[start + place] }))
      }),
    )
    const expected = judgeScores(others, truth.slice(5), OPTIONS).figures
    expect(judgeScores(rated, partial, OPTIONS).figures).toMatchObject({
      tauC: (expected as RatingFigures).tauC,
      spearman: (expected as RatingFigures).spearman,
    })
  })

  test('equal captions tie', () => {
    expect(judgeScores(judgements, new Float64Array(8), OPTIONS).figures).toMatchObject({ mean: 0.5 })
  })
})

describe('comparison of two metrics', () => {
  test('finds the better one', () => {
    const better = judgeScores(rated, noisy(0.05), OPTIONS)
    const worse = judgeScores(rated, noisy(3), OPTIONS)
    const compared = compareJudged(better, worse)
    expect(compared?.difference).toBeGreaterThan(0)
    expect(compared?.interval.lower).toBeGreaterThan(0)
    expect(compared?.pValue).toBeLessThan(0.05)
    expect(compareJudged(worse, better)?.difference).toBe(-(compared?.difference as number))
  })

  test('of a metric with itself has p 1', () => {
    const judged = judgeScores(rated, truth, OPTIONS)
    expect(compareJudged(judged, judged)).toMatchObject({
      difference: 0,
      interval: { lower: 0, upper: 0 },
      pValue: 1,
    })
  })
})
