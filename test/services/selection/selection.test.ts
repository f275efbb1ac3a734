import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { BoxSource } from '../../../src/core/selection/scenes.js'
import { openAccord } from '../../../src/services/open-accord.js'
import { selectContent } from '../../../src/services/selection/selection.js'
import type { Accord } from '../../../src/services/shared/accord.js'
import { openDatabase } from '../../../src/store/database.js'
import { deleteDataset } from '../../../src/store/datasets.js'
import type { Database } from '../../../src/store/engine/session.js'
import { insertBoxes, insertSystemDescriptions } from '../../../src/store/insert-boxes.js'
import { deleteSystem, insertSystem } from '../../../src/store/systems.js'
import { captionedDataset, removeDatasets } from '../../kit/boxes.js'
import { createTestDatabase, ENGINES } from '../../kit/databases.js'

const source = (boxId: string): BoxSource => ({
  images: [{ imageId: '1', width: 9, height: 9, boxes: [{ id: boxId, concept: 'dog', bbox: [0, 0, 5, 5] }] }],
  descriptions: [{ id: boxId, imageId: '1', mentions: [boxId], sentence: null }],
  counts: {
    imagesWithoutBoxes: 0,
    boxesWithoutArea: 0,
    boxesOutsideImage: 0,
    boxesCut: 0,
    boxesWithoutConcept: 0,
    mentionsWithoutBox: 0,
    descriptionsWithoutMentions: 0,
  },
})

describe.each(ENGINES)('content selection on %s', (engine) => {
  let location: string
  let accord: Accord
  let database: Database
  let datasetId: number

  beforeAll(async () => {
    const created = await createTestDatabase(engine)
    location = created.location
    accord = await openAccord({ location, threadCount: 1 })
    database = accord.database
    return async () => {
      await accord.close()
      await created.remove()
    }
  })
  beforeEach(async () => {
    datasetId = await importThings()
  })
  afterEach(() => removeDatasets(database))

  async function importThings(): Promise<number> {
    const id = await captionedDataset(database, 'things', { '1': ['a dog'] })
    await insertBoxes(database, id, source('a'))
    return id
  }

  const report = (priorsShare?: number, dataset = 'things') => selectContent(accord, { dataset, priorsShare })

  it('computes the report of each input once', async () => {
    const first = await report()
    expect(await report()).toBe(first)
    await expect(report(1)).rejects.toThrow()
    expect(await report()).toBe(first)
    await captionedDataset(database, 'other', { '1': ['a dog'] })
    expect(await report()).toBe(first)
  })

  it('computes it again after boxes were added', async () => {
    const first = await report()
    await insertBoxes(database, datasetId, source('b'))
    const second = await report()
    expect(second).not.toBe(first)
    expect(second.human).toMatchObject({ images: 1, precision: 0 })
  })

  it('computes it again after another connection has added boxes', async () => {
    const first = await report()
    const other = await openDatabase(location)
    await insertBoxes(other, datasetId, source('b'))
    await other.close()
    expect((await report()).human).not.toEqual(first.human)
  })

  it('computes it again after a system was described or removed', async () => {
    await report()
    const counts = { imageCount: 1, missingImageCount: 0 }
    const system = { datasetId, name: 'ours', ...counts }
    const systemId = await insertSystem(database, system, 'DESCRIPTIONS')
    expect((await report()).systems).toHaveLength(0)
    const descriptions = [{ imageId: '1', mentions: ['a'], sentence: null }]
    await insertSystemDescriptions(database, datasetId, systemId, descriptions)
    expect((await report()).systems).toHaveLength(1)
    await deleteSystem(database, systemId)
    expect((await report()).systems).toHaveLength(0)
  })

  it('computes it again for a new dataset of the same name', async () => {
    const first = await report()
    await deleteDataset(database, datasetId)
    await expect(report()).rejects.toThrow('unknown dataset')
    await importThings()
    expect(await report()).not.toBe(first)
  })
})
