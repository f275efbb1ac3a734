import { describe, expect, test } from 'vitest'
import { createAligner } from '../../../../src/core/metrics/meteor/alignment-search.js'
import { findPhrases } from '../../../../src/core/metrics/meteor/paraphrases.js'
import { MODULES } from '../../../../src/core/metrics/meteor/proposals.js'
import {
  synsetsOfWord,
  wordsOfSameStem,
  wordsOfSameSynset,
} from '../../../../src/core/metrics/meteor/relations.js'
import type { ParaphraseTable } from '../../../../src/core/metrics/resources.js'
import { corpusOf, paraphrasesOf, TOY } from './kit.js'

/** The matches as `candidate words = reference words (module)`, words by position. */
function align(candidate: string, reference: string, table?: ParaphraseTable): string[] {
  const captions = corpusOf([candidate, reference])
  const { texts } = captions
  const aligner = createAligner({
    captions,
    sameStem: wordsOfSameStem(texts),
    sameSynset: wordsOfSameSynset(texts, (word) => synsetsOfWord(word, TOY.wordNet)),
    phrases: table && findPhrases(captions, table),
  })
  aligner.setCandidate(0)
  const chosen = aligner.align(1)
  const { starts, lengths, referenceLengths, modules } = aligner.matches
  const span = (start: number, length: number) => Array.from({ length }, (_, i) => start + i).join('+')
  return Array.from(chosen.subarray(0, captions.offsets[2] - captions.offsets[1]), (match, j) =>
    match < 0
      ? []
      : `${span(starts[match], lengths[match])}=${span(j, referenceLengths[match])} ${MODULES[modules[match]]}`,
  ).flat()
}

describe('words', () => {
  test.each<[string, string, string[]]>([
    ['red car', 'car red', ['1=0 exact', '0=1 exact']],
    ['dogs run', 'dog runs', ['0=0 stem', '1=1 stem']],
    ['auto', 'car', ['0=0 synonym']],
    ['blue', 'green', []],
    ['', 'a b', []],
    ['a b', '', []],
    // fewest chunks: the second "a" goes with "cat"
    ['a dog a cat', 'a cat', ['2=0 exact', '3=1 exact']],
    // most covered words, though in three chunks
    ['a b c', 'c b a', ['2=0 exact', '1=1 exact', '0=2 exact']],
    // exact before stem if both match
    ['runs run', 'run', ['1=0 exact']],
    // a stem match covers nothing during the search, so it is not chosen if it costs a chunk …
    ['run x running y', 'run runs', ['0=0 exact']],
    ['running x run', 'run run', ['2=0 exact']],
    // … and chosen if it does not
    ['run running', 'run run', ['0=0 exact', '1=1 stem']],
  ])('%j against %j', (candidate, reference, matches) => {
    expect(align(candidate, reference)).toEqual(matches)
  })

  test('the first of equal alignments is used', () => {
    expect(align('x a y a z', 'q a r')).toEqual(['1=1 exact'])
  })

  test('identical captions match word by word', () => {
    const caption = 'a man and a man and a dog'
    expect(align(caption, caption)).toEqual(caption.split(' ').map((_, i) => `${i}=${i} exact`))
  })
})

describe('phrases', () => {
  const table = paraphrasesOf([
    ['in front of', 'before'],
    ['next to', 'near'],
    ['near', 'close to'],
    ['two', 'a pair of'],
    ['not in the corpus', 'near'],
  ])
  test.each<[string, string, string[]]>([
    ['in front of it', 'before it', ['0+1+2=0 paraphrase', '3=1 exact']],
    ['before it', 'in front of it', ['0=0+1+2 paraphrase', '1=3 exact']],
    ['close to it', 'near it', ['0+1=0 paraphrase', '2=1 exact']],
    ['a pair of cars', 'two cars', ['0+1+2=0 paraphrase', '3=1 exact']],
    // a shorter match of words that covers as much stays open to the longer one
    ['next to him', 'next to him now', ['0=0 exact', '1=1 exact', '2=2 exact']],
    // one word, two phrases that want it: the first proposed
    ['near', 'next to close to', ['0=2+3 paraphrase']],
    ['in front', 'before', []],
    // identical captions: exact matches alone
    ['next to near', 'next to near', ['0=0 exact', '1=1 exact', '2=2 exact']],
  ])('%j against %j', (candidate, reference, matches) => {
    expect(align(candidate, reference, table)).toEqual(matches)
  })
})

describe('abuse', () => {
  test('more paths than the beam size', () => {
    const matches = align(Array(12).fill('a b').join(' '), Array(12).fill('b a').join(' '))
    expect(matches).toHaveLength(24)
    expect(new Set(matches.map((match) => match.split('=')[0])).size).toBe(24)
  })

  test('thousands of times the same word', () => {
    const matches = align(Array(5_000).fill('a').join(' '), `${Array(4_999).fill('a').join(' ')} b`)
    expect(matches).toHaveLength(4_999)
  })
})
