import { describe, expect, it } from 'vitest'
import { capacityOf, makeMonotone } from '../../../src/core/bounds/capacity.js'

const curve = (...points: readonly (readonly [number, number])[]) =>
  points.map(([atoms, score]) => ({ atoms, score }))

const CURVE = curve([0, 0.1], [9, 0.5], [99, 0.7])

describe('capacity', () => {
  it.each([
    [0.1, 0],
    [0.5, 9],
    [0.7, 99],
    // Half the way in log(1 + k): √10 − 1 and √1000 − 1.
    [0.3, Math.sqrt(10) - 1],
    [0.6, Math.sqrt(1000) - 1],
  ])('of the score %d is read off the curve', (score, atoms) => {
    expect(capacityOf(score, CURVE)).toEqual({ atoms: expect.closeTo(atoms, 10), beyond: null, limit: null })
  })

  it('is not extrapolated', () => {
    expect(capacityOf(0.05, CURVE)).toEqual({ atoms: null, beyond: 'BELOW', limit: 0 })
    expect(capacityOf(0.75, CURVE)).toEqual({ atoms: null, beyond: 'ABOVE', limit: 99 })
  })

  it('uses a curve that does not fall', () => {
    const noisy = curve([50, 0.6], [0, 0.1], [10, 0.7], [100, 0.9])
    const smooth = makeMonotone(noisy)
    expect(smooth.map(({ atoms }) => atoms)).toEqual([0, 10, 50, 100])
    expect(smooth.map(({ score }) => score)).toEqual([0.1, expect.closeTo(0.65), expect.closeTo(0.65), 0.9])
    expect(capacityOf(smooth[1].score, noisy).atoms).toBeCloseTo(10)
  })
})
