import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Scorer } from '../../../src/core/stats/measurement.js'
import { swapTests } from '../../../src/core/stats/permutation.js'
import { createRandom } from '../../../src/core/stats/random.js'

/** A ratio of sums, and a mean. */
const family = {
  metrics: [{ highest: 10 }, { highest: 10 }],
  width: 3,
  corpusScores: {
    from: 'sums',
    score(sums: Float64Array, images: number, scores: Float64Array): void {
      scores[0] = sums[0] / sums[1]
      scores[1] = sums[2] / images
    },
  },
} satisfies Scorer

/** The same metrics, computed from all rows. */
const familyOfRows = {
  ...family,
  corpusScores: {
    from: 'rows',
    score(rows: Float64Array, images: number, scores: Float64Array): void {
      family.corpusScores.score(sumRows(rows), images, scores)
    },
  },
} satisfies Scorer

function sumRows(rows: Float64Array): Float64Array {
  const sums = new Float64Array(3)
  rows.forEach((value, cell) => {
    sums[cell % 3] += value
  })
  return sums
}

function rowsOf(images: number, seed: number, highest = 10): Float64Array {
  const random = createRandom(seed)
  return Float64Array.from({ length: images * 3 }, () => 1 + random.below(highest))
}

/** p of every metric from all swaps of all images. */
function enumerate(first: readonly Float64Array[], second: readonly Float64Array[]): number[] {
  const images = first[0].length / 3
  const differenceOf = (mask: number) => {
    const difference = [0, 0]
    first.forEach((rows, trial) => {
      const swap = (own: Float64Array, others: Float64Array) =>
        own.map((value, cell) => ((mask >> Math.floor(cell / 3)) & 1 ? others[cell] : value))
      const scores = [rows, second[trial]].map((own, system) => {
        const found = new Float64Array(2)
        family.corpusScores.score(sumRows(swap(own, system === 0 ? second[trial] : rows)), images, found)
        return found
      })
      for (const metric of [0, 1])
        difference[metric] += (scores[0][metric] - scores[1][metric]) / first.length
    })
    return difference
  }
  const observed = differenceOf(0)
  const reached = [0, 0]
  for (let mask = 0; mask < 2 ** images; mask++) {
    differenceOf(mask).forEach((difference, metric) => {
      if (Math.abs(difference) >= Math.abs(observed[metric]) - 1e-12) reached[metric]++
    })
  }
  return reached.map((count) => count / 2 ** images)
}

const measure = (...trials: Float64Array[]) => ({ family, trials })

describe('few images', () => {
  test('by hand: differences 1, 2 and 4 of three images', () => {
    const one = Float64Array.of(1, 1, 1, 1, 1, 2, 1, 1, 4)
    const none = Float64Array.of(1, 1, 0, 1, 1, 0, 1, 1, 0)
    // Sums ±1 ±2 ±4: two of eight are 7 or −7.
    expect(swapTests(measure(one), measure(none), { seed: 1 })[1]).toEqual({
      pValue: 2 / 8,
      isBound: false,
      isExact: true,
      resamples: 4,
    })
  })

  test.each([1, 2, 3, 5, 8])('of %i images: all swaps are enumerated', (images) => {
    const [first, second] = [rowsOf(images, images), rowsOf(images, images + 50, 12)]
    const tests = swapTests(measure(first), measure(second), { seed: 1, resamples: 10 })
    const expected = enumerate([first], [second])
    tests.forEach(({ pValue, isExact }, metric) => {
      expect(isExact).toBe(true)
      expect(pValue).toBeCloseTo(expected[metric], 12)
    })
  })

  test('all folds of an image are swapped together', () => {
    const first = [1, 2, 3].map((seed) => rowsOf(6, seed))
    const second = [4, 5, 6].map((seed) => rowsOf(6, seed))
    const expected = enumerate(first, second)
    swapTests(measure(...first), measure(...second), { seed: 1 }).forEach(({ pValue }, metric) => {
      expect(pValue).toBeCloseTo(expected[metric], 12)
    })
  })

  test('images with equal rows do not matter', () => {
    const [first, second] = [rowsOf(6, 1), rowsOf(6, 2)]
    const shared = rowsOf(200, 3)
    const [, alone] = swapTests(measure(first), measure(second), { seed: 1 })
    const [, together] = swapTests(
      measure(Float64Array.of(...first, ...shared)),
      measure(Float64Array.of(...second, ...shared)),
      { seed: 1 },
    )
    expect(together).toEqual(alone)
  })
})

