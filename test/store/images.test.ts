import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  countOfImages,
  findImage,
  findImages,
  type ImageFilter,
  pageOfImages,
  readCaptions,
  readCountedImageIds,
  readImageCounts,
  readImageIds,
  readReferenceCaptions,
  readWordImages,
} from '../../src/store/images.js'
import { readTokenTexts } from '../../src/store/tokens.js'
import { readWordIds } from '../../src/store/words.js'
import { sequence } from '../../src/text/sequences.js'
import { initWorld } from '../kit/seed.js'

const world = await initWorld()
const { database } = world
// A data set before and after, so that ids of images do not begin at 1 and words occur elsewhere.
await world.dataset('before', { images: { 1: ['a dog', 'a cat'], 2: ['cat', 'cat'] } })
const CAPTIONS: Readonly<Record<string, readonly string[]>> = {
  none: [],
  first: ['a dog', 'the dog runs', 'a cat'],
  'no images': [],
  'neither here': [],
  second: ['a cat', '...', 'a cat', 'a dog that is past the third'],
  few: ['a dog', 'dog'],
  third: ['the dog', 'the dog', 'the dog'],
  last: [],
}
const { row } = await world.dataset('pets', { images: CAPTIONS, captionsPerImage: 3 })
await world.dataset('after', { images: { first: ['a dog', 'a cat', 'a cat'] } })
const ids = readImageIds(database, row.id)
const words = readWordIds(database, row.id)
const counted = Object.keys(CAPTIONS).filter((image) => CAPTIONS[image].length >= 3)

/** How many of the first three captions of an image use a word. */
function captionsWith(image: string, word: string): number {
  return CAPTIONS[image].slice(0, 3).filter((caption) => caption.split(' ').includes(word)).length
}

const NAMED = { wordIds: '[1]', captionCount: 2, afterImageId: 0, limit: 10 }

describe('readWordImages', () => {
  it('gives the images of each word that brute force does, page by page', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(...words.keys())),
        fc.constantFrom(undefined, 0, 1, 2, 3),
        fc.constantFrom(0, ...ids.values()),
        fc.integer({ min: 0, max: 4 }),
        (texts, count, after, limit) => {
          const wordIds = texts.map((text) => words.get(text)!)
          const expected = texts
            .flatMap((text) =>
              counted
                .filter((image) => ids.get(image)! > after)
                .filter((image) =>
                  count === undefined ? captionsWith(image, text) > 0 : captionsWith(image, text) === count,
                )
                .slice(0, limit)
                .map((image) => ({ wordId: words.get(text)!, imageId: ids.get(image)! })),
            )
            .sort((one, other) => one.wordId - other.wordId || one.imageId - other.imageId)
          expect(readWordImages(database, wordIds, count, after, limit)).toEqual(expected)
        },
      ),
    )
  })

  it('gives no images of unknown words', () => {
    expect(readWordImages(database, [9999], 0, 0, 10)).toEqual([])
    expect(readWordImages(database, [9999], undefined, 0, 10)).toEqual([])
  })

  it('takes time by the page, not by the data set', () => {
    for (const [count, index] of [
      [undefined, 'PRIMARY KEY (word_id=?)'],
      [2, 'PRIMARY KEY (word_id=? AND caption_count=? AND image_id>?)'],
    ] as const) {
      const sql = statementOf(() => readWordImages(database, [1], count, 0, 10))
      const plan = database.connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(NAMED) as { detail: string }[]
      expect(plan.map(({ detail }) => detail).join('\n')).toContain(`SEARCH image_word USING ${index}`)
    }
  })
})

describe('image ids', () => {
  it('are those of the data set in the order of the file', () => {
    expect([...ids.keys()]).toEqual(Object.keys(CAPTIONS))
    expect([...ids.values()]).toEqual([...ids.values()].sort((one, other) => one - other))
  })

  it('that are counted have K captions or more', () => {
    expect([...readCountedImageIds(database, row.id)]).toEqual(counted.map((image) => ids.get(image)))
    expect([...readCountedImageIds(database, 9999)]).toEqual([])
  })

  it('of a word have the number of captions', () => {
    const counts = readImageCounts(database, words.get('dog')!)
    expect(Object.fromEntries(counts)).toEqual({ [ids.get('first')!]: 2, [ids.get('third')!]: 3 })
  })
})

describe('captions', () => {
  it('as references keep images without any at the start, in the middle and at the end', () => {
    const { imageIds, firstCaption, sequences } = readReferenceCaptions(database, row.id)
    const texts = readTokenTexts(database)
    const captionsOf = (image: number) =>
      Array.from({ length: firstCaption[image + 1] - firstCaption[image] }, (_, index) =>
        Array.from(sequence(sequences, firstCaption[image] + index), (token) => texts[token]).join(' '),
      )
    expect([...imageIds]).toEqual([...ids.values()])
    expect(firstCaption.length).toBe(imageIds.length + 1)
    expect(Array.from(imageIds, (_, image) => captionsOf(image))).toEqual(
      Object.values(CAPTIONS).map((captions) => captions.map((caption) => caption.replace('...', ''))),
    )
  })

  it('as references of a data set without any, and of none', () => {
    const empty = readReferenceCaptions(database, 9999)
    expect([empty.imageIds.length, [...empty.firstCaption], empty.sequences.tokens.length]).toEqual([
      0,
      [0],
      0,
    ])
  })

  it('come by image and position, as they were written', async () => {
    const wanted = ['third', 'none', 'second'].map((image) => ids.get(image)!)
    const rows = await readCaptions(database, wanted)
    expect(rows.map(({ imageId, position, text }) => [imageId, position, text])).toEqual(
      ['second', 'third'].flatMap((image) =>
        CAPTIONS[image].map((text, position) => [ids.get(image), position, text]),
      ),
    )
    expect(rows.every(({ tokens }) => Buffer.isBuffer(tokens))).toBe(true)
  })
})

describe('images', () => {
  it.each<[ImageFilter, string[]]>([
    [{}, Object.keys(CAPTIONS)],
    [{ externalIds: null, word: null, minCaptionCount: null }, Object.keys(CAPTIONS)],
    [{ externalIds: ['third', 'first', 'unknown', "'"] }, ['first', 'third']],
    [{ externalIds: [] }, []],
    [{ word: 'dog' }, ['first', 'third']],
    [{ word: 'unicorn' }, []],
    [{ minCaptionCount: 3 }, counted],
    [{ minCaptionCount: 1, word: 'cat', externalIds: ['second', 'third'] }, ['second']],
  ])('that pass the filter %j', async (filter, expected) => {
    const page = await pageOfImages(database, row.id, filter, { limit: 100, fromEnd: false })
    expect(page.rows.map(({ row: image }) => image.externalId)).toEqual(expected)
    expect(await countOfImages(database, row.id, filter)).toBe(expected.length)
  })

  it('by external id and by id', async () => {
    const first = await findImage(database, row.id, 'first')
    expect(first).toMatchObject({ id: ids.get('first'), fileName: 'first.jpg', width: 640, captionCount: 3 })
    expect(await findImage(database, row.id, 'First')).toBeNull()
    expect(await findImages(database, [first!.id, 9999])).toEqual([first])
  })
})

/** The SQL of the last statement that is prepared meanwhile. */
function statementOf(act: () => unknown): string {
  const { connection } = database
  const { prepare } = connection
  let statement = ''
  connection.prepare = ((sql: string) => {
    statement = sql
    return prepare.call(connection, sql)
  }) as typeof prepare
  try {
    act()
  } finally {
    connection.prepare = prepare
  }
  return statement
}
