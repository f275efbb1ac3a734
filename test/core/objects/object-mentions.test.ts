import { describe, expect, it } from 'vitest'
import {
  createPublishedVocabulary,
  createWordVocabulary,
  type GivenWords,
} from '../../../src/core/objects/object-mentions.js'
import { mentionSequences, type ObjectVocabulary } from '../../../src/core/objects/object-vocabulary.js'
import {
  OBJECT_WORDS,
  OTHER_COMPOUNDS,
  pluralsOf,
  QUALIFIERS,
} from '../../../src/core/objects/object-words.js'
import { tokenize } from '../../../src/core/text/tokenizer.js'

const CATEGORIES = [...OBJECT_WORDS.keys()]
const own = createWordVocabulary()
const objectsIn = (caption: string, vocabulary: ObjectVocabulary = own) => {
  const texts = tokenize(caption)
  const tokens = Int32Array.from(texts.keys())
  const corpus = { tokens, offsets: Int32Array.of(0, tokens.length), texts, written: [caption] }
  return Array.from(mentionSequences(corpus, vocabulary).tokens, (object) => vocabulary.nameOf(object))
}

describe('objects that captions mention', () => {
  it.each([
    ['Two dogs and a puppy chase a ball.', ['dog', 'dog', 'sports ball']],
    ['A man, a woman and three children', ['person', 'person', 'person']],
    ['People on benches near buses', ['person', 'bench', 'bus']],
    ['a hot dog and hot dogs', ['hot dog', 'hot dog']],
    ['a teddy bear beside a bear', ['teddy bear', 'bear']],
    ['a baby elephant, a baby', ['elephant', 'person']],
    ['a baby', ['person']],
    ['passenger trains and a passenger', ['train', 'person']],
    ['the train tracks at a train station', []],
    ['a tennis player with a tennis racquet', ['person', 'tennis racket']],
    ['geese, sheep, oxen and mice', ['bird', 'sheep', 'cow', 'mouse']],
    ['a red double decker bus', ['bus', 'bus']],
    ['a knife, two knives, scissors', ['knife', 'knife', 'scissors']],
    ['toilet seat up', ['toilet']],
    ['cell phones on the dining tables', ['cell phone', 'dining table']],
    ['the catch of the day', []],
    ['', []],
  ])('%s', (caption, objects) => {
    expect(objectsIn(caption)).toEqual(objects)
  })

  it('are of 80 categories, whose names stand for themselves', () => {
    expect(CATEGORIES).toHaveLength(80)
    for (const category of CATEGORIES) expect(objectsIn(`a ${category}.`), category).toEqual([category])
  })

  it('have words of one category each', () => {
    const words = [...OBJECT_WORDS.values()].flat()
    expect(words.filter((word, index) => words.indexOf(word) < index)).toEqual([])
    const others = [...Object.values(OTHER_COMPOUNDS), ...Object.values(QUALIFIERS).flat()]
    for (const name of others) if (name !== null) expect(CATEGORIES).toContain(name)
  })

  it.each([
    ['dining table', ['dining table']],
    ['Sofa', ['couch']],
    ['people', ['person']],
    ['a sofa', []],
    ['sky', []],
  ])('are named %s by annotations', (name, objects) => {
    expect(own.objectsNamed(name).map(own.nameOf)).toEqual(objects)
  })
})

describe('words of a file', () => {
  const given: GivenWords = {
    words: new Map([
      ['bus', ['bus']],
      ['racket', ['tennis racket', ' racket']],
      ['cup', ['cup', 'Toilet Seat']],
    ]),
    hash: '0123456789abcdef',
  }

  it('take the place of ours, with our plurals and compounds', () => {
    const vocabulary = createWordVocabulary(given)
    expect(objectsIn('A bus, buses, a bus stop, a dog.', vocabulary)).toEqual(['bus', 'bus'])
    expect(objectsIn('tennis rackets and a toilet seat', vocabulary)).toEqual(['racket', 'cup'])
    expect(vocabulary.parameters).toEqual({ objects: 'coco80', words: 'file-01234567' })
  })

  it('are found as the published program finds them: no bus, and a racket for a tennis racket', () => {
    const vocabulary = createPublishedVocabulary(given)
    expect(objectsIn('A bus and buses.', vocabulary)).toEqual(['bus'])
    expect(objectsIn('A cup, cups.', vocabulary)).toEqual(['cup', 'cup'])
    expect(vocabulary.parameters).toEqual({
      objects: 'coco80',
      words: 'file-01234567',
      mode: 'CHAIR-compatible',
    })
    expect(vocabulary.objectsNamed('bus').map(vocabulary.nameOf)).toEqual(['bus'])
    expect(vocabulary.objectsNamed('buses')).toEqual([])
  })
})

it.each([
  ['dog', ['dogs']],
  ['bus', ['buses', 'busses']],
  ['bench', ['benches']],
  ['puppy', ['puppies']],
  ['donkey', ['donkeys']],
  ['wine glass', ['wine glasses']],
  ['policeman', ['policemen']],
  ['person', ['people', 'persons']],
])('the plural of %s is %j', (noun, plurals) => {
  expect(pluralsOf(noun)).toEqual(plurals)
})
