import { describe, expect, test } from 'vitest'
import { imagesOf, preferencesOf, type Rating, ratingsOf } from '../../../src/core/judgements/judgement.js'
import {
  compareJudged,
  judgeRaters,
  judgeScores,
  type PreferenceFigures,
  type RatingFigures,
} from '../../../src/core/judgements/meta-evaluation.js'
import { createRandom } from '../../../src/core/stats/random.js'

/** Every caption has an image of its own, or as many share one. */
const imagesFor = (count: number, shared = 1) =>
  imagesOf(Array.from({ length: count }, (_, caption) => ({ imageId: Math.floor(caption / shared) })))

const OPTIONS = { seed: 1, resamples: 300 }

const random = createRandom(7)
const truth = Float64Array.from({ length: 80 }, () => random.next())
const noisy = (noise: number) => truth.map((value) => value + noise * random.next())
const rated = ratingsOf(
  Array.from(truth, (value): Rating[] =>
    [0, 1, 2].map(() => ({ rater: null, value: Math.ceil(3 * value + random.next()) })),
  ),
  imagesFor(80),
  null,
)

describe('correlation with ratings', () => {
  test('has an interval around τ-c, and a small p-value where scores follow the ratings', () => {
    const { figures, resampled } = judgeScores(rated, noisy(0.1), OPTIONS)
    if (figures.kind !== 'RATINGS') throw new Error(figures.kind)
    const { tauC, interval, pValue } = figures
    const { lower, upper } = interval!
    expect(lower as number).toBeLessThan(tauC as number)
    expect(upper as number).toBeGreaterThan(tauC as number)
    expect(pValue).toBeLessThan(1e-9)
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
      effectiveCount: null,
      undefinedReason: 'CONSTANT_SCORES',
    })
    expect(compareJudged(constant, judgeScores(rated, truth, OPTIONS))).toBeNull()
  })
})

describe('captions of the same image', () => {
  // Captions of an image are copies: 40 captions tell as much as 10.
  const values = Array.from({ length: 40 }, (_, caption) => truth[Math.floor(caption / 4)])
  const judgeCopies = (shared: number) => {
    const copies = ratingsOf(
      values.map((value) => [{ rater: null, value }]),
      imagesFor(40, shared),
      null,
    )
    const { figures } = judgeScores(
      copies,
      Float64Array.from(values, (value, caption) => value + noise[Math.floor(caption / 4)]),
      OPTIONS,
    )
    return figures as RatingFigures
  }
  const noise = Float64Array.from({ length: 10 }, () => random.next())
  const length = ({ interval }: RatingFigures) => (interval?.upper as number) - (interval?.lower as number)

  test('are resampled together', () => {
    expect(length(judgeCopies(4))).toBeGreaterThan(1.5 * length(judgeCopies(1)))
  })

  test('count as one where they are copies', () => {
    expect(judgeCopies(4).effectiveCount).toBeCloseTo(10, 9)
    expect(judgeCopies(1).effectiveCount).toBeCloseTo(40, 9)
  })
})

test('raters: each rating is compared with the others of its caption', () => {
  const judged = judgeRaters(
    ratingsOf(
      [
        [1, 1, 2].map((value) => ({ rater: null, value })),
        [4, 3, 3].map((value) => ({ rater: null, value })),
        [2].map((value) => ({ rater: null, value })),
      ],
      imagesFor(3),
      null,
    ),
    OPTIONS,
  )
  // 12 pairs: (1,1) (1,2) (1,1) (1,2) (2,1) (2,1) (4,3) (4,3) (3,4) (3,3) (3,4) (3,3)
  // scipy 1.17: kendalltau, variants b and c
  expect(judged?.another.figures.tauB).toBeCloseTo(0.5384615384615385, 12)
  expect(judged?.another.figures.tauC).toBeCloseTo(0.5185185185185185, 12)
  // 6 pairs of a mean and the rating that it leaves out: (1.5,1) (1.5,1) (1,2) (3,4) (3.5,3) (3.5,3)
  // 9 concordant and 4 discordant pairs; 2 tied means, 2 tied ratings, m = 4.
  expect(judged?.others.figures.tauB).toBeCloseTo(5 / 13, 12)
  expect(judged?.others.figures.tauC).toBeCloseTo((2 * 5) / (36 * (3 / 4)), 12)
  expect(
    judgeRaters(
      ratingsOf([[{ rater: 'a', value: 1 }], [{ rater: 'a', value: 2 }]], imagesFor(2), null),
      OPTIONS,
    ),
  ).toBeNull()
})

