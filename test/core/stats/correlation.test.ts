import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  correlate,
  countPairs,
  createKendallCounter,
  meanRanks,
  pearson,
  type RatedItems,
  spearman,
} from '../../../src/core/stats/correlation.js'
import { createRandom } from '../../../src/core/stats/random.js'

/** Items from [score, ...ratings]. */
function itemsOf(rows: readonly (readonly number[])[]): RatedItems {
  const offsets = [0]
  for (const row of rows) offsets.push(offsets[offsets.length - 1] + row.length - 1)
  return {
    scores: Float64Array.from(rows, ([score]) => score),
    ratings: Float64Array.from(rows.flatMap(([, ...ratings]) => ratings)),
    offsets: Int32Array.from(offsets),
  }
}

/** τ-b and τ-c by comparing all pairs of (score, rating) pairs. */
function definition(rows: readonly (readonly number[])[]) {
  const pairs = rows.flatMap(([score, ...ratings]) => ratings.map((rating) => [score, rating]))
  let difference = 0
  let comparable = 0
  let tiedScores = 0
  let tiedRatings = 0
  for (let one = 0; one < pairs.length; one++) {
    for (let other = 0; other < one; other++) {
      const sign = Math.sign(pairs[one][0] - pairs[other][0]) * Math.sign(pairs[one][1] - pairs[other][1])
      difference += sign
      comparable++
      if (pairs[one][0] === pairs[other][0]) tiedScores++
      if (pairs[one][1] === pairs[other][1]) tiedRatings++
    }
  }
  const least = Math.min(new Set(pairs.map(([x]) => x)).size, new Set(pairs.map(([, y]) => y)).size)
  if (least < 2) return { tauB: null, tauC: null }
  return {
    tauB: difference / Math.sqrt((comparable - tiedScores) * (comparable - tiedRatings)),
    tauC: (2 * difference) / ((pairs.length ** 2 * (least - 1)) / least),
  }
}

const row = fc.tuple(
  fc.integer({ min: 0, max: 6 }),
  fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 4 }),
)

function expectClose(found: number | null, expected: number | null): void {
  if (expected === null) expect(found).toBeNull()
  else expect(found).toBeCloseTo(expected, 12)
}

describe('τ-b and τ-c', () => {
  test('equal the definition over all pairs, with ties and items of several ratings', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 30 }), (drawn) => {
        const rows = drawn.map(([score, ratings]) => [score, ...ratings])
        const found = createKendallCounter(itemsOf(rows)).tau()
        const expected = definition(rows)
        expectClose(found.tauB, expected.tauB)
        expectClose(found.tauC, expected.tauC)
      }),
    )
  })

  test('equal the definition with many different ratings', () => {
    const random = createRandom(2)
    const rows = Array.from({ length: 150 }, () => [random.below(40), random.below(100), random.below(100)])
    const found = createKendallCounter(itemsOf(rows)).tau()
    const expected = definition(rows)
    expectClose(found.tauB, expected.tauB)
    expectClose(found.tauC, expected.tauC)
  })

  test('with weights equal those of items that are repeated', () => {
    const weighted = fc.tuple(row, fc.integer({ min: 0, max: 3 }))
    fc.assert(
      fc.property(fc.array(weighted, { maxLength: 20 }), (drawn) => {
        const rows = drawn.map(([[score, ratings]]) => [score, ...ratings])
        const repeated = drawn.flatMap(([, weight], index) =>
          Array.from({ length: weight }, () => rows[index]),
        )
        const weights = Float64Array.from(drawn, ([, weight]) => weight)
        const found = createKendallCounter(itemsOf(rows)).tau(weights)
        const expected = definition(repeated)
        expectClose(found.tauB, expected.tauB)
        expectClose(found.tauC, expected.tauC)
      }),
    )
  })

  test('are the same from a table of few levels and from a tree of many', () => {
    // Ratings above all others make the levels many; with weight 0 they change no count.
    const weighted = fc.tuple(row, fc.integer({ min: 0, max: 3 }))
    fc.assert(
      fc.property(fc.array(weighted, { maxLength: 30 }), (drawn) => {
        const rows = drawn.map(([[score, ratings]]) => [score, ...ratings])
        const weights = drawn.map(([, weight]) => weight)
        const expected = createKendallCounter(itemsOf(rows)).tau(Float64Array.from(weights))
        const others = Array.from({ length: 40 }, (_, level) => [3, 10 + level])
        const found = createKendallCounter(itemsOf([...rows, ...others])).tau(
          Float64Array.from([...weights, ...others.map(() => 0)]),
        )
        expect(found).toEqual(expected)
      }),
    )
  })

  test('pairs and contributions are those of all pairs, one by one', () => {
    const random = createRandom(1)
    for (let round = 0; round < 50; round++) {
      const values = () => Float64Array.from({ length: 2 + round }, () => random.below(2 + (round % 7)))
      const [x, y] = [values(), values()]
      const expected = { concordant: 0, discordant: 0, tiedX: 0, tiedY: 0, tiedBoth: 0 }
      const contributions = new Float64Array(x.length)
      for (let i = 0; i < x.length; i++) {
        for (let j = 0; j < x.length; j++) {
          const [dx, dy] = [Math.sign(x[i] - x[j]), Math.sign(y[i] - y[j])]
          contributions[i] += dx * dy
          if (j >= i) continue
          if (dx === 0 && dy === 0) expected.tiedBoth++
          else if (dx === 0) expected.tiedX++
          else if (dy === 0) expected.tiedY++
          else if (dx === dy) expected.concordant++
          else expected.discordant++
        }
      }
      expect(countPairs(x, y)).toEqual(expected)
      const items = itemsOf(Array.from(x, (score, item) => [score, y[item]]))
      expect(createKendallCounter(items).contributions()).toEqual(contributions)
    }
  })
})

