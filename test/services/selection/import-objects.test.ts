import { beforeAll, describe, expect, it } from 'vitest'
import { reportAgreement } from '../../../src/services/agreement/agreement.js'
import { evaluateFairly, evaluateSystem } from '../../../src/services/comparisons/evaluate.js'
import { rankSystems } from '../../../src/services/leaderboard/leaderboard.js'
import { deleteDataset } from '../../../src/store/datasets.js'
import { count } from '../../../src/store/engine/rows.js'
import { sql } from '../../../src/store/engine/sql.js'
import { temporaryFolder } from '../../formats/kit.js'
import { ENGINES } from '../../kit/databases.js'
import type { SeededDataset, World } from '../../kit/seed.js'
import { initPark } from '../kit.js'

const files = temporaryFolder()
const METRICS = ['CHAIR-i', 'CHAIR-s', 'object-recall', 'open-CHAIR-i']

describe.each(ENGINES)('annotated objects of a dataset on %s', (engine) => {
  let world: World
  let park: SeededDataset
  beforeAll(async () => {
    ;({ park, ...world } = await initPark(engine))
    // References mention: 1 a dog; 2 a man and a dog; 3 a cat and a sofa; 4 a bird.
    await park.captionSystem('dreamer', {
      1: 'A dog and a kite.',
      2: 'A car and a unicorn.',
      3: 'A cat.',
      4: 'A bird.',
    })
  })

  const importObjects = (content: string | object) =>
    world.accord.run('importObjects', {
      datasetId: park.row.id,
      file: { path: files.write('objects', content) },
    })
  const scoresOf = async (references?: number) => {
    const { scores } = await evaluateSystem(world.accord, {
      dataset: 'park',
      system: 'dreamer',
      metrics: METRICS,
      references,
    })
    return {
      values: scores.map(({ value }) => value),
      isAnnotated: scores.map(({ record }) => record.resources.objects !== undefined),
    }
  }
  const notesOf = async () =>
    (await evaluateFairly(world.accord, { dataset: 'park', system: 'dreamer', metrics: ['CHAIR-i'] })).notes

  it('confirm mentions beside references, and are read again after each import', async () => {
    // Mentions: dog, kite; car; cat; bird. Objects: dog; person, dog; cat, couch; bird.
    expect(await scoresOf()).toEqual({
      values: [2 / 5, 2 / 4, 3 / 6, 3 / 6],
      isAnnotated: [false, false, false, false],
    })
    expect(await notesOf()).toContainEqual(
      expect.stringContaining('Objects are confirmed by references alone'),
    )
    const report = await importObjects('image_id,objects\n1,kite|dog\n2,car|unicorn\n3,\n9,dog\n')
    expect(report).toEqual({
      imageCount: 3,
      objectCount: 4,
      unknownImageCount: 1,
      otherNameCount: 1,
      otherNames: ['unicorn'],
    })
    expect(await scoresOf()).toEqual({ values: [0, 0, 5 / 8, 0], isAnnotated: [true, true, true, true] })
    expect(await notesOf()).toContainEqual(
      expect.stringContaining(
        'Objects are confirmed by those that are annotated in the images, and by references.',
      ),
    )
    // Those of image 2 are replaced, those of image 1 stay.
    await importObjects('image_id,objects\n2,dining table\n')
    expect((await scoresOf()).values.slice(0, 3)).toEqual([1 / 5, 1 / 4, 4 / 8])
  })

  it('are left out on folds: people are measured by references alone', async () => {
    await reportAgreement(world.accord, { dataset: 'park', references: 2, metrics: ['CHAIR-i'] })
    const { isAnnotated } = await scoresOf(2)
    expect(isAnnotated).toEqual([false, false, false, false])
    const rows = await rankSystems(world.accord, park.row, { by: 'METRIC', metric: 'CHAIR-i', references: 2 })
    expect(
      rows.flatMap(({ rank, system }) => (rank === null ? [] : [system?.name ?? 'people'])).sort(),
    ).toEqual(['dreamer', 'people'])
  })

  it('are the boxes that it has, without a further import', async () => {
    const instances = {
      images: [{ id: 3, width: 640, height: 480 }],
      annotations: [{ id: 1, image_id: 3, category_id: 1, bbox: [0, 0, 9, 9] }],
      categories: [{ id: 1, name: 'chair' }],
    }
    const before = (await scoresOf()).values[2]
    const file = { path: files.write('boxes', instances) }
    await world.accord.run('importBoxes', { dataset: 'park', file })
    expect((await scoresOf()).values[2]).toBeCloseTo((8 * (before as number)) / 9, 12)
  })

  it.each([
    ['image_id,objects\n77,dog\n', { code: 'UNKNOWN_IMAGE', detail: { found: '"77"' } }],
    ['image_id,objects\n', { code: 'UNKNOWN_IMAGE' }],
    ['image_id,objects\n1,dog\n1,cat\n', { code: 'DUPLICATE_ID' }],
    ['image_id\n1\n', { code: 'INVALID_SHAPE' }],
  ])('are refused, and nothing changes: %j', async (content, error) => {
    const before = await scoresOf()
    await expect(importObjects(content)).rejects.toMatchObject(error)
    expect(await scoresOf()).toEqual(before)
  })

  it('are removed with their dataset', async () => {
    await world.accord.database.transaction((session) => deleteDataset(session, park.row.id))
    expect(await count(world.accord.database, sql`FROM image_object`)).toBe(0)
    await expect(importObjects('image_id,objects\n1,dog\n')).rejects.toMatchObject({
      code: 'UNKNOWN_DATASET',
    })
  })
})
