import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/store/database.js'
import type { Word } from '../../src/store/entities.js'
import type { Direction, Page, PageRequest, Position } from '../../src/store/keyset.js'
import { findWords, pageOfWords, type WordOrderField, wordOrder } from '../../src/store/words.js'

const FIELDS = ['RANK', 'TEXT', 'IMAGE_COUNT', 'CAPTION_COUNT', 'HUMAN_PRECISION', 'HUMAN_RECALL'] as const

/** What the orders read of a word: few different values, so that there are ties. */
type Sorted = Pick<
  Word,
  'text' | 'vocabularyRank' | 'imageCount' | 'captionCount' | 'humanPrecision' | 'humanRecall'
>

const figure = fc.constantFrom(null, 0, 1 / 3, 0.1 + 0.2, 1)
const sortedWord: fc.Arbitrary<Sorted> = fc.record({
  text: fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'B', 'é', '_', '\uffff', '🐕') }),
  vocabularyRank: fc.constantFrom(null, null, 1, 2, 3),
  imageCount: fc.integer({ min: 0, max: 2 }),
  captionCount: fc.integer({ min: 0, max: 2 }),
  humanPrecision: figure,
  humanRecall: figure,
})
const sortedWords = fc.uniqueArray(sortedWord, { selector: ({ text }) => text, maxLength: 12 })
const anyOrder = fc.record({
  field: fc.constantFrom(...FIELDS),
  direction: fc.constantFrom<Direction>('ASC', 'DESC'),
})

let database: Database
beforeAll(async () => {
  database = await openDatabase(':memory:')
})
afterAll(() => database.close())
beforeEach(() => insertWords([]))

