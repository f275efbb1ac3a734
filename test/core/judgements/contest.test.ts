import { describe, expect, test } from 'vitest'
import { calibrateTies, pairCaptions } from '../../../src/core/judgements/caption-level.js'
import { contestsOf, judgeContest, testContest } from '../../../src/core/judgements/contest.js'
import { imagesOf, ratingsOf, systemsOf } from '../../../src/core/judgements/judgement.js'
import { clusterMetrics } from '../../../src/core/judgements/metric-tests.js'
import { createRandom } from '../../../src/core/stats/random.js'

const SYSTEMS = ['a', 'b', 'c', 'people']
const IMAGES = 60
const OPTIONS = { seed: 1, resamples: 300 }
const random = createRandom(5)

/** Captions of systems that differ by 1, people best; image by image. */
const captions = Array.from({ length: IMAGES * SYSTEMS.length }, (_, caption) => ({
  imageId: Math.floor(caption / SYSTEMS.length),
  system: SYSTEMS[caption % SYSTEMS.length],
}))
const quality = Float64Array.from(captions, (_, caption) => (caption % 4) + 3 * random.next())
const contests = contestsOf(
  ratingsOf(
    Array.from(quality, (value) => [{ rater: null, value: Math.round(value) }]),
    imagesOf(captions),
    systemsOf(captions),
  ),
)
const machines = contests.withoutPeople as NonNullable<typeof contests.withoutPeople>
const noisy = (noise: number) => quality.map((value) => value + noise * (random.next() - 0.5))
/** Prefers the captions of people least. */
const unfair = quality.map((value, caption) => (captions[caption].system === 'people' ? -value : value))

describe('systems', () => {
  test('are ranked by the means of their captions', () => {
    const { systemLevel } = judgeContest(contests.all, OPTIONS)(quality)
    expect(systemLevel?.systems.map(({ name }) => name)).toEqual(SYSTEMS)
    const ratings = systemLevel?.systems.map(({ rating }) => rating) as number[]
    expect(ratings).toEqual(ratings.toSorted((one, other) => one - other))
    expect(systemLevel).toMatchObject({ kendall: 1, pairwiseAccuracy: 1 })
    expect(systemLevel?.softPairwiseAccuracy).toBeGreaterThan(0.99)
  })

  test('with and without people', () => {
    expect(judgeContest(contests.all, OPTIONS)(unfair).systemLevel).toMatchObject({
      kendall: 0,
      pairwiseAccuracy: 0.5,
    })
    expect(judgeContest(machines, OPTIONS)(unfair).systemLevel).toMatchObject({
      kendall: 1,
      pairwiseAccuracy: 1,
    })
  })

  test('have intervals over systems and images, except for figures that do not vary', () => {
    const of = (scores: Float64Array) => judgeContest(contests.all, OPTIONS)(scores).systemLevel
    const exact = of(quality)?.intervals
    expect(exact).toMatchObject({ kendall: null, pairwiseAccuracy: null })
    expect(exact?.softPairwiseAccuracy?.lower).toBeGreaterThan(0.95)
    const wrong = of(unfair)
    const { lower, upper } = wrong?.intervals?.pearson ?? { lower: 1, upper: 1 }
    expect(lower).toBeLessThan(wrong?.pearson as number)
    expect(upper).toBeGreaterThan(wrong?.pearson as number)
    expect(wrong?.intervals?.pairwiseAccuracy).toEqual({ lower: expect.any(Number), upper: 1 })
    expect(judgeContest(machines, OPTIONS)(quality).systemLevel?.intervals).toBeNull()
  })

  test('with captions of other images are compared on those of both', () => {
    const partial = quality.map((value, caption) => (caption === 0 || caption === 5 ? Number.NaN : value))
    const { systemLevel, byImage } = judgeContest(contests.all, OPTIONS)(partial)
    expect(systemLevel?.pairwiseAccuracy).toBe(1)
    expect(byImage.accuracy).toBeGreaterThan(0.5)
  })

  test('without names have no figures', () => {
    const unnamed = contestsOf(
      ratingsOf([[], [{ rater: null, value: 1 }]], imagesOf(captions.slice(0, 2)), null),
    )
    expect(unnamed.withoutPeople).toBeNull()
    expect(judgeContest(unnamed.all, OPTIONS)(Float64Array.of(1, 2))).toEqual({
      systemLevel: null,
      bySystem: null,
      ungrouped: { pearson: null, tauB: null, accuracy: null },
      byImage: { pearson: null, tauB: null, accuracy: null, calibratedAccuracy: null, tieThreshold: null },
    })
  })
})

