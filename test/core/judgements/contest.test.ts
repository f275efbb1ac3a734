import { describe, expect, test } from 'vitest'
import { calibrateTies, groupCaptions, pairCaptions } from '../../../src/core/judgements/caption-level.js'
import { contestsOf, judgeContest, testContest } from '../../../src/core/judgements/contest.js'
import { imagesOf, ratingsOf, systemsOf } from '../../../src/core/judgements/judgement.js'
import { clusterMetrics, neighbours, pairsBetween } from '../../../src/core/judgements/metric-tests.js'
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

  test('have no intervals where there are more than 8', () => {
    const draw = createRandom(7)
    const of = (count: number) => {
      const own = Array.from({ length: 20 * count }, (_, caption) => ({
        imageId: Math.floor(caption / count),
        system: String(caption % count),
      }))
      const values = own.map(({ system }) => Number(system) + 9 * draw.next())
      const { all } = contestsOf(
        ratingsOf(
          values.map((value) => [{ rater: null, value }]),
          imagesOf(own),
          systemsOf(own),
        ),
      )
      const scores = Float64Array.from(values, (value) => value + 9 * draw.next())
      return judgeContest(all, { seed: 1, resamples: 100 })(scores).systemLevel?.intervals
    }
    expect(of(8)?.pearson).not.toBeNull()
    expect(of(9)).toBeNull()
  })

  test('with captions of other images are compared on those of both', () => {
    const partial = quality.map((value, caption) => (caption === 0 || caption === 5 ? Number.NaN : value))
    const { systemLevel, byImage } = judgeContest(contests.all, OPTIONS)(partial)
    expect(systemLevel?.pairwiseAccuracy).toBe(1)
    expect(byImage.accuracy).toBeGreaterThan(0.5)
  })

  test('without a common image are in no soft accuracy', () => {
    // Two systems of 40 images each, 20 of them common, and a third with others: the metric reverses the third.
    const own = (system: string, start: number) =>
      Array.from({ length: 40 }, (_, index) => ({ imageId: start + index, system }))
    const all = [...own('a', 0), ...own('b', 20), ...own('c', 100)]
    const ratings = all.map(
      ({ system }, index) => (system === 'c' ? 5 : system === 'b' ? 3 : 1) + (index % 3) / 4,
    )
    const partial = contestsOf(
      ratingsOf(
        ratings.map((value) => [{ rater: null, value }]),
        imagesOf(all),
        systemsOf(all),
      ),
    ).all
    const figures = (scores: readonly number[]) =>
      judgeContest(partial, OPTIONS)(Float64Array.from(scores)).systemLevel
    expect(figures(ratings)?.softPairwiseAccuracy).toBe(1)
    const reversed = figures(ratings.map((rating) => -rating))
    expect(reversed?.softPairwiseAccuracy).toBeLessThan(0.1)
    expect(reversed?.pairwiseAccuracy).toBe(0)
    const apart = contestsOf(
      ratingsOf(
        ratings.slice(40).map((value) => [{ rater: null, value }]),
        imagesOf(all.slice(40)),
        systemsOf(all.slice(40)),
      ),
    ).all
    const { systemLevel } = judgeContest(
      apart,
      OPTIONS,
    )(Float64Array.from(ratings.slice(40), (rating) => -rating))
    expect(systemLevel).toMatchObject({ softPairwiseAccuracy: null, pairwiseAccuracy: 0 })
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

  test.each(['SYSTEMS', 'CAPTIONS'] as const)(
    'tell metrics apart by %s where their difference is more than chance',
    (figure) => {
      const pValue = (one: Float64Array, other: Float64Array) =>
        testContest(contests.all, figure, [one, other], OPTIONS) as number
      expect(pValue(exact, exact)).toBe(1)
      // Where few exchanges reach the difference, its p-value is below their share.
      if (figure === 'CAPTIONS') expect(pValue(exact, noisy(60))).toBeLessThan(1e-4)
      expect(pValue(exact, close)).toBeGreaterThan(0.05)
      expect(pValue(exact, unfair)).toBeLessThan(0.01)
      if (figure === 'CAPTIONS') expect(pValue(exact, poor)).toBeLessThan(0.01)
    },
  )

  test('of unrelated metrics are significant in about 1 of 20', () => {
    const unrelated = () => quality.map(() => random.next())
    const significant = Array.from({ length: 60 }, () =>
      testContest(contests.all, 'CAPTIONS', [unrelated(), unrelated()], { seed: 2, resamples: 99 }),
    ).filter((pValue) => (pValue as number) <= 0.05)
    expect(significant.length).toBeLessThan(9)
  })

  test('standardise the scores of the captions that take part alone', () => {
    const withoutPeople = (value: number) => (scores: Float64Array) =>
      scores.map((score, caption) => (captions[caption].system === 'people' ? value : score))
    const pValue = (of: (scores: Float64Array) => Float64Array) =>
      testContest(machines, 'CAPTIONS', [of(exact), of(poor)], OPTIONS)
    expect(pValue(withoutPeople(0))).toBe(pValue(withoutPeople(1e6)))
  })

  test.each([
    ['of four', Array.from({ length: 12 }, () => 4)],
    ['of two to eight', Array.from({ length: 22 }, (_, image) => 2 + (image % 7))],
    ['of two to 23', [2, 2, 2, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 17, 19, 23]],
  ])('compare calibrated accuracies exactly in images %s captions', (_, sizes) => {
    // The p-value is the share of exchanges whose calibrated accuracies, computed one by one, differ as much as the observed ones.
    const imageIds = sizes.flatMap((size, imageId) => Array.from({ length: size }, () => imageId))
    const few = contestsOf(
      ratingsOf(
        Array.from(imageIds, (_, caption) => [{ rater: null, value: Math.round(quality[caption] / 2) }]),
        imagesOf(imageIds.map((imageId) => ({ imageId }))),
        null,
      ),
    ).all
    const groups = groupCaptions(
      { scores: few.ratings, ratings: few.ratings },
      few.images.positions,
      sizes.length,
    )
    const pairs = pairCaptions(few.ratings, groups)
    const standardised = (scores: Float64Array) => {
      const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
      const deviation = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length)
      return scores.map((score) => (score - mean) / deviation)
    }
    const [one, other] = [noisy(4), noisy(4)].map((scores) => standardised(scores.slice(0, imageIds.length)))
    const differenceOf = (bits: readonly number[]) => {
      const accuracy = (isOther: number) =>
        calibrateTies(
          pairs,
          Float64Array.from(bits, (bit, caption) => (bit === isOther ? one : other)[caption]),
        )?.calibratedAccuracy as number
      return accuracy(0) - accuracy(1)
    }
    const observed = Math.abs(differenceOf(Array.from(one, () => 0)))
    const draws = createRandom(1)
    let reached = 0
    for (let resample = 0; resample < 60; resample++) {
      const bits: number[] = []
      for (let caption = 0, drawn = 0; caption < imageIds.length; caption++) {
        if (caption % 32 === 0) drawn = draws.below(0x1_0000_0000)
        bits.push(drawn & 1)
        drawn >>>= 1
      }
      if (Math.abs(differenceOf(bits)) >= observed - 1e-9) reached++
    }
    const pValue = testContest(few, 'CAPTIONS', [one, other], { seed: 1, resamples: 60 })
    // Few exchanges do not reach it: no other way to compute the p-value is used.
    expect(reached).toBeGreaterThanOrEqual(10)
    expect(pValue).toBeCloseTo((reached + 1) / 61, 12)
  })

  test('count images of very many different sizes', () => {
    const images = Array.from({ length: 120 }, (_, image) => image)
    const positions = Int32Array.from(
      images.flatMap((image) => Array.from({ length: image + 2 }, () => image)),
    )
    const ratings = Float64Array.from(positions, () => random.below(4))
    const contest = { ratings, images: { positions, count: images.length }, systems: null }
    const unrelated = ratings.map(() => random.next())
    const pValue = testContest(contest, 'CAPTIONS', [ratings, unrelated], { seed: 1, resamples: 20 })
    expect(pValue).toBeLessThan(1e-4)
  })

  test('end early where many exchanges reach the difference', () => {
    const pValue = testContest(contests.all, 'CAPTIONS', [exact, exact], { seed: 1, resamples: 1e9 })
    expect(pValue).toBe(1)
  })
})

