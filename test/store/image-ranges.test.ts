import { beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/store/engine/session.js'
import {
  type CaptionedImages,
  countCaptionedImages,
  rangesOfImages,
  readCaptionCounts,
  splitImages,
} from '../../src/store/image-ranges.js'
import { listImageIds } from '../../src/store/images.js'
import { captionedDataset, captioningSystem } from '../kit/boxes.js'
import { ALL_ENGINES, openTestDatabase } from '../kit/databases.js'

/** Numbers of captions of seven images. */
const COUNTS = [2, 0, 1, 3, 0, 2, 5]

describe.each(ALL_ENGINES)('ranges of images on %s', (engine) => {
  let database: Database
  let datasetId: number
  let systemId: number
  let ids: number[]
  beforeAll(async () => {
    database = await openTestDatabase(engine)
    const captions = COUNTS.map((count) => Array.from({ length: count }, () => 'A dog.'))
    await captionedDataset(database, 'before', { 1: ['A cat.'] })
    datasetId = await captionedDataset(database, 'things', Object.fromEntries(captions.entries()))
    await captionedDataset(database, 'after', { 1: ['A cat.'] })
    ids = Array.from(await listImageIds(database, datasetId))
    const described = [6, 1, 3, 0].map((image) => ({ imageId: ids[image], text: 'A dog.' }))
    systemId = await captioningSystem(database, datasetId, 'ours', described)
  })

  it.each<[string, Partial<CaptionedImages>, number[]]>([
    ['with captions', { minCaptionCount: 1 }, [0, 2, 3, 5, 6]],
    ['with two captions', { minCaptionCount: 2 }, [0, 3, 5, 6]],
    ['with more captions than any', { minCaptionCount: 6 }, []],
    ['of a system', { minCaptionCount: 1, systemId: 0 }, [0, 3, 6]],
  ])('contain the images %s, each once and in order', async (_case, choice, expected) => {
    const images: CaptionedImages = {
      datasetId,
      minCaptionCount: 1,
      ...choice,
      ...(choice.systemId !== undefined && { systemId }),
    }
    const wanted = expected.map((image) => ids[image])
    expect(await countCaptionedImages(database, images)).toBe(expected.length)
    const { imageIds, captionCounts } = await readCaptionCounts(database, images)
    expect([...imageIds]).toEqual(wanted)
    expect([...captionCounts]).toEqual(expected.map((image) => COUNTS[image]))
    for (const size of [1, 2, 3, 100]) {
      const ranges = await splitImages(database, images, size)
      const parts = ranges.map(({ first, last }) => wanted.filter((id) => first <= id && id <= last))
      expect(parts.flat()).toEqual(wanted)
      expect(ranges).toHaveLength(Math.ceil(wanted.length / size))
      for (const [index, part] of parts.entries()) {
        expect([part[0], part.at(-1)]).toEqual([ranges[index].first, ranges[index].last])
        expect(part.length).toBeLessThanOrEqual(size)
      }
    }
  })
  it('of all images have each once, in order, without those of other datasets', async () => {
    const [first, last] = [ids[0], ids[6]]
    expect(await rangesOfImages(database, datasetId)).toEqual([{ first, last }])
    const sizes = [1, 2, 3, 7].map(async (size) =>
      (await rangesOfImages(database, datasetId, size)).map(({ first, last }) =>
        ids.filter((id) => first <= id && id <= last),
      ),
    )
    for (const [index, parts] of (await Promise.all(sizes)).entries()) {
      expect(parts.flat()).toEqual(ids)
      expect(Math.max(...parts.map((part) => part.length))).toBe([1, 2, 3, 7][index])
    }
    expect(await rangesOfImages(database, -1)).toEqual([])
  })
})
