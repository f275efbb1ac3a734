import { describe, expect, test } from 'vitest'
import { studentEstimate } from '../../../src/core/stats/bootstrap.js'

describe('studentEstimate', () => {
  test('has the interval and the p-value of Student’s t from the standard deviation of resamples', () => {
    // Standard deviation 1, 9 degrees of freedom: t.975 = 2.262157; P(|T| ≥ 2) = .0765528 (scipy 1.17, stats.t).
    const resampled = Float64Array.of(-1, 0, 1)
    expect(studentEstimate(2, resampled, 9)).toEqual({
      interval: { lower: expect.closeTo(2 - 2.2621571628, 8), upper: expect.closeTo(2 + 2.2621571628, 8) },
      pValue: expect.closeTo(0.0765528, 6),
    })
  })

  test('has no interval of width 0', () => {
    const constant = new Float64Array(5).fill(0.3)
    expect(studentEstimate(0, constant, 9)).toEqual({ interval: null, pValue: 1 })
    expect(studentEstimate(1, constant, 9)).toEqual({ interval: null, pValue: 2 ** -9 })
    expect(studentEstimate(1, new Float64Array(), 9)).toBeNull()
  })
})
