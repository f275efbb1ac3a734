import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BoxesAndMentions1795226400000 } from '../../migrations/20261121-boxes-and-mentions.js'
import type { BoxSource } from '../../src/selection/types.js'
import {
  hasDescriptions,
  insertBoxes,
  insertSystemDescriptions,
  readBoxedDatasets,
  readBoxes,
  readDescriptions,
  readMentions,
} from '../../src/store/boxes.js'
import { type Database, openDatabase } from '../../src/store/database.js'
import { deleteDataset } from '../../src/store/datasets.js'
import { readImageIds } from '../../src/store/images.js'
import { deleteSystem, insertSystem } from '../../src/store/systems.js'
import { captionedDataset, rowCounts } from '../kit/boxes.js'

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

let database: Database
let statements: string[]
let datasetId: number
let imageIds: number[]
beforeEach(async () => {
  statements = []
  database = await openDatabase(':memory:', { onStatement: (sql) => statements.push(sql) })
  datasetId = captionedDataset(database, 'things', { '1': ['a dog'], '2': ['a ball'], '3': [] })
  insertBoxes(database, datasetId, source)
  imageIds = [...readImageIds(database, datasetId).values()]
})
afterEach(() => database.close())

describe('boxes and mentions', () => {
  it('keep their order, numbers and words', async () => {
    const boxes = await readBoxes(database, imageIds)
    expect(boxes.map(({ imageId, externalId }) => [imageId, externalId])).toEqual([
      [imageIds[0], 'b'],
      [imageIds[0], 'a'],
      [imageIds[1], 'b'],
      [imageIds[1], 'a'],
    ])
    expect(boxes[0]).toMatchObject({ concept: 'ball', x: 1.5, y: 2, width: 3, height: 4 })
    const [first] = readDescriptions(database, imageIds)
    const mentions = readMentions(database, 'description', [first.id])
    expect(mentions.map(({ text, box }) => `${text} ${box.externalId}`)).toEqual([
      'dogs a',
      'dogs b',
      'ball b',
    ])
  })

  it('are read for many images in one statement', async () => {
    statements.length = 0
    await readBoxes(database, imageIds)
    readMentions(
      database,
      'description',
      readDescriptions(database, imageIds).map(({ id }) => id),
    )
    expect(statements).toHaveLength(3)
  })

  it('go with their system, which leaves those of people', () => {
    const before = rowCounts(database)
    const counts = { imageCount: 1, missingImageCount: 2 }
    const systemId = insertSystem(database, { datasetId, name: 'ours', ...counts }, 'DESCRIPTIONS')
    insertSystemDescriptions(database, datasetId, systemId, [
      { imageId: '1', mentions: ['b'], sentence: null },
    ])
    expect(hasDescriptions(database, systemId)).toBe(true)
    deleteSystem(database, systemId)
    expect(rowCounts(database)).toEqual(before)
  })

  it('go with their data set', () => {
    const bareId = captionedDataset(database, 'bare', { '1': [] })
    expect(readBoxedDatasets(database, [bareId, datasetId])).toEqual(new Set([datasetId]))
    deleteDataset(database, datasetId)
    expect(rowCounts(database)).toMatchObject({ box: 0, description: 0, mention: 0, box_import: 0 })
  })

  it('have tables that can be removed', async () => {
    const runner = database.source.createQueryRunner()
    await new BoxesAndMentions1795226400000().down(runner)
    await runner.release()
    expect(Object.keys(rowCounts(database))).not.toContain('box')
  })
})
