import { describe, expect, test } from 'vitest'
import {
  createReplicateMean,
  type DifferenceEstimate,
  describeIntervals,
  type Estimate,
  estimate,
  estimateDifference,
  groupedIntervals,
  imageGroups,
  replicateScores,
  scoreEstimates,
  subtract,
  THIRDS,
} from '../../../src/core/stats/jackknife.js'
import type { Measurement, Scorer } from '../../../src/core/stats/measurement.js'
import { createRandom } from '../../../src/core/stats/random.js'

// The scores of these tests are defined unless a test says otherwise.
const scoresOf = (...args: Parameters<typeof scoreEstimates>) => scoreEstimates(...args) as Estimate[]
/** The difference of two measurements on the same images, for each metric. */
function differencesOf(first: Measurement, second: Measurement): DifferenceEstimate[] {
  const { groups, replicates } = replicateScores(first)
  const others = replicateScores(second).replicates
  return replicates.map(
    (values, metric) => estimateDifference(subtract(values, others[metric]), groups) as DifferenceEstimate,
  )
}

/** A ratio of sums, and a mean. */
const family = {
  metrics: [{ highest: 10 }, { highest: 10 }],
  width: 2,
  corpusScores: {
    from: 'sums',
    score(sums: Float64Array, images: number, scores: Float64Array): void {
      scores[0] = sums[0] / sums[1]
      scores[1] = sums[0] / images
    },
  },
} satisfies Scorer

const familyOfRows = {
  ...family,
  corpusScores: {
    from: 'rows',
    score(rows: Float64Array, images: number, scores: Float64Array): void {
      const sums = new Float64Array(2)
      rows.forEach((value, cell) => {
        sums[cell % 2] += value
      })
      family.corpusScores.score(sums, images, scores)
    },
  },
} satisfies Scorer

function rowsOf(images: number, seed: number): Float64Array {
  const random = createRandom(seed)
  return Float64Array.from({ length: images * 2 }, () => 1 + random.below(10))
}

const measure = (...trials: Float64Array[]) => ({ family, trials })
const leaveOneOut = (images: number) => ({ partitions: 1, sizes: new Uint32Array(images).fill(1) })

describe('replicates of corpus scores', () => {
  test.each([family, familyOfRows])(
    'are scores without each image in turn (from $corpusScores.from)',
    (one) => {
      const rows = rowsOf(12, 1)
      const { replicates, groups } = replicateScores({ family: one, trials: [rows] })
      expect(groups.sizes).toHaveLength(12)
      const means = Array.from(replicates[1].subarray(1)).toSorted((a, b) => a - b)
      const firsts = Array.from({ length: 12 }, (_, image) => rows[image * 2])
      const sum = firsts.reduce((total, value) => total + value, 0)
      const expected = firsts.map((value) => (sum - value) / 11).toSorted((a, b) => a - b)
      means.forEach((mean, index) => {
        expect(mean).toBeCloseTo(expected[index], 12)
      })
      expect(replicates[1][0]).toBeCloseTo(sum / 12, 12)
    },
  )

  test('of many images from all rows leave out groups', () => {
    const rows = rowsOf(250, 1)
    const [ofRows, ofSums] = [familyOfRows, family].map((one) => scoresOf({ family: one, trials: [rows] })[1])
    expect(ofRows.value).toBeCloseTo(ofSums.value, 12)
    const widthOf = ({ interval }: typeof ofRows) => interval!.upper - interval!.lower
    expect(widthOf(ofRows) / widthOf(ofSums)).toBeGreaterThan(0.75)
    expect(widthOf(ofRows) / widthOf(ofSums)).toBeLessThan(1.35)
  })

  test('of several trials are means over trials', () => {
    const [first, second] = [rowsOf(15, 1), rowsOf(15, 2)]
    const [one, other, both] = [[first], [second], [first, second]].map(
      (trials) => replicateScores(measure(...trials)).replicates[0],
    )
    both.forEach((value, replicate) => {
      expect(value).toBeCloseTo((one[replicate] + other[replicate]) / 2, 12)
    })
  })
})

