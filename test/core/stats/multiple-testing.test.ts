import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalQuantile, studentPValue } from '../../../src/core/stats/distributions.js'
import { holm, simultaneousIntervals } from '../../../src/core/stats/multiple-testing.js'
import { createRandom } from '../../../src/core/stats/random.js'

describe("Holm's correction", () => {
  test.each([
    [[], []],
    [[0.03], [0.03]],
    // Ascending: .01·3, .02·2, .04·1.
    [
      [0.04, 0.01, 0.02],
      [0.04, 0.03, 0.04],
    ],
    // .005·4 = .02; .03·3 = .09; .04·2 = .08, raised to .09; .5·1.
    [
      [0.5, 0.04, 0.005, 0.03],
      [0.5, 0.09, 0.02, 0.09],
    ],
    [
      [0.6, 0.7],
      [1, 1],
    ],
  ])('of %j is %j', (pValues, adjusted) => {
    const actual = holm(pValues)
    expect(actual).toHaveLength(adjusted.length)
    actual.forEach((value, index) => {
      expect(value).toBeCloseTo(adjusted[index], 12)
    })
  })

  test('is at least the p-value, at most Bonferroni, in the same order, and does not depend on the order given', () => {
    const pValues = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(pValues, (values) => {
        const adjusted = holm(values)
        adjusted.forEach((value, index) => {
          expect(value).toBeGreaterThanOrEqual(values[index])
          expect(value).toBeLessThanOrEqual(Math.min(1, values[index] * values.length))
        })
        expect(holm(values.toReversed()).toSorted()).toEqual(adjusted.toSorted())
        const order = values.map((_, index) => index).sort((one, other) => values[one] - values[other])
        for (const [rank, index] of order.slice(1).entries()) {
          expect(adjusted[index]).toBeGreaterThanOrEqual(adjusted[order[rank]])
        }
      }),
    )
  })
})

describe('simultaneous intervals', () => {
  const NORMAL = Number.POSITIVE_INFINITY
  const figure = (value: number, standardError: number | null = 1, freedom = NORMAL) => ({
    value,
    standardError,
    freedom,
  })

  test('of one figure is its 95 % interval, whatever has none', () => {
    const [interval, ...rest] = simultaneousIntervals([figure(3, 0.5), null, figure(2, null)])
    expect(interval!.lower).toBeCloseTo(3 - 1.959963984540054 / 2, 9)
    expect(interval!.upper).toBeCloseTo(3 + 1.959963984540054 / 2, 9)
    expect(rest).toEqual([null, null])
  })

  test('of n figures have the level 1 − .05 / n', () => {
    const intervals = simultaneousIntervals([...new Array(17).fill(figure(0)), figure(0, 1, 1)])
    expect(intervals[0]!.upper).toBeCloseTo(normalQuantile(1 - 0.05 / 36), 8)
    // One degree of freedom: t = 1 / tan(π · p / 2).
    expect(intervals[17]!.upper).toBeCloseTo(1 / Math.tan((Math.PI * 0.05) / 36), 6)
  })

  test('all hold in 95 % of samples of 18 figures; 95 % intervals of each would in 40 %', () => {
    const random = createRandom(7)
    const uniform = () => (random.below(0xffff_ffff) + 0.5) / 0xffff_ffff
    const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
    const samples = Array.from({ length: 2000 }, () => Array.from({ length: 18 }, () => figure(normal())))
    const share = (allHold: (sample: (typeof samples)[number]) => boolean) =>
      samples.filter(allHold).length / samples.length
    const isSimultaneous = share((sample) =>
      simultaneousIntervals(sample).every((interval) => interval!.lower < 0 && interval!.upper > 0),
    )
    const isEach = share((sample) => sample.every(({ value }) => Math.abs(value) < 1.959963984540054))
    // (1 − .05 / 18)^18 and .95^18.
    expect(isSimultaneous).toBeCloseTo((1 - 0.05 / 18) ** 18, 1.5)
    expect(isEach).toBeCloseTo(0.95 ** 18, 1.5)
  })

  test("without 0 belong to differences that Holm's correction shows", () => {
    const figures = fc.array(
      fc.tuple(fc.double({ min: -9, max: 9, noNaN: true }), fc.integer({ min: 1, max: 60 })),
      { minLength: 1, maxLength: 20 },
    )
    fc.assert(
      fc.property(figures, (values) => {
        const intervals = simultaneousIntervals(values.map(([value, freedom]) => figure(value, 1, freedom)))
        const adjusted = holm(values.map(([value, freedom]) => studentPValue(value, freedom)))
        for (const [index, interval] of intervals.entries()) {
          const isWithoutZero = interval!.lower > 0 || interval!.upper < 0
          if (isWithoutZero) expect(adjusted[index]).toBeLessThan(0.05 + 1e-9)
        }
      }),
    )
  })
})
