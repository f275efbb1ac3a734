import { beforeAll, describe, expect, it } from 'vitest'
import { listImages } from '../../../src/services/images/image-lists.js'
import {
  captionsByImage,
  findImage,
  imagesById,
  systemCaptionsByImage,
  tokensOfCaptions,
  wordsByImage,
} from '../../../src/services/images/images.js'
import type { Image } from '../../../src/store/schema/dataset-tables.js'
import { ENGINES } from '../../kit/databases.js'
import { first, initPark, PARK } from '../kit.js'

describe.each(ENGINES)('images on %s', (engine) => {
  let park: Awaited<ReturnType<typeof initPark>>
  let images: Image[]
  beforeAll(async () => {
    park = await initPark(engine)
    const { rows } = await (await listImages(park.accord, park.park.row, {})).page(first(10))
    images = rows.map(({ row }) => row)
  })

  it('are listed in the order of the file, and found by id', async () => {
    expect(images.map(({ externalId }) => externalId)).toEqual(['1', '2', '3', '4'])
    expect(await (await listImages(park.accord, park.park.row, { captionCount: { min: 3 } })).count()).toBe(3)
    expect(await findImage(park.accord, park.park.row, '3')).toEqual(images[2])
    expect(await findImage(park.accord, park.park.row, '9')).toBeNull()
    const byId = await imagesById(park.accord, [images[3].id, 0, images[0].id])
    expect(byId).toEqual(new Map([images[0], images[3]].map((image) => [image.id, image])))
  })

  it('have captions with the texts of their tokens', async () => {
    const captions = await captionsByImage(park.accord, [images[0].id, images[3].id, 0])
    expect([...captions.keys()].sort()).toEqual([images[0].id, images[3].id].sort())
    const own = captions.get(images[0].id) ?? []
    expect(own.map(({ text }) => text)).toEqual(PARK[1])
    const tokens = await tokensOfCaptions(park.accord, [own[2].id, own[0].id])
    expect(tokens.get(own[2].id)).toEqual(['a', 'small', 'dog'])
    expect(tokens.get(own[0].id)).toEqual(['a', 'dog', 'runs'])
    expect(await tokensOfCaptions(park.accord, [])).toEqual(new Map())
  })

  it('have the captions of all systems or of some, by name', async () => {
    const ids = images.map(({ id }) => id)
    const all = await systemCaptionsByImage(park.accord, ids)
    expect(all.get(images[0].id)?.map(({ text }) => text)).toEqual(['A dog.', 'A dog runs.'])
    const some = await systemCaptionsByImage(park.accord, ids, { names: ['copier'] })
    expect([some.get(images[0].id)?.length, some.has(images[3].id)]).toEqual([1, false])
  })

  it('have the words of their first K captions, most used first', async () => {
    const words = await wordsByImage(park.accord, [images[0], images[3]])
    const list = (image: Image) =>
      words.get(image.id)?.map(({ word, captionCount }) => [word.text, captionCount])
    expect(list(images[0])?.slice(0, 2)).toEqual([
      ['dog', 3],
      ['a', 2],
    ])
    expect(list(images[0])).toHaveLength(6)
    expect(list(images[3])).toEqual([
      ['a', 2],
      ['bird', 2],
      ['sings', 1],
    ])
  })
})
