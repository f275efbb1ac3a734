import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createDecision,
  createJudgement,
  type SceneGraph,
} from '../../../src/core/text/scene-graph/decisions.js'
import { openSceneGraphParser } from '../../../src/formats/english/english.js'

const parse = openSceneGraphParser()
const words = (caption: string) => caption.split(' ').filter((word) => word !== '')

/** A graph as text: "dog", "dog: brown" and "dog > on > beach", sorted; objects of other tuples are left out. */
function write({ objects, attributes, relations }: SceneGraph): string[] {
  const mentioned = new Set([
    ...attributes.map(([object]) => object),
    ...relations.flatMap(([subject, , object]) => [subject, object]),
  ])
  return [
    ...objects.filter((object) => !mentioned.has(object)),
    ...attributes.map((tuple) => tuple.join(': ')),
    ...relations.map((tuple) => tuple.join(' > ')),
  ].sort()
}

describe('the scene graph', () => {
  it.each([
    ['an object', 'a dog', ['dog']],
    ['attributes', 'a small white dog', ['dog: small', 'dog: white']],
    ['coordinated attributes', 'a black and white cow', ['cow: black', 'cow: white']],
    ['a shade of a color', 'a dark blue car', ['car: dark blue']],
    ['a number', 'two cats on a red couch', ['cat > on > couch', 'cat: 2', 'couch: red']],
    ['a verb with an object', 'a man rides a horse', ['man > ride > horse']],
    ['a progressive verb', 'a woman is holding an umbrella', ['woman > hold > umbrella']],
    ['a participle with a preposition', 'a boy sitting on a bench', ['boy > sit on > bench']],
    ['a verb without an object', 'a man is smiling', ['man: smiling']],
    ['a predicate', 'the sky is blue', ['sky: blue']],
    [
      'coordinated subjects',
      'trees and bushes growing on a lawn',
      ['bush > grow on > lawn', 'tree > grow on > lawn'],
    ],
    ['coordinated objects', 'a room with a bed and a chair', ['room > with > bed', 'room > with > chair']],
    [
      'coordinated verbs',
      'a man riding a horse and holding a flag',
      ['man > hold > flag', 'man > ride > horse'],
    ],
    ['a passive with an agent', 'a pizza is being eaten by a man', ['man > eat > pizza']],
    ['a passive with a place', 'a car parked in front of a house', ['car > park in front of > house']],
    ['a preposition of several words', 'a clock on top of a tower', ['clock > on top of > tower']],
    ['a quantity', 'a group of people on a beach', ['people > on > beach', 'people: group of']],
    ['a possessive', "the man 's hat is brown", ['hat: brown', 'man > have > hat']],
    ['a part', 'the wheels of a car', ['car > have > wheel']],
    ['clothes', 'a man in a red shirt', ['man > wear > shirt', 'shirt: red']],
    ['a relative clause', 'a woman who is reading a book', ['woman > read > book']],
    ['a relative clause without a pronoun', 'a couch the man is sitting on', ['man > sit on > couch']],
    ['a noun before a participle', 'a snow covered mountain', ['snow > cover > mountain']],
    ['compound nouns', 'a stop sign near a brick wall', ['stop sign > near > wall', 'wall: brick']],
    ['a chain of prepositions', 'a man with a dog on a leash', ['dog > on > leash', 'man > with > dog']],
    ['a reciprocal pronoun', 'two dogs playing with each other', ['dog > play with > dog', 'dog: 2']],
    ['a pronoun for a person', 'he throws a ball', ['man > throw > ball']],
    ['a noun that can be a verb', 'bear walking on rock', ['bear > walk on > rock']],
    ['a subject that can be a verb', 'one soldier holding flag', ['soldier > hold > flag']],
    ['a verb that can be a noun', 'boat sailing in water', ['boat > sail in > water']],
    [
      'a preposition that can be a noun',
      'white counter underneath windows',
      ['counter > under > window', 'counter: white'],
    ],
    [
      'a place of a verb after clothes',
      'a woman in a red apron cooking in a kitchen',
      ['apron: red', 'woman > cook in > kitchen', 'woman > in > apron'],
    ],
    ['a name that people write otherwise', 'a guy on a couch', ['person > on > couch']],
    ['a compound that people write otherwise', 'a cell phone on a table', ['cellphone > on > table']],
    ['a word that people write otherwise', 'a hotdog in a bun', ['hot dog > in > bun']],
    ['a place that people write otherwise', 'people on a side walk', ['people > on > sidewalk']],
    ['clothes that people write otherwise', 'a blue tshirt', ['t-shirt: blue']],
    ['an infinitive', 'a man trying to catch a frisbee', ['man > catch > frisbee']],
    ['an object that is absent', 'a street with no cars', ['street']],
    ['"there are"', 'there are three birds in the sky', ['bird > in > sky', 'bird: 3']],
    [
      'a second clause',
      'a child looks at a giraffe while eating a banana',
      ['child > eat > banana', 'child > look at > giraffe'],
    ],
  ])('has %s: %s', (_, caption, expected) => {
    expect(write(parse(words(caption)))).toEqual([...expected].sort())
  })

  it.each(['', 'running quickly', 'is very blue', 'of the', 'and', 'it is', 'under', 'two', 'each other'])(
    'of a caption without a noun is empty: "%s"',
    (caption) => {
      expect(parse(words(caption))).toEqual({ objects: [], attributes: [], relations: [] })
    },
  )

  it('names each tuple once, and all objects of tuples', () => {
    const { objects, attributes, relations } = parse(words('a red dog and a red dog on a mat on a mat'))
    for (const list of [objects, attributes, relations]) {
      expect(new Set(list.map((tuple) => JSON.stringify(tuple))).size).toBe(list.length)
    }
    const named = [...attributes.map(([object]) => object), ...relations.flatMap(([s, , o]) => [s, o])]
    expect(objects).toEqual(expect.arrayContaining(named))
  })

  it('abuse: any tokens, and very long captions', () => {
    const frequent = fc.constantFrom(
      ...[
        'a',
        'two',
        'dog',
        'dogs',
        'red',
        'and',
        'of',
        'with',
        'on',
        'is',
        'sitting',
        'covered',
        'that',
        'it',
      ],
      ...["'s", 'to', 'very', 'while', 'no', 'each', 'other', '__proto__', 'constructor', ' ', '👍'],
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(frequent, fc.string())), (caption) => {
        const { objects, attributes, relations } = parse(caption)
        const named = [...attributes.map(([object]) => object), ...relations.flatMap(([s, , o]) => [s, o])]
        expect(objects).toEqual(expect.arrayContaining(named))
        expect(parse(caption)).toEqual({ objects, attributes, relations })
      }),
      { numRuns: 100 },
    )
    for (const unit of ['dog and', 'red', 'dog on', 'it', 'sitting', "dog 's", 'dog']) {
      const caption = Array.from({ length: 5000 }, () => words(unit)).flat()
      expect(parse(caption).objects.length).toBeLessThanOrEqual(caption.length)
    }
  })
})

describe('createJudgement', () => {
  const decision = createDecision('x', '0 01')
  const weights: Readonly<Record<string, number>> = { 'x0 bad': -1, 'x0 good': 2, 'x1 bad here': 4 }
  const { choose } = createJudgement({
    weightOf: (feature) => weights[feature.join(' ')] ?? 0,
    variantsOf: () => [],
  })
  const optionsOf = (...readings: string[]) => readings.map((reading) => [reading, 'there'])

  it('chooses the option with the highest sum of weights, the first one among equals, once per situation', () => {
    expect(choose(decision, 'a', () => optionsOf('bad', 'good', 'none'))).toBe(1)
    expect(
      choose(decision, 'b', () => [
        ['good', 'here'],
        ['bad', 'here'],
      ]),
    ).toBe(1)
    expect(choose(decision, 'c', () => optionsOf('none', 'other'))).toBe(0)
    expect(choose(decision, 'a', () => expect.fail())).toBe(1)
  })

  it('does not mix decisions of different kinds', () => {
    expect(choose(createDecision('y', '0'), 'a', () => optionsOf('bad', 'good'))).toBe(0)
  })
})