const SCIPY = {
  tauB: 0.587095265748098,
  tauC: 0.5950413223140496,
  spearman: 0.7002579300672276,
  pearson: 0.6961926315023483,
}

// Expected values: scipy 1.17, kendalltau (variants b and c), spearmanr, pearsonr.
test('all coefficients of a worked example', () => {
  const rows = [
    [0.1, 1, 1, 2],
    [0.4, 2],
    [0.4, 3, 1],
    [0.7, 4, 4],
    [0.2, 2, 3],
    [0.9, 3],
  ]
  const { undefinedReason, ...found } = correlate(itemsOf(rows))
  expect(undefinedReason).toBeNull()
  expect(found.tauB).toBeCloseTo(SCIPY.tauB, 12)
  expect(found.tauC).toBeCloseTo(SCIPY.tauC, 12)
  expect(found.spearman).toBeCloseTo(SCIPY.spearman, 12)
  expect(found.pearson).toBeCloseTo(SCIPY.pearson, 12)
})

test.each([
  {
    what: 'ratings that are all equal',
    rows: [
      [1, 2],
      [2, 2],
      [3, 2, 2],
    ],
    reason: 'CONSTANT_RATINGS',
  },
  {
    what: 'scores that are all equal',
    rows: [
      [1, 2],
      [1, 3],
    ],
    reason: 'CONSTANT_SCORES',
  },
  { what: 'a single rating', rows: [[1, 2], [2]], reason: 'TOO_FEW_RATINGS' },
  { what: 'no items', rows: [], reason: 'TOO_FEW_RATINGS' },
])('$what: null with the reason', ({ rows, reason }) => {
  expect(correlate(itemsOf(rows))).toEqual({
    tauB: null,
    tauC: null,
    spearman: null,
    pearson: null,
    undefinedReason: reason,
  })
})

test('a monotone relation has τ-b 1 and Spearman 1, and its opposite −1', () => {
  const rows = Array.from({ length: 50 }, (_, i) => [i, Math.exp(i)])
  expect(correlate(itemsOf(rows))).toMatchObject({ tauB: 1, spearman: 1 })
  expect(correlate(itemsOf(rows.map(([x, y]) => [-x, y])))).toMatchObject({ tauB: -1, spearman: -1 })
})

test('tied values have their mean rank', () => {
  expect([...meanRanks(Float64Array.of(3, 1, 3, 2))]).toEqual([3.5, 1, 3.5, 2])
  expect(spearman(new Float64Array(0), new Float64Array(0))).toBeNull()
})

describe('Pearson’s r and Spearman’s ρ', () => {
  test.each<[string, number[], number[], number | null, number | null]>([
    ['a line', [1, 2, 3], [3, 5, 7], 1, 1],
    ['a falling line', [1, 2, 3], [7, 5, 3], -1, -1],
    ['a curve', [1, 2, 3, 4], [1, 8, 27, 64], 0.95137, 1],
    ['ties', [1, 2, 2, 3, 5], [2, 1, 4, 4, 3], 0.32872, 0.39474],
    ['a constant', [1, 1, 1], [1, 2, 3], null, null],
    ['one value', [1], [2], null, null],
    ['no value', [], [], null, null],
  ])('of %s', (_what, one, other, r, rho) => {
    const [x, y] = [Float64Array.from(one), Float64Array.from(other)]
    for (const [found, expected] of [
      [pearson(x, y), r],
      [spearman(x, y), rho],
    ]) {
      if (expected === null) expect(found).toBeNull()
      else expect(found).toBeCloseTo(expected, 4)
    }
  })
})
