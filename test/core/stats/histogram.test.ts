import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BinOptions, histogram, quantiles } from '../../../src/core/stats/histogram.js'

const of = (...values: number[]) => Float64Array.from(values)

describe('histogram', () => {
  it.each<[string, Float64Array, BinOptions, number[][]]>([
    [
      'from the smallest to the largest value',
      of(0, 1, 2, 4),
      { bins: 2 },
      [
        [0, 2, 2],
        [2, 4, 2],
      ],
    ],
    [
      'between given ends',
      of(-1, 0, 0.5, 1, 3),
      { bins: 2, from: 0, to: 1 },
      [
        [0, 0.5, 1],
        [0.5, 1, 2],
      ],
    ],
    ['of equal values', of(2, 2), { bins: 5 }, [[2, 2, 2]]],
    [
      'of equal values between ends',
      of(2, 2),
      { bins: 2, from: 0, to: 4 },
      [
        [0, 2, 0],
        [2, 4, 2],
      ],
    ],
    ['of no values', of(), { bins: 3 }, []],
  ])('counts %s', (_what, values, options, bins) => {
    expect(histogram(values, options)).toEqual(bins.map(([lower, upper, count]) => ({ lower, upper, count })))
  })

  it('counts each value once, in the bin that contains it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 1, maxLength: 50 }),
        fc.integer({ min: 1, max: 30 }),
        (values, bins) => {
          const counted = histogram(of(...values), { bins })
          for (const [index, { lower, upper, count }] of counted.entries()) {
            const isLast = index === counted.length - 1
            const inside = values.filter((v) => v >= lower && (isLast ? v <= upper : v < upper))
            expect(count).toBe(inside.length)
          }
        },
      ),
      { numRuns: 50 },
    )
  })

  it.each<[string, BinOptions]>([
    ['no bins', { bins: 0 }],
    ['too many', { bins: 1001 }],
    ['half a bin', { bins: 1.5 }],
    ['ends in the wrong order', { bins: 2, from: 1, to: 0 }],
    ['an end below all values', { bins: 2, to: -5 }],
  ])('refuses %s', (_what, options) => {
    expect(() => histogram(of(1, 2), options)).toThrow(expect.objectContaining({ code: 'OUT_OF_RANGE' }))
  })
})

describe('quantiles', () => {
  it('are interpolated between order statistics', () => {
    expect(quantiles(of(4, 1, 3, 2), [0, 0.25, 0.5, 1])).toEqual([1, 1.75, 2.5, 4])
    expect(quantiles(of(7), [0.3])).toEqual([7])
  })

  it.each([-0.1, 1.1, Number.NaN])('refuse %s', (probability) => {
    expect(() => quantiles(of(1), [probability])).toThrow(expect.objectContaining({ code: 'OUT_OF_RANGE' }))
  })
})
