import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { createDataset } from '../../../src/store/datasets.js'
import {
  type Direction,
  type Page,
  type PageRequest,
  type Position,
  pageOfRows,
} from '../../../src/store/engine/keyset.js'
import { sql } from '../../../src/store/engine/sql.js'
import { type Word, WordEntity } from '../../../src/store/schema/dataset-tables.js'
import { saveTokens } from '../../../src/store/tokens.js'
import { findWords, pagedWords, type WordOrderField, wordOrder } from '../../../src/store/words.js'
import { ALL_ENGINES, openTestDatabase } from '../../kit/databases.js'
import { failureOf } from '../kit.js'

const FIELDS = ['RANK', 'TEXT', 'IMAGE_COUNT', 'CAPTION_COUNT', 'HUMAN_PRECISION', 'HUMAN_RECALL'] as const

/** The sorted properties of a word: few different values, so that there are ties. */
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
const anyPosition = fc.option(fc.nat({ max: 12 }), { nil: undefined })

describe.each(ALL_ENGINES)('keyset pages on %s', async (engine) => {
  const database = await openTestDatabase(engine)
  const datasetId = await createDataset(database, 'pets')
  const [tokenId] = await saveTokens(database, ['dog'])
  const runs = { numRuns: 30 }

  beforeEach(() => insertWords([]))

  it('equal slices of the sorted list, for all cursors and both directions', async () => {
    await fc.assert(
      fc.asyncProperty(
        sortedWords,
        anyOrder,
        fc.nat({ max: 5 }),
        fc.boolean(),
        anyPosition,
        anyPosition,
        async (words, { field, direction }, limit, fromEnd, afterIndex, beforeIndex) => {
          await insertWords(words)
          const sorted = await sortedRows(field, direction)
          const position = (index: number | undefined) =>
            index === undefined ? undefined : sorted[index % sorted.length]?.position
          const request = { limit, fromEnd, after: position(afterIndex), before: position(beforeIndex) }
          const page = await read(field, direction, request)
          const byId = ({ position: { id } }: { position: Position }) => id
          const inMemory = (cursor: Position | undefined) => cursor && { value: cursor.id, id: 0 }
          const expected = pageOfRows(sorted, byId, {
            limit,
            fromEnd,
            after: inMemory(request.after),
            before: inMemory(request.before),
          })
          expect(page).toEqual({ ...expected, rows: expected.rows.map(({ row }) => row) })
        },
      ),
      runs,
    )
  })

  it('cover the list, in both directions', async () => {
    await fc.assert(
      fc.asyncProperty(
        sortedWords,
        anyOrder,
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        async (words, { field, direction }, limit, fromEnd) => {
          await insertWords(words)
          const expected = (await sortedRows(field, direction)).map(({ row }) => row.id)
          const seen: number[] = []
          let cursor: Position | undefined
          for (;;) {
            const page: Page<Word> = await read(field, direction, {
              limit,
              fromEnd,
              [fromEnd ? 'before' : 'after']: cursor,
            })
            seen.splice(fromEnd ? 0 : seen.length, 0, ...page.rows.map(({ row }) => row.id))
            expect(fromEnd ? page.hasNextPage : page.hasPreviousPage).toBe(cursor !== undefined)
            if (!(fromEnd ? page.hasPreviousPage : page.hasNextPage)) break
            cursor = page.rows.at(fromEnd ? 0 : -1)?.position
          }
          expect(seen).toEqual(expected)
        },
      ),
      runs,
    )
  })

  it('start after the position of a removed row, and repeat no row while others are added and removed', async () => {
    const change = fc.record({ removed: fc.nat(), added: sortedWord })
    await fc.assert(
      fc.asyncProperty(
        sortedWords,
        anyOrder,
        fc.array(change, { maxLength: 4 }),
        async (words, { field, direction }, changes) => {
          await insertWords(words)
          const staying = new Set((await sortedRows(field, direction)).map(({ row }) => row.id))
          const seen: number[] = []
          let page = await read(field, direction, { limit: 2, fromEnd: false })
          for (;;) {
            seen.push(...page.rows.map(({ row }) => row.id))
            if (!page.hasNextPage) break
            const next = changes.pop()
            if (next && staying.size > 0) {
              const removed = [...staying][next.removed % staying.size]
              await database.run(sql`DELETE FROM word WHERE id = ${removed}`)
              staying.delete(removed)
              await addWords([{ ...next.added, text: `${next.added.text}${changes.length}x` }])
            }
            const after = page.rows.at(-1)?.position
            page = await read(field, direction, { limit: 2, fromEnd: false, after })
          }
          expect(new Set(seen).size).toBe(seen.length)
          const order = (await sortedRows(field, direction)).map(({ row }) => row.id)
          expect(seen.filter((id) => staying.has(id))).toEqual(order.filter((id) => staying.has(id)))
        },
      ),
      runs,
    )
  })

  it.each<[WordOrderField, Position]>([
    ['TEXT', { value: 1, id: 1 }],
    ['RANK', { value: 'dog', id: 1 }],
    ['RANK', { value: 0.5, id: 1 }],
    ['RANK', { value: 1e300, id: 1 }],
    ['RANK', { value: 1, id: 1e10 }],
    ['RANK', { value: 1, id: 0.5 }],
    ['HUMAN_RECALL', { value: '0.5', id: 1 }],
    ['HUMAN_RECALL', { value: Number.NaN, id: 1 }],
  ])('of the order %s refuse the position %j', async (field, position) => {
    for (const end of ['after', 'before']) {
      const failure = failureOf(read(field, 'ASC', { limit: 1, fromEnd: false, [end]: position }))
      expect(await failure).toMatch(/^INVALID_CURSOR /)
    }
  })

  function read(field: WordOrderField, direction: Direction, request: PageRequest): Promise<Page<Word>> {
    return pagedWords(database, datasetId, {}, wordOrder(field, direction)).page(request)
  }

  /** All words in an order: undefined values last in both directions, ties by id in the direction of the order. */
  async function sortedRows(field: WordOrderField, direction: Direction) {
    const sign = direction === 'ASC' ? 1 : -1
    const ids = await database.all<{ id: number }>(sql`SELECT id FROM word`)
    const words = await findWords(
      database,
      ids.map(({ id }) => id),
    )
    return words
      .map((row) => ({ row, position: { value: sortValueOf(row, field, sign), id: row.id } }))
      .sort(
        ({ position: one }, { position: other }) =>
          sign * (compare(one.value, other.value) || one.id - other.id),
      )
  }

  /** Replaces the words of the dataset. */
  async function insertWords(words: readonly Sorted[]): Promise<void> {
    await database.run(sql`DELETE FROM word`)
    await addWords(words)
  }

  async function addWords(words: readonly Sorted[]): Promise<void> {
    await database.insertMany(
      WordEntity,
      [
        'datasetId',
        'tokenId',
        'text',
        'partOfSpeech',
        'histogram',
        'vocabularyRank',
        'imageCount',
        'captionCount',
        'humanPrecision',
        'humanRecall',
      ],
      words.map((word) => [
        datasetId,
        tokenId,
        word.text,
        'NN',
        [1, 2],
        word.vocabularyRank,
        word.imageCount,
        word.captionCount,
        word.humanPrecision,
        word.humanRecall,
      ]),
    )
  }
})

