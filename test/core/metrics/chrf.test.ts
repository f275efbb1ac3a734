/** Expected figures are those of sacrebleu 2.6.0, `CHRF().sentence_score` and `corpus_score`, divided by 100. */
import { describe, expect, test } from 'vitest'
import { chrf } from '../../../src/core/metrics/chrf.js'
import type { MetricFamily } from '../../../src/core/metrics/metric.js'
import { testProperties } from './properties.js'
import { corpusOf, score, writeTrial } from './trials.js'

const family = chrf as unknown as MetricFamily

const CASES: readonly (readonly [string, string, readonly string[], number])[] = [
  ['equal', 'A man rides a horse.', ['A man rides a horse.'], 1],
  ['case and punctuation count', 'a man rides a horse', ['A man, rides a horse!'], 0.6597965990995549],
  ['blanks do not count', 'a man\u00a0rides\ta  horse\u001f.', ['aman rides a horse .'], 1],
  ['a zero-width no-break space is a character', 'a\ufeff man rides', ['a man rides'], 0.826093801436548],
  [
    'the best of several references, which is not the first',
    'two dogs run on grass',
    ['A cat sleeps.', 'Two dogs run across a lawn.', 'Dogs are running on the grass'],
    0.4017413199138082,
  ],
  ['shorter than six characters', 'dog', ['a dog', 'dogs'], 0.6886227544910178],
  ['n-grams that the reference does not have', 'a big dog', ['dog'], 0.7023643949930458],
  ['nothing in both', 'abcdefg', ['hijklmnop'], 0],
  ['an empty candidate', '', ['a dog'], 0],
  ['an empty reference', 'a dog', [''], 0],
  ['the first of equal references, for the sums', 'xyz', ['abc', 'defghij'], 0],
  ['Chinese', '一个男人骑着马。', ['一名男子骑马。', '有人骑着一匹马'], 0.20156655921437414],
  ['characters beyond 16 bits', 'a dog 🐕🐕 runs', ['🐕 a dog 🐕 runs'], 0.5906084656084657],
]

describe('chrF', () => {
  test.each(CASES)('%s', (_, candidate, references, expected) => {
    const { images, corpus } = score(family, [{ candidate, references }])
    expect(images[0].chrF).toBeCloseTo(expected, 14)
    expect(corpus.chrF).toBe(images[0].chrF)
  })

  test('the corpus score is that of the summed counts', () => {
    const { corpus, images } = score(
      family,
      CASES.map(([, candidate, references]) => ({ candidate, references })),
    )
    expect(corpus.chrF).toBeCloseTo(0.6322640057826981, 14)
    expect(images.map(({ chrF }) => chrF)).toEqual(
      CASES.map(([, , , expected]) => expect.closeTo(expected, 14)),
    )
  })

  test('needs captions as they are written', () => {
    const { written: _, ...tokens } = corpusOf(['a dog'])
    expect(() => chrf.prepare(tokens)).toThrow('chrF reads captions as they are written')
  })

  test('counts of one image are cleared before the next', () => {
    const { corpus, trial } = writeTrial([
      { candidate: 'aaaa', references: ['bbbb'] },
      { candidate: 'bbbb', references: ['aaaa'] },
    ])
    expect(
      Math.max(...chrf.measure(chrf.prepare(corpus), trial).filter((_, column) => column % 3 === 2)),
    ).toBe(0)
  })
})

describe('properties', () => {
  testProperties(family, { takesFirst: true })
})
