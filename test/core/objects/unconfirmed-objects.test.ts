import { expect, it } from 'vitest'
import { createWordVocabulary } from '../../../src/core/objects/object-mentions.js'
import type { ObjectVocabulary } from '../../../src/core/objects/object-vocabulary.js'
import { createUnconfirmedCounter } from '../../../src/core/objects/unconfirmed-objects.js'

const words = createWordVocabulary()
const numbersOf = (...names: string[]) => names.flatMap((name) => words.objectsNamed(name))

it('unconfirmed objects are counted as CHAIR counts mentions, beside how often people say them', () => {
  const counter = createUnconfirmedCounter(words)
  counter.add(7, {
    said: numbersOf('dog', 'cat', 'cat', 'car'),
    references: [numbersOf('dog', 'dog'), numbersOf('dog')],
    annotated: numbersOf('car'),
  })
  counter.add(9, { said: numbersOf('cat', 'bus'), references: [numbersOf('cat'), []], annotated: [] })
  counter.add(10, { said: numbersOf('bus', 'cat'), references: [[]], annotated: [] })
  expect(counter.list()).toEqual([
    {
      name: 'cat',
      mentionCount: 3,
      images: [7, 10],
      captionCount: 3,
      humanCaptionCount: 1,
      rate: 1,
      humanRate: 1 / 5,
    },
    {
      name: 'bus',
      mentionCount: 2,
      images: [9, 10],
      captionCount: 2,
      humanCaptionCount: 0,
      rate: 2 / 3,
      humanRate: 0,
    },
  ])
})

it('objects that are mentioned equally often are in the order of their names', () => {
  const counter = createUnconfirmedCounter(words)
  counter.add(1, { said: numbersOf('zebra', 'apple', 'kite'), references: [[]], annotated: [] })
  expect(counter.list().map(({ name }) => name)).toEqual(['apple', 'kite', 'zebra'])
})

it('objects are confirmed by their synonyms', () => {
  const vocabulary: ObjectVocabulary = { ...words, groupsOf: () => (object) => object % 2 }
  const counter = createUnconfirmedCounter(vocabulary)
  counter.add(1, { said: [2, 3], references: [[4]], annotated: [] })
  expect(counter.list().map(({ name }) => name)).toEqual([words.nameOf(3)])
})
