import { describe, expect, it } from 'vitest'
import { createReplicateMean } from '../../../src/core/stats/jackknife.js'
import { createRandom } from '../../../src/core/stats/random.js'
import {
  drawSubsets,
  rarefiedEstimate,
  type Subsets,
  subsetSize,
} from '../../../src/core/stats/rarefaction.js'

/** The mean of values over the images without each group. */
function meansWithout(values: readonly number[], { groups: { groupOf, partitions, sizes } }: Subsets) {
  const sums = new Float64Array(sizes.length + 1)
  values.forEach((value, image) => {
    for (let partition = 0; partition < partitions; partition++) {
      const own = groupOf[image * partitions + partition]
      const other = 2 * partition + (own % 2 === 0 ? 1 : 0)
      sums[other + 1] += value
    }
  })
  return sums.map((sum, replicate) =>
    replicate === 0 ? Number.NaN : sum / (values.length - sizes[replicate - 1]),
  )
}

describe('subsets', () => {
  it.each([
    [19, null],
    [20, 10],
    [99, 20],
    [100, 50],
    [124, 50],
    [1000, 500],
    [5000, 2000],
  ])('of %i images have %s', (imageCount, size) => {
    expect(subsetSize(imageCount)).toBe(size)
    expect(drawSubsets(imageCount, 1)?.size ?? null).toBe(size)
  })

  it('of a division are disjoint, and have as many images as they should', () => {
    const { groups, size, disjoint } = drawSubsets(37, 1)!
    expect(disjoint).toBe(3)
    const members = (partition: number) =>
      Array.from({ length: 37 }, (_, image) => image).filter(
        (image) => groups.groupOf[image * groups.partitions + partition] === 2 * partition,
      )
    for (let first = 0; first < groups.partitions; first += disjoint) {
      const all = [0, 1, 2].flatMap((subset) => members(first + subset))
      expect(all).toHaveLength(disjoint * size)
      expect(new Set(all).size).toBe(disjoint * size)
    }
  })
})

describe('a rarefied mean', () => {
  it('of a plain mean has the standard error of the mean of all images', () => {
    const random = createRandom(1)
    const values = Array.from({ length: 400 }, () => random.next())
    const subsets = drawSubsets(400, 1)!
    const { value, standardError, interval } = rarefiedEstimate(meansWithout(values, subsets), subsets, true)!
    const mean = values.reduce((sum, one) => sum + one, 0) / 400
    expect(Math.abs(value - mean)).toBeLessThan(0.01)
    // The standard deviation of a uniform number is √(1/12).
    expect(standardError! / Math.sqrt(1 / 12 / 400)).toBeGreaterThan(0.6)
    expect(standardError! / Math.sqrt(1 / 12 / 400)).toBeLessThan(1.4)
    expect(interval!.lower).toBeLessThan(value)
    expect(interval!.upper).toBeGreaterThan(value)
  })

  it('that is the same for all subsets has no interval; without a value in one of them it is null', () => {
    const subsets = drawSubsets(40, 1)!
    const constant = new Float64Array(subsets.groups.sizes.length + 1).fill(0.5)
    expect(rarefiedEstimate(constant, subsets, true)).toMatchObject({
      value: 0.5,
      interval: null,
      undefinedReason: 'NO_VARIATION',
    })
    const empty = createReplicateMean(subsets.groups).mean()
    expect(rarefiedEstimate(empty, subsets, true)).toBeNull()
  })
})
