import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Lexicon } from '../../../src/core/text/lemmatizer.js'
import { createTagger, partOfSpeechOf, type Tagger, tagWords } from '../../../src/core/text/part-of-speech.js'
import { readLexicon, readTaggerModel } from '../../../src/formats/english/english.js'
import { PARTS_OF_SPEECH, type PartOfSpeech } from '../../../src/shared/choices.js'

describe('partOfSpeechOf', () => {
  it.each([
    ['NN', 'NN NNS NNP NNPS'],
    ['VB', 'VB VBD VBG VBN VBP VBZ'],
    ['JJ', 'JJ JJR JJS'],
    ['DT', 'DT PDT'],
    ['PRP', 'PRP PRP$'],
    ['IN', 'IN'],
    ['OTHER', 'RB RBR CC CD MD TO RP WDT WP WRB EX FW UH POS SYM . , : `` -LRB- nonsense'],
  ])('%s for %s', (partOfSpeech, pennTags) => {
    for (const tag of pennTags.split(' ')) expect(partOfSpeechOf(tag)).toBe(partOfSpeech)
  })
})

/** Without words: the sentences alone decide. */
const NO_LEXICON: Lexicon = { countOf: () => undefined, basesOf: () => [] }

describe('tagWords', () => {
  it('returns the most frequent tag of each word', () => {
    const tags: Record<string, PartOfSpeech[]> = { 'a walk': ['DT', 'NN'], 'they walk': ['PRP', 'VB'] }
    const tagger: Tagger = (sentence) => tags[sentence.join(' ')]
    const sentences = ['they walk', 'a walk', 'they walk'].map((sentence) => sentence.split(' '))
    expect(tagWords(tagger, NO_LEXICON, sentences)).toEqual(
      new Map([
        ['they', 'PRP'],
        ['walk', 'VB'],
        ['a', 'DT'],
      ]),
    )
  })

  it('resolves ties by the order of PARTS_OF_SPEECH, for any order of sentences', () => {
    const tagOf = fc.shuffledSubarray([...PARTS_OF_SPEECH], { minLength: 1 })
    fc.assert(
      fc.property(tagOf, (tags) => {
        const next = tags.values()
        const tagger: Tagger = (sentence) => sentence.map(() => next.next().value!)
        const isOther = tags.length === 1
        const first = PARTS_OF_SPEECH.find((tag) => tags.includes(tag) && (isOther || tag !== 'OTHER'))
        expect(
          tagWords(
            tagger,
            NO_LEXICON,
            tags.map(() => ['word']),
          ).get('word'),
        ).toBe(first)
      }),
    )
  })

  it.each([
    ['WordNet decides between equally frequent tags', ['JJ', 'NN'], 'JJ'],
    ['OTHER needs more than half of the votes', ['OTHER', 'OTHER', 'JJ', 'NN'], 'JJ'],
    ['the sentences outvote WordNet', ['JJ', 'NN', 'NN'], 'NN'],
    ['OTHER with more than half of the votes', ['OTHER', 'OTHER', 'OTHER', 'JJ'], 'OTHER'],
  ] as const)('%s', (_, tags, expected) => {
    const next = tags.values()
    const tagger: Tagger = (sentence) => sentence.map(() => next.next().value!)
    const lexicon: Lexicon = {
      countOf: (_, wordClass) => ({ n: 3, a: 10, v: undefined, r: undefined })[wordClass],
      basesOf: () => [],
    }
    const sentences = tags.map(() => ['plain'])
    expect(tagWords(tagger, lexicon, sentences).get('plain')).toBe(expected)
  })

  it('returns no words without sentences', () => {
    expect(tagWords(() => [], NO_LEXICON, []).size).toBe(0)
    expect(tagWords(() => [], NO_LEXICON, [[]]).size).toBe(0)
  })
})

describe('createTagger', () => {
  let tagger: Tagger
  beforeAll(() => {
    tagger = createTagger(readTaggerModel(), readLexicon())
  })

  it('tags a caption', () => {
    expect(tagger('a young man is riding his horse on the beach'.split(' '))).toEqual(
      'DT JJ NN VB VB PRP NN IN DT NN'.split(' '),
    )
  })

  it('depends on the context of the word', () => {
    expect(tagger(['they', 'walk', 'home'])[1]).toBe('VB')
    expect(tagger(['a', 'walk'])[1]).toBe('NN')
  })

  it('returns a tag for any token', () => {
    const tokens = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom('constructor', '__proto__', '-lrb-', '``', '...', '25', '👍', 'é', '\u0301'),
    )
    fc.assert(
      fc.property(fc.array(tokens), (sentence) => {
        const tags = tagger(sentence)
        expect(tags).toHaveLength(sentence.length)
        for (const tag of tags) expect(PARTS_OF_SPEECH).toContain(tag)
      }),
    )
  })
})