test('tie calibration finds the best of all thresholds', () => {
  const draw = createRandom(9)
  for (let round = 0; round < 40; round++) {
    const sizes = Array.from({ length: 6 }, () => 1 + draw.below(5))
    let next = 0
    const groups = sizes.map((size) => Int32Array.from({ length: size }, () => next++))
    const ratings = Float64Array.from({ length: next }, () => draw.below(3))
    const scores = Float64Array.from({ length: next }, () => draw.below(1 + round) / 8)
    const pairs = pairCaptions(ratings, groups)
    const accuracyAt = (threshold: number) =>
      pairs.first.reduce((sum, first, pair) => {
        const difference = scores[first] - scores[pairs.second[pair]]
        const order = Math.abs(difference) <= threshold ? 0 : Math.sign(difference)
        return sum + (order === pairs.preferred[pair] ? pairs.weights[pair] : 0)
      }, 0)
    const thresholds = [
      0,
      ...Array.from(pairs.first, (first, pair) => Math.abs(scores[first] - scores[pairs.second[pair]])),
    ]
    const best = Math.max(...thresholds.map(accuracyAt))
    const found = calibrateTies(pairs, scores)
    expect(found?.calibratedAccuracy).toBeCloseTo(best, 12)
    expect(accuracyAt(found?.tieThreshold as number)).toBeCloseTo(best, 12)
  }
  expect(calibrateTies(pairCaptions(Float64Array.of(1), [Int32Array.of(0)]), Float64Array.of(1))).toBeNull()
})

describe('tests of two metrics', () => {
  const [exact, close, poor] = [noisy(0.1), noisy(0.2), noisy(30)]

  test.each(['SYSTEMS', 'CAPTIONS'] as const)('%s', (figure) => {
    const pValue = (one: Float64Array, other: Float64Array) =>
      testContest(contests.all, figure, [one, other], OPTIONS) as number
    expect(pValue(exact, exact)).toBe(1)
    expect(pValue(exact, close)).toBeGreaterThan(0.05)
    expect(pValue(exact, unfair)).toBeLessThan(0.01)
    if (figure === 'CAPTIONS') expect(pValue(exact, poor)).toBeLessThan(0.01)
  })

  test('of unrelated metrics are significant in about 1 of 20', () => {
    const unrelated = () => quality.map(() => random.next())
    const significant = Array.from({ length: 60 }, () =>
      testContest(contests.all, 'CAPTIONS', [unrelated(), unrelated()], { seed: 2, resamples: 99 }),
    ).filter((pValue) => (pValue as number) <= 0.05)
    expect(significant.length).toBeLessThan(9)
  })

  test('give clusters', () => {
    const pValues: Record<string, number> = { 'a b': 0.2, 'a c': 0.01, 'c d': 0.5 }
    expect(
      clusterMetrics(['a', 'b', 'c', 'd', 'e'], (better, worse) => pValues[`${better} ${worse}`] ?? null),
    ).toEqual([
      { cluster: 1, pValue: null },
      { cluster: 1, pValue: 0.2 },
      { cluster: 2, pValue: 0.01 },
      { cluster: 2, pValue: 0.5 },
      { cluster: 2, pValue: null },
    ])
  })
})
