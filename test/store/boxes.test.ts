import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { BoxSource } from '../../src/core/selection/scenes.js'
import {
  hasDescriptions,
  readBoxedDatasets,
  readBoxes,
  readDescriptions,
  readMentions,
  readSystemDescriptions,
  readSystemSelections,
} from '../../src/store/boxes.js'
import { deleteDataset, readContentState } from '../../src/store/datasets.js'
import type { Database } from '../../src/store/engine/session.js'
import { readImageIds } from '../../src/store/images.js'
import { insertBoxes, insertSystemDescriptions } from '../../src/store/insert-boxes.js'
import { deleteSystem, insertSystem } from '../../src/store/systems.js'
import { captionedDataset, rejectionOf, removeDatasets, rowCounts } from '../kit/boxes.js'
import { ALL_ENGINES, openTestDatabase } from '../kit/databases.js'

const NOTHING_LEFT_OUT = {
  imagesWithoutBoxes: 0,
  boxesWithoutArea: 0,
  boxesOutsideImage: 0,
  boxesCut: 0,
  boxesWithoutConcept: 0,
  mentionsWithoutBox: 0,
  descriptionsWithoutMentions: 0,
}
const source: BoxSource = {
  images: ['1', '2'].map((imageId) => ({
    imageId,
    width: null,
    height: null,
    boxes: [
      { id: 'b', concept: 'ball', bbox: [1.5, 2, 3, 4] },
      { id: 'a', concept: 'dog', bbox: [0, 0, 9, 9] },
    ],
  })),
  descriptions: [
    {
      id: 'x',
      imageId: '1',
      mentions: ['a', 'b', 'b'],
      sentence: {
        text: 'dogs, ball',
        mentions: [
          { start: 0, end: 4, text: 'dogs', boxIds: ['a', 'b'] },
          { start: 6, end: 10, text: 'ball', boxIds: ['b'] },
        ],
      },
    },
    { id: 'x', imageId: '2', mentions: ['a'], sentence: null },
  ],
  counts: NOTHING_LEFT_OUT,
}

