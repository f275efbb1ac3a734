import { describe, expect, test } from 'vitest'
import {
  normalCdf,
  normalQuantile,
  studentPValue,
  studentQuantile,
} from '../../../src/core/stats/distributions.js'

describe("Student's t", () => {
  // Tables of the t distribution: 97.5th percentiles.
  test.each([
    [1, 12.70620474],
    [2, 4.30265273],
    [9, 2.26215716],
    [29, 2.04522964],
    [99, 1.98421695],
    [4999, 1.96043865],
  ])('with %d degrees of freedom has the 97.5th percentile %d', (freedom, quantile) => {
    expect(studentQuantile(freedom)).toBeCloseTo(quantile, 7)
    expect(studentPValue(quantile, freedom)).toBeCloseTo(0.05, 8)
  })

  test.each([
    // One degree of freedom: t = 1 / tan(π · p / 2); two: t = (1 − p) · √(2 / (p · (2 − p))).
    [1, 0.05 / 18, 1 / Math.tan((Math.PI * 0.05) / 36)],
    [1, 0.05 / 4000, 1 / Math.tan((Math.PI * 0.05) / 8000)],
    [2, 0.01, 0.99 * Math.sqrt(2 / (0.01 * 1.99))],
    // Tables of Student's t, 99.5th percentile.
    [29, 0.01, 2.7563859],
    [Number.POSITIVE_INFINITY, 0.01, 2.5758293],
  ])('with %d degrees of freedom has p %d beyond %d', (freedom, outside, quantile) => {
    expect(studentQuantile(freedom, outside) / quantile).toBeCloseTo(1, 7)
  })

  test.each([
    // One degree of freedom: p = 1 − 2·atan(t)/π; two: p = 1 − t/√(2 + t²).
    [1, 1, 0.5],
    [1, 5, 1 - (2 * Math.atan(5)) / Math.PI],
    [2, 1.5, 1 - 1.5 / Math.sqrt(2 + 1.5 ** 2)],
    [2, 40, 1 - 40 / Math.sqrt(2 + 40 ** 2)],
    [7, 0, 1],
    [Number.POSITIVE_INFINITY, 1.959963984540054, 0.05],
  ])('with %d degrees of freedom has p at t = %d', (freedom, t, pValue) => {
    expect(studentPValue(t, freedom)).toBeCloseTo(pValue, 11)
    expect(studentPValue(-t, freedom)).toBeCloseTo(pValue, 11)
  })
})

describe('the normal distribution', () => {
  test.each([
    [0, 0.5],
    [1, 0.8413447460685429],
    [-1.959963984540054, 0.025],
    [3, 0.9986501019683699],
    [-6, 9.865876450376981e-10],
  ])('P(Z ≤ %d) = %d', (z, probability) => {
    expect(normalCdf(z) / probability).toBeCloseTo(1, 10)
    expect(normalQuantile(probability)).toBeCloseTo(z, 9)
  })
})
