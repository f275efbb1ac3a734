import { describe, expect, test } from 'vitest'
import { bleu } from '../../../src/core/metrics/bleu.js'
import { testProperties } from './properties.js'
import { longCaption, score, writeTrial } from './trials.js'

/** Tolerance for the constant 1e-9 in the denominators with these small counts. */
const DIGITS = 8

describe('hand-checked cases', () => {
  test.each([
    {
      case: 'a candidate equal to a reference',
      candidate: 'a dog on the grass',
      references: ['a cat', 'a dog on the grass'],
      expected: [1, 1, 1, 1],
    },
    {
      case: 'clipping to the reference that has a word most often (Papineni 2002, section 2.1)',
      candidate: 'the the the the the the the',
      references: ['the cat is on the mat', 'there is a cat on the mat'],
      expected: [2 / 7],
    },
    {
      case: 'clipping takes the best single reference, not their sum',
      candidate: 'a a a b',
      references: ['a a c d', 'a b c d'],
      expected: [3 / 4, Math.sqrt((3 / 4) * (2 / 3))],
    },
    {
      case: 'a brevity penalty for a short candidate',
      candidate: 'a b c d',
      references: ['a b c d e'],
      expected: Array(4).fill(Math.exp(1 - 5 / 4)),
    },
    {
      case: 'of two references equally close in length the shorter counts',
      candidate: 'a b c d',
      references: ['a b c d e', 'a b c'],
      expected: [1, 1, 1, 1],
    },
    {
      case: 'the closest reference length, not the shortest',
      candidate: 'a b c d',
      references: ['a', 'a b c d e'],
      expected: Array(4).fill(Math.exp(1 - 5 / 4)),
    },
    { case: 'nothing in common', candidate: 'x y z v', references: ['a b c d'], expected: [0, 0, 0, 0] },
    { case: 'an empty candidate', candidate: '', references: ['a b'], expected: [0, 0, 0, 0] },
    { case: 'an empty reference', candidate: 'a b', references: [''], expected: [0, 0, 0, 0] },
    { case: 'both empty', candidate: '', references: [''], expected: [0, 0, 0, 0] },
  ])('$case', ({ candidate, references, expected }) => {
    const { corpus, images } = score(bleu, [{ candidate, references }])
    expected.forEach((value, index) => {
      expect(images[0][`BLEU-${index + 1}`]).toBeCloseTo(value, DIGITS - 1)
      expect(corpus[`BLEU-${index + 1}`]).toBe(images[0][`BLEU-${index + 1}`])
    })
  })

  test('the smoothing constants of the toolkit replace orders without a match', () => {
    const { images } = score(bleu, [{ candidate: 'a c', references: ['a b'] }])
    const unigrams = (1 + 1e-15) / (2 + 1e-9)
    const bigrams = 1e-15 / (1 + 1e-9)
    expect(images[0]['BLEU-2']).toBeCloseTo(Math.sqrt(unigrams * bigrams), 15)
    expect(images[0]['BLEU-2']).toBeGreaterThan(2e-8)
  })

  test('a corpus sums counts and lengths before dividing', () => {
    const { corpus } = score(bleu, [
      { candidate: 'a x', references: ['a b c'] },
      { candidate: 'a b c y', references: ['a b c'] },
    ])
    expect(corpus['BLEU-1']).toBeCloseTo(4 / 6, DIGITS)
    expect(corpus['BLEU-2']).toBeCloseTo(Math.sqrt((4 / 6) * (2 / 4)), DIGITS)
  })

  test('a token with a no-break space is two words', () => {
    const { images } = score(bleu, [{ candidate: '22\u00a03/4 street', references: ['22 3/4 street'] }])
    expect(images[0]['BLEU-3']).toBeCloseTo(1, DIGITS)
  })
})

describe('properties', () => testProperties(bleu))

describe('abuse', () => {
  test('captions of 10,000 words', () => {
    const long = longCaption(10_000, 50)
    const { corpus } = score(bleu, [{ candidate: long, references: [long, 'a b'] }])
    expect(corpus['BLEU-4']).toBeCloseTo(1, DIGITS)
  })

  test('an image without references is refused', () => {
    const { corpus, trial } = writeTrial([
      { candidate: 'a', references: ['a'] },
      { candidate: 'b', references: [] },
    ])
    expect(() => bleu.measure(bleu.prepare(corpus), trial)).toThrow(
      'image 1 of the trial: an image without references has no score: expected at least one reference',
    )
  })
})