describe.each(ALL_ENGINES)('boxes and mentions on %s', (engine) => {
  let database: Database
  let statements: string[] = []
  let datasetId: number
  let imageIds: number[]

  beforeAll(async () => {
    database = await openTestDatabase(engine, { onStatement: (text) => statements.push(text) })
  })
  beforeEach(async () => {
    datasetId = await captionedDataset(database, 'things', { '1': ['a dog'], '2': ['a ball'], '3': [] })
    await insertBoxes(database, datasetId, source)
    imageIds = [...(await readImageIds(database, datasetId)).values()]
  })
  afterEach(() => removeDatasets(database))

  async function describeFirst(name: string): Promise<number> {
    const counts = { imageCount: 1, missingImageCount: 2 }
    const systemId = await insertSystem(database, { datasetId, name, ...counts }, 'DESCRIPTIONS')
    await insertSystemDescriptions(database, datasetId, systemId, [
      { imageId: '1', mentions: ['b', 'a'], sentence: null },
    ])
    return systemId
  }

  it('are read in order, with coordinates and words', async () => {
    const boxes = await readBoxes(database, imageIds)
    expect(boxes.map(({ imageId, externalId }) => [imageId, externalId])).toEqual([
      [imageIds[0], 'b'],
      [imageIds[0], 'a'],
      [imageIds[1], 'b'],
      [imageIds[1], 'a'],
    ])
    expect(boxes[0]).toMatchObject({ concept: 'ball', x: 1.5, y: 2, width: 3, height: 4 })
    const [first] = await readDescriptions(database, imageIds)
    const mentions = await readMentions(database, 'description', [first.id])
    expect(mentions.map(({ text, box }) => `${text} ${box.externalId}`)).toEqual([
      'dogs a',
      'dogs b',
      'ball b',
    ])
    expect(mentions[2].box).toEqual(boxes[0])
  })

  it('are read for many images in one statement', async () => {
    statements = []
    await readBoxes(database, imageIds)
    const descriptions = await readDescriptions(database, imageIds)
    await readMentions(
      database,
      'description',
      descriptions.map(({ id }) => id),
    )
    expect(statements).toHaveLength(3)
  })

  it('of more than one batch belong to their images and descriptions', async () => {
    const ids = Array.from({ length: 2_500 }, (_, index) => `image ${index}`)
    const manyId = await captionedDataset(
      database,
      'many',
      Object.fromEntries(ids.map((id) => [id, [`a dog ${id}`]])),
    )
    const { counts } = await insertBoxes(database, manyId, {
      images: ids.map((imageId) => ({
        imageId,
        width: 10,
        height: 20,
        boxes: [{ id: `box of ${imageId}`, concept: 'dog', bbox: [1, 1, 2, 2] }],
      })),
      descriptions: ids.flatMap((imageId) =>
        ['first', 'second'].map((id) => ({
          id,
          imageId,
          mentions: [`box of ${imageId}`],
          sentence: id === 'first' ? { text: `a dog ${imageId}`, mentions: [] } : null,
        })),
      ),
      counts: NOTHING_LEFT_OUT,
    })
    expect(counts).toMatchObject({ images: 2_500, boxes: 2_500, descriptions: 5_000, captions: 2_500 })
    const rows = await readImageIds(database, manyId)
    const descriptions = await readDescriptions(database, [...rows.values()])
    expect(descriptions.map(({ imageId, externalId, text }) => [imageId, externalId, text])).toEqual(
      ids.flatMap((id) => [
        [rows.get(id), 'first', `a dog ${id}`],
        [rows.get(id), 'second', null],
      ]),
    )
    const mentions = await readMentions(
      database,
      'description',
      descriptions.map(({ id }) => id),
    )
    expect(mentions.map(({ box }) => box.imageId)).toEqual(descriptions.map(({ imageId }) => imageId))
  })

  it('of all or some systems are ordered by name', async () => {
    const ours = await describeFirst('ours')
    const aside = await describeFirst('Zebra')
    const rows = await readSystemDescriptions(database, imageIds)
    expect(rows.map(({ systemId }) => systemId)).toEqual([aside, ours])
    expect(await readSystemDescriptions(database, imageIds, ['ours'])).toEqual([rows[1]])
    expect(await readSystemDescriptions(database, imageIds, [])).toEqual([])
    expect(await readSystemSelections(database, datasetId)).toEqual(
      new Map(['Zebra', 'ours'].map((name) => [name, new Map([['1', ['b', 'a']]])])),
    )
    expect(await readSystemSelections(database, datasetId, [])).toEqual(new Map())
  })

  it('are removed with their system, except human ones', async () => {
    const before = await rowCounts(database)
    const systemId = await describeFirst('ours')
    expect(await hasDescriptions(database, systemId)).toBe(true)
    await deleteSystem(database, systemId)
    expect(await hasDescriptions(database, systemId)).toBe(false)
    expect(await rowCounts(database)).toEqual(before)
  })

  it('are removed with their dataset', async () => {
    const bareId = await captionedDataset(database, 'bare', { '1': [] })
    expect(await readBoxedDatasets(database, [bareId, datasetId])).toEqual(new Set([datasetId]))
    await deleteDataset(database, datasetId)
    expect(await rowCounts(database)).toMatchObject({ box: 0, description: 0, mention: 0, box_import: 0 })
  })

  it('are part of the state of their dataset, which changes only when they change', async () => {
    const states = [await readContentState(database, [datasetId])]
    const another = { ...source, descriptions: [], images: [{ ...source.images[0], boxes: [] }] }
    await insertBoxes(database, datasetId, another)
    states.push(await readContentState(database, [datasetId]))
    const systemId = await describeFirst('ours')
    states.push(await readContentState(database, [datasetId]))
    expect(new Set(states).size).toBe(3)
    await captionedDataset(database, 'other', { '1': [] })
    expect(await readContentState(database, [datasetId])).toBe(states[2])
    await deleteSystem(database, systemId)
    expect(await readContentState(database, [datasetId])).toBe(states[1])
    await describeFirst('ours')
    expect(states).not.toContain(await readContentState(database, [datasetId]))
  })

  it('of a removed dataset or system are refused, and nothing is written', async () => {
    const systemId = await describeFirst('ours')
    await deleteSystem(database, systemId)
    const before = await rowCounts(database)
    expect(await rejectionOf(insertSystemDescriptions(database, datasetId, systemId, []))).toBe(
      'UNKNOWN_SYSTEM system: the system was removed',
    )
    expect(await rejectionOf(insertBoxes(database, -1, source))).toBe(
      'UNKNOWN_DATASET dataset: the dataset was removed',
    )
    expect(await rowCounts(database)).toEqual(before)
  })
})
