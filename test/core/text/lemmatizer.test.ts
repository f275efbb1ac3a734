import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createLemmatizer, type Lemmatizer } from '../../../src/core/text/lemmatizer.js'
import { readLexicon } from '../../../src/formats/english/english.js'

let lemmaOf: Lemmatizer
beforeAll(() => {
  lemmaOf = createLemmatizer(readLexicon())
})

describe('createLemmatizer', () => {
  it.each([
    [
      'NN',
      'dog:dog grass:grass bus:bus glass:glass people:people man:man tennis:tennis xylograph-x:xylograph-x',
    ],
    ['NNS', 'dogs:dog buses:bus boxes:box dishes:dish benches:bench berries:berry toys:toy knives:knife'],
    ['NNS', 'men:man women:woman policemen:policeman children:child people:people mice:mouse geese:goose'],
    ['NNS', 'feet:foot teeth:tooth leaves:leaf sheep:sheep skies:sky skis:ski tomatoes:tomato photos:photo'],
    ['NNS', 'glasses:glasses pants:pants scissors:scissors arms:arm steps:step lights:light'],
    ['NNS', 'emojis:emoji vloggers:vlogger snowmobilers:snowmobiler blorxes:blorx'],
    ['NNP', 'london:london'],
    ['VB', 'ride:ride be:be lay:lay found:found'],
    ['VBP', 'are:be have:have ride:ride'],
    ['VBZ', "rides:ride has:have is:be does:do goes:go flies:fly catches:catch 's:be s:be"],
    ['VBD', 'sat:sit was:be rode:ride stopped:stop walked:walk saw:see found:find put:put'],
    ['VBN', 'ridden:ride been:be parked:park covered:cover eaten:eat set:set left:leave tied:tie'],
    ['VBG', 'riding:ride sitting:sit lying:lie laying:lay skiing:ski being:be eating:eat vlogging:vlog'],
    ['JJ', 'good:good parked:parked red:red'],
    ['JJR', 'better:good bigger:big larger:large happier:happy'],
    ['JJS', 'best:good biggest:big largest:large'],
    ['RB', "slowly:slowly n't:not"],
    ['MD', "ca:can wo:will 'll:will 'd:would"],
    ['POS', "'s:'s"],
    ['DT', 'a:a these:these'],
    ['PRP', 'them:them'],
  ])('%s: %s', (tag, pairs) => {
    const actual = pairs.split(' ').map((pair) => {
      const [word] = pair.split(':')
      return `${word}:${lemmaOf(word, tag)}`
    })
    expect(actual.join(' ')).toBe(pairs)
  })

  it('returns a lemma for any word and tag', () => {
    const words = fc.oneof(
      fc.string(),
      fc.constantFrom('', 's', 'es', 'ing', 'ed', '__proto__', 'constructor', '👍'),
    )
    const tags = fc.constantFrom(
      'NN',
      'NNS',
      'VBZ',
      'VBG',
      'VBN',
      'VBD',
      'JJR',
      'JJS',
      'RBR',
      '',
      'constructor',
    )
    fc.assert(
      fc.property(words, tags, (word, tag) => {
        const lemma = lemmaOf(word, tag)
        expect(typeof lemma).toBe('string')
        expect(lemma === '').toBe(word === '')
      }),
    )
  })

  it('takes a long word', () => {
    expect(lemmaOf(`${'x'.repeat(1_000_000)}s`, 'NNS')).toHaveLength(1_000_000)
  })
})
