import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalizeCorpus, normalizeLine } from '../../../../src/core/metrics/meteor/normalize.js'
import { corpusOf, textOf } from './kit.js'

describe('a line', () => {
  test.each([
    ['a man rides a horse', 'a man rides a horse'],
    ['', ''],
    // hyphens inside words, once per pair of words
    ['a t-shirt', 'a t shirt'],
    ['one-way', 'one way'],
    ['a-b-c', 'a b-c'],
    ['co-op--op', 'co op op'],
    // contractions: the apostrophe is joined to the right part inside a word, separate before a word
    ["a man's hat", "a man 's hat"],
    ["a man 's hat", "a man ' s hat"],
    ["it does n't", "it does n 't"],
    ["1990's cars", "1990 's cars"],
    ["5' tall", "5 ' tall"],
    ["dogs' toys", "dogs ' toys"],
    // symbols, commas and brackets from the tokenizer
    ['$5 & -lrb- x -rrb-', '$ 5 & -lrb- x -rrb-'],
    ['1,000 sheep', '1,000 sheep'],
    ['red,white', 'red , white'],
    ['3/4', '3 / 4'],
    ['caf\u00e9 \u65e5', 'caf\u00e9 \u65e5'],
    ['\u{1f600}x', '\u{1f600} x'],
    ['\u2018a\u2019 \u201cb\u201d', '\' a \' " b "'],
    // dots: removed in acronyms, unchanged before lower case, split off at the end
    ['in the u.s. today', 'in the us today'],
    ['at 5 a.m.', 'at 5 am'],
    ['st. mary', 'st. mary'],
    ['on main st.', 'on main st .'],
    ['pp. 5', 'pp. 5'],
    ['pp. x', 'pp. x'],
    ['st. 5', 'st . 5'],
    ['city vs.', 'city vs.'],
    ['wait... what', 'wait ... what'],
  ])('%j reads %j', (line, words) => {
    expect(normalizeLine(line).join(' ')).toBe(words)
  })
})

describe('a corpus', () => {
  const word = fc.string({ unit: fc.constantFrom(...'ab1.,\'`-_\u2019"'), minLength: 1, maxLength: 4 })

  test('every caption is normalized like its line', () => {
    fc.assert(
      fc.property(fc.array(fc.array(word, { maxLength: 6 }), { minLength: 1, maxLength: 4 }), (captions) => {
        const lines = captions.map((words) => words.join(' '))
        const corpus = normalizeCorpus(corpusOf(lines))
        lines.forEach((line, caption) => {
          expect(textOf(corpus, caption)).toBe(normalizeLine(line).join(' '))
        })
      }),
    )
  })

  test('each word has one id', () => {
    const { texts } = normalizeCorpus(corpusOf(['a t-shirt', 'a shirt', 't. a']))
    expect(texts).toEqual([...new Set(texts)])
  })
})

describe('abuse', () => {
  test('captions grow when words split', () => {
    const corpus = normalizeCorpus(corpusOf([Array(500).fill('a-b').join(' '), '', '$'.repeat(2000)]))
    expect(Array.from(corpus.offsets)).toEqual([0, 1000, 1000, 3000])
  })

  test('a corpus without captions has no words', () => {
    expect(Array.from(normalizeCorpus(corpusOf([])).offsets)).toEqual([0])
  })
})
