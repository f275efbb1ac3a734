import { describe, expect, test } from 'vitest'
import { bootstrap, comparePaired } from '../../bench/simulation/bootstrap.js'
import { percentileInterval } from '../../src/core/stats/bootstrap.js'
import type { Scorer } from '../../src/core/stats/measurement.js'
import { createRandom } from '../../src/core/stats/random.js'

/** A ratio of sums, and a mean. */
const family = {
  metrics: [{ highest: 10 }, { highest: 10 }],
  width: 3,
  corpusScores: {
    from: 'sums',
    score(sums: Float64Array, images: number, scores: Float64Array): void {
      scores[0] = sums[0] / sums[1]
      scores[1] = sums[2] / images
    },
  },
} satisfies Scorer

/** Rows of three whole numbers from 1 to 10. */
function statisticsOf(images: number, seed: number): Float64Array {
  const random = createRandom(seed)
  return Float64Array.from({ length: images * family.width }, () => 1 + random.below(10))
}

/** The same resamples, scored one draw after the other. */
function resampleDirectly(statistics: Float64Array, seed: number, resamples: number): number[][] {
  const images = statistics.length / family.width
  const random = createRandom(seed)
  return Array.from({ length: resamples }, () => {
    const sums = new Float64Array(family.width)
    for (let draw = 0; draw < images; draw++) {
      const image = random.below(images)
      for (let column = 0; column < family.width; column++) {
        sums[column] += statistics[image * family.width + column]
      }
    }
    const scores = new Float64Array(2)
    family.corpusScores.score(sums, images, scores)
    return Array.from(scores)
  })
}

describe('resampled scores', () => {
  test.each([
    [1, 3],
    [1023, 5],
    [1024, 6],
    [2500, 7],
  ])('of %i images and %i resamples are those of drawing one image after the other', (images, resamples) => {
    const statistics = statisticsOf(images, 11)
    const [scores] = bootstrap([{ family, trials: [statistics] }], { seed: 5, resamples })
    const expected = resampleDirectly(statistics, 5, resamples)
    scores.forEach((column, metric) => {
      expect(column).toHaveLength(resamples)
      column.forEach((score, resample) => {
        expect(score).toBeCloseTo(expected[resample][metric], 12)
      })
    })
  })

  test('of several trials are the mean over trials, whatever else is measured', () => {
    const trials = [1, 2, 3].map((seed) => statisticsOf(50, seed))
    const options = { seed: 9, resamples: 8 }
    const [, together] = bootstrap(
      [
        { family, trials: [statisticsOf(50, 4)] },
        { family, trials },
      ],
      options,
    )
    const apart = trials.map((statistics) => bootstrap([{ family, trials: [statistics] }], options)[0])
    together.forEach((column, metric) => {
      column.forEach((score, resample) => {
        const mean = apart.reduce((sum, scores) => sum + scores[metric][resample], 0) / trials.length
        expect(score).toBeCloseTo(mean, 12)
      })
    })
  })
})

test.each([
  [[5], 5, 5],
  [[4, 1, 3, 2, 5], 1.1, 4.9],
  [Array.from({ length: 41 }, (_, i) => 40 - i), 1, 39],
])('the percentile interval of %j', (scores, lower, upper) => {
  const interval = percentileInterval(Float64Array.from(scores))
  expect(interval.lower).toBeCloseTo(lower, 12)
  expect(interval.upper).toBeCloseTo(upper, 12)
})

describe('two systems', () => {
  test('b counts shifted differences at least as large as the observed one', () => {
    // Differences 1, −1, 0, 4 have mean 1; shifted: 0, −2, −1, 3.
    const compared = comparePaired(1, 3, Float64Array.of(5, 3, 4, 8), Float64Array.of(4, 4, 4, 4))
    expect(compared.pValue).toBe(3 / 5)
  })

  test('that are the same have p = 1', () => {
    const scores = Float64Array.of(0.1, 0.2, 0.3)
    expect(comparePaired(0.2, 0.2, scores, scores).pValue).toBe(1)
  })
})

test('measurements of different images are a defect of the caller', () => {
  const trials = [statisticsOf(4, 1), statisticsOf(5, 1)]
  expect(() => bootstrap([{ family, trials }], { seed: 1, resamples: 1 })).toThrow(
    'expected measurements of the same images, but got [4,5] images',
  )
})
