import { describe, expect, it } from 'vitest'
import { CATEGORIES, createObjectFinder, mentionsIn } from '../../../src/core/objects/object-mentions.js'
import {
  OBJECT_WORDS,
  OTHER_COMPOUNDS,
  pluralsOf,
  QUALIFIERS,
} from '../../../src/core/objects/object-words.js'
import { tokenize } from '../../../src/core/text/tokenizer.js'

const find = createObjectFinder()
const objectsIn = (caption: string) => mentionsIn(tokenize(caption), find).map((object) => CATEGORIES[object])

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
    const words = Object.values(OBJECT_WORDS).flatMap((list) => list.split(', '))
    expect(words.filter((word, index) => words.indexOf(word) < index)).toEqual([])
    const others = [...Object.values(OTHER_COMPOUNDS), ...Object.values(QUALIFIERS).flat()]
    for (const name of others) if (name !== null) expect(CATEGORIES).toContain(name)
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
