import { describe, expect, test } from 'vitest'
import { fMeasure } from '../../../src/core/metrics/rouge-l.js'
import { rougeS } from '../../../src/core/metrics/rouge-s.js'
import { testProperties } from './properties.js'
import { longCaption, score } from './trials.js'

describe('hand-checked cases', () => {
  test.each([
    ['equal', 'a dog runs', ['a dog runs'], 1],
    ['3 of 6 pairs (Lin 2004, S2)', 'police kill the gunman', ['police killed the gunman'], 3 / 6],
    ['1 of 6 pairs (Lin 2004, S3)', 'the gunman kill police', ['police killed the gunman'], 1 / 6],
    ['2 of 6 pairs (Lin 2004, S4)', 'the gunman police killed', ['police killed the gunman'], 2 / 6],
    ['words 4 positions apart are a pair', 'a 1 2 3 b', ['a b'], fMeasure(1 / 10, 1)],
    ['words 5 positions apart are none', 'a 1 2 3 4 b', ['a b'], 0],
    ['the order of the two words counts', 'b a', ['a b'], 0],
    ['a pair counts as often as both have it', 'a b b', ['a b'], fMeasure(1 / 3, 1)],
    [
      'best precision and best recall of different references',
      'a b c',
      ['a b', 'a b c d'],
      fMeasure(3 / 3, 1),
    ],
    ['one word has no pair', 'a', ['a'], 0],
    ['an empty candidate', '', ['a b'], 0],
    ['an empty reference', 'a b', [''], 0],
  ])('%s', (_, candidate, references, expected) => {
    const { images } = score(rougeS, [{ candidate, references }])
    expect(images[0]['ROUGE-S']).toBeCloseTo(expected, 14)
  })

  test('the corpus score is the mean over images', () => {
    const { corpus } = score(rougeS, [
      { candidate: 'a b', references: ['a b'] },
      { candidate: 'b a', references: ['a b'] },
    ])
    expect(corpus['ROUGE-S']).toBe(0.5)
  })
})

describe('properties', () => testProperties(rougeS))

describe('abuse', () => {
  test('captions of 10,000 words', () => {
    const long = longCaption(10_000, 50)
    const { corpus } = score(rougeS, [{ candidate: long, references: ['a b', long] }])
    expect(corpus['ROUGE-S']).toBe(1)
  })
})
