import { describe, expect, it } from 'vitest'
import type { Direction } from '../../src/store/engine/keyset.js'
import {
  findWord,
  findWords,
  findWordsOfTokens,
  listWords,
  pagedWords,
  readWordIds,
  type WordFilter,
  type WordOrderField,
  wordOrder,
} from '../../src/store/words.js'
import { ALL_ENGINES, openTestDatabase } from '../kit/databases.js'
import { addDataset } from './kit.js'

const ODD = '100% 100_ 100x c:\\dogs c:xdogs éclair eclair ñandú 犬小屋 犬 🐕🐕 🐕 _under %'.split(' ')

describe.each(ALL_ENGINES)('words on %s', async (engine) => {
  const database = await openTestDatabase(engine)
  // Of the words: "dog" in all captions of 1 and one of 2, "cat" in one of 2, "a" in three of 1 and 2, "unicorn" in none.
  const pets = await addDataset(database, 'pets', {
    images: { 1: ['a dog', 'a dog'], 2: ['a dog', 'cat'], 3: ['sleeping', 'sleeping'] },
    captionsPerImage: 2,
    vocabulary: { cat: 'NN', unicorn: 'NN', dog: 'NN', sleeping: 'VB' },
  })
  await addDataset(database, 'others', { images: { 1: ['a dog', 'cow'] }, captionsPerImage: 2 })
  const odd = await addDataset(database, 'odd', {
    images: { 1: ['odd'] },
    captionsPerImage: 1,
    vocabulary: Object.fromEntries(ODD.map((word) => [word, 'OTHER' as const])),
  })

  describe('filters of words', () => {
    it.each<[string, WordFilter, string]>([
      ['nothing', {}, 'cat unicorn dog sleeping a'],
      [
        'nulls',
        { vocabulary: 'ALL', partOfSpeech: null, startsWith: null, texts: null, imageCount: null },
        'cat unicorn dog sleeping a',
      ],
      ['the vocabulary', { vocabulary: 'IN' }, 'cat unicorn dog sleeping'],
      ['other words', { vocabulary: 'OUT' }, 'a'],
      ['a part of speech', { partOfSpeech: ['VB'] }, 'sleeping'],
      ['parts of speech', { partOfSpeech: ['VB', 'OTHER', 'PRP'] }, 'sleeping a'],
      ['no part of speech', { partOfSpeech: [] }, ''],
      ['texts', { texts: ['dog', 'cat', 'cow', ''] }, 'cat dog'],
      ['texts in any case', { texts: ['DOG', 'Cat'] }, 'cat dog'],
      ['no texts', { texts: [] }, ''],
      ['the number of images', { imageCount: { min: 2 } }, 'dog a'],
      ['no number of images', { imageCount: { min: 0 } }, 'cat unicorn dog sleeping a'],
      ['the number of captions', { captionCount: { min: 2 } }, 'dog sleeping a'],
      [
        'all at once',
        {
          vocabulary: 'IN',
          partOfSpeech: ['NN'],
          startsWith: 'd',
          texts: ['dog'],
          imageCount: { min: 2 },
          captionCount: { min: 3 },
        },
        'dog',
      ],
    ])('by %s', async (_, filter, expected) => {
      const words = expected.split(' ').filter((word) => word !== '')
      expect((await listWords(database, pets.id, filter)).map(({ text }) => text)).toEqual(words)
      expect(await pagedWords(database, pets.id, filter, wordOrder('RANK')).count()).toBe(words.length)
    })

    it.each([
      ['', [...ODD, 'odd']],
      ['100', ['100%', '100_', '100x']],
      ['100%', ['100%']],
      ['100_', ['100_']],
      ['%', ['%']],
      ['_', ['_under']],
      ['c', ['c:\\dogs', 'c:xdogs']],
      ['c:\\', ['c:\\dogs']],
      ['\\', []],
      ['é', ['éclair']],
      ['É', ['éclair']],
      ['E', ['eclair']],
      ['e', ['eclair']],
      ['犬', ['犬', '犬小屋']],
      ['🐕', ['🐕', '🐕🐕']],
      ['🐕🐕🐕', []],
      ["'; DROP TABLE word; --", []],
    ])('by the beginning %j', async (startsWith, expected) => {
      const words = await listWords(database, odd.id, { startsWith })
      expect(words.map(({ text }) => text).sort()).toEqual([...expected].sort())
      expect(await pagedWords(database, odd.id, { startsWith }, wordOrder('RANK')).count()).toBe(
        expected.length,
      )
    })

    it('finds nothing by an invalid prefix', async () => {
      expect(await listWords(database, odd.id, { startsWith: '\ud83d' })).toEqual([])
    })
  })

  describe('orders of words', () => {
    it.each<[WordOrderField, Direction | null, string]>([
      ['RANK', null, 'cat unicorn dog sleeping a'],
      ['RANK', 'DESC', 'a sleeping dog unicorn cat'],
      ['TEXT', null, 'a cat dog sleeping unicorn'],
      ['TEXT', 'DESC', 'unicorn sleeping dog cat a'],
      // a and dog tie: by id in the order's direction.
      ['IMAGE_COUNT', null, 'dog a sleeping cat unicorn'],
      ['IMAGE_COUNT', 'ASC', 'unicorn cat sleeping a dog'],
      ['CAPTION_COUNT', null, 'dog a sleeping cat unicorn'],
      // Precision and recall of unicorn are undefined.
      ['HUMAN_PRECISION', 'DESC', 'sleeping dog a cat unicorn'],
      ['HUMAN_PRECISION', 'ASC', 'cat a dog sleeping unicorn'],
      ['HUMAN_RECALL', null, 'sleeping dog a cat unicorn'],
      ['HUMAN_RECALL', 'ASC', 'cat a dog sleeping unicorn'],
    ])('by %s, direction %s', async (field, direction, expected) => {
      const request = { limit: 10, fromEnd: false }
      const page = await pagedWords(database, pets.id, {}, wordOrder(field, direction)).page(request)
      expect(page.rows.map(({ row }) => row.text).join(' ')).toBe(expected)
    })
  })

  describe('words by key', () => {
    it('by text within a dataset', async () => {
      const dog = await findWord(database, pets.id, 'dog')
      expect(dog).toMatchObject({ datasetId: pets.id, histogram: [1, 1, 1], imageCount: 2, captionCount: 3 })
      expect(await findWord(database, pets.id, 'Dog')).toEqual(dog)
      expect(await findWord(database, pets.id, 'cow')).toBeNull()
      expect((await readWordIds(database, pets.id)).get('dog')).toBe(dog!.id)
    })

    it('by id, including unknown and repeated ones', async () => {
      const ids = [...(await readWordIds(database, pets.id)).values()]
      const found = await findWords(database, [...ids, ids[0], 9999])
      expect(found.map(({ id }) => id).sort()).toEqual(ids.sort())
      expect(await findWords(database, [])).toEqual([])
    })

    it('by token, shared by several datasets', async () => {
      const dog = (await findWord(database, pets.id, 'dog'))!
      const found = await findWordsOfTokens(database, pets.id, [dog.tokenId, 9999])
      expect(found).toEqual([dog])
    })
  })
})