describe('pages of rows in memory', () => {
  const rows = ['c', 'e', 'd', 'h']
  const keyOf = (row: string) => row

  it.each<[Partial<PageRequest>, string, boolean, boolean]>([
    [{}, 'ce', false, true],
    [{ fromEnd: true }, 'dh', true, false],
    [{ after: { value: 'e', id: 1 } }, 'dh', true, false],
    [{ before: { value: 'e', id: 1 } }, 'c', false, true],
    // A row that was moved is found by its key; one that was removed by its place.
    [{ after: { value: 'e', id: 3 } }, 'dh', true, false],
    [{ after: { value: 'x', id: 1 } }, 'ed', true, true],
    [{ before: { value: 'x', id: 1 } }, 'c', false, true],
    [{ before: { value: 'x', id: 9 }, limit: 9 }, 'cedh', false, false],
    [{ after: { value: 'x', id: 9 } }, '', true, false],
    [{ after: { value: 'h', id: 3 }, before: { value: 'e', id: 1 } }, '', true, true],
    [
      { after: { value: 'c', id: 0 }, before: { value: 'h', id: 3 }, fromEnd: true, limit: 1 },
      'd',
      true,
      true,
    ],
    [{ limit: 0 }, '', false, true],
    [{ limit: 0, fromEnd: true }, '', true, false],
  ])('of the request %j', (request, expected, hasPreviousPage, hasNextPage) => {
    const page = pageOfRows(rows, keyOf, { limit: 2, fromEnd: false, ...request })
    const places = page.rows.map(({ position: { value, id } }) => [value, rows[id]])
    expect({ ...page, rows: page.rows.map(({ row }) => row).join('') }).toEqual({
      rows: expected,
      hasPreviousPage,
      hasNextPage,
    })
    expect(places).toEqual([...expected].map((row) => [row, row]))
  })

  it('of no rows', () => {
    expect(pageOfRows([], keyOf, { limit: 2, fromEnd: true, before: { value: 'c', id: 1 } })).toEqual({
      rows: [],
      hasNextPage: false,
      hasPreviousPage: false,
    })
  })
})

function sortValueOf(word: Word, field: WordOrderField, sign: number): number | string {
  const undefinedValue = sign === 1 ? 2 : -2
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
      return word.humanPrecision ?? undefinedValue
    case 'HUMAN_RECALL':
      return word.humanRecall ?? undefinedValue
  }
}

/** Texts by code point, as their UTF-8 bytes are. */
function compare(one: number | string, other: number | string): number {
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other as string))
  return one === other ? 0 : one < (other as number) ? -1 : 1
}
