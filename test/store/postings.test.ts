import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCountedImageIds, readImageIds, reserveImageIds } from '../../src/store/images.js'
import {
  insertPostings,
  type Posting,
  readImageCounts,
  readWordImages,
  toPostings,
} from '../../src/store/postings.js'
import { readWordIds } from '../../src/store/words.js'
import { ALL_ENGINES, openTestDatabase } from '../kit/databases.js'
import { addDataset, failureOf, tokensOf } from './kit.js'

/** Number of ids in a block. */
const BLOCK_SIZE = 65_536

const WORDS = ['everywhere', 'often', 'rarely', 'once'] as const

/** Captions of enough images that searches for rare and frequent words need several steps. */
const CAPTIONS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Array.from({ length: 700 }, (_, image) => {
    const often = image % 3 === 0 ? ' often' : ''
    const rarely = image % 97 === 5 ? ' rarely' : ''
    const captions = [`everywhere${often}${rarely}`, `everywhere everywhere${often}`, 'everywhere']
    if (image === 600) captions[2] += ' once'
    return [`image ${image}`, image % 10 === 9 ? captions.slice(0, 2) : captions]
  }),
)

describe.each(ALL_ENGINES)('postings on %s', async (engine) => {
  const database = await openTestDatabase(engine)
  await addDataset(database, 'before', { images: { 1: ['everywhere'] }, captionsPerImage: 1 })
  // The first images are in one block and the others in the next.
  const firstImageId = BLOCK_SIZE - 300
  const { id: datasetId } = await addDataset(database, 'pets', {
    images: CAPTIONS,
    captionsPerImage: 3,
    vocabulary: { never: 'NN' },
    firstImageId,
  })
  const ids = await readImageIds(database, datasetId)
  const words = await readWordIds(database, datasetId)
  const wordIdOf = (word: string) => words.get(word) as number
  const counted = await readCountedImageIds(database, datasetId)
  const countIn = (image: string, word: string) =>
    CAPTIONS[image].filter((caption) => tokensOf(caption).includes(word)).length
  const expectedCounts = (word: string) =>
    Object.keys(CAPTIONS)
      .map((image) => ({ id: ids.get(image) as number, count: countIn(image, word) }))
      .filter(({ id }) => counted.includes(id))

  it('are in more than one block', () => {
    expect(new Set(Array.from(ids.values(), (id) => id >> 16)).size).toBe(2)
  })

  it('return the images of words with their counts, over all blocks', async () => {
    const found = await readImageCounts(database, [...WORDS, 'never'].map(wordIdOf))
    expect([...found.keys()].sort()).toEqual(WORDS.map(wordIdOf).sort())
    for (const word of WORDS) {
      const expected = expectedCounts(word).filter(({ count }) => count > 0)
      expect(found.get(wordIdOf(word)), word).toEqual({
        imageIds: Int32Array.from(expected, ({ id }) => id),
        captionCounts: Uint8Array.from(expected, ({ count }) => count),
      })
    }
    expect(await readImageCounts(database, [])).toEqual(new Map())
  })

  it('return pages of the images with and without each word', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...WORDS, 'never')),
        fc.constantFrom(undefined, 0, 1, 2, 3, 4),
        fc.constantFrom(undefined, 0, firstImageId, BLOCK_SIZE - 1, BLOCK_SIZE, BLOCK_SIZE + 250, 1e9),
        fc.constantFrom(undefined, 0, firstImageId + 9, BLOCK_SIZE, BLOCK_SIZE + 300, 1e9),
        fc.constantFrom(0, 1, 4, 300, 1000),
        fc.boolean(),
        async (texts, captionCount, after, before, limit, fromEnd) => {
          const expected = texts
            .map((word): [number, number[]] => [
              wordIdOf(word),
              expectedCounts(word)
                .filter(({ count }) => (captionCount === undefined ? count > 0 : count === captionCount))
                .map(({ id }) => id)
                .filter((id) => id > (after ?? 0) && id < (before ?? 1e9))
                .filter((_, index, { length }) => (fromEnd ? index >= length - limit : index < limit)),
            ])
            .filter(([, images]) => images.length > 0)
          const request = { limit, after, before, fromEnd }
          const found = await readWordImages(database, texts.map(wordIdOf), captionCount, request)
          expect(new Map([...found].map(([word, images]) => [word, [...images]]))).toEqual(new Map(expected))
        },
      ),
      { numRuns: 40 },
    )
  })

  it('return no images of unknown words', async () => {
    expect(await readWordImages(database, [9999], 0, { limit: 10 })).toEqual(new Map())
    expect(await readWordImages(database, [9999], undefined, { limit: 10 })).toEqual(new Map())
    expect(await readWordImages(database, [], 0, { limit: 10 })).toEqual(new Map())
  })

  it('can be written before their words, which must follow in the transaction', async () => {
    const imageId = await reserveImageIds(database, 1)
    const posting = { wordId: 9999, imageIds: Int32Array.of(imageId), captionCounts: Uint8Array.of(1) }
    const failure = await failureOf(database.transaction((session) => insertPostings(session, [posting])))
    expect(failure).toMatchObject({ kind: 'FOREIGN_KEY' })
    expect(await readImageCounts(database, [9999])).toEqual(new Map())
  })
})

