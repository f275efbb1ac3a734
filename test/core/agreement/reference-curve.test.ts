import { describe, expect, it } from 'vitest'
import { EXTRAPOLATION_METHOD, extrapolate } from '../../../src/core/agreement/leave-one-out.js'

const curve = (scoreOf: (references: number) => number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ references: index + 1, mean: scoreOf(index + 1) }))

describe('a score with more references', () => {
  it('is on the line through the last two, over the logarithm of their number', () => {
    const found = extrapolate(
      curve((k) => 0.3 + 0.2 * Math.log(k), 4),
      5,
    )!
    expect(found).toMatchObject({ references: 5, method: EXTRAPOLATION_METHOD })
    expect(found.value).toBeCloseTo(0.3 + 0.2 * Math.log(5), 14)
    expect(found.error).toBeCloseTo(0, 14)
  })

  it('has the error that the method makes at the last point', () => {
    const [a, b, c] = [0.1, 0.4, 0.5]
    const { value, error } = extrapolate(
      curve((k) => [a, b, c][k - 1], 3),
      4,
    )!
    expect(value).toBeCloseTo(c + ((c - b) / Math.log(3 / 2)) * Math.log(4 / 3), 14)
    expect(error).toBeCloseTo(b + ((b - a) / Math.log(2)) * Math.log(3 / 2) - c, 14)
  })

  it.each([0, 1, 2])('cannot be told from %i points', (count) => {
    expect(extrapolate(curve(Math.log, count), 5)).toBeNull()
  })
})
