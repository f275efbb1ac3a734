import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findRoot } from '../../../src/core/stats/optimise.js'

describe('findRoot', () => {
  it.each([
    { name: 'x² − 2', f: (x: number) => x * x - 2, from: 0, to: 2, root: Math.SQRT2 },
    { name: 'cos', f: Math.cos, from: 0, to: 3, root: Math.PI / 2 },
    { name: 'a decreasing line', f: (x: number) => 3 - x, from: -100, to: 100, root: 3 },
    { name: 'a root of order 9', f: (x: number) => (x - 0.3) ** 9, from: 0, to: 1, root: 0.3 },
    { name: 'a step function', f: (x: number) => (x < 0.7 ? -1 : 1), from: 0, to: 1, root: 0.7 },
    {
      name: 'poles at both ends',
      f: (x: number) => 1 / x - 1 / (1 - x),
      from: 1e-12,
      to: 1 - 1e-12,
      root: 0.5,
    },
    { name: 'the lower end', f: (x: number) => x, from: 0, to: 5, root: 0 },
    { name: 'the upper end', f: (x: number) => x - 5, from: 0, to: 5, root: 5 },
  ])('finds $name', ({ f, from, to, root }) => {
    expect(findRoot(f, from, to)).toBeCloseTo(root, 12)
    expect(findRoot(f, to, from)).toBeCloseTo(root, 12)
  })

  it('finds the root of random polynomials in few evaluations', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        (root, slope) => {
          let evaluations = 0
          const found = findRoot(
            (x) => {
              evaluations++
              return slope * (x - root) * (1 + (x - root) ** 2)
            },
            -2,
            2,
          )
          expect(found).toBeCloseTo(root, 12)
          expect(evaluations).toBeLessThan(60)
        },
      ),
    )
  })

  it('rejects an interval without a sign change', () => {
    expect(() => findRoot((x) => x * x + 1, -1, 1)).toThrow(RangeError)
  })
})
