import { beforeAll, expect, it } from 'vitest'
import { readVocabularyWords } from '../../../src/services/datasets/vocabulary.js'
import { requireSystems } from '../../../src/services/systems/systems.js'
import { placeWords } from '../../../src/services/words/word-places.js'
import { findImage } from '../../../src/store/images.js'
import { initWorld, type SeededDataset } from '../../kit/seed.js'

const world = await initWorld()
let zoo: SeededDataset
beforeAll(async () => {
  zoo = await world.dataset('zoo', {
    images: {
      1: ['A dog.', 'A dog.'],
      2: ['A dog.', 'A cat.'],
      3: ['A cat.', 'A cat.'],
      4: ['A bird.', 'A dog.'],
    },
    vocabulary: { dog: 'NN', cat: 'NN' },
  })
  await zoo.scoreSystem('all', Object.fromEntries([1, 2, 3, 4].map((id) => [id, { dog: id, cat: id / 2 }])))
  await zoo.scoreSystem('some', { 2: { dog: 7 }, 4: { dog: 8, cat: 9 } })
})

/** Words on the images 2 and 4, which are places 0 and 1. */
async function placedOn(name: string) {
  const { database } = world
  const [system] = await requireSystems(world.accord, zoo.row, [name])
  const words = await readVocabularyWords(database, zoo.row)
  const found = await Promise.all(['2', '4'].map((id) => findImage(database, zoo.row.id, id)))
  const imageIds = Int32Array.from(found, (image) => image?.id as number)
  const placed = []
  for await (const { word, images, scores } of placeWords(database, system, words, imageIds)) {
    placed.push({
      word: word.text,
      used: Array.from(images.images, (place, i) => [place, images.counts[i]]),
      scores: scores && Array.from(scores.images, (place, i) => [place, scores.scores[i]]),
    })
  }
  return placed
}

it('images of words and scores are those of the images that count, by their place among them', async () => {
  expect(await placedOn('all')).toEqual([
    {
      word: 'dog',
      used: [
        [0, 1],
        [1, 1],
      ],
      scores: [
        [0, 2],
        [1, 4],
      ],
    },
    {
      word: 'cat',
      used: [[0, 1]],
      scores: [
        [0, 1],
        [1, 2],
      ],
    },
  ])
})

it('words of different images have their own places', async () => {
  const placed = await placedOn('some')
  expect(placed.map(({ word, scores }) => [word, scores])).toEqual([
    [
      'dog',
      [
        [0, 7],
        [1, 8],
      ],
    ],
    ['cat', [[1, 9]]],
  ])
})
