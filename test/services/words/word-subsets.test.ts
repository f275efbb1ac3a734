import { expect, it } from 'vitest'
import { wordsOfSubsets } from '../../../src/services/words/word-subsets.js'
import { initWorld } from '../../kit/seed.js'

const world = await initWorld()
await world.dataset('animals', {
  captionsPerImage: 2,
  images: {
    1: ['A dog is running on the grass.', 'The dog is playing with a ball in the park.'],
    2: ['A cat is sleeping on the sofa.', 'There is a dog behind the cat.'],
    3: ['A dog is sitting in the car.'],
    4: ['Ein Hund läuft über die Wiese.', 'Der Hund spielt mit einem Ball.'],
  },
})
const WORDS = 'dog cat ball grass park sofa car the a is hund wiese'.split(' ')

it('words that are named are listed for each subset, all of them, over its images with K captions', async () => {
  const options = { dataset: 'animals', field: 'language', words: WORDS }
  const rows = await wordsOfSubsets(world.accord, options)
  expect(rows.map(({ subset, word }) => [subset, word])).toEqual(
    ['de', 'en'].flatMap((subset) => WORDS.map((word) => [subset, word])),
  )
  const histogramOf = (language: string, text: string) =>
    rows.find(({ subset, word }) => subset === language && word === text)?.histogram
  expect([histogramOf('en', 'dog'), histogramOf('en', 'car')]).toEqual([
    [0, 1, 1],
    [2, 0, 0],
  ])
  expect(histogramOf('de', 'hund')).toEqual([0, 0, 1])
  expect(await wordsOfSubsets(world.accord, { ...options, top: 2 })).toHaveLength(4)
})

it('words that are not named are the ten that most images of a subset use', async () => {
  const rows = await wordsOfSubsets(world.accord, { dataset: 'animals', field: 'language' })
  for (const language of ['de', 'en']) {
    const own = rows.filter(({ subset }) => subset === language)
    const unused = own.map(({ histogram }) => histogram[0])
    expect(own).toHaveLength(10)
    expect(unused).toEqual(unused.toSorted((one, other) => one - other))
    expect(Math.max(...unused)).toBeLessThan(own[0].imageCount)
  }
})
