import { describe, expect, it } from 'vitest'
import { sequence } from '../../src/core/text/sequences.js'
import { update } from '../../src/store/engine/rows.js'
import { sql } from '../../src/store/engine/sql.js'
import {
  findImage,
  findImages,
  type ImageFilter,
  insertCaptions,
  insertImages,
  listImageIds,
  pagedImages,
  type ReferenceCaptions,
  readCaptions,
  readCaptionTokens,
  readCountedImageIds,
  readImageIds,
  readReferenceCaptions,
  reserveImageIds,
} from '../../src/store/images.js'
import { DatasetEntity } from '../../src/store/schema/dataset-tables.js'
import { readTokenTexts } from '../../src/store/tokens.js'
import { ALL_ENGINES, openTestDatabase } from '../kit/databases.js'
import { addDataset, tokensOf } from './kit.js'

const CAPTIONS: Readonly<Record<string, readonly string[]>> = {
  none: [],
  first: ['a dog', 'the dog runs', 'a cat'],
  'no images': [],
  'neither here': [],
  second: ['a cat', '', 'a cat', 'a dog that is past the third'],
  few: ['a dog', 'dog'],
  third: ['the dog', 'the dog', 'the dog'],
  last: [],
}
const EXTERNAL_IDS = Object.keys(CAPTIONS)
const COUNTED = EXTERNAL_IDS.filter((image) => CAPTIONS[image].length >= 3)

