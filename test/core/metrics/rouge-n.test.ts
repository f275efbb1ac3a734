import { describe, expect, test } from 'vitest'
import { rougeN } from '../../../src/core/metrics/rouge-n.js'
import { testProperties } from './properties.js'
import { longCaption, score } from './trials.js'

const NAMES = ['ROUGE-1', 'ROUGE-2', 'ROUGE-3', 'ROUGE-4']

describe('hand-checked cases', () => {
  test.each([
    { case: 'equal', candidate: 'a b c d', references: ['a b c d'], expected: [1, 1, 1, 1] },
    {
      case: 'matches and totals add up over references',
      candidate: 'a b c a',
      references: ['a b d', 'a a b e'],
      expected: [(2 + 3) / (3 + 4), (1 + 1) / (2 + 3), 0, 0],
    },
    {
      case: 'a reference weighs as much as it has n-grams',
      candidate: 'a',
      references: ['a', 'b c d e f'],
      expected: [1 / 6, 0, 0, 0],
    },
    {
      case: 'each n-gram counts as often as both have it',
      candidate: 'a a a b',
      references: ['a a b b'],
      expected: [3 / 4, 2 / 3, 1 / 2, 0],
    },
    { case: 'extra words cost nothing', candidate: 'x a b y', references: ['a b'], expected: [1, 1, 0, 0] },
    { case: 'an empty candidate', candidate: '', references: ['a b c d'], expected: [0, 0, 0, 0] },
    { case: 'references without n-grams', candidate: 'a b', references: ['', 'a'], expected: [1, 0, 0, 0] },
    { case: 'all empty', candidate: '', references: [''], expected: [0, 0, 0, 0] },
  ])('$case', ({ candidate, references, expected }) => {
    const { images } = score(rougeN, [{ candidate, references }])
    NAMES.forEach((name, index) => {
      expect(images[0][name], name).toBeCloseTo(expected[index], 14)
    })
  })

  test('the corpus score is the mean over images', () => {
    const { corpus } = score(rougeN, [
      { candidate: 'a b', references: ['a b'] },
      { candidate: 'a', references: ['a b c d'] },
    ])
    expect(corpus['ROUGE-1']).toBe((1 + 1 / 4) / 2)
  })
})

describe('properties', () => testProperties(rougeN))

describe('abuse', () => {
  test('captions of 10,000 words', () => {
    const long = longCaption(10_000, 50)
    const { corpus } = score(rougeN, [{ candidate: long, references: [long, long] }])
    expect(NAMES.map((name) => corpus[name])).toEqual([1, 1, 1, 1])
  })
})
