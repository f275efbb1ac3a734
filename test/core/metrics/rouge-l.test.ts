import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fMeasure, rougeL } from '../../../src/core/metrics/rouge-l.js'
import { testProperties } from './properties.js'
import { longCaption, score } from './trials.js'

function rouge(candidate: string, ...references: string[]): number {
  return score(rougeL, [{ candidate, references }]).images[0]['ROUGE-L']
}

describe('hand-checked cases', () => {
  test.each([
    ['equal', 'a dog runs', ['a dog runs'], 1],
    [
      'one word of four differs (Lin 2004, S2)',
      'police kill the gunman',
      ['police killed the gunman'],
      3 / 4,
    ],
    ['order matters (Lin 2004, S3)', 'the gunman kill police', ['police killed the gunman'], 2 / 4],
    [
      'one subsequence at a time (Lin 2004, S4)',
      'the gunman police killed',
      ['police killed the gunman'],
      2 / 4,
    ],
    ['words can be in between', 'a b c', ['a x b y c'], fMeasure(1, 3 / 5)],
    ['recall weighs more than precision', 'a x b y c', ['a b c'], fMeasure(3 / 5, 1)],
    [
      'the best precision and the best recall of different references',
      'a b',
      ['a', 'a b c d'],
      fMeasure(1, 1),
    ],
    ['repeated words', 'a a a', ['a a'], fMeasure(2 / 3, 1)],
    ['nothing in common', 'a b', ['c d'], 0],
    ['an empty candidate', '', ['a b'], 0],
    ['an empty reference', 'a b', [''], 0],
    ['two empty captions match, as in the toolkit', '', ['a b', ''], 1],
  ])('%s', (_, candidate, references, expected) => {
    expect(rouge(candidate, ...references)).toBeCloseTo(expected, 14)
  })

  test('F weighs recall by 1.2²', () => {
    expect(fMeasure(0.5, 1)).toBeCloseTo((2.44 * 0.5) / (1 + 1.44 * 0.5), 15)
    expect([fMeasure(0, 1), fMeasure(1, 0), fMeasure(0, 0)]).toEqual([0, 0, 0])
  })

  test('the corpus score is the mean over images', () => {
    const { corpus } = score(rougeL, [
      { candidate: 'a b', references: ['a b'] },
      { candidate: 'a b', references: ['c d'] },
    ])
    expect(corpus['ROUGE-L']).toBe(0.5)
  })
})

describe('properties', () => {
  testProperties(rougeL)

  test('the longest common subsequence is that of the table of all prefixes, for captions of any length', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 150 })
    fc.assert(
      fc.property(words, words, (candidate, reference) => {
        const common = longestCommonSubsequence(candidate, reference)
        expect(rouge(candidate.join(' '), reference.join(' '))).toBeCloseTo(
          fMeasure(common / candidate.length, common / reference.length),
          14,
        )
      }),
    )
  })

  test.each([30, 31, 32, 61, 62, 63, 93])('a candidate of %i words equals itself', (length) => {
    const caption = longCaption(length, 7)
    expect(rouge(caption, 'w1', caption)).toBe(1)
  })
})

describe('abuse', () => {
  test('captions of 10,000 words, few and many different', () => {
    expect(rouge(longCaption(10_000, 40), longCaption(10_000, 40))).toBe(1)
    expect(rouge(longCaption(10_000, 9_000), longCaption(10_000, 9_000))).toBe(1)
  })

  test('a long candidate does not affect the next image', () => {
    const { images } = score(rougeL, [
      { candidate: longCaption(500, 20), references: ['w1 w2 w3'] },
      { candidate: 'w1 x', references: ['w1 w2 w3'] },
      { candidate: '', references: ['w1 w2 w3'] },
    ])
    expect(images[1]['ROUGE-L']).toBeCloseTo(fMeasure(1 / 2, 1 / 3), 14)
    expect(images[2]['ROUGE-L']).toBe(0)
  })
})

function longestCommonSubsequence(left: readonly string[], right: readonly string[]): number {
  const table = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0))
  for (let i = 1; i <= left.length; i++) {
    for (let j = 1; j <= right.length; j++) {
      table[i][j] =
        left[i - 1] === right[j - 1] ? table[i - 1][j - 1] + 1 : Math.max(table[i - 1][j], table[i][j - 1])
    }
  }
  return table[left.length][right.length]
}