describe('keyset pages', () => {
  it('are those of the sorted list, forward and backward, with their rows whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        sortedWords,
        anyOrder,
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        async (words, { field, direction }, limit, fromEnd) => {
          insertWords(words)
          const expected = await sortedIds(field, direction)
          const rows = new Map((await findWords(database, expected)).map((row) => [row.id, row]))
          const seen: number[] = []
          let cursor: Position | undefined
          do {
            const request = { limit, fromEnd, [fromEnd ? 'before' : 'after']: cursor }
            const page = await read(field, direction, request)
            for (const { row } of page.rows) expect(row).toEqual(rows.get(row.id))
            const ids = idsOf(page)
            seen.splice(fromEnd ? 0 : seen.length, 0, ...ids)
            expect(fromEnd ? page.hasPreviousPage : page.hasNextPage).toBe(seen.length < expected.length)
            expect(fromEnd ? page.hasNextPage : page.hasPreviousPage).toBe(cursor !== undefined)
            cursor = page.rows.at(fromEnd ? 0 : -1)?.position
          } while (cursor && seen.length < expected.length)
          expect(seen).toEqual(expected)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('lie between two positions, from either end', async () => {
    await fc.assert(
      fc.asyncProperty(
        sortedWords.filter(({ length }) => length >= 2),
        anyOrder,
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 0, max: 12 }),
        fc.boolean(),
        async (words, { field, direction }, one, other, limit, fromEnd) => {
          insertWords(words)
          const all = (await read(field, direction, { limit: 100, fromEnd: false })).rows
          const [first, last] = [one % all.length, other % all.length].sort((a, b) => a - b)
          const request = { limit, fromEnd, after: all[first].position, before: all[last].position }
          const page = await read(field, direction, request)
          const between = all.slice(first + 1, last).map(({ row }) => row.id)
          expect(idsOf(page)).toEqual(
            fromEnd ? between.slice(Math.max(0, between.length - limit)) : between.slice(0, limit),
          )
          expect(page).toMatchObject(
            fromEnd
              ? { hasPreviousPage: between.length > limit, hasNextPage: true }
              : { hasNextPage: between.length > limit, hasPreviousPage: true },
          )
        },
      ),
      { numRuns: 60 },
    )
  })

  it('show each row that stays exactly once while others come and go', async () => {
    await fc.assert(
      fc.asyncProperty(
        sortedWords,
        anyOrder,
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.record({ removed: fc.nat(), added: sortedWord }), { maxLength: 6 }),
        async (words, { field, direction }, limit, changes) => {
          insertWords(words)
          const staying = new Set(await sortedIds(field, direction))
          const seen: number[] = []
          let page = await read(field, direction, { limit, fromEnd: false })
          for (;;) {
            seen.push(...idsOf(page))
            if (!page.hasNextPage) break
            const change = changes.pop()
            if (change) {
              // The last row of the page may be among the removed: its position outlives it.
              const removed = [...staying][change.removed % staying.size]
              database.connection.prepare('DELETE FROM word WHERE id = ?').run(removed)
              staying.delete(removed)
              insertWord({ ...change.added, text: `${change.added.text}${changes.length}x` })
            }
            page = await read(field, direction, { limit, fromEnd: false, after: page.rows.at(-1)?.position })
          }
          expect(new Set(seen).size).toBe(seen.length)
          const order = (await sortedIds(field, direction)).filter((id) => staying.has(id))
          expect(seen.filter((id) => staying.has(id))).toEqual(order)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('of no rows, and of a limit of 0', async () => {
    const none = { rows: [], hasNextPage: false, hasPreviousPage: false }
    expect(await read('TEXT', 'ASC', { limit: 5, fromEnd: false })).toEqual(none)
    expect(await read('TEXT', 'ASC', { limit: 5, fromEnd: true })).toEqual(none)
    insertWord({
      text: 'dog',
      vocabularyRank: 1,
      imageCount: 1,
      captionCount: 1,
      humanPrecision: 1,
      humanRecall: 1,
    })
    expect(await read('TEXT', 'ASC', { limit: 0, fromEnd: false })).toEqual({ ...none, hasNextPage: true })
  })
})

/** Ids in an order: what is undefined last in either direction, ties by id in the order's direction. */
async function sortedIds(field: WordOrderField, direction: Direction): Promise<number[]> {
  const ids = database.connection.prepare('SELECT id FROM word').pluck().all() as number[]
  const sign = direction === 'ASC' ? 1 : -1
  return (await findWords(database, ids))
    .map((word) => ({ id: word.id, key: keyOf(word, field, sign) }))
    .sort((one, other) => sign * (compare(one.key, other.key) || one.id - other.id))
    .map(({ id }) => id)
}

function keyOf(word: Word, field: WordOrderField, sign: number): number | string {
  switch (field) {
    case 'RANK':
      return word.vocabularyRank ?? 1e9 - word.captionCount
    case 'TEXT':
      return word.text
    case 'IMAGE_COUNT':
      return word.imageCount
    case 'CAPTION_COUNT':
      return word.captionCount
    case 'HUMAN_PRECISION':
      return word.humanPrecision ?? sign * Infinity
    case 'HUMAN_RECALL':
      return word.humanRecall ?? sign * Infinity
  }
}

/** Texts by code point, as their UTF-8 bytes are. */
function compare(one: number | string, other: number | string): number {
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other as string))
  return one === other ? 0 : one < (other as number) ? -1 : 1
}

function read(field: WordOrderField, direction: Direction, request: PageRequest): Promise<Page<Word>> {
  return pageOfWords(database, 1, {}, wordOrder(field, direction), request)
}

function idsOf(page: Page<Word>): number[] {
  return page.rows.map(({ row, position }) => {
    expect(position.id).toBe(row.id)
    return row.id
  })
}

/** The data set 1 with these words alone. */
function insertWords(words: readonly Sorted[]): void {
  database.connection.exec(`
    DELETE FROM word;
    INSERT OR IGNORE INTO dataset VALUES (1, 'pets', 5, 0, 0, 0, '');
    INSERT OR IGNORE INTO token VALUES (1, '')`)
  for (const word of words) insertWord(word)
}

function insertWord(word: Sorted): void {
  database.connection
    .prepare(
      `INSERT INTO word (dataset_id, token_id, text, part_of_speech, vocabulary_rank, image_count, caption_count,
                         histogram, human_precision, human_recall)
       VALUES (1, 1, @text, 'NN', @vocabularyRank, @imageCount, @captionCount, '[1,2]', @humanPrecision, @humanRecall)`,
    )
    .run(word)
}
