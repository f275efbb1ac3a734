import BetterSqlite3 from 'better-sqlite3'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readScenes } from '../../../src/formats/boxes/scenes.js'
import { projectFile } from '../../../src/project.js'
import { importDataset } from '../../../src/services/datasets/import-captions.js'
import { countPictures } from '../../../src/services/images/pictures.js'
import { captionedImages, SEED_DATASET, writeSeed } from '../../../src/services/seed/seed.js'
import type { Accord } from '../../../src/services/shared/accord.js'
import { withoutJob } from '../../../src/services/uploads/import-job.js'
import { deleteChallenge, listChallenges } from '../../../src/store/challenges.js'
import { deleteDataset, listDatasets, requireDataset } from '../../../src/store/datasets.js'
import type { Database } from '../../../src/store/engine/session.js'
import { findImage, readCaptions } from '../../../src/store/images.js'
import { findJudgementSets, readJudgedCaptions } from '../../../src/store/judgements.js'
import type { Dataset, Word } from '../../../src/store/schema/dataset-tables.js'
import type { SystemWord } from '../../../src/store/schema/system-tables.js'
import { findSystem, listSystems, readSystemWords } from '../../../src/store/systems.js'
import { listWords } from '../../../src/store/words.js'
import { ENGINES, openAgain, openTestDatabase } from '../../kit/databases.js'
import { dumpContent } from '../jobs-kit.js'

const silent = () => {}

