import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bootstrap,
  comparePaired,
  createResampler,
  gatherColumns,
  percentileInterval,
  type Scorer,
} from '../../src/stats/bootstrap.js'
import { createRandom } from '../../src/stats/random.js'

/** Two metrics of three columns: a ratio of sums, and the mean of the third column. */
const family = {
  metrics: ['ratio', 'mean'],
  width: 3,
  corpusScores: {
    from: 'sums',
    score(sums: Float64Array, images: number, scores: Float64Array): void {
      scores[0] = sums[0] / sums[1]
      scores[1] = sums[2] / images
    },
  },
} satisfies Scorer

/** The same metrics, computed from all rows. */
const familyOfRows = {
  ...family,
  corpusScores: {
    from: 'rows',
    score(rows: Float64Array, images: number, scores: Float64Array): void {
      const sums = new Float64Array(3)
      rows.forEach((value, index) => {
        sums[index % 3] += value
      })
      family.corpusScores.score(sums, images, scores)
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
    [2, 4],
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

  test('are 1,000 unless told otherwise', () => {
    const [[ratio]] = bootstrap([{ family, trials: [statisticsOf(3, 1)] }], { seed: 1 })
    expect(ratio).toHaveLength(1000)
  })

  test('of several trials are the mean over trials', () => {
    const trials = [1, 2, 3].map((seed) => statisticsOf(50, seed))
    const options = { seed: 9, resamples: 8 }
    const [together] = bootstrap([{ family, trials }], options)
    const apart = trials.map((statistics) => bootstrap([{ family, trials: [statistics] }], options)[0])
    together.forEach((column, metric) => {
      column.forEach((score, resample) => {
        const mean = apart.reduce((sum, scores) => sum + scores[metric][resample], 0) / trials.length
        expect(score).toBeCloseTo(mean, 12)
      })
    })
  })

  test('do not depend on what else is measured', () => {
    const measurement = { family, trials: [statisticsOf(40, 1)] }
    const other = { family, trials: [statisticsOf(40, 2), statisticsOf(40, 3)] }
    const options = { seed: 3, resamples: 10 }
    expect(bootstrap([other, measurement], options)[1]).toEqual(bootstrap([measurement], options)[0])
  })

  test('are the same for the same seed and others for another', () => {
    const measurements = [{ family, trials: [statisticsOf(40, 1)] }]
    const scoresOf = (seed: number) => bootstrap(measurements, { seed, resamples: 20 })
    expect(scoresOf(1)).toEqual(scoresOf(1))
    expect(scoresOf(1)).not.toEqual(scoresOf(2))
  })

  test('from all rows are those from their sums', () => {
    const [first, second] = [statisticsOf(60, 1), statisticsOf(60, 2)]
    const options = { seed: 3, resamples: 9 }
    const fromSums = bootstrap([{ family, trials: [first, second] }], options)
    const fromRows = bootstrap(
      [
        { family: familyOfRows, trials: [first, second] },
        { family, trials: [second] },
      ],
      options,
    )
    expect(fromRows[0]).toEqual(fromSums[0])
    expect(fromRows[1]).toEqual(bootstrap([{ family, trials: [second] }], options)[0])
  })

  test('are the same to the last bit however ranges of resamples are distributed', () => {
    const measurements = [{ family, trials: [statisticsOf(50, 8).map(Math.sqrt)] }]
    const [whole] = bootstrap(measurements, { seed: 4, resamples: 30 })
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 29 })), fc.array(fc.boolean()), (cuts, owners) => {
        const starts = [0, ...cuts.toSorted((a, b) => a - b), 30]
        const resamplers = [0, 1].map(() => createResampler(measurements, gatherColumns(measurements), 4))
        starts.slice(0, -1).forEach((start, range) => {
          const count = starts[range + 1] - start
          const [scores] = resamplers[owners[range] ? 1 : 0].scoreRange(start, count)
          scores.forEach((values, metric) => {
            expect(values).toEqual(whole[metric].subarray(start, start + count))
          })
        })
      }),
      { numRuns: 30 },
    )
  })

  test('spread as the standard error of a mean does', () => {
    const images = 400
    const statistics = statisticsOf(images, 4)
    const column = Array.from({ length: images }, (_, image) => statistics[image * 3 + 2])
    const mean = column.reduce((sum, value) => sum + value, 0) / images
    const variance = column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / images
    const [[, means]] = bootstrap([{ family, trials: [statistics] }], { seed: 1, resamples: 4000 })
    const { lower, upper } = percentileInterval(means)
    const halfWidth = 1.96 * Math.sqrt(variance / images)
    expect(lower).toBeCloseTo(mean - halfWidth, 1)
    expect(upper).toBeCloseTo(mean + halfWidth, 1)
  })
})