describe('estimates', () => {
  test('of a difference of means are those of the paired t test', () => {
    const [first, second] = [rowsOf(20, 1), rowsOf(20, 2)]
    const [, { value, standardError, interval }] = differencesOf(measure(first), measure(second))
    const differences = Array.from({ length: 20 }, (_, image) => first[image * 2] - second[image * 2])
    const mean = differences.reduce((sum, difference) => sum + difference, 0) / 20
    const variance = differences.reduce((sum, difference) => sum + (difference - mean) ** 2, 0) / 19
    expect(value).toBeCloseTo(mean, 12)
    expect(standardError).toBeCloseTo(Math.sqrt(variance / 20), 12)
    // The 97.5th percentile of t with 19 degrees of freedom is 2.093.
    expect(interval!.upper - value).toBeCloseTo(2.0930241 * Math.sqrt(variance / 20), 6)
    expect(value - interval!.lower).toBeCloseTo(2.0930241 * Math.sqrt(variance / 20), 6)
  })

  test.each([
    [9, 'TOO_FEW_IMAGES', false],
    [10, null, true],
    [29, null, true],
    [30, null, false],
  ])('of %i images: %s, small: %s', (images, undefinedReason, isSmall) => {
    for (const result of [
      ...scoresOf(measure(rowsOf(images, 1))),
      ...differencesOf(measure(rowsOf(images, 1)), measure(rowsOf(images, 2))),
    ]) {
      expect(result).toMatchObject({ undefinedReason, isSmall })
      expect(result.interval === null).toBe(undefinedReason !== null)
      expect(result.standardError === null).toBe(undefinedReason !== null)
      expect(Number.isFinite(result.value)).toBe(true)
    }
  })

  test('of one image have no interval and no p-value', () => {
    const [, score] = scoresOf(measure(Float64Array.of(3, 4)))
    expect(score).toEqual({
      value: 3,
      standardError: null,
      interval: null,
      undefinedReason: 'TOO_FEW_IMAGES',
      isSmall: false,
    })
    const [, difference] = differencesOf(measure(Float64Array.of(3, 4)), measure(Float64Array.of(1, 4)))
    expect(difference).toMatchObject({ value: 2, interval: null, pValue: null })
  })

  test('of an undefined score are null', () => {
    const [ratio, mean] = scoreEstimates(measure(new Float64Array(24)))
    expect(ratio).toBeNull()
    expect(mean).toMatchObject({ value: 0 })
    const differences = differencesOf(measure(new Float64Array(24)), measure(rowsOf(12, 1)))
    expect(differences[0]).toBeNull()
    expect(differences[1]).not.toBeNull()
  })

  test('of a score stay at 0 or above and contain it', () => {
    const rows = new Float64Array(24).map((_, cell) => (cell % 2 === 1 ? 10 : cell === 0 ? 1 : 0))
    const [{ value, interval }] = scoresOf(measure(rows))
    expect(interval!.lower).toBeGreaterThanOrEqual(0)
    expect(interval!.lower).toBeLessThanOrEqual(value)
    expect(interval!.upper).toBeGreaterThan(value)
  })

  test('of a score of at most 1 stay at 1 or below', () => {
    const rows = new Float64Array(24).map((_, cell) => (cell % 2 === 1 ? 10 : cell === 0 ? 4 : 10))
    const atMostOne = { ...family, metrics: [{ highest: 1 }, { highest: 10 }] }
    const [{ value, interval }] = scoresOf({ family: atMostOne, trials: [rows] })
    expect(value).toBeCloseTo(0.95, 12)
    expect(interval!.upper).toBeLessThanOrEqual(1)
    expect(interval!.upper).toBeGreaterThan(value)
    expect(interval!.lower).toBeLessThan(value)
    const [{ interval: unbounded }] = scoresOf(measure(rows))
    expect(unbounded!.upper).toBeGreaterThan(1)
  })

  test('are recorded with the groups of images that they need', () => {
    expect(describeIntervals(family)).toEqual({ interval: 'jackknife', seed: null })
    expect(describeIntervals(familyOfRows)).toEqual({ interval: 'jackknife-100', seed: 1 })
    expect(groupedIntervals(7)).toEqual({ interval: 'jackknife-25x4', seed: 7 })
    expect(groupedIntervals(7, THIRDS)).toEqual({ interval: 'jackknife-25x3', seed: 7 })
  })

  test('cover the population in 95 % of samples', () => {
    const random = createRandom(4)
    let covered = 0
    for (let sample = 0; sample < 1000; sample++) {
      const rows = Float64Array.from({ length: 20 }, () => 1 + random.next())
      const [{ interval }] = scoresOf(measure(rows))
      if (interval!.lower <= 1 && 1 <= interval!.upper) covered++
    }
    expect(covered / 1000).toBeGreaterThan(0.93)
    expect(covered / 1000).toBeLessThan(0.97)
  })
})

