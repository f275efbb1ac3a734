import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { holm } from '../../../src/core/stats/multiple-testing.js'

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
