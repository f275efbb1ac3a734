import { expect, it } from 'vitest'
import { createPublishedFinder } from '../../../src/core/objects/published-chair.js'

/** Some of the published words. */
const find = createPublishedFinder(
  new Map([
    ['person', ['person', 'man', 'child', 'baby', 'adult', 'passenger']],
    ['dog', ['dog', 'puppy']],
    ['train', ['train']],
    ['bus', ['bus']],
    ['tie', ['tie']],
    ['bowl', ['bowl']],
    ['wine glass', ['wine glass']],
    ['toilet', ['toilet']],
    ['chair', ['chair', 'seat']],
    ['dining table', ['dining table', 'table']],
    ['traffic light', ['traffic light', 'stop light']],
    ['tennis racket', ['tennis racket', 'racket']],
    ['knife', ['knife']],
    ['sheep', ['sheep']],
  ]),
)

it.each([
  ['Men, children and dogs.', ['person', 'person', 'dog']],
  ['knives beside sheep', ['knife', 'sheep']],
  // Compounds of two words, once.
  ['two stop lights', ['traffic light']],
  ['a wine glass', ['wine glass']],
  ['wine glasses', ['wine glass']],
  ['a bow tie and a tie', ['tie', 'tie']],
  ['a passenger train', ['train']],
  ['a passenger of a train', ['person', 'train']],
  ['a baby dog and a baby', ['dog', 'person']],
  ['a train track', []],
  // A seat is none beside a toilet.
  ['a toilet with its seat', ['toilet']],
  ['a toilet seat', ['toilet']],
  ['a seat', ['chair']],
  // What follows from the singular of Pattern.
  ['a bus and buses', ['bus']],
  ['a tennis racket', ['tennis racket']],
  ["the dogs' bowls", ['dog', 'bowl']],
  ["a dog's bowl", ['dog', 'bowl']],
  ['', []],
])('of %j the published program finds %j', (caption, objects) => {
  expect(find(caption).map(({ object }) => object)).toEqual(objects)
})

it('has the words that stand for objects', () => {
  expect(find('A puppy, tennis rackets and a dining table.')).toEqual([
    { word: 'puppy', object: 'dog' },
    { word: 'racket', object: 'tennis racket' },
    // Alone of all compounds it is not looked up as one.
    { word: 'table', object: 'dining table' },
  ])
})