describe('metamorphic', () => {
  const rows = rowsOf(40, 1)

  test('a system compared with a copy differs by 0, with p = 1', () => {
    for (const result of differencesOf(measure(rows), measure(rows.slice()))) {
      expect(result).toMatchObject({ value: 0, interval: null, undefinedReason: 'NO_VARIATION', pValue: 1 })
    }
  })

  test('exchanged systems differ by the opposite', () => {
    const [first, second] = [measure(rows), measure(rowsOf(40, 2))]
    const forward = differencesOf(first, second)
    differencesOf(second, first).forEach(({ value, interval, pValue }, metric) => {
      expect(value).toBeCloseTo(-forward[metric].value, 12)
      expect(interval!.lower).toBeCloseTo(-forward[metric].interval!.upper, 12)
      expect(pValue).toBeCloseTo(forward[metric].pValue!, 12)
    })
  })

  test('images in another order give the same', () => {
    const reversed = rows.map((_, cell) => rows[(39 - Math.floor(cell / 2)) * 2 + (cell % 2)])
    const [original, permuted] = [rows, reversed].map((some) => scoresOf(measure(some)))
    permuted.forEach(({ value, interval }, metric) => {
      expect(value).toBeCloseTo(original[metric].value, 12)
      expect(interval!.lower).toBeCloseTo(original[metric].interval!.lower, 12)
      expect(interval!.upper).toBeCloseTo(original[metric].interval!.upper, 12)
    })
  })

  test('a doubled dataset gives the same score with a standard error smaller by √2', () => {
    const [one] = scoresOf(measure(rows))
    const [two] = scoresOf(measure(Float64Array.of(...rows, ...rows)))
    expect(two.value).toBeCloseTo(one.value, 12)
    expect(one.standardError! / two.standardError!).toBeCloseTo(Math.SQRT2, 1)
  })
})

describe('groups of images', () => {
  test('divide the images evenly in several ways, the same for the same seed', () => {
    const { partitions, sizes, groupOf } = imageGroups(42, 3, { partitions: 5, groups: 4 })
    expect([partitions, sizes.length, groupOf.length]).toEqual([5, 20, 210])
    for (let partition = 0; partition < 5; partition++) {
      const part = Array.from(sizes.subarray(partition * 4, partition * 4 + 4)).toSorted()
      expect(part).toEqual([10, 10, 11, 11])
      for (let image = 0; image < 42; image++) {
        expect(Math.floor(groupOf[image * 5 + partition] / 4)).toBe(partition)
      }
    }
    expect(imageGroups(42, 3, { partitions: 5, groups: 4 }).groupOf).toEqual(groupOf)
    expect(imageGroups(42, 4, { partitions: 5, groups: 4 }).groupOf).not.toEqual(groupOf)
  })

  test('give the standard error of a mean', () => {
    const random = createRandom(1)
    const values = Float64Array.from({ length: 200 }, () => random.next())
    const groups = imageGroups(200, 1)
    const replicates = Float64Array.from({ length: groups.sizes.length + 1 }, (_, replicate) => {
      const partition = Math.floor((replicate - 1) / 4)
      const isLeft = (image: number) =>
        replicate > 0 && groups.groupOf[image * 25 + partition] === replicate - 1
      const rest = values.filter((_, image) => !isLeft(image))
      return rest.reduce((sum, value) => sum + value, 0) / rest.length
    })
    const mean = replicates[0]
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 199
    const { standardError } = estimate(replicates, groups)!
    expect(standardError! / Math.sqrt(variance / 200)).toBeGreaterThan(0.85)
    expect(standardError! / Math.sqrt(variance / 200)).toBeLessThan(1.15)
  })
})

describe('means of replicates', () => {
  test('leave out what is undefined, replicate by replicate', () => {
    const groups = { ...leaveOneOut(2), groupOf: new Uint16Array(2) }
    const mean = createReplicateMean(groups)
    mean.add(Float64Array.of(1, 2, 3))
    mean.add(Float64Array.of(3, Number.NaN, 5))
    expect(mean.mean()).toEqual(Float64Array.of(2, 2, 4))
    expect(createReplicateMean(groups).mean()).toEqual(new Float64Array(3).fill(Number.NaN))
  })

  test('undefined statistics have no estimate', () => {
    const undefinedReplicates = new Float64Array(13).fill(Number.NaN)
    expect(estimate(undefinedReplicates, leaveOneOut(12))).toBeNull()
    expect(estimateDifference(undefinedReplicates, leaveOneOut(12))).toBeNull()
  })

  test('replicates without a value are ignored', () => {
    const replicates = Float64Array.from({ length: 13 }, (_, i) => (i === 5 ? Number.NaN : 1 + (i % 3)))
    const { interval } = estimate(replicates, leaveOneOut(12))!
    expect(Number.isFinite(interval!.lower) && Number.isFinite(interval!.upper)).toBe(true)
  })

  test('a difference without variation has no p-value unless it is 0', () => {
    const constant = new Float64Array(13).fill(2)
    expect(estimateDifference(constant, leaveOneOut(12))!.pValue).toBeNull()
    expect(estimateDifference(subtract(constant, constant), leaveOneOut(12))!.pValue).toBe(1)
  })
})
