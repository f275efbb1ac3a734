import { afterEach, describe, expect, it } from 'vitest'
import {
  assertNameFree,
  createDataset,
  deleteDataset,
  findDataset,
  findDatasets,
  finishDataset,
  listDatasets,
  makePrivate,
  readImageCounts,
  readSizes,
  requireDataset,
} from '../../src/store/datasets.js'
import { raw, sql } from '../../src/store/engine/sql.js'
import { readImageIds } from '../../src/store/images.js'
import { deleteSystem, insertSystemWords } from '../../src/store/systems.js'
import { insertWordScores } from '../../src/store/word-scores.js'
import { readWordIds } from '../../src/store/words.js'
import { ALL_ENGINES, openAgain, openTestDatabase } from '../kit/databases.js'
import { addCaptionSystem, addDataset, addSystem, failureOf } from './kit.js'

const SMALL = { images: { 1: ['a dog', 'a cat'], 2: ['a dog'] }, captionsPerImage: 2 }

describe.each(ALL_ENGINES)('datasets on %s', async (engine) => {
  const database = await openTestDatabase(engine)

  afterEach(async () => {
    for (const { id } of await listDatasets(database)) await deleteDataset(database, id)
  })

  it('are found by name and id, and listed by name', async () => {
    const pets = await addDataset(database, 'pets', SMALL)
    const cars = await addDataset(database, 'cars', SMALL)
    expect(pets).toEqual({
      id: pets.id,
      name: 'pets',
      captionsPerImage: 2,
      imageCount: 2,
      captionCount: 3,
      excludedImageCount: 1,
      revision: 'pets',
      wordRevision: null,
      vocabulary: null,
      objects: null,
      language: 'en',
      tokenizer: 'ptb-3.4.1',
      isPrivate: false,
      imagesFolder: null,
      createdAt: new Date(pets.createdAt).toISOString(),
    })
    expect(await listDatasets(database)).toEqual([cars, pets])
    expect(await findDataset(database, 'pets')).toEqual(pets)
    expect(await findDataset(database, 'Pets')).toBeNull()
    expect(await findDatasets(database, [pets.id, 9999])).toEqual([pets])
    expect(await findDatasets(database, [])).toEqual([])
  })

  it('that are private are not counted for others', async () => {
    const pets = await addDataset(database, 'pets', SMALL)
    await addSystem(database, pets.id, 'parrot', 'CAPTIONS')
    await addDataset(database, 'cars', { images: { 1: ['a car'] }, captionsPerImage: 1 })
    expect(await readSizes(database, true)).toEqual(await readSizes(database))
    await makePrivate(database, pets.id)
    expect(await findDataset(database, 'pets')).toEqual({ ...pets, isPrivate: true })
    expect(await readSizes(database)).toMatchObject({ datasets: 2, systems: 1, imagesPerDataset: 2 })
    expect(await readImageCounts(database, false)).toEqual(new Map(Object.entries({ pets: 2, cars: 1 })))
    expect(await readImageCounts(database, true)).toEqual(new Map([['cars', 1]]))
    expect(await readSizes(database, true)).toEqual({
      datasets: 1,
      systems: 0,
      systemsPerDataset: 0,
      metricsPerDataset: 0,
      captionsPerImage: 1,
      imagesPerDataset: 1,
      judgements: 0,
      challenges: 0,
      phasesPerChallenge: 0,
      submissionsPerPhase: 0,
      boardRows: 0,
      boardMetrics: 0,
      collections: 0,
    })
  })

  it('have counts after they are finished', async () => {
    const id = await createDataset(database, 'pets')
    expect(await findDataset(database, 'pets')).toMatchObject({ id, captionsPerImage: 0, imageCount: 0 })
    const counts = {
      captionsPerImage: 5,
      imageCount: 1,
      captionCount: 5,
      excludedImageCount: 0,
      revision: 'abc',
      wordRevision: 1,
    }
    await finishDataset(database, id, counts)
    expect(await findDataset(database, 'pets')).toMatchObject(counts)
  })

  it('that do not exist are an error that lists the existing ones', async () => {
    expect(await failureOf(requireDataset(database, 'pets'))).toBe(
      'UNKNOWN_DATASET dataset: unknown dataset: expected an imported dataset; none is imported yet, found "pets"',
    )
    await createDataset(database, 'cars')
    await createDataset(database, 'boats')
    expect(await failureOf(requireDataset(database, 'pets'))).toContain(
      'expected one of boats, cars, found "pets"',
    )
  })

  it('have unique names, also if two are created at once', async () => {
    await assertNameFree(database, 'pets')
    const other = await openAgain(database)
    try {
      const outcomes = await Promise.allSettled([
        database.transaction((session) => createDataset(session, 'pets')),
        other.transaction((session) => createDataset(session, 'pets')),
      ])
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const taken = 'NAME_TAKEN dataset: a dataset of this name exists: expected a new name, found "pets"'
      const [failure] = outcomes.filter((outcome) => outcome.status === 'rejected')
      expect(`${failure.reason.code} ${failure.reason.message}`).toBe(taken)
      expect(await failureOf(assertNameFree(database, 'pets'))).toBe(taken)
      expect(await failureOf(createDataset(database, 'pets'))).toBe(taken)
    } finally {
      await other.close()
    }
  })

  describe('when removed', () => {
    const TABLES = ['dataset', 'image', 'caption', 'word', 'posting', 'system', 'system_caption'].concat(
      'system_word',
      'image_set',
      'word_scores',
    )
    const readAll = async () => {
      const contents = await Promise.all(
        TABLES.map((table) => database.all(sql`SELECT * FROM ${raw(table)} ORDER BY 1, 2, 3`)),
      )
      return Object.fromEntries(TABLES.map((table, index) => [table, contents[index]]))
    }
    const addFilled = async (name: string) => {
      const dataset = await addDataset(database, name, SMALL)
      const imageId = (await readImageIds(database, dataset.id)).get('1') as number
      const wordId = (await readWordIds(database, dataset.id)).get('dog') as number
      const parrot = await addCaptionSystem(database, dataset.id, 'parrot', new Map([[imageId, 'a dog']]))
      const detector = await addSystem(database, dataset.id, 'detector', 'WORD_SCORES')
      const imageIds = Int32Array.of(imageId)
      await insertWordScores(database, detector, [{ wordId, imageIds, scores: Float64Array.of(0.5) }])
      const figures = { precisionAtHumanRecall: null, averagePrecision: null, precision: 0.5, recall: null }
      await insertSystemWords(database, parrot, [
        { wordId, referenceCount: 1, ...figures, undefinedReason: null },
      ])
      return { dataset, systemIds: [parrot, detector] }
    }

    it('are removed with all their rows, and no others', async () => {
      await addFilled('staying')
      const before = await readAll()
      const { dataset } = await addFilled('going')
      const between = await readAll()
      for (const table of TABLES) expect(between[table].length, table).toBeGreaterThan(before[table].length)
      await deleteDataset(database, dataset.id)
      expect(await readAll()).toEqual(before)
    })

    it('leave no rows of their systems, which can also be removed alone', async () => {
      const { dataset, systemIds } = await addFilled('pets')
      for (const id of systemIds) await deleteSystem(database, id)
      const after = await readAll()
      for (const table of TABLES.filter((name) => /^system|image_set|word_scores/.test(name))) {
        expect(after[table], table).toEqual([])
      }
      expect(after.posting.length).toBeGreaterThan(0)
      expect(await findDataset(database, 'pets')).toEqual(dataset)
    })

    it('leave ids that are never reused', async () => {
      const first = await addFilled('pets')
      const firstImage = Math.max(...(await readImageIds(database, first.dataset.id)).values())
      const firstWord = Math.max(...(await readWordIds(database, first.dataset.id)).values())
      await deleteDataset(database, first.dataset.id)
      const second = await addFilled('pets')
      expect(second.dataset.id).toBeGreaterThan(first.dataset.id)
      expect(Math.min(...second.systemIds)).toBeGreaterThan(Math.max(...first.systemIds))
      const { id } = second.dataset
      expect(Math.min(...(await readImageIds(database, id)).values())).toBeGreaterThan(firstImage)
      expect(Math.min(...(await readWordIds(database, id)).values())).toBeGreaterThan(firstWord)
    })
  })

  it('are written completely or not at all', async () => {
    const failure = failureOf(
      database.transaction(async (session) => {
        await addDataset(session, 'half', SMALL)
        throw new Error('stopped')
      }),
    )
    expect(await failure).toEqual(new Error('stopped'))
    expect(await findDataset(database, 'half')).toBeNull()
    expect(await database.all(sql`SELECT id FROM image`)).toEqual([])
  })
})

it('a removal does not scan tables: all foreign keys are indexed', async () => {
  const database = await openTestDatabase('sqlite')
  const tables = await database.all<{ name: string }>(
    raw("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%FOREIGN KEY%'"),
  )
  let keyCount = 0
  for (const { name } of tables) {
    const keys = await database.all<{ column: string; target: string }>(
      raw(`SELECT "from" AS "column", "table" AS target FROM pragma_foreign_key_list('${name}')`),
    )
    for (const { column, target } of keys) {
      // Those are never removed.
      if (target === 'token' || target === 'provenance') continue
      const [{ detail }] = await database.all<{ detail: string }>(
        raw(`EXPLAIN QUERY PLAN DELETE FROM "${name}" WHERE "${column}" = 1`),
      )
      expect.soft(detail, `${name}.${column}`).toMatch(/^SEARCH/)
      keyCount++
    }
  }
  expect(keyCount).toBeGreaterThan(20)
})
