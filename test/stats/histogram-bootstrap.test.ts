import { describe, expect, it } from 'vitest'
import { histogramIntervals } from '../../src/stats/histogram-bootstrap.js'

describe('histogramIntervals', () => {
  const size = (histogram: Float64Array) => histogram.reduce((sum, count) => sum + count)

  it('draws as many observations as there are, and none in empty cells', () => {
    const histogram = [40, 0, 25, 3, 0, 1]
    const seen: Float64Array[] = []
    histogramIntervals(
      histogram,
      [
        (resampled) => {
          seen.push(resampled.slice())
          return 0
        },
      ],
      { seed: 1, resamples: 50 },
    )
    expect(seen.length).toBeGreaterThanOrEqual(50)
    for (const resampled of seen) expect([size(resampled), resampled[1], resampled[4]]).toEqual([69, 0, 0])
  })

  it('has the mean and the covariance of the multinomial distribution', () => {
    const histogram = [500, 300, 150, 50]
    const shares = histogram.map((count) => count / 1000)
    const draws: number[][] = []
    histogramIntervals(histogram, [(resampled) => draws.push([...resampled])], { seed: 2, resamples: 20_000 })
    const mean = (f: (draw: number[]) => number) =>
      draws.reduce((sum, draw) => sum + f(draw), 0) / draws.length
    for (let i = 0; i < 4; i++) {
      expect(Math.abs(mean((draw) => draw[i]) - histogram[i])).toBeLessThan(0.5)
      for (let j = 0; j < 4; j++) {
        const covariance = mean((draw) => (draw[i] - histogram[i]) * (draw[j] - histogram[j]))
        const expected = 1000 * (i === j ? shares[i] * (1 - shares[i]) : -shares[i] * shares[j])
        expect(Math.abs(covariance - expected)).toBeLessThan(10)
      }
    }
  })

  it('has the width of the normal approximation for a proportion', () => {
    const [interval] = histogramIntervals([900, 100], [([, hits]) => hits / 1000], {
      seed: 3,
      resamples: 10_000,
    })
    const margin = 1.96 * Math.sqrt((0.1 * 0.9) / 1000)
    expect(interval!.lower).toBeCloseTo(0.1 - margin, 2.5)
    expect(interval!.upper).toBeCloseTo(0.1 + margin, 2.5)
  })

  it('ignores resamples with undefined statistics, and is null if the statistic itself is undefined', () => {
    const ratio = ([, a, b]: Float64Array) => (a + b === 0 ? null : a / (a + b))
    const [rare] = histogramIntervals([1000, 1, 0], [ratio], { seed: 4 })
    expect(rare).toEqual({ lower: 1, upper: 1 })
    expect(histogramIntervals([1000, 0, 0], [ratio, () => 1], { seed: 4 })).toEqual([
      null,
      { lower: 1, upper: 1 },
    ])
    expect(histogramIntervals([0, 0, 0], [ratio], { seed: 4 })).toEqual([null])
  })

  it('depends only on the seed', () => {
    const run = (seed: number) =>
      histogramIntervals([60, 30, 10], [([, hits]) => hits], { seed, resamples: 200 })
    expect(run(5)).toEqual(run(5))
    expect(run(5)).not.toEqual(run(6))
  })
})