describe('a page of images of a word', () => {
  it('requires the same number of statements for one and many words, and looks up postings by word and block', async () => {
    const statements: string[] = []
    const database = await openTestDatabase('sqlite', { onStatement: (text) => statements.push(text) })
    const { id } = await addDataset(database, 'pets', { images: CAPTIONS, captionsPerImage: 3 })
    const wordIds = [...(await readWordIds(database, id)).values()]
    for (const captionCount of [undefined, 0, 2]) {
      const count = async (of: readonly number[]) => {
        statements.length = 0
        await readWordImages(database, of, captionCount, { limit: 5 })
        return statements.length
      }
      expect(await count(wordIds)).toBeLessThanOrEqual(4)
      expect(await count(wordIds.slice(0, 2))).toBeGreaterThan(1)
    }
    const read = statements.find((text) => text.includes('block BETWEEN')) as string
    const plan = await database.all<{ detail: string }>({
      texts: `EXPLAIN QUERY PLAN ${read}`.split('?'),
      parameters: ['[1]', 0, 1],
    })
    expect(plan[0].detail).toContain('SEARCH posting USING INDEX')
    expect(plan[0].detail).toContain('(word_id=? AND block>? AND block<?)')
  })
})

describe('postings of counted words', () => {
  it('are split at words and blocks', () => {
    const counts = {
      words: Int32Array.of(0, 0, 0, 2, 3, 3),
      images: Int32Array.of(0, 1, 2, 2, 0, 3),
      captionCounts: Int32Array.of(1, 2, 3, 254, 5, 6),
    }
    const imageIds = Int32Array.of(7, BLOCK_SIZE - 1, BLOCK_SIZE, 3 * BLOCK_SIZE)
    const posting = (wordId: number, images: number[], captions: number[]): Posting => ({
      wordId,
      imageIds: Int32Array.from(images),
      captionCounts: Uint8Array.from(captions),
    })
    expect([...toPostings(counts, 100, imageIds)]).toEqual([
      posting(100, [7, BLOCK_SIZE - 1], [1, 2]),
      posting(100, [BLOCK_SIZE], [3]),
      posting(102, [BLOCK_SIZE], [254]),
      posting(103, [7], [5]),
      posting(103, [3 * BLOCK_SIZE], [6]),
    ])
  })

  it('are empty if nothing is counted', () => {
    const none = new Int32Array(0)
    expect([...toPostings({ words: none, images: none, captionCounts: none }, 1, none)]).toEqual([])
  })
})
