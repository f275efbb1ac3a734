import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  rateSystems,
  ratingIntervals,
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
  const intervalsOf = (comparisons: SystemComparisons) =>
    ratingIntervals(comparisons, rateSystems(comparisons, 0) as Float64Array, 0)
  /** Points per unit of the logarithm of odds. */
  const unit = 400 / Math.LN10

  test('of two systems: of the logarithm of the odds', () => {
    const [anchor, second] = intervalsOf(comparisonsOf(2, rows.slice(0, 100)))
    expect(anchor).toBeNull()
    // The 97.5th percentile of Student's t with 99 degrees of freedom; the variance of images is 100 / 99 times the other one.
    const half = 1.9842169515 * unit * Math.sqrt((1 / 60 + 1 / 40) * (100 / 99))
    const rating = 1000 - unit * Math.log(60 / 40)
    expect(second?.lower).toBeCloseTo(rating - half, 5)
    expect(second?.upper).toBeCloseTo(rating + half, 5)
  })

  test('of three systems in a chain: variances add up', () => {
    const comparisons = comparisonsOf(3, rows)
    const [, second, third] = intervalsOf(comparisons)
    // Of 100 and 50 images: Student's t with 99 and 49 degrees of freedom.
    const width = (interval: typeof second) => (interval?.upper as number) - (interval?.lower as number)
    // Ties vary as single comparisons with a probability of one half do.
    const variance = (width(third) / 2.0095752371 / (width(second) / 1.9842169515)) ** 2
    expect(variance).toBeCloseTo((1 / 60 + 1 / 40 + 4 / 50) / ((1 / 60 + 1 / 40) * (100 / 99)), 5)
  })

  test('are narrower where half of the comparisons tie, which vary less, and wider where those of an image are the same', () => {
    const widthOf = (comparisons: SystemComparisons) => {
      const [, interval] = intervalsOf(comparisons)
      return (interval?.upper as number) - (interval?.lower as number)
    }
    const decided = comparisonsOf(2, [...times(60, [0, 1, 1]), ...times(40, [0, 1, 0])])
    const tied = comparisonsOf(2, [
      ...times(60, [0, 1, 0.5]),
      ...times(25, [0, 1, 1]),
      ...times(15, [0, 1, 0]),
    ])
    // Wins have the shares .6 and .55. The variance of outcomes is .24, with ties .25 + .6 / 4 − .55².
    const deviation = (variance: number, share: number) => Math.sqrt(variance) / (share * (1 - share))
    const ratio = deviation(0.25 + 0.6 / 4 - 0.55 ** 2, 0.55) / deviation(0.24, 0.6)
    expect(widthOf(tied) / widthOf(decided)).toBeCloseTo(ratio, 5)
    const fewer = { ...decided, images: decided.images.map((image) => Math.floor(image / 4)), imageCount: 25 }
    // Four equal outcomes of an image: as of 25 comparisons.
    expect(widthOf(fewer)).toBeCloseTo(
      2 * 2.0638985616 * unit * Math.sqrt((1 / 60 + 1 / 40) * 4 * (25 / 24)),
      4,
    )
  })

  test('of ties alone are not of width 0', () => {
    const [, second] = intervalsOf(comparisonsOf(2, times(30, [0, 1, 0.5])))
    const half = 2.0452296421 * unit * Math.sqrt(4 / 30)
    expect(second?.lower).toBeCloseTo(1000 - half, 5)
    expect(second?.upper).toBeCloseTo(1000 + half, 5)
  })

  test('do not exist for few images', () => {
    const few = { ...comparisonsOf(3, rows), images: new Int32Array(rows.length), imageCount: 9 }
    expect(intervalsOf(few)).toEqual([null, null, null])
  })

  test('are longer where comparisons share images', () => {
    const comparisons = comparisonsOf(2, rows.slice(0, 100))
    // Equal outcomes on each image.
    const shared = {
      ...comparisons,
      images: comparisons.images.map((index) => Math.floor(index / 5)),
      imageCount: 20,
    }
    const length = (own: SystemComparisons) => {
      const [, interval] = intervalsOf(own)
      return (interval?.upper as number) - (interval?.lower as number)
    }
    expect(length(shared)).toBeGreaterThan(2 * length(comparisons))
  })
})
