import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readScenes } from '../../src/formats/scenes.js'
import { importDataset } from '../../src/jobs/import-captions.js'
import { captionedImages, loadSeed, SEED_DATASET } from '../../src/jobs/load-seed.js'
import { projectFile } from '../../src/project.js'
import { type Database, openDatabase } from '../../src/store/database.js'
import { listDatasets, requireDataset } from '../../src/store/datasets.js'
import type { Dataset, SystemWord, Word } from '../../src/store/entities.js'
import { findSystem, listSystems, readSystemWords } from '../../src/store/systems.js'
import { listWords } from '../../src/store/words.js'

const silent = () => {}

describe('a loaded database', () => {
  let database: Database
  let dataset: Dataset
  let words: Map<number, Word>

  beforeAll(async () => {
    database = await openDatabase(':memory:')
    expect(await loadSeed(database, silent)).toBe(true)
    dataset = await requireDataset(database, SEED_DATASET)
    words = new Map((await listWords(database, dataset.id, {})).map((word) => [word.id, word]))
  })

  afterAll(() => database.close())

  it('holds the scenes with five captions each', () => {
    const { imageCount } = dataset
    expect(imageCount).toBeGreaterThanOrEqual(120)
    expect(dataset).toMatchObject({
      captionsPerImage: 5,
      captionCount: 5 * imageCount,
      excludedImageCount: 0,
    })
    const first = database.connection
      .prepare(
        `SELECT image.external_id AS scene, file_name AS fileName, width, height,
                caption.external_id AS id, text
         FROM image JOIN caption ON caption.image_id = image.id
         WHERE image.external_id = 'kitchen-01' ORDER BY position`,
      )
      .all()
    const [scene] = readScenes(projectFile('seed/scenes')).filter(({ imageId }) => imageId === 'kitchen-01')
    expect(first).toEqual(
      scene.captions.map(({ id, sentence }) => ({
        scene: 'kitchen-01',
        fileName: null,
        width: scene.width,
        height: scene.height,
        id,
        text: sentence.text,
      })),
    )
  })

  it('holds three captioning systems and two word-score systems that cover all scenes', async () => {
    const systems = await listSystems(database, dataset.id)
    expect(systems.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'detector-large WORD_SCORES',
      'detector-small WORD_SCORES',
      'middling CAPTIONS',
      'strong CAPTIONS',
      'weak CAPTIONS',
    ])
    expect(systems.every(({ imageCount }) => imageCount === dataset.imageCount)).toBe(true)
  })

  it('has people agree on common nouns, more than on verbs', () => {
    const recall = (text: string) => [...words.values()].find((word) => word.text === text)?.humanRecall ?? 0
    expect(recall('dog')).toBeGreaterThan(0.5)
    expect(recall('man')).toBeGreaterThan(0.3)
    expect(recall('woman')).toBeGreaterThan(0.3)
    const precision = (tag: string) =>
      mean(common(words, tag).flatMap(({ humanPrecision }) => humanPrecision ?? []))
    expect(precision('NN')).toBeGreaterThan(precision('VB'))
  })

  it('ranks people before detector-large before detector-small', async () => {
    const nouns = new Set(common(words, 'NN').map(({ id }) => id))
    const phr = async (system: string) =>
      mean(
        (await results(system))
          .filter(({ wordId }) => nouns.has(wordId))
          .flatMap(({ precisionAtHumanRecall }) => precisionAtHumanRecall ?? []),
      )
    const human = mean(common(words, 'NN').flatMap(({ humanPrecision }) => humanPrecision ?? []))
    const large = await phr('detector-large')
    expect(human).toBeGreaterThan(large)
    expect(large).toBeGreaterThan(await phr('detector-small'))
  })

  it('ranks strong before middling before weak', async () => {
    const nouns = new Set(common(words, 'NN').map(({ id }) => id))
    const nounRecall = async (system: string) =>
      mean(
        (await results(system))
          .filter(({ wordId }) => nouns.has(wordId))
          .flatMap(({ recall }) => recall ?? []),
      )
    const [strong, middling, weak] = await Promise.all(['strong', 'middling', 'weak'].map(nounRecall))
    expect(strong).toBeGreaterThan(middling)
    expect(middling).toBeGreaterThan(weak)
  })

  it('is not loaded again', async () => {
    expect(await loadSeed(database, silent)).toBe(false)
    expect(await listDatasets(database)).toHaveLength(1)
  })

  async function results(system: string): Promise<SystemWord[]> {
    const found = await findSystem(database, dataset.id, system)
    return readSystemWords(database, found?.id ?? 0, 4)
  }
})

describe('loading', () => {
  let folder: string
  let database: Database

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'accord-seed-'))
    database = await openDatabase(join(folder, 'accord.sqlite'))
  })

  afterEach(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })

  it('tells how far it is', async () => {
    const fractions: number[] = []
    await loadSeed(database, (fraction) => fractions.push(fraction))
    expect(fractions.at(-1)).toBe(1)
    expect(fractions).toEqual(fractions.toSorted((one, other) => one - other))
  })

  it('leaves a database alone that holds another data set', async () => {
    const [scene] = readScenes(projectFile('seed/scenes'))
    await importDataset(database, { dataset: 'mine' }, captionedImages([scene]), undefined, silent)
    expect(await loadSeed(database, silent)).toBe(false)
    expect((await listDatasets(database)).map(({ name }) => name)).toEqual(['mine'])
  })

  it('shows nothing to others until it is done', async () => {
    const other = new BetterSqlite3(database.file)
    const seen = new Set<unknown>()
    await loadSeed(database, () => seen.add(other.prepare('SELECT count(*) FROM dataset').pluck().get()))
    expect([...seen]).toEqual([0])
    expect(other.prepare('SELECT name FROM dataset').pluck().all()).toEqual([SEED_DATASET])
    other.close()
  })

  it.each([0.2, 0.7, 0.9])(
    'leaves nothing behind when it is stopped at %f, and can start again',
    async (at) => {
      const stopped = loadSeed(database, (fraction) => {
        if (fraction >= at) throw new Error('stopped')
      })
      await expect(stopped).rejects.toThrow('stopped')
      for (const table of ['dataset', 'image', 'caption', 'word', 'system', 'token']) {
        expect(database.connection.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), table).toBe(0)
      }
      expect(await loadSeed(database, silent)).toBe(true)
    },
  )

  it('says so where another process keeps writing', async () => {
    const impatient = await openDatabase(database.file, { busyTimeout: 50 })
    const other = new BetterSqlite3(database.file)
    other.exec('BEGIN IMMEDIATE')
    await expect(loadSeed(impatient, silent)).rejects.toMatchObject({ code: 'BUSY' })
    await impatient.close()
    other.close()
    expect(await loadSeed(database, silent)).toBe(true)
  })
})

/** Words of a part of speech that at least eight captions use. */
function common(words: ReadonlyMap<number, Word>, partOfSpeech: string): Word[] {
  return [...words.values()].filter((word) => word.partOfSpeech === partOfSpeech && word.captionCount >= 8)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
