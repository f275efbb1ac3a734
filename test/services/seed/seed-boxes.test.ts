import { beforeAll, describe, expect, it } from 'vitest'
import { readScenes } from '../../../src/formats/boxes/scenes.js'
import { projectFile } from '../../../src/project.js'
import { SEED_DATASET, writeSeed } from '../../../src/services/seed/seed.js'
import { computeSelection } from '../../../src/services/selection/content-selection.js'
import {
  readBoxedImages,
  readHumanDescriptions,
  readMentions,
  readSystemSelections,
} from '../../../src/store/boxes.js'
import { requireDataset } from '../../../src/store/datasets.js'
import type { Database } from '../../../src/store/engine/session.js'
import { readCaptions, readImageIds } from '../../../src/store/images.js'
import { ENGINES, openTestDatabase } from '../../kit/databases.js'

const scenes = readScenes(projectFile('seed/scenes'))

describe.each(ENGINES)('the seed dataset on %s', (engine) => {
  let database: Database
  let datasetId: number
  beforeAll(async () => {
    database = await openTestDatabase(engine)
    await writeSeed(database, () => {})
    datasetId = (await requireDataset(database, SEED_DATASET)).id
  })

  it('has the objects of every scene as boxes', async () => {
    const boxes = scenes.map(({ imageId, boxes: objects }) => [
      imageId,
      objects.map(({ id, concept, bbox }) => ({ id, concept, bbox })),
    ])
    const stored = await readBoxedImages(database, datasetId)
    expect(stored.map(({ imageId, boxes: found }) => [imageId, found])).toEqual(boxes)
  })

  it('has the mentions of people, in their captions', async () => {
    const named = scenes.flatMap(({ captions }) => captions.map(({ id, mentions }) => [id, mentions]))
    const stored = await readHumanDescriptions(database, datasetId)
    expect(stored.map(({ id, mentions }) => [id, mentions])).toEqual(named)
    const captions = await readCaptions(database, [...(await readImageIds(database, datasetId)).values()])
    const mentions = await readMentions(
      database,
      'caption',
      captions.map(({ id }) => id),
    )
    expect(mentions).toHaveLength(named.flatMap(([, ids]) => ids).length)
    const textOf = new Map(captions.map(({ id, text }) => [id, text]))
    for (const { ownerId, start, end, text } of mentions) {
      expect(textOf.get(ownerId)!.slice(start!, end!)).toBe(text)
    }
  })

  it('has the mentions of its systems', async () => {
    const systems = [...scenes[0].systems.keys()].sort()
    const stored = await readSystemSelections(database, datasetId)
    expect([...stored.keys()]).toEqual(systems)
    for (const system of systems) {
      const named = scenes.map(({ imageId, systems: written }) => [imageId, written.get(system)!.mentions])
      expect([...stored.get(system)!]).toEqual(named)
    }
  })

  it('supports content selection with priors from a share of its images', async () => {
    const input = { dataset: SEED_DATASET, priorsShare: 0.5 }
    const { human, baselines, systems } = await computeSelection(database, input, () => {})
    expect(baselines.every(({ undefinedReason }) => undefinedReason === null)).toBe(true)
    const [good, old, verbose] = systems
    expect([good.system, old.system, verbose.system]).toEqual(['good', 'old', 'verbose'])
    expect(good.f!).toBeGreaterThan(old.f!)
    expect(good.f!).toBeGreaterThan(verbose.f!)
    expect(human.f!).toBeGreaterThan(baselines[0].points[2].f!)
  })
})
