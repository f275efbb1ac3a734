import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  rateResamples,
  rateSystems,
  type SystemComparisons,
} from '../../../src/core/judgements/bradley-terry.js'
import { createRandom } from '../../../src/core/stats/random.js'

/** Comparisons from [first, second, outcome], each on an image of its own. */
function comparisonsOf(
  systemCount: number,
  rows: readonly (readonly [number, number, number])[],
): SystemComparisons {
  return {
    systemCount,
    first: Int32Array.from(rows, ([first]) => first),
    second: Int32Array.from(rows, ([, second]) => second),
    outcomes: Float64Array.from(rows, ([, , outcome]) => outcome),
    images: Int32Array.from(rows, (_, image) => image),
    imageCount: rows.length,
  }
}

const times = (count: number, row: readonly [number, number, number]) =>
  Array.from({ length: count }, () => row)

test('two systems: 400 points times the decimal logarithm of the odds, ties half for each', () => {
  fc.assert(
    fc.property(fc.nat(60), fc.nat(60), fc.nat(60), (won, lost, tied) => {
      const ratings = rateSystems(
        comparisonsOf(2, [...times(won, [0, 1, 1]), ...times(lost, [1, 0, 1]), ...times(tied, [1, 0, 0.5])]),
        1,
      )
      const odds = (won + tied / 2) / (lost + tied / 2)
      if (odds === 0 || !Number.isFinite(odds)) expect(ratings).toBeNull()
      else {
        expect(ratings?.[1]).toBe(1000)
        expect(ratings?.[0]).toBeCloseTo(1000 + 400 * Math.log10(odds), 6)
      }
    }),
  )
})

test('four systems: no other strengths are likelier', () => {
  const random = createRandom(3)
  for (let round = 0; round < 20; round++) {
    const rows = Array.from({ length: 40 }, (): [number, number, number] => {
      const first = random.below(4)
      return [first, (first + 1 + random.below(3)) % 4, random.below(3) / 2]
    })
    const ratings = rateSystems(comparisonsOf(4, rows), 0)
    if (ratings === null) continue
    const likelihood = (own: ArrayLike<number>) =>
      rows.reduce((sum, [first, second, outcome]) => {
        const p = 1 / (1 + 10 ** ((own[second] - own[first]) / 400))
        return sum + outcome * Math.log(p) + (1 - outcome) * Math.log(1 - p)
      }, 0)
    const best = likelihood(ratings)
    for (const step of [0.01, 1, 50]) {
      // All neighbours on a grid; the anchor stays.
      for (let code = 0; code < 27; code++) {
        const moved = ratings.map((rating, system) =>
          system === 0 ? rating : rating + step * ((Math.floor(code / 3 ** (system - 1)) % 3) - 1),
        )
        expect(likelihood(moved)).toBeLessThanOrEqual(best + 1e-9)
      }
    }
  }
})

describe('no ratings', () => {
  test.each([
    [
      'where systems are not compared with each other',
      [
        [0, 1, 0.5],
        [2, 3, 0.5],
      ],
    ],
    [
      'where systems are never preferred to the others',
      [
        [0, 1, 0.5],
        [2, 3, 0.5],
        [0, 2, 1],
      ],
    ],
  ] as const)('%s', (_, rows) => {
    expect(rateSystems(comparisonsOf(4, rows), 0)).toBeNull()
  })
})

describe('intervals', () => {
  const rows = [...times(60, [0, 1, 1]), ...times(40, [0, 1, 0]), ...times(50, [1, 2, 0.5])] as const
  const options = { seed: 1, resamples: 200 }

  test('contain the ratings; the anchor has none', () => {
    const comparisons = comparisonsOf(3, rows)
    const ratings = rateSystems(comparisons, 0) as Float64Array
    const [anchor, second, third] = rateResamples(comparisons, 0, options)
    expect(anchor).toBeNull()
    expect(second?.lower).toBeLessThan(ratings[1])
    expect(second?.upper).toBeGreaterThan(ratings[1])
    expect(third).not.toBeNull()
  })

  test('do not exist for few images, or where many resamples have no ratings', () => {
    const few = { ...comparisonsOf(3, rows), images: new Int32Array(rows.length), imageCount: 9 }
    expect(rateResamples(few, 0, options)).toEqual([null, null, null])
    const rare = comparisonsOf(2, [...times(30, [0, 1, 1]), [0, 1, 0]])
    expect(rateResamples(rare, 0, options)).toEqual([null, null])
  })

  test('resample images', () => {
    const comparisons = comparisonsOf(2, rows.slice(0, 100))
    const shared = { ...comparisons, images: comparisons.images.map((image) => image % 20), imageCount: 20 }
    const length = (own: SystemComparisons) => {
      const [, interval] = rateResamples(own, 0, options)
      return (interval?.upper as number) - (interval?.lower as number)
    }
    expect(length(comparisons)).toBeGreaterThan(0)
    expect(length(shared)).not.toBe(length(comparisons))
  })
})