describe('accuracy on preferences', () => {
  const judgements = preferencesOf(
    [
      { first: 0, second: 1, preferred: 0, category: 'HC' },
      { first: 2, second: 3, preferred: 1, category: 'HC' },
      { first: 4, second: 5, preferred: 0, category: 'MM' },
      { first: 6, second: 7, preferred: 1, category: 'MM' },
      { first: 0, second: 3, preferred: null, category: 'tied' },
    ],
    imagesFor(8, 2),
    null,
  )

  test('is the share of pairs, a tie counting one half, and its mean over categories', () => {
    const { figures } = judgeScores(judgements, Float64Array.of(2, 1, 2, 1, 3, 3, 0, 1), OPTIONS)
    expect(figures).toMatchObject({ kind: 'PREFERENCES', accuracy: { HC: 0.5, MM: 0.75 }, mean: 0.625 })
    expect(figures).toMatchObject({ interval: null, pValue: null })
  })

  /** Preferences of the first of two captions, `shared` of each image. */
  const manyPairs = (count: number, shared: number, category: (pair: number) => string = () => 'all') =>
    preferencesOf(
      Array.from({ length: count }, (_, pair) => ({
        first: 2 * pair,
        second: 2 * pair + 1,
        preferred: 0 as const,
        category: category(pair),
      })),
      imagesFor(2 * count, 2 * shared),
      null,
    )
  /** Scores of pairs that are won where `isWon`, tied for null. */
  const scoresOf = (count: number, isWon: (pair: number) => boolean | null) =>
    Float64Array.from({ length: 2 * count }, (_, caption) => {
      const won = isWon(Math.floor(caption / 2))
      return won === null ? 0 : Number(won === (caption % 2 === 0))
    })
  const preferenceFigures = (...args: Parameters<typeof judgeScores>) =>
    judgeScores(...args).figures as PreferenceFigures

  test('has an interval that is never of width 0', () => {
    const all = preferenceFigures(
      manyPairs(120, 1),
      scoresOf(120, () => true),
      OPTIONS,
    )
    expect(all).toMatchObject({ mean: 1, effectiveCount: 120, interval: { upper: 1 } })
    expect(all.interval?.lower).toBeCloseTo(0.05 ** (1 / 120), 9)
    const ties = preferenceFigures(
      manyPairs(12, 1),
      scoresOf(12, () => null),
      OPTIONS,
    )
    expect(ties).toMatchObject({ mean: 0.5, pValue: 1 })
    expect(ties.interval).toEqual({ lower: expect.closeTo(0.234, 3), upper: expect.closeTo(0.766, 3) })
  })

  test('counts pairs of an image as one where they tell nothing, or depend on each other', () => {
    const right = preferenceFigures(
      manyPairs(120, 4),
      scoresOf(120, () => true),
      OPTIONS,
    )
    expect(right.effectiveCount).toBeCloseTo(30, 9)
    expect(right.interval?.lower).toBeCloseTo(0.05 ** (1 / 30), 9)
    const equal = preferenceFigures(
      manyPairs(120, 4),
      scoresOf(120, (pair) => Math.floor(pair / 4) % 3 > 0),
      OPTIONS,
    )
    expect(equal.effectiveCount).toBeCloseTo(30, 9)
    const mixed = preferenceFigures(
      manyPairs(120, 4),
      scoresOf(120, (pair) => pair % 4 > 0),
      OPTIONS,
    )
    expect(mixed.effectiveCount).toBe(120)
  })

  test('is compared with chance', () => {
    const won = preferenceFigures(
      manyPairs(100, 1),
      scoresOf(100, (pair) => pair < 60),
      OPTIONS,
    )
    // z = .1 / √(.25 / 100) = 2
    expect(won.pValue).toBeCloseTo(0.04550026, 7)
    const categories = manyPairs(100, 1, (pair) => (pair < 20 ? 'a' : 'b'))
    const { mean, pValue } = preferenceFigures(
      categories,
      scoresOf(100, (pair) => pair % 10 < 6),
      OPTIONS,
    )
    expect(mean).toBeCloseTo(0.6, 12)
    // The variance of the mean of a and b: (.25 / 20 + .25 / 80) / 4.
    expect(pValue).toBeCloseTo(0.1095986, 6)
  })

  test('has Student’s t where few images tell how much their pairs depend on each other', () => {
    const wonOfImage = [9, 8, 7, 9, 3, 8, 6, 9, 7, 8]
    const { mean, effectiveCount, pValue, interval } = preferenceFigures(
      manyPairs(100, 10),
      scoresOf(100, (pair) => pair % 10 < wonOfImage[Math.floor(pair / 10)]),
      OPTIONS,
    )
    expect(mean).toBeCloseTo(0.74, 12)
    // Σ (won − 7.4)² · 10/9 over 100 · .74 · .26 is 1.7556; z = .24 / √(.25 · 1.7556 / 100) = 3.6227 with 9 degrees of freedom.
    expect(effectiveCount).toBeCloseTo(56.960526, 6)
    expect(pValue).toBeCloseTo(0.00554866, 6)
    // As wide as of 56.96 · (1.96 / 2.262)² pairs: .74 ± about 2.262 · .058.
    expect(interval).toEqual({ lower: expect.closeTo(0.594, 2), upper: expect.closeTo(0.855, 2) })
  })

  test('of ties alone is null', () => {
    const ties = preferencesOf([{ first: 0, second: 1, preferred: null, category: 'HC' }], imagesFor(2), null)
    expect(judgeScores(ties, Float64Array.of(1, 2), OPTIONS).figures).toEqual({
      kind: 'PREFERENCES',
      accuracy: {},
      mean: null,
      interval: null,
      pValue: null,
      effectiveCount: null,
    })
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
      imagesFor(75),
      null,
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
    expect(compared?.interval?.lower).toBeGreaterThan(0)
    expect(compared?.pValue).toBeLessThan(0.05)
    expect(compareJudged(worse, better)?.difference).toBe(-(compared?.difference as number))
  })

  test('of a metric with itself has p 1', () => {
    const judged = judgeScores(rated, truth, OPTIONS)
    expect(compareJudged(judged, judged)).toMatchObject({ difference: 0, interval: null, pValue: 1 })
  })
})
