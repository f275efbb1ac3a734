import { describe, expect, it } from 'vitest'
import { pearsonAndSpearman } from '../../../src/core/stats/correlation.js'

const of = (...values: number[]) => Float64Array.from(values)

describe('correlate', () => {
  it.each<[string, number[], number[], number | null, number | null]>([
    ['a line', [1, 2, 3], [3, 5, 7], 1, 1],
    ['a falling line', [1, 2, 3], [7, 5, 3], -1, -1],
    ['a curve', [1, 2, 3, 4], [1, 8, 27, 64], 0.95137, 1],
    ['ties', [1, 2, 2, 3, 5], [2, 1, 4, 4, 3], 0.32872, 0.39474],
    ['a constant', [1, 1, 1], [1, 2, 3], null, null],
    ['one value', [1], [2], null, null],
    ['no value', [], [], null, null],
  ])('of %s', (_what, one, other, pearson, spearman) => {
    const found = pearsonAndSpearman(of(...one), of(...other))
    for (const [value, expected] of [
      [found.pearson, pearson],
      [found.spearman, spearman],
    ]) {
      if (expected === null) expect(value).toBeNull()
      else expect(value).toBeCloseTo(expected as number, 4)
    }
  })
})