describe.each(ALL_ENGINES)('images on %s', async (engine) => {
  const database = await openTestDatabase(engine)
  // A dataset before and after, so that image ids do not start at 1 and words occur in other datasets.
  await addDataset(database, 'before', { images: { 1: ['a dog', 'a cat'], 2: ['cat'] }, captionsPerImage: 1 })
  const { id: datasetId } = await addDataset(database, 'pets', { images: CAPTIONS, captionsPerImage: 3 })
  await addDataset(database, 'after', { images: { first: ['a dog', 'a cat'] }, captionsPerImage: 2 })
  const ids = await readImageIds(database, datasetId)
  const idOf = (image: string) => ids.get(image) as number

  describe('ids', () => {
    it('are those of the dataset in the order of the file', async () => {
      expect([...ids.keys()]).toEqual(EXTERNAL_IDS)
      expect([...ids.values()]).toEqual([...ids.values()].sort((one, other) => one - other))
      expect([...(await listImageIds(database, datasetId))]).toEqual([...ids.values()])
    })

    it('of some external ids', async () => {
      const some = await readImageIds(database, datasetId, ['third', 'first', 'unknown', "'"])
      expect([...some]).toEqual([
        ['first', idOf('first')],
        ['third', idOf('third')],
      ])
      expect(await readImageIds(database, datasetId, [])).toEqual(new Map())
    })

    it('that are counted have at least K captions', async () => {
      expect([...(await readCountedImageIds(database, datasetId))]).toEqual(COUNTED.map(idOf))
      expect([...(await readCountedImageIds(database, 9999))]).toEqual([])
    })
  })

  describe('captions', async () => {
    const texts = await readTokenTexts(database)
    const toCaptions = ({ imageIds, firstCaption, sequences }: ReferenceCaptions) =>
      Array.from(imageIds, (_, image) =>
        Array.from({ length: firstCaption[image + 1] - firstCaption[image] }, (_, index) =>
          Array.from(sequence(sequences, firstCaption[image] + index), (token) => texts[token]),
        ),
      )

    it('as references include images without any at the start, in the middle and at the end', async () => {
      const references = await readReferenceCaptions(database, datasetId)
      expect([...references.imageIds]).toEqual([...ids.values()])
      expect(references.firstCaption).toHaveLength(EXTERNAL_IDS.length + 1)
      expect(toCaptions(references)).toEqual(
        Object.values(CAPTIONS).map((captions) => captions.map(tokensOf)),
      )
    })

    it.each([
      ['none', 'none'],
      ['none', 'second'],
      ['second', 'last'],
      ['third', 'third'],
    ])('as references of the range from %s to %s', async (first, last) => {
      const range = { first: idOf(first), last: idOf(last) }
      const chosen = EXTERNAL_IDS.slice(EXTERNAL_IDS.indexOf(first), EXTERNAL_IDS.indexOf(last) + 1)
      const references = await readReferenceCaptions(database, datasetId, range)
      expect([...references.imageIds]).toEqual(chosen.map(idOf))
      expect(toCaptions(references)).toEqual(chosen.map((image) => CAPTIONS[image].map(tokensOf)))
    })

    it('as references of a dataset without any, of none, and of an empty range', async () => {
      for (const [id, range] of [[9999], [datasetId, { first: 5, last: 4 }]] as const) {
        const empty = await readReferenceCaptions(database, id, range)
        expect([empty.imageIds.length, [...empty.firstCaption], [...empty.sequences.offsets]]).toEqual([
          0,
          [0],
          [0],
        ])
      }
    })

    it('as references of more images than one batch', async () => {
      const imageCount = 20_000
      const captionsOf = (image: number) => [1, 0, 2][image % 3]
      const large = await database.transaction(async (session) => {
        const { id } = await addDataset(session, 'large', { images: {}, captionsPerImage: 1 })
        const firstId = await reserveImageIds(session, imageCount)
        const images = Array.from({ length: imageCount }, (_, image) => ({
          externalId: String(image),
          fileName: null,
          url: null,
          width: null,
          height: null,
          fields: null,
          captionCount: captionsOf(image),
        }))
        await insertImages(session, id, firstId, images)
        await update(session, DatasetEntity, { imageCount }, sql`id = ${id}`)
        async function* captions() {
          for (let image = 0; image < imageCount; image++) {
            for (let position = 0; position < captionsOf(image); position++) {
              const tokens = Int32Array.of(image, position)
              yield { imageId: firstId + image, position, externalId: '', text: '', tokens }
            }
          }
        }
        await insertCaptions(session, captions())
        return { id, firstId }
      })
      const { imageIds, firstCaption, sequences } = await readReferenceCaptions(database, large.id)
      expect(imageIds).toHaveLength(imageCount)
      for (let image = 0; image < imageCount; image++) {
        const count = firstCaption[image + 1] - firstCaption[image]
        if (imageIds[image] !== large.firstId + image || count !== captionsOf(image))
          expect.fail(`image ${image}`)
        for (let position = 0; position < count; position++) {
          const [first, second] = sequence(sequences, firstCaption[image] + position)
          if (first !== image || second !== position) expect.fail(`caption ${position} of image ${image}`)
        }
      }
    })

    it('are read by image and position, unchanged', async () => {
      const rows = await readCaptions(database, ['third', 'none', 'second'].map(idOf))
      expect(rows.map(({ imageId, position, text }) => [imageId, position, text])).toEqual(
        ['second', 'third'].flatMap((image) =>
          CAPTIONS[image].map((text, position) => [idOf(image), position, text]),
        ),
      )
      const ids = rows.map(({ id }) => id)
      const tokens = await readCaptionTokens(database, ids)
      expect(tokens.map(({ id }) => id).toSorted((one, other) => one - other)).toEqual(
        ids.toSorted((one, other) => one - other),
      )
      expect(tokens.every((row) => row.tokens instanceof Int32Array)).toBe(true)
    })
  })

  describe('lists', () => {
    it.each<[ImageFilter, readonly string[]]>([
      [{}, EXTERNAL_IDS],
      [{ externalIds: null, word: null, captionCount: null }, EXTERNAL_IDS],
      [{ externalIds: ['third', 'first', 'unknown', "'"] }, ['first', 'third']],
      [{ externalIds: [] }, []],
      [{ word: 'dog' }, ['first', 'third']],
      [{ word: 'unicorn' }, []],
      [{ captionCount: { min: 3 } }, COUNTED],
      [{ captionCount: { min: 1 }, word: 'cat', externalIds: ['second', 'third'] }, ['second']],
    ])('of the filter %j', async (filter, expected) => {
      const images = await pagedImages(database, datasetId, filter)
      const page = await images.page({ limit: 100, fromEnd: false })
      expect(page.rows.map(({ row }) => row.externalId)).toEqual(expected)
      expect(await images.count()).toBe(expected.length)
    })

    it('by external id and by id', async () => {
      const first = await findImage(database, datasetId, 'first')
      expect(first).toEqual({
        id: idOf('first'),
        datasetId,
        externalId: 'first',
        fileName: 'first.jpg',
        url: null,
        width: 640,
        height: null,
        fields: null,
        captionCount: 3,
      })
      expect(await findImage(database, datasetId, 'First')).toBeNull()
      expect(await findImages(database, [idOf('first'), -1])).toEqual([first])
    })
  })
})

it('a page of images is found by an index, at any position', async () => {
  const statements: string[] = []
  const database = await openTestDatabase('sqlite', { onStatement: (text) => statements.push(text) })
  const images = await pagedImages(database, 1, {})
  await images.page({ limit: 5, fromEnd: false, after: { value: 7, id: 7 } })
  const page = statements.find((text) => text.includes('ORDER BY')) as string
  const plan = await database.all<{ detail: string }>({
    texts: `EXPLAIN QUERY PLAN ${page}`.split('?'),
    parameters: [1, 7, 7, 6],
  })
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH image USING INDEX image_by_dataset_id_id (dataset_id=? AND id>?)',
  ])
  expect(await database.all(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
})