describe.each(ENGINES)('loadSeed on %s', (engine) => {
  describe('a loaded database', () => {
    let database: Database
    let dataset: Dataset
    let words: Map<number, Word>
    const fractions: number[] = []

    beforeAll(async () => {
      database = await openTestDatabase(engine)
      expect(await writeSeed(database, (fraction) => fractions.push(fraction))).toBe(true)
      dataset = await requireDataset(database, SEED_DATASET)
      words = new Map((await listWords(database, dataset.id, {})).map((word) => [word.id, word]))
    })

    it('has a picture of each image, in the package', async () => {
      expect(await countPictures({ database, options: {} } as Accord, dataset.id)).toBe(244)
    })

    it('was loaded with progress', () => {
      expect(fractions.at(-1)).toBe(1)
      expect(fractions).toEqual(fractions.toSorted((one, other) => one - other))
    })

    it('has the scenes with five captions each', async () => {
      const { imageCount } = dataset
      expect(imageCount).toBeGreaterThanOrEqual(240)
      expect(dataset).toMatchObject({
        captionsPerImage: 5,
        captionCount: 5 * imageCount,
        excludedImageCount: 0,
      })
      const [scene] = readScenes(projectFile('seed/scenes')).filter(({ imageId }) => imageId === 'kitchen-01')
      const image = await findImage(database, dataset.id, 'kitchen-01')
      expect(image).toMatchObject({
        fileName: null,
        width: scene.width,
        height: scene.height,
        captionCount: 5,
      })
      const captions = await readCaptions(database, [image?.id ?? 0])
      expect(captions.map(({ externalId, text }) => [externalId, text])).toEqual(
        scene.captions.map(({ id, sentence }) => [id, sentence.text]),
      )
    })

    it('has three captioning systems and two word-score systems that cover all scenes', async () => {
      const systems = await listSystems(database, [dataset.id])
      expect(systems.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
        'detector-large WORD_SCORES',
        'detector-small WORD_SCORES',
        'good CAPTIONS',
        'old CAPTIONS',
        'verbose CAPTIONS',
      ])
      expect(systems.every(({ imageCount }) => imageCount === dataset.imageCount)).toBe(true)
    })

    it('has people agree on common nouns, more than on verbs', () => {
      const recall = (text: string) =>
        [...words.values()].find((word) => word.text === text)?.humanRecall ?? 0
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

    it('has detectors that know every word of the vocabulary', async () => {
      for (const system of ['detector-large', 'detector-small']) {
        expect(
          (await results(system)).every(({ precisionAtHumanRecall }) => precisionAtHumanRecall !== 0),
        ).toBe(true)
      }
    })

    it('has people name more words than good does, and good more than old', async () => {
      const nouns = common(words, 'NN')
      const nounRecall = async (system: string) => {
        const recalls = new Map((await results(system)).map(({ wordId, recall }) => [wordId, recall]))
        return mean(nouns.flatMap(({ id }) => recalls.get(id) ?? []))
      }
      const human = mean(nouns.flatMap(({ humanRecall }) => humanRecall ?? []))
      const [good, old] = await Promise.all(['good', 'old'].map(nounRecall))
      expect(human).toBeGreaterThan(good)
      expect(good).toBeGreaterThan(old)
    })

    it('has ratings by three raters, who prefer people to verbose and good, and these to old', async () => {
      const [set] = await findJudgementSets(database, [dataset.id])
      const captions = await readJudgedCaptions(database, set.id)
      expect(captions.length).toBeGreaterThanOrEqual(4 * 60)
      expect(captions.every(({ ratings }) => ratings.length === 3)).toBe(true)
      const rating = (system: string) =>
        mean(
          captions
            .filter((caption) => caption.system === system)
            .flatMap(({ ratings }) => ratings.map(({ value }) => value)),
        )
      const [people, verbose, good, old] = ['people', 'verbose', 'good', 'old'].map(rating)
      expect(people).toBeGreaterThan(Math.max(verbose, good))
      expect(Math.min(verbose, good)).toBeGreaterThan(old)
    })

    it('is not loaded again', async () => {
      expect(await writeSeed(database, silent)).toBe(false)
      expect(await listDatasets(database)).toHaveLength(1)
    })

    async function results(system: string): Promise<SystemWord[]> {
      const found = await findSystem(database, dataset.id, system)
      return readSystemWords(database, [found?.id ?? 0], 4)
    }
  })

  describe('loading', () => {
    let database: Database
    let other: Database

    beforeAll(async () => {
      // On a busy machine one load takes longer than the other waits by default.
      const options = { busyTimeout: 600_000 }
      database = await openTestDatabase(engine, options)
      other = await openAgain(database, options)
      return () => other.close()
    })

    beforeEach(async () => {
      for (const { id } of await listChallenges(database)) await deleteChallenge(database, id)
      for (const { id } of await listDatasets(database)) await deleteDataset(database, id)
    })

    it('does not change a database with another dataset', async () => {
      const [scene] = readScenes(projectFile('seed/scenes'))
      await importDataset(withoutJob(database, silent), { dataset: 'mine' }, captionedImages([scene]))
      expect(await writeSeed(database, silent)).toBe(false)
      expect((await listDatasets(database)).map(({ name }) => name)).toEqual(['mine'])
    })

    it('leaves nothing if it is stopped; repeated, it is invisible to others until it is done', async () => {
      const before = await dumpContent(database)
      const stopped = writeSeed(database, (fraction) => {
        if (fraction >= 0.7) throw new Error('stopped')
      })
      await expect(stopped).rejects.toThrow('stopped')
      expect(await dumpContent(database)).toEqual(before)
      const reader =
        engine === 'sqlite' ? new BetterSqlite3(database.location, { readonly: true }) : undefined
      const count = reader?.prepare('SELECT count(*) FROM dataset').pluck()
      const reads: Promise<unknown>[] = []
      const seen: unknown[] = []
      const repeated = await writeSeed(database, (fraction) => {
        if (fraction === 1 || seen.length > 50) return
        // PostgreSQL answers later, perhaps when it is done.
        if (count) seen.push(count.get())
        else reads.push(listDatasets(other))
      })
      reader?.close()
      if (reader) expect(new Set(seen)).toEqual(new Set([0]))
      await Promise.all(reads)
      expect(repeated).toBe(true)
      expect((await listDatasets(other)).map(({ name }) => name)).toEqual([SEED_DATASET])
    })

    it('by two concurrent processes loads it once', async () => {
      const loaded = await Promise.all([writeSeed(database, silent), writeSeed(other, silent)])
      expect(loaded.toSorted()).toEqual([false, true])
      expect(await listDatasets(database)).toHaveLength(1)
    })
  })
})

it('fails with BUSY while another process writes to the SQLite file', async () => {
  const database = await openTestDatabase('sqlite')
  const impatient = await openAgain(database, { busyTimeout: 50 })
  await database.transaction(async () => {
    await expect(writeSeed(impatient, silent)).rejects.toMatchObject({ code: 'BUSY' })
  })
  await impatient.close()
  expect(await listDatasets(database)).toEqual([])
})

/** Words of a part of speech that at least eight captions use. */
function common(words: ReadonlyMap<number, Word>, partOfSpeech: string): Word[] {
  return [...words.values()].filter((word) => word.partOfSpeech === partOfSpeech && word.captionCount >= 8)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
