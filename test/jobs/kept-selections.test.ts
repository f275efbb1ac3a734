import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { selectionReport } from '../../src/jobs/kept-selections.js'
import type { BoxSource } from '../../src/selection/types.js'
import { insertBoxes } from '../../src/store/boxes.js'
import { type Database, openDatabase } from '../../src/store/database.js'
import { captionedDataset } from '../kit/boxes.js'

const silent = () => {}
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

let folder: string
let database: Database
let datasetId: number
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'accord-kept-'))
  database = await openDatabase(join(folder, 'accord.sqlite'))
  datasetId = captionedDataset(database, 'things', { '1': ['a dog'] })
  insertBoxes(database, datasetId, source('a'))
})
afterEach(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})

const report = (dataset = 'things', share?: number) =>
  selectionReport(database, { dataset, priorsShare: share }, silent)

describe('selectionReport', () => {
  it('answers the same question from memory, another one not', async () => {
    const first = await report()
    expect(await report()).toBe(first)
    const refused = report('things', 1)
    await expect(refused).rejects.toThrow()
    expect(await report()).toBe(first)
  })

  it('computes anew after a write of its own', async () => {
    const first = await report()
    insertBoxes(database, datasetId, source('b'))
    const second = await report()
    expect(second).not.toBe(first)
    expect(second.human).toMatchObject({ images: 1, precision: 0 })
  })

  it('computes anew after a write of another connection', async () => {
    const first = await report()
    const other = await openDatabase(database.file)
    insertBoxes(other, datasetId, source('b'))
    await other.close()
    const second = await report()
    expect(second).not.toBe(first)
    expect(second.human).toMatchObject({ images: 1, precision: 0 })
  })
})
