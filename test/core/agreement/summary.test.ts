import { describe, expect, it } from 'vitest'
import { definedMean, definedMeanByGroup } from '../../../src/core/agreement/words.js'

describe('definedMean', () => {
  it.each([
    { values: [1, 2, 6], expected: { mean: 3, defined: 3, total: 3 } },
    { values: [1, null, 0], expected: { mean: 0.5, defined: 2, total: 3 } },
    { values: [null, null], expected: { mean: null, defined: 0, total: 2 } },
    { values: [], expected: { mean: null, defined: 0, total: 0 } },
  ])('of $values', ({ values, expected }) => {
    expect(definedMean(values)).toEqual(expected)
  })
})

describe('definedMeanByGroup', () => {
  it('computes the mean of each group, in the order of their first item', () => {
    const words = [
      { tag: 'VB', precision: 0.2 },
      { tag: 'NN', precision: 0.5 },
      { tag: 'VB', precision: 0.4 },
      { tag: 'JJ', precision: null },
      { tag: 'NN', precision: null },
    ]
    const groups = definedMeanByGroup(
      words,
      ({ tag }) => tag,
      ({ precision }) => precision,
    )
    expect([...groups.keys()]).toEqual(['VB', 'NN', 'JJ'])
    expect(groups.get('VB')!.mean).toBeCloseTo(0.3, 12)
    expect(groups.get('NN')).toEqual({ mean: 0.5, defined: 1, total: 2 })
    expect(groups.get('JJ')).toEqual({ mean: null, defined: 0, total: 1 })
  })
})
