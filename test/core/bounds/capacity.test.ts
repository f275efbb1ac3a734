import { describe, expect, it } from 'vitest'
import { capacityEnds, capacityOf, makeMonotone } from '../../../src/core/bounds/capacity.js'
import { normalQuantile } from '../../../src/core/stats/distributions.js'
import { createRandom } from '../../../src/core/stats/random.js'

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

/** Means of values without each of them in turn. */
function replicatesOf(values: readonly number[]): Float64Array {
  const sum = values.reduce((total, value) => total + value, 0)
  return Float64Array.of(sum / values.length, ...values.map((value) => (sum - value) / (values.length - 1)))
}

const groupsOf = (images: number) => ({ partitions: 1, sizes: new Uint32Array(images).fill(1) })

describe('the interval of a capacity', () => {
  const IMAGES = 40
  const random = createRandom(5)
  const normal = () => normalQuantile(Math.max(1e-12, random.next()))
  /** Scores of images that are easy or hard for everybody. */
  const ease = Array.from({ length: IMAGES }, normal)
  const scoresAt = (mean: number, noise: number) => ease.map((value) => mean + value + noise * normal())
  const point = (atoms: number, ...models: number[][]) => ({ atoms, models: models.map(replicatesOf) })

  it('is short where all find the same images easy, and cut at the ends of the curve', () => {
    const points = [0, 9, 99].map((atoms, i) => point(atoms, scoresAt(i, 0.05)))
    const ends = (mean: number) => capacityEnds(replicatesOf(scoresAt(mean, 0.05)), points, groupsOf(IMAGES))
    const { lower, upper } = ends(0.5)
    // Half the way in log(1 + k); the score itself has an interval of ± 0.3, of most of the curve.
    expect(lower.atoms).toBeGreaterThan(Math.sqrt(10) - 1 - 0.4)
    expect(upper.atoms).toBeLessThan(Math.sqrt(10) - 1 + 0.4)
    expect(ends(-1)).toEqual({
      lower: { atoms: null, beyond: 'BELOW', limit: 0 },
      upper: { atoms: null, beyond: 'BELOW', limit: 0 },
    })
    expect(ends(3).lower).toEqual({ atoms: null, beyond: 'ABOVE', limit: 99 })
    expect(ends(2)).toMatchObject({ lower: { beyond: null }, upper: { beyond: 'ABOVE' } })
  })

  it('includes what differs between models with several seeds', () => {
    const system = replicatesOf(scoresAt(0.5, 0.05))
    const one = [0, 9].map((atoms, i) => point(atoms, scoresAt(i, 0.05)))
    const several = [0, 9].map((atoms, i) =>
      point(atoms, ...[-0.1, 0, 0.1].map((seed) => scoresAt(i + seed, 0.05))),
    )
    const width = (points: typeof one) => {
      const { lower, upper } = capacityEnds(system, points, groupsOf(IMAGES))
      return Math.log1p(upper.atoms!) - Math.log1p(lower.atoms!)
    }
    expect(width(several)).toBeGreaterThan(2 * width(one))
  })

  it('contains the number of atoms in 95 % of samples', () => {
    const SAMPLES = 300
    const truth = capacityOf(0.6, curve([0, 0], [9, 1], [99, 1.5])).atoms!
    let covered = 0
    for (let sample = 0; sample < SAMPLES; sample++) {
      const easeOf = Array.from({ length: IMAGES }, normal)
      const draw = (mean: number) => replicatesOf(easeOf.map((value) => mean + value + normal()))
      const points = [
        [0, 0],
        [9, 1],
        [99, 1.5],
      ].map(([atoms, mean]) => ({
        atoms,
        models: Array.from({ length: 3 }, () => draw(mean + 0.1 * normal())),
      }))
      const { lower, upper } = capacityEnds(draw(0.6), points, groupsOf(IMAGES))
      if ((lower.atoms ?? -1) <= truth && truth <= (upper.atoms ?? 1000)) covered++
    }
    expect(covered / SAMPLES).toBeGreaterThan(0.93)
    expect(covered / SAMPLES).toBeLessThan(0.97)
  })
})