describe('many images', () => {
  test('approximate the enumeration', () => {
    const [first, second] = [rowsOf(14, 3), rowsOf(14, 4)]
    const expected = enumerate([first], [second])
    swapTests(measure(first), measure(second), { seed: 1, resamples: 5000 }).forEach(
      ({ pValue, isExact }, metric) => {
        expect(isExact).toBe(false)
        expect(Math.abs(pValue - expected[metric])).toBeLessThan(0.03)
      },
    )
  })

  test('have a p-value below the resolution where no swap reaches the difference', () => {
    const first = rowsOf(100, 1)
    const better = first.map((value, cell) => (cell % 3 === 2 ? value + 5 : value))
    const [, { pValue, isBound }] = swapTests(measure(better), measure(first), { seed: 1, resamples: 400 })
    expect([pValue, isBound]).toEqual([1 / 401, true])
  })

  test('p is uniform where the systems do not differ', () => {
    const random = createRandom(8)
    const pValues: number[] = []
    for (let sample = 0; sample < 300; sample++) {
      const [first, second] = [0, 1].map(() => Float64Array.from({ length: 120 }, () => 1 + random.next()))
      pValues.push(swapTests(measure(first), measure(second), { seed: sample, resamples: 199 })[0].pValue)
    }
    for (const level of [0.1, 0.3, 0.5, 0.8]) {
      const share = pValues.filter((pValue) => pValue <= level).length / pValues.length
      expect(Math.abs(share - level)).toBeLessThan(0.09)
    }
  })

  test('scores from all rows have the same p as from their sums', () => {
    const [first, second] = [rowsOf(40, 1), rowsOf(40, 2)]
    const options = { seed: 7, resamples: 50 }
    expect(
      swapTests(
        { family: familyOfRows, trials: [first] },
        { family: familyOfRows, trials: [second] },
        options,
      ),
    ).toEqual(swapTests(measure(first), measure(second), options))
  })
})

describe('metamorphic', () => {
  test('a system compared with itself, or with a copy, has p = 1', () => {
    const rows = rowsOf(50, 1)
    for (const { pValue, isBound } of swapTests(measure(rows), measure(rows.slice()), { seed: 1 })) {
      expect([pValue, isBound]).toEqual([1, false])
    }
  })

  test('exchanged systems have the same p', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer(), (images, seed) => {
        const [first, second] = [measure(rowsOf(images, 1)), measure(rowsOf(images, 2))]
        const options = { seed, resamples: 40 }
        expect(swapTests(second, first, options)).toEqual(swapTests(first, second, options))
      }),
      { numRuns: 30 },
    )
  })

  test('few images in another order have the same p', () => {
    const [first, second] = [rowsOf(9, 1), rowsOf(9, 2)]
    const reverse = (rows: Float64Array) =>
      rows.map((_, cell) => rows[(8 - Math.floor(cell / 3)) * 3 + (cell % 3)])
    expect(swapTests(measure(reverse(first)), measure(reverse(second)), { seed: 1 })).toEqual(
      swapTests(measure(first), measure(second), { seed: 1 }),
    )
  })

  test('the seed decides', () => {
    const [first, second] = [measure(rowsOf(80, 1)), measure(rowsOf(80, 2))]
    const run = (seed: number) => swapTests(first, second, { seed, resamples: 500 })
    expect(run(3)).toEqual(run(3))
    expect(run(3)).not.toEqual(run(4))
  })
})

describe('progress', () => {
  test('rises to 1 and can stop the work', () => {
    const shares: number[] = []
    const [first, second] = [measure(rowsOf(40, 1)), measure(rowsOf(40, 2))]
    swapTests(first, second, { seed: 1, resamples: 100, onProgress: (share) => shares.push(share) })
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect(shares.at(-1)).toBe(1)
    const stop = () => {
      throw new Error('stopped')
    }
    expect(() => swapTests(first, second, { seed: 1, onProgress: stop })).toThrow('stopped')
  })
})

describe('abuse', () => {
  test.each([
    ['other images', [rowsOf(4, 1)], [rowsOf(5, 1)]],
    ['no images', [new Float64Array(0)], [new Float64Array(0)]],
    ['other numbers of folds', [rowsOf(4, 1)], [rowsOf(4, 1), rowsOf(4, 2)]],
  ])('%s are a defect of the caller', (_, first, second) => {
    expect(() => swapTests(measure(...first), measure(...second), { seed: 1 })).toThrow(RangeError)
  })
})
