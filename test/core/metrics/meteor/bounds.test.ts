import { describe, expect, test } from 'vitest'
import { createBounds } from '../../../../src/core/metrics/meteor/bounds.js'
import { findPhrases } from '../../../../src/core/metrics/meteor/paraphrases.js'
import {
  synsetsOfWord,
  wordsOfSameStem,
  wordsOfSameSynset,
} from '../../../../src/core/metrics/meteor/relations.js'
import type { ParaphraseTable } from '../../../../src/core/metrics/resources.js'
import { corpusOf, paraphrasesOf, TOY } from './kit.js'

const LIGHT = new Set(['a', 'car'])

/** Bounds for captions in which an exact match weighs 10, another 8, and half of that for `a` and `car`. */
function boundsOf(captions: readonly string[], table?: ParaphraseTable) {
  const corpus = corpusOf(captions)
  const { texts } = corpus
  return createBounds(
    {
      captions: corpus,
      sameStem: wordsOfSameStem(texts),
      sameSynset: wordsOfSameSynset(texts, (word) => synsetsOfWord(word, TOY.wordNet)),
      phrases: table && findPhrases(corpus, table),
    },
    {
      exact: Int32Array.from(texts, (text) => (LIGHT.has(text) ? 5 : 10)),
      inexact: Int32Array.from(texts, (text) => (LIGHT.has(text) ? 4 : 8)),
    },
  )
}

describe('limits', () => {
  test.each<[string, string, number[]]>([
    // matches, links, weight and least weight on the candidate's side, on the reference's
    ['a dog', 'a dog', [2, 1, 15, 5, 15, 5]],
    ['dog a', 'a dog', [2, 0, 15, 5, 15, 5]],
    // as often as both have the word
    ['a a dog', 'a a a dog', [3, 3, 20, 5, 20, 5]],
    ['x', 'x x', [1, 0, 10, 10, 10, 10]],
    // stem and synonym
    ['dogs', 'dog', [1, 0, 8, 8, 8, 8]],
    ['car x', 'auto car', [2, 0, 13, 5, 13, 5]],
    // a light word that a heavier one may be matched with instead
    ['car auto', 'car', [1, 0, 8, 8, 5, 5]],
    // words separated by a word without counterpart are not neighbours
    ['x y', 'x z y', [2, 0, 20, 10, 20, 10]],
  ])('%j against %j', (candidate, reference, expected) => {
    const bounds = boundsOf([candidate, reference])
    expect(bounds.setCandidate(0)).toBe(true)
    const limits = bounds.limit(1)
    expect([
      limits.matches,
      limits.links,
      limits.candidateWeight,
      limits.leastCandidateWeight,
      limits.referenceWeight,
      limits.leastReferenceWeight,
    ]).toEqual(expected)
  })

  test('nothing in common', () => {
    const bounds = boundsOf(['blue', 'green'])
    bounds.setCandidate(0)
    expect(bounds.limit(1)).toMatchObject({ matches: 0, links: 0, candidateWeight: 0, referenceWeight: 0 })
  })

  test('are exact for captions of 32 words, the longest that have any', () => {
    const words = Array.from({ length: 32 }, (_, i) => `w${i}`).join(' ')
    const bounds = boundsOf([words, words])
    expect(bounds.setCandidate(0)).toBe(true)
    expect(bounds.limit(1)).toMatchObject({ matches: 32, links: 31, candidateWeight: 320 })
  })
})

describe('no bounds', () => {
  test('for candidates of more than 32 words', () => {
    const bounds = boundsOf([Array(33).fill('a').join(' '), 'a', ''])
    expect([0, 1, 2].map((caption) => bounds.setCandidate(caption))).toEqual([false, true, true])
  })

  test('for captions with paraphrases', () => {
    expect(boundsOf(['x', 'y'], paraphrasesOf([['x', 'y']])).setCandidate(0)).toBe(false)
  })
})
