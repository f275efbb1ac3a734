import { beforeAll, describe, expect, it } from 'vitest'
import { reportAgreement } from '../../../src/services/agreement/agreement.js'
import { compareFigures } from '../../../src/services/comparisons/comparisons.js'
import { unconfirmedObjects } from '../../../src/services/coverage/coverage.js'
import { rankSystems } from '../../../src/services/leaderboard/leaderboard.js'
import { evaluateFairly, evaluateSystem } from '../../../src/services/scoring/evaluate.js'
import { requireSystem } from '../../../src/services/systems/systems.js'
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

  it('are those of all imports where objects without confirmation are listed, also of a file that is imported again', async () => {
    const dreamer = await requireSystem(world.accord, park.row, 'dreamer')
    const unconfirmedAfter = async (content: string) => {
      await importObjects(content)
      const report = await unconfirmedObjects(world.accord, park.row, dreamer)
      return report?.objects.map(({ name }) => name)
    }
    const kite = 'image_id,objects\n1,kite\n'
    expect(await unconfirmedAfter(kite)).toEqual(['car'])
    expect(await unconfirmedAfter('image_id,objects\n2,car\n')).toEqual([])
    expect(await unconfirmedAfter(kite)).toEqual([])
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

  it('confirm both sides of a comparison of systems, and none beside people; each says so', async () => {
    await park.captionSystem('other', { 1: 'A dog.', 2: 'A car.', 3: 'A cat.', 4: 'A tree.' })
    const notesOf = async (isBesidePeople: boolean) => {
      const [{ comparisons }] = await compareFigures(world.accord, {
        dataset: 'park',
        figures: [{ kind: 'METRIC', metric: 'CHAIR-i' }],
        systems: ['dreamer', 'other'],
        people: isBesidePeople,
      })
      return comparisons.map(({ undefinedReason, notes }) => ({
        undefinedReason,
        isAnnotated: notes.some((note) => note.includes('annotated in the images')),
        isByReferences: notes.some((note) => note.includes('references alone')),
      }))
    }
    expect(await notesOf(false)).toMatchObject([{ isAnnotated: true, isByReferences: false }])
    const besidePeople = await notesOf(true)
    expect(besidePeople).toHaveLength(3)
    for (const pair of besidePeople) expect(pair).toMatchObject({ isAnnotated: false, isByReferences: true })
  })

  it('are the boxes that it has, by the first term of their concepts, without a further import', async () => {
    const instances = {
      images: [{ id: 3, width: 640, height: 480 }],
      annotations: [{ id: 1, image_id: 3, category_id: 1, bbox: [0, 0, 9, 9] }],
      categories: [{ id: 1, name: 'chair.n.01' }],
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
