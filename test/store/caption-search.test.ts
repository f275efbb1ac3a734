import { beforeAll, describe, expect, it } from 'vitest'
import type { WordSearch } from '../../src/store/caption-search.js'
import { copyRows } from '../../src/store/copy.js'
import { deleteDataset } from '../../src/store/datasets.js'
import type { Database } from '../../src/store/engine/session.js'
import { sql } from '../../src/store/engine/sql.js'
import { pagedCaptions, readImageIds } from '../../src/store/images.js'
import { deleteSystem, pagedSystemCaptions } from '../../src/store/systems.js'
import { ALL_ENGINES, openTestDatabase } from '../kit/databases.js'
import { addCaptionSystem, addDataset } from './kit.js'

const IMAGES = {
  1: ['a dog runs', 'the dog and a cat', ''],
  2: ['a cat sleeps', 'the red cat', 'a dogs'],
  3: ["it 's red", 'a dog', 'or and not near'],
}

const ALL = { limit: 100, fromEnd: false }

describe.each(ALL_ENGINES)('search in captions on %s', async (engine) => {
  const database = await openTestDatabase(engine)
  let datasetId: number
  let systemId: number

  beforeAll(async () => {
    await addDataset(database, 'other', { images: { 1: ['a dog runs'] }, captionsPerImage: 1 })
    const dataset = await addDataset(database, 'pets', { images: IMAGES, captionsPerImage: 3 })
    datasetId = dataset.id
    const ids = await readImageIds(database, datasetId)
    const captions = new Map(
      [...ids.values()].map((id, index) => [id, ['a dog', 'a cat', 'a red dog'][index]]),
    )
    systemId = await addCaptionSystem(database, datasetId, 'parrot', captions)
  })

  const textsOf = async (session: Database, search: WordSearch) => {
    const captions = await pagedCaptions(session, datasetId, search)
    const { rows } = await captions.page(ALL)
    expect(await captions.count()).toBe(rows.length)
    return rows.map(({ row }) => row.text)
  }

  it.each<[string, WordSearch, string[]]>([
    ['all of one word', { all: ['dog'] }, ['a dog runs', 'the dog and a cat', 'a dog']],
    ['all of several', { all: ['dog', 'a', 'cat'] }, ['the dog and a cat']],
    ['any', { any: ['sleeps', 'runs'] }, ['a dog runs', 'a cat sleeps']],
    ['none alone', { none: ['a', 'the'] }, ['', "it 's red", 'or and not near']],
    [
      'all, any and none',
      { all: ['a'], any: ['dog', 'cat'], none: ['runs', 'the'] },
      ['a cat sleeps', 'a dog'],
    ],
    ['words in other case', { all: ['DOG', 'Runs'] }, ['a dog runs']],
    ['a word of two tokens', { all: ["it's"] }, ["it 's red"]],
    ['any of two tokens', { any: ["it's", 'the red'] }, ['the red cat', "it 's red"]],
    ['operators as words', { all: ['or', 'and', 'not', 'near'] }, ['or and not near']],
    ['an unknown word among all', { all: ['dog', 'zebra'] }, []],
    ['an unknown word among any', { any: ['zebra', 'runs'] }, ['a dog runs']],
    ['only unknown words', { any: ['zebra'] }, []],
    ['none of unknown words', { all: ['runs'], none: ['zebra'] }, ['a dog runs']],
    ['no word of any', { any: [] }, []],
    ['syntax of queries', { any: ['dog* OR cat', '"', "' | 1"] }, []],
    ['no condition', {}, Object.values(IMAGES).flat()],
  ])('finds captions with %s', async (_what, search, texts) => {
    expect(await textsOf(database, search)).toEqual(texts)
  })

  it('finds captions of one system, by image', async () => {
    const { rows } = await (await pagedSystemCaptions(database, systemId, { all: ['dog'] })).page(ALL)
    expect(rows.map(({ row }) => row.text)).toEqual(['a dog', 'a red dog'])
    expect(await (await pagedSystemCaptions(database, systemId, { none: ['red'] })).count()).toBe(2)
  })

  it('pages in both directions', async () => {
    const captions = await pagedCaptions(database, datasetId, { all: ['dog'] })
    const { rows } = await captions.page(ALL)
    const [, middle, last] = rows.map(({ position }) => position)
    const forwards = await captions.page({ limit: 1, after: middle, fromEnd: false })
    expect(forwards).toMatchObject({
      rows: [{ row: { text: 'a dog' } }],
      hasNextPage: false,
      hasPreviousPage: true,
    })
    const back = await captions.page({ limit: 1, before: last, fromEnd: true })
    expect(back).toMatchObject({ rows: [{ position: middle }], hasNextPage: true, hasPreviousPage: true })
  })

  it('finds the same in a copy', async () => {
    for (const other of ALL_ENGINES) {
      const copy = await openTestDatabase(other)
      await copyRows(database, copy, () => {})
      expect(await textsOf(copy, { any: ['dog', 'sleeps'] })).toEqual(
        await textsOf(database, { any: ['dog', 'sleeps'] }),
      )
    }
  })

  it('removes captions from the index with their dataset or system', async () => {
    const countIndexed = async (table: 'caption' | 'system_caption') => {
      const [{ count }] = await database.all<{ count: number }>(
        table === 'caption'
          ? sql`SELECT count(*) AS count FROM caption_search`
          : sql`SELECT count(*) AS count FROM system_caption_search`,
      )
      return count
    }
    expect([await countIndexed('caption'), await countIndexed('system_caption')]).toEqual([9, 3])
    await deleteSystem(database, systemId)
    await deleteDataset(database, datasetId)
    expect([await countIndexed('caption'), await countIndexed('system_caption')]).toEqual([1, 0])
  })
})