describe('clusters', () => {
  const pValues = (all: Readonly<Record<string, number>>) => (better: number, worse: number) =>
    all[`${better} ${worse}`] ?? null

  test('differ in every pair of metrics, by Holm’s correction for all pairs', () => {
    // 6 pairs: .004 × 6, .006 × 5, .01 × 4, .014 × 3 below .05; then .2 × 2, .5.
    const tested = { '0 2': 0.004, '0 3': 0.006, '1 2': 0.01, '1 3': 0.014, '0 1': 0.2, '2 3': 0.5 }
    expect(clusterMetrics([0.9, 0.8, 0.7, 0.6], pValues(tested))).toEqual([
      { cluster: 1, pValue: null, bestPValue: null },
      { cluster: 1, pValue: 0.4, bestPValue: 0.4 },
      { cluster: 2, pValue: expect.closeTo(0.04, 9), bestPValue: expect.closeTo(0.024, 9) },
      { cluster: 2, pValue: 0.5, bestPValue: expect.closeTo(0.03, 9) },
    ])
    // Metrics 1 and 3 no longer differ: neither does anything between them.
    const weaker = { ...tested, '1 3': 0.3 }
    const chained = clusterMetrics([0.9, 0.8, 0.7, 0.6], pValues(weaker))
    expect(chained.map(({ cluster }) => cluster)).toEqual([1, 1, 1, 1])
    // The best one still differs from two of its cluster.
    expect(chained.map(({ bestPValue }) => bestPValue !== null && bestPValue < 0.05)).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  test('are the same for equal figures, and where no test is possible', () => {
    const significant = () => 0.001
    expect(clusterMetrics([0.5, 0.5, 0.5 - 1e-12, 0.2], significant).map(({ cluster }) => cluster)).toEqual([
      1, 1, 1, 2,
    ])
    expect(clusterMetrics([0.9, 0.1], () => null)).toEqual([
      { cluster: 1, pValue: null, bestPValue: null },
      { cluster: 1, pValue: null, bestPValue: null },
    ])
    expect(clusterMetrics([], significant)).toEqual([])
  })

  test('need no tests across neighbours that do not differ', () => {
    expect(neighbours(4)).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ])
    expect(pairsBetween(4, pValues({ '0 1': 0.3, '1 2': 0.01, '2 3': 0.9 }))).toEqual([
      [0, 2],
      [0, 3],
      [1, 3],
    ])
    expect(pairsBetween(4, () => 0.05)).toEqual([])
  })
})
