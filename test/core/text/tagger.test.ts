import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createPennTagger, type PennTagger } from '../../../src/core/text/tagger.js'
import { readLexicon, readTaggerModel } from '../../../src/formats/english/english.js'
import { TAGGED_CAPTIONS } from './tagged-captions.js'

const TAGS = new Set(
  (
    'CC CD DT EX FW IN JJ JJR JJS LS MD NN NNP NNPS NNS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH ' +
    "VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB $ . , : `` '' -LRB- -RRB-"
  ).split(' '),
)

/** Share of the words of {@link TAGGED_CAPTIONS} that must get the tag. */
const MIN_ACCURACY = 0.97

let tagger: PennTagger
beforeAll(() => {
  tagger = createPennTagger(readTaggerModel(), readLexicon())
})

const tag = (caption: string) => tagger(caption.split(' ')).join(' ')

describe('createPennTagger', () => {
  it('tags captions', () => {
    const wrong: string[] = []
    let words = 0
    for (const caption of TAGGED_CAPTIONS) {
      const tags = tagger(caption.map(({ word }) => word))
      words += caption.length
      caption.forEach(({ word, tag }, i) => {
        if (tags[i] !== tag) wrong.push(`${word}/${tag} as ${tags[i]}`)
      })
    }
    expect(TAGGED_CAPTIONS.length).toBeGreaterThanOrEqual(60)
    expect(wrong.length, wrong.join(', ')).toBeLessThanOrEqual((1 - MIN_ACCURACY) * words)
  })

  it.each([
    ['two bears sit on a rock', 'CD NNS VBP IN DT NN'],
    ['a tree bears fruit', 'DT NN VBZ NN'],
    ['the leaves are red', 'DT NNS VBP JJ'],
    ['he leaves', 'PRP VBZ'],
    ['a place to park', 'DT NN TO VB'],
    ['a park', 'DT NN'],
    ['is reading', 'VBZ VBG'],
  ])('depends on the context: %s', (caption, tags) => {
    expect(tag(caption)).toBe(tags)
  })

  it('tags words that neither WordNet nor the training data have', () => {
    expect(tag('two blorkers glorping near a frindle')).toBe('CD NNS VBG IN DT NN')
  })

  it('gives unknown words no tag of a closed class', () => {
    const unknown = fc.stringMatching(/^zq[a-z]{1,12}$/)
    fc.assert(
      fc.property(unknown, (word) => {
        expect(tag(`a man with ${word}`).split(' ')[3]).toMatch(/^(?:NN|VB|JJ|RB|CD|FW|UH|SYM)/)
      }),
    )
  })

  it('tags punctuation as itself', () => {
    expect(tag(". ? , : ; -- `` '' -lrb- -rrb-")).toBe(". . , : : : `` '' -LRB- -RRB-")
  })

  it('tags numbers and symbols', () => {
    expect(tagger(['a', 'bus', 'at', '12:30', '👍'])).toEqual(['DT', 'NN', 'IN', 'CD', expect.any(String)])
  })

  it.each([
    [[], []],
    [['a'], ['DT']],
  ])('tags %j', (sentence, tags) => {
    expect(tagger(sentence)).toEqual(tags)
  })

  it('returns a Penn Treebank tag for any token', () => {
    const tokens = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        'constructor',
        '__proto__',
        'toString',
        '',
        ' ',
        '\t',
        '\n',
        '-',
        '👩‍👩‍👧',
        '\ud800',
        '\u0301',
      ),
    )
    fc.assert(
      fc.property(fc.array(tokens), (sentence) => {
        const tags = tagger(sentence)
        expect(tags).toHaveLength(sentence.length)
        for (const tag of tags) expect(TAGS).toContain(tag)
      }),
    )
  })

  it('tags very long captions and words', () => {
    const caption = Array.from({ length: 60_000 }, (_, i) => (i % 2 === 0 ? 'a' : `dog${i}`))
    expect(tagger(caption)).toHaveLength(60_000)
    expect(tagger(['a', 'x'.repeat(1_000_000)])).toEqual(['DT', 'NN'])
  })

  it('depends on the sentence alone, whatever was tagged before', () => {
    const captions = TAGGED_CAPTIONS.map((caption) => caption.map(({ word }) => word))
    const forwards = captions.map((caption) => tagger(caption))
    const other = createPennTagger(readTaggerModel(), readLexicon())
    const backwards = captions.toReversed().map((caption) => other(caption))
    expect(backwards.toReversed()).toEqual(forwards)
  })
})
