import { beforeEach, describe, expect, it } from 'vitest'
import { insertBoxes, insertSystemDescriptions } from '../../src/store/boxes.js'
import {
  deleteDataset,
  findDataset,
  findDatasets,
  listDatasets,
  requireDataset,
} from '../../src/store/datasets.js'
import { insertEvaluation } from '../../src/store/evaluations.js'
import { readImageIds } from '../../src/store/images.js'
import { saveAgreement } from '../../src/store/scores.js'
import { deleteSystem, insertSystem, requireSystem } from '../../src/store/systems.js'
import { findWord } from '../../src/store/words.js'
import { rejectionOf, rowCounts } from '../kit/boxes.js'
import { dump } from '../kit/dump.js'
import { initWorld, type SeededDataset } from '../kit/seed.js'

const world = await initWorld()
const { database } = world
const { connection } = database

beforeEach(async () => {
  for (const { id } of await listDatasets(database)) deleteDataset(database, id)
})

describe('data sets', () => {
  it('are found by name and id, and listed by name', async () => {
    const { row: pets } = await world.dataset('pets', { images: { 1: ['a dog', 'a cat'], 2: ['a dog'] } })
    const { row: cars } = await world.dataset('cars', { images: { 1: ['a car', 'a bus'] } })
    expect(pets).toMatchObject({
      name: 'pets',
      captionsPerImage: 1,
      imageCount: 2,
      captionCount: 3,
      excludedImageCount: 0,
    })
    expect(new Date(pets.createdAt).toISOString()).toBe(pets.createdAt)
    expect(await listDatasets(database)).toEqual([cars, pets])
    expect(await findDataset(database, 'pets')).toEqual(pets)
    expect(await findDataset(database, 'Pets')).toBeNull()
    expect(await findDatasets(database, [pets.id, 9999])).toEqual([pets])
  })

  it('that are not there are an error that names those that are', async () => {
    expect(await rejectionOf(requireDataset(database, 'pets'))).toBe(
      'UNKNOWN_DATASET dataset: there is no such data set: expected an imported data set; none is imported yet, found "pets"',
    )
    await world.dataset('cars', { images: { 1: ['a car'] } })
    await world.dataset('boats', { images: { 1: ['a boat'] } })
    expect(await rejectionOf(requireDataset(database, 'pets'))).toContain(
      'expected one of boats, cars, found "pets"',
    )
  })
})

describe('removal', () => {
  it('of a data set takes along every row that belongs to it, and none of another one', async () => {
    await fill(await world.dataset('kept', { images: { 1: ['a dog', 'a cat'] } }))
    const before = dump(database)
    const pets = await world.dataset('pets', { images: { 1: ['a dog', 'a cat'], 2: ['a red dog', 'dog'] } })
    await fill(pets)
    const counts = rowCounts(database)
    const tables = Object.keys(counts).filter(
      (table) => !['migrations', 'token', 'sqlite_sequence'].includes(table),
    )
    for (const table of tables) {
      expect.soft(counts[table], `${table} is filled`).toBeGreaterThan(before[table].length)
    }
    deleteDataset(database, pets.row.id)
    const after = dump(database)
    for (const table of tables) expect(after[table], table).toEqual(before[table])
  })

  it('of a system takes along every row that belongs to it, and none of another one', async () => {
    const pets = await world.dataset('pets', { images: { 1: ['a dog', 'a cat'], 2: ['a red dog', 'dog'] } })
    await fill(pets)
    const before = dump(database)
    await pets.captionSystem('second parrot', { 1: 'a dog' })
    await pets.scoreSystem('second detector', { 1: { dog: 0.5 } })
    await pets.evaluate('second parrot')
    for (const name of ['second parrot', 'second detector']) {
      deleteSystem(database, (await requireSystem(database, pets.row.id, name)).id)
    }
    expect({ ...dump(database), sqlite_sequence: [] }).toEqual({ ...before, sqlite_sequence: [] })
  })

  it('does not look at every row of a table: all foreign keys are indexed', () => {
    const tables = Object.keys(rowCounts(database))
    const keys = tables.flatMap((table) =>
      (connection.pragma(`foreign_key_list(${table})`) as { from: string }[]).map(({ from }) => ({
        table,
        from,
      })),
    )
    expect(keys.length).toBeGreaterThan(20)
    for (const { table, from } of keys) {
      const [{ detail }] = connection
        .prepare(`EXPLAIN QUERY PLAN DELETE FROM "${table}" WHERE "${from}" = ?`)
        .all(1) as { detail: string }[]
      expect.soft(detail, `${table}.${from}`).toMatch(/^SEARCH/)
    }
  })

  it('never gives the ids that the API shows to anything else', async () => {
    const first = await idsOf('pets')
    deleteSystem(database, first.system)
    const { row } = await world.dataset('other', { images: { 1: ['a dog', 'a cat'] } })
    deleteDataset(database, row.id)
    deleteDataset(database, first.dataset)
    const second = await idsOf('pets')
    for (const type of Object.keys(first) as (keyof typeof first)[]) {
      expect(second[type], type).toBeGreaterThan(first[type])
    }
  })
})

/** Systems of each kind, scores, boxes and descriptions: something in every table. */
async function fill(dataset: SeededDataset): Promise<void> {
  const { id } = dataset.row
  await dataset.captionSystem('parrot', { 1: 'a dog and a cat' })
  await dataset.scoreSystem('detector', { 1: { dog: 0.75 } })
  await dataset.evaluate('parrot')
  await insertEvaluation(database, (await requireSystem(database, id, 'parrot')).id)
  saveAgreement(database, id, [
    {
      referenceCount: 1,
      metric: 'BLEU-1',
      signature: 'a signature',
      imageCount: 1,
      folds: [0.5],
      mean: 0.5,
      standardDeviation: 0,
      lower: 0,
      upper: 1,
      warnings: [],
      imageIds: Int32Array.of(1),
      imageScores: Float64Array.of(0.5),
    },
  ])
  insertBoxes(database, id, {
    images: [
      { imageId: '1', width: null, height: null, boxes: [{ id: 'b', concept: 'dog', bbox: [0, 0, 9, 9] }] },
    ],
    descriptions: [{ id: 'd', imageId: '1', mentions: ['b'], sentence: null }],
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
  const describer = { datasetId: id, name: 'describer', imageCount: 1, missingImageCount: 0 }
  insertSystemDescriptions(database, id, insertSystem(database, describer, 'DESCRIPTIONS'), [
    { imageId: '1', mentions: ['b'], sentence: null },
  ])
}

/** Imports a data set of this name; the id of one of each type that `node` finds. */
async function idsOf(name: string) {
  const pets = await world.dataset(name, { images: { 1: ['a dog', 'a cat'] } })
  await pets.captionSystem('parrot', { 1: 'a dog' })
  const { id: system } = await requireSystem(database, pets.row.id, 'parrot')
  return {
    dataset: pets.row.id,
    system,
    image: readImageIds(database, pets.row.id).get('1')!,
    word: (await findWord(database, pets.row.id, 'dog'))!.id,
    evaluation: await insertEvaluation(database, system),
  }
}
