import { describe, expect, test } from 'vitest'
import {
  synsetsOfWord,
  type WordLists,
  wordsOfSameStem,
  wordsOfSameSynset,
} from '../../../../src/core/metrics/meteor/relations.js'
import { TOY, wordNetOf } from './kit.js'

function related(texts: readonly string[], { items, offsets }: WordLists): Record<string, string[]> {
  return Object.fromEntries(
    texts.map((text, word) => [
      text,
      Array.from(items.subarray(offsets[word], offsets[word + 1]), (other) => texts[other]).sort(),
    ]),
  )
}

test('words of the same stem, never the word itself', () => {
  const texts = ['run', 'running', 'runs', 'ran', 'skis', 'ski', 'general', 'generically']
  expect(related(texts, wordsOfSameStem(texts))).toEqual({
    run: ['running', 'runs'],
    running: ['run', 'runs'],
    runs: ['run', 'running'],
    ran: [],
    skis: ['ski'],
    ski: ['skis'],
    general: [],
    generically: [],
  })
})

test('words that share a synset, by any of their senses and base forms', () => {
  const texts = ['cars', 'auto', 'railcar', 'men', 'people', 'soul', 'person']
  expect(
    related(
      texts,
      wordsOfSameSynset(texts, (word) => synsetsOfWord(word, TOY.wordNet)),
    ),
  ).toEqual({
    cars: ['auto', 'railcar'],
    auto: ['cars'],
    railcar: ['cars'],
    men: ['person'],
    people: [],
    soul: ['person'],
    person: ['men', 'soul'],
  })
})

test('an empty list of words has no relations', () => {
  expect(wordsOfSameStem([]).items).toHaveLength(0)
  expect(wordsOfSameSynset([], (word) => synsetsOfWord(word, TOY.wordNet)).items).toHaveLength(0)
})

describe('the synsets of a word', () => {
  const wordNet = wordNetOf(
    {
      bus: [1],
      box: [2],
      church: [3],
      bush: [4],
      fireman: [5],
      city: [6],
      bake: [7],
      walk: [8],
      tall: [9],
      nice: [10],
      glass: [11],
      glas: [12],
      is: [13],
      i: [14],
      comic_strip: [15],
      comic: [16],
      walking: [17],
      ox: [18],
    },
    { comics: ['comic_strip'], oxen: ['ox', 'unknown'], lost: ['unknown'] },
  )
  test.each([
    ['bus', [1]],
    ['boxes', [2]],
    ['churches', [3]],
    ['bushes', [4]],
    ['firemen', [5]],
    ['cities', [6]],
    ['baked', [7]],
    ['baking', [7]],
    ['walked', [8]],
    ['taller', [9]],
    ['nicest', [10]],
    // its own and those of its base form
    ['walking', [17, 8]],
    // not reduced: double s, two letters
    ['glass', [11]],
    ['is', [13]],
    // irregular forms have precedence over the rules
    ['comics', [15]],
    ['oxen', [18]],
    ['lost', []],
    ['nothing', []],
    ['', []],
    ['toString', []],
  ])('%s', (word, synsets) => {
    expect(synsetsOfWord(word, wordNet)).toEqual(synsets)
  })
})
