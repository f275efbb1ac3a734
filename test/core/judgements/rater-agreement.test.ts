import { describe, expect, test } from 'vitest'
import type { Rating } from '../../../src/core/judgements/judgement.js'
import { krippendorffAlpha, raterAgreement } from '../../../src/core/judgements/rater-agreement.js'

// Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section C: four observers, twelve units.
const OBSERVERS = {
  a: [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
  b: [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
  c: [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
  d: [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
}

const UNITS = Array.from({ length: 12 }, (_, unit) =>
  Object.entries(OBSERVERS).flatMap(([rater, values]): Rating[] =>
    values[unit] === 0 ? [] : [{ rater, value: values[unit] }],
  ),
)

const anonymous = (rows: readonly (readonly number[])[]) =>
  rows.map((row) => row.map((value): Rating => ({ rater: null, value })))

describe("Krippendorff's α for ordinal data", () => {
  test('of the published example, with missing ratings', () => {
    expect(krippendorffAlpha(UNITS.map((unit) => unit.map(({ value }) => value)))).toBeCloseTo(0.815, 3)
  })

  test('is 1 for equal ratings of each unit, and does not depend on the scale', () => {
    expect(krippendorffAlpha([[1, 1], [5, 5, 5], [2]])).toBe(1)
    const rows = [
      [1, 2],
      [2, 3],
      [3, 3],
      [1, 1],
    ]
    const stretched = rows.map((row) => row.map((value) => value ** 3))
    expect(krippendorffAlpha(stretched)).toBe(krippendorffAlpha(rows))
  })
})

describe('agreement between raters', () => {
  test('of known raters has τ-b of every pair on the captions that both have rated', () => {
    const { raterCount, pairs, pairwiseTau, mostRatings } = raterAgreement(UNITS)
    expect(raterCount).toBe(4)
    expect(mostRatings).toBe(4)
    expect(pairs.map(({ first, second, captionCount }) => [first, second, captionCount])).toEqual([
      ['a', 'b', 9],
      ['a', 'c', 8],
      ['a', 'd', 9],
      ['b', 'c', 9],
      ['b', 'd', 10],
      ['c', 'd', 10],
    ])
    const weights = pairs.reduce((sum, { captionCount }) => sum + captionCount, 0)
    const total = pairs.reduce((sum, { tauB, captionCount }) => sum + (tauB as number) * captionCount, 0)
    expect(pairwiseTau).toBeCloseTo(total / weights, 12)
  })

  test('of unknown raters has no pairs', () => {
    expect(
      raterAgreement(
        anonymous([
          [1, 2],
          [3, 3],
        ]),
      ),
    ).toMatchObject({ raterCount: null, pairs: [] })
  })

  test.each([
    { what: 'a single rater', ratings: [[1], [2], []], reason: 'SINGLE_RATER' },
    {
      what: 'constant ratings',
      ratings: [
        [2, 2],
        [2, 2],
      ],
      reason: 'CONSTANT_RATINGS',
    },
  ])('of $what is null with the reason', ({ ratings, reason }) => {
    expect(raterAgreement(anonymous(ratings))).toMatchObject({
      alpha: null,
      pairwiseTau: null,
      undefinedReason: reason,
    })
  })
})