describe('progress', () => {
  const measurements = [{ family, trials: [statisticsOf(10, 1)] }]

  test('rises from 0 to 1', () => {
    const shares: number[] = []
    bootstrap(measurements, { seed: 1, resamples: 100, onProgress: (share) => shares.push(share) })
    expect(shares[0]).toBe(0)
    expect(shares.at(-1)).toBe(1)
    expect(shares.length).toBeGreaterThan(4)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
  })

  test('stops the work by throwing', () => {
    let reports = 0
    const stop = () => {
      if (++reports === 2) throw new Error('stopped')
    }
    expect(() => bootstrap(measurements, { seed: 1, onProgress: stop })).toThrow('stopped')
    expect(reports).toBe(2)
  })
})

describe('percentile interval', () => {
  test.each([
    [[5], 0.95, 5, 5],
    [[1, 2], 0.5, 1.25, 1.75],
    [[4, 1, 3, 2, 5], 0.5, 2, 4],
    [Array.from({ length: 41 }, (_, i) => 40 - i), 0.95, 1, 39],
  ])('of %j at level %d', (scores, level, lower, upper) => {
    const interval = percentileInterval(Float64Array.from(scores), level)
    expect(interval.lower).toBeCloseTo(lower, 12)
    expect(interval.upper).toBeCloseTo(upper, 12)
  })

  test('leaves its input as it was', () => {
    const scores = Float64Array.of(3, 1, 2)
    percentileInterval(scores)
    expect(Array.from(scores)).toEqual([3, 1, 2])
  })
})

describe('two systems', () => {
  test('b counts shifted differences at least as large as the observed one', () => {
    const first = Float64Array.of(5, 3, 4, 8)
    const second = Float64Array.of(4, 4, 4, 4)
    const { difference, pValue, lower, upper } = comparePaired(6, 4, first, second)
    // Differences 1, −1, 0, 4 have mean 1; shifted: 0, −2, −1, 3.
    expect(difference).toBe(2)
    expect(pValue).toBe((2 + 1) / (4 + 1))
    expect(lower).toBeGreaterThanOrEqual(-1)
    expect(upper).toBeLessThanOrEqual(4)
  })

  test('that are the same have p = 1', () => {
    const scores = Float64Array.of(0.1, 0.2, 0.3)
    expect(comparePaired(0.2, 0.2, scores, scores)).toEqual({
      difference: 0,
      lower: 0,
      upper: 0,
      pValue: 1,
    })
  })

  test('that always differ as observed have the smallest p there is', () => {
    const first = Float64Array.from({ length: 1000 }, (_, i) => i / 1000)
    const { pValue } = comparePaired(
      2,
      1,
      first.map((score) => score + 1),
      first,
    )
    expect(pValue).toBe(1 / 1001)
  })

  test('exchanged: the difference changes its sign, p stays', () => {
    const scores = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 20, maxLength: 20 })
    fc.assert(
      fc.property(scores, scores, (a, b) => {
        const first = Float64Array.from(a)
        const second = Float64Array.from(b)
        const forward = comparePaired(3, 1, first, second)
        const backward = comparePaired(1, 3, second, first)
        expect(backward.pValue).toBe(forward.pValue)
        expect(backward.difference).toBe(-forward.difference)
        expect(backward.lower).toBeCloseTo(-forward.upper, 12)
        expect(forward.pValue).toBeGreaterThan(0)
        expect(forward.pValue).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('abuse', () => {
  test('measurements of different images are a defect of the caller', () => {
    const trials = [statisticsOf(4, 1), statisticsOf(5, 1)]
    expect(() => bootstrap([{ family, trials }], { seed: 1 })).toThrow(
      'expected measurements of the same images, but got [4,5] images',
    )
    expect(() => bootstrap([], { seed: 1 })).toThrow(RangeError)
    expect(() => bootstrap([{ family, trials: [new Float64Array(0)] }], { seed: 1 })).toThrow(RangeError)
  })

  test('a resampler does not go back', () => {
    const measurements = [{ family, trials: [statisticsOf(4, 1)] }]
    const { scoreRange } = createResampler(measurements, gatherColumns(measurements), 1)
    scoreRange(4, 2)
    expect(() => scoreRange(5, 1)).toThrow('expected a range from resample 6 on, but got 5')
  })
})
