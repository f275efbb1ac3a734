import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Workers } from '../../../src/queue/worker.js'
import { findDatasetOf } from '../../../src/services/datasets/datasets.js'
import {
  type DroppedFile,
  type ImportFilesInput,
  pageOf,
  startFilesImport,
  startUndo,
} from '../../../src/services/imports/dropped-files.js'
import { type ImportFilesReport, importFilesJob } from '../../../src/services/imports/import-files.js'
import { cancelJob, type Job } from '../../../src/services/jobs/jobs.js'
import { openAccord } from '../../../src/services/open-accord.js'
import type { Accord } from '../../../src/services/shared/accord.js'
import { summaryOf } from '../../../src/services/workers/describe.js'
import { startWorkers } from '../../../src/services/workers/workers.js'
import { connect } from '../../../src/store/engine/better-sqlite3.js'
import { raw, sql } from '../../../src/store/engine/sql.js'
import { findJobs } from '../../../src/store/jobs.js'
import { rejectionOf } from '../../kit/boxes.js'
import { atEnd } from '../../kit/cleanup.js'
import { cocoCaptions, cocoResults, scoreLines } from '../../kit/coco.js'
import { createTestDatabase, ENGINES } from '../../kit/databases.js'
import { dump } from '../../kit/dump.js'
import { uploadOf } from '../../kit/uploads.js'

const PEOPLE = cocoCaptions({
  1: ['A dog runs.', 'The dog.', 'A brown dog.'],
  2: ['A cat.', 'A cat sleeps.', 'One cat.'],
  3: ['A red bus.', 'A bus.', 'The bus.'],
})
const GERMAN = cocoCaptions({
  1: ['Ein brauner Hund läuft über die Wiese.', 'Der Hund ist auf der Wiese.'],
  2: ['Eine Katze schläft auf dem Sofa.', 'Die Katze liegt auf einem Sofa.'],
  3: ['Ein roter Bus fährt durch die Straße.', 'Der Bus steht an der Straße.'],
})
const GOOD = cocoResults({ 1: 'A dog.', 2: 'A cat.', 3: 'A bus.' })
const BAD = cocoResults({ 1: 'A bus.', 2: 'A cat.', 3: 'A dog.' })

describe.each(ENGINES)('files that belong together on %s', (engine) => {
  let location: string
  let accord: Accord
  beforeAll(async () => {
    const created = await createTestDatabase(engine)
    location = created.location
    accord = await openAccord({ location, threadCount: 1, hasWorkers: true })
    atEnd(async () => {
      await accord.close()
      await created.remove()
    })
  })

  beforeEach(async () => {
    await accord.database.transaction(async (session) => {
      for (const table of ['job', 'upload', 'dataset']) await session.run(raw(`DELETE FROM ${table}`))
    })
  })

  type Settings = Omit<DroppedFile, 'file'>
  const file = async (content: object | string, settings: Settings, name = 'file.json') => ({
    ...settings,
    file: { upload: await uploadOf(accord, content, name) },
  })
  const people = () => file(PEOPLE, { content: 'CAPTIONS' }, 'people.json')
  const system = (name: string, captions: object = GOOD) =>
    file(captions, { content: 'RESULTS', system: name }, `${name}.json`)

  const start = (files: readonly DroppedFile[], more: Partial<ImportFilesInput> = {}) =>
    startFilesImport(accord, { dataset: 'pets', files, ...more })

  const systemsOf = async (dataset: string) =>
    (
      await accord.database.all<{ name: string }>(sql`
        SELECT name FROM system WHERE dataset_id = (SELECT id FROM dataset WHERE name = ${dataset}) ORDER BY name`)
    ).map(({ name }) => name)
  const uploads = () => accord.database.all(sql`SELECT id FROM upload`)
  /** All that imports write, without the words that all datasets share. */
  const content = async () => {
    const { job: _job, token: _token, ...rows } = await dump(accord.database)
    return rows
  }

  it('are refused at once where no dataset can be made of them', async () => {
    expect(await rejectionOf(start([]))).toMatch(/^OUT_OF_RANGE files: .*found none/)
    expect(await rejectionOf(start([await people(), await people()]))).toMatch(
      /^OUT_OF_RANGE files: .*found 2 with captions of people/,
    )
    expect(await rejectionOf(start([await system('good')]))).toMatch(/^UNKNOWN_DATASET/)
    expect(await rejectionOf(start([await people(), await system('')]))).toMatch(/^INVALID_VALUE system/)
    expect(await rejectionOf(start([await people(), await system('a'), await system('a')]))).toMatch(
      /^NAME_TAKEN system: two files/,
    )
    expect(await rejectionOf(start([await people()], { dataset: '' }))).toMatch(/^INVALID_VALUE dataset/)
    expect(await rejectionOf(start([await people()], { metrics: ['CIDEr-D', 'BLUE-4'] }))).toMatch(
      /^UNKNOWN_METRIC metrics: .*BLEU-4/,
    )
    expect(await accord.database.all(sql`SELECT id FROM job`)).toEqual([])
  })

  it('lead to a page', () => {
    const files = [{ content: 'RESULTS', file: { upload: 'a' } }] as const
    expect(pageOf({ files }, 'my pets', ['a/b', 'c'])).toBe('d/my%20pets/compare/a%2Fb/c')
    expect(pageOf({ files }, 'pets', ['a'])).toBe('d/pets/systems/a')
    expect(pageOf({ files }, 'pets', ['a', 'b', 'c'])).toBe('d/pets')
    const ofPeople = [{ content: 'CAPTIONS', file: { upload: 'a' } }] as const
    expect(pageOf({ files: ofPeople }, 'pets', [])).toBe('d/pets/agreement')
    expect(pageOf({ files: [{ content: 'JUDGEMENTS', file: { upload: 'a' } }] }, 'pets', [])).toBe('metrics')
  })

  describe('by workers', () => {
    let workers: Workers
    beforeAll(async () => {
      workers = await startWorkers({ location, count: 1 })
    })
    afterAll(() => workers.close())

    const ended = async (started: Promise<Job>) => accord.queue.waitForEnd((await started).id)
    const done = async (started: Promise<Job>): Promise<Job & { readonly result: ImportFilesReport }> => {
      const job = await ended(started)
      expect(job.failure).toBeNull()
      expect(job.status).toBe('DONE')
      return job as Job & { readonly result: ImportFilesReport }
    }

    it('are one job, whatever their order, with the scores of people and of systems as people', async () => {
      const job = await done(start([await system('good'), await people(), await system('bad', BAD)]))
      expect(job.result).toMatchObject({
        isNewDataset: true,
        systemIds: [expect.any(Number), expect.any(Number)],
      })
      expect(job.datasetId).toBe(job.result.datasetId)
      expect(await systemsOf('pets')).toEqual(['bad', 'good'])
      expect(await uploads()).toEqual([])
      const jobs = await accord.database.all<{ kind: string }>(sql`SELECT kind FROM job`)
      expect(jobs).toEqual([{ kind: 'importFiles' }])
      const scores = await accord.database.all<{ name: string; value: number; k: number }>(sql`
        SELECT system.name, value, reference_count AS k FROM metric_score
        JOIN system ON system.id = system_id WHERE metric = 'CIDEr-D' ORDER BY system.name`)
      expect(scores.map(({ name, k }) => ({ name, k }))).toEqual([
        { name: 'bad', k: 2 },
        { name: 'good', k: 2 },
      ])
      expect(scores[1].value).toBeGreaterThan(scores[0].value)
      expect(
        await accord.database.all(
          sql`SELECT reference_count AS k FROM agreement_score WHERE metric = 'CIDEr-D'`,
        ),
      ).toEqual([{ k: 2 }])
    })

    it('are of the dataset that has their images, whatever they call them', async () => {
      await done(start([await people()], { metrics: [] }))
      const named = async (images: readonly string[]) => (await findDatasetOf(accord, images))?.name
      expect(await named(['1', '2'])).toBe('pets')
      expect(await named(['val/1.jpg', '3.jpg'])).toBe('pets')
      expect(await named(['COCO_val2014_000000000002.jpg', 'COCO_val2014_000000000009.jpg'])).toBe('pets')
      expect(await named(['1', '8', '9'])).toBeUndefined()
      expect(await named([])).toBeUndefined()
    })

    it('compute the metrics that are asked for, or none', async () => {
      await done(start([await people(), await system('good')], { metrics: ['BLEU-1'] }))
      await done(start([await system('bad', BAD)], { metrics: [] }))
      expect(await accord.database.all(sql`SELECT DISTINCT metric FROM agreement_score`)).toEqual(
        expect.arrayContaining([{ metric: 'BLEU-1' }]),
      )
      const scored = sql`SELECT DISTINCT system.name FROM metric_score JOIN system ON system.id = system_id`
      expect(await accord.database.all(scored)).toEqual([{ name: 'good' }])
    })

    it('store nothing where one of them is refused, which the failure names; the uploads stay', async () => {
      const before = await content()
      const short = await system('short', GOOD.slice(1))
      const files = [await people(), await system('good'), short]
      expect(await ended(start(files))).toMatchObject({
        status: 'FAILED',
        failure: { code: 'MISSING_IMAGES', detail: { source: 'short.json' } },
      })
      expect({ ...(await content()), upload: before.upload, upload_piece: before.upload_piece }).toEqual(
        before,
      )
      expect(await uploads()).toHaveLength(3)
      await done(start([files[0], files[1], { ...short, isPartial: true }]))
      expect(await systemsOf('pets')).toEqual(['good', 'short'])
    })

    it('are added to a dataset, or replace it or its systems', async () => {
      const first = await done(start([await people(), await system('good')]))
      expect(await rejectionOf(start([await people()]))).toMatch(/^NAME_TAKEN dataset/)
      expect(await rejectionOf(start([await system('good')]))).toMatch(/^NAME_TAKEN system/)
      const added = await done(start([await system('bad', BAD)]))
      expect(added.result).toMatchObject({ datasetId: first.result.datasetId, isNewDataset: false })
      expect(await systemsOf('pets')).toEqual(['bad', 'good'])
      const replaced = await done(start([await system('good', BAD)], { isReplaced: true }))
      expect(replaced.result.systemIds).not.toEqual(first.result.systemIds)
      expect(await systemsOf('pets')).toEqual(['bad', 'good'])
      const last = await done(start([await people(), await system('new')], { isReplaced: true }))
      expect(last.result.isNewDataset).toBe(true)
      expect(await systemsOf('pets')).toEqual(['new'])
      expect(await accord.database.all(sql`SELECT name FROM dataset`)).toEqual([{ name: 'pets' }])
    })

    it('of words and boxes are imported after what they are about', async () => {
      const words = await file(
        scoreLines({ 1: { dog: 0.5 }, 2: { cat: 1 } }),
        { content: 'WORD_SCORES', system: 'detector', isPartial: true },
        'scores.jsonl',
      )
      const objects = await file('image_id,objects\n1,dog\n', { content: 'OBJECTS' }, 'objects.csv')
      const { result } = await done(start([words, objects, await people()]))
      expect(result.systemIds).toHaveLength(1)
      expect(await systemsOf('pets')).toEqual(['detector'])
    })

    it('of descriptions replace those that are a system of their own, and no captions', async () => {
      const boxes = await file(
        { images: [{ image_id: 1, boxes: [{ id: 2, concept: 'dog', bbox: [0, 0, 9, 9] }] }] },
        { content: 'BOXES' },
      )
      const mentions = (name: string, caption: string) =>
        file([{ image_id: 1, caption }], { content: 'DESCRIPTIONS', system: name, isPartial: true })
      const files = [await people(), boxes, await system('good'), await mentions('good', 'A [dog](2).')]
      await done(start([...files, await mentions('ours', 'a [dog](2)')], { metrics: [] }))
      const id = async (name: string) =>
        (await accord.database.all(sql`SELECT id FROM system WHERE name = ${name}`))[0]
      const [good, ours] = [await id('good'), await id('ours')]
      const again = async (name: string) =>
        start([await mentions(name, 'A [dog](2).')], { isReplaced: true, metrics: [] })
      await done(again('ours'))
      expect(await id('ours')).not.toEqual(ours)
      expect((await ended(again('good'))).failure).toMatchObject({ code: 'NAME_TAKEN' })
      expect(await id('good')).toEqual(good)
      expect(await accord.database.all(sql`SELECT id FROM system_caption`)).toHaveLength(3)
    })

    /** Files whose scores take longer than their import. */
    const manyFiles = async () => {
      const text = (image: number) => `a w${image % 50} with a w${image % 7} and w${image % 31}`
      const images = Array.from({ length: 3000 }, (_, index) => index + 1)
      const many = cocoCaptions(
        Object.fromEntries(images.map((id) => [id, [0, 1, 2, 3, 4].map((more) => text(id + more))])),
      )
      return [
        await file(many, { content: 'CAPTIONS' }),
        await system('one', cocoResults(Object.fromEntries(images.map((id) => [id, text(id)])))),
      ]
    }

    it('that are cancelled while they are scored stay, which the job says, and can be undone', async () => {
      const before = await content()
      const job = await start(await manyFiles())
      await expect.poll(() => systemsOf('pets'), { interval: 5 }).toEqual(['one'])
      expect(await rejectionOf(startUndo(accord, job.id))).toMatch(/found importFiles, RUNNING/)
      const cancelled = await cancelJob(accord, job.id)
      expect(cancelled).toMatchObject({ status: 'CANCELLED', result: { isNewDataset: true } })
      expect(summaryOf(cancelled)).toBe(
        'Imported 2 files as the dataset pets, with 1 new system. Scoring them was cancelled.',
      )
      expect(await systemsOf('pets')).toEqual(['one'])
      expect(await uploads()).toEqual([])
      expect(await ended(startUndo(accord, job.id))).toMatchObject({ status: 'DONE' })
      expect(await content()).toEqual(before)
    })

    it('that replace a dataset stay where they are cancelled while they are scored; nothing would be left', async () => {
      const first = await done(start([await people(), await system('good')], { metrics: [] }))
      const job = await start(await manyFiles(), { isReplaced: true })
      await expect.poll(() => systemsOf('pets'), { interval: 5 }).toEqual(['one'])
      const { status, datasetId, result } = await cancelJob(accord, job.id)
      expect(status).toBe('CANCELLED')
      expect(result).toMatchObject({ datasetId, isNewDataset: true })
      expect(datasetId).not.toBe(first.datasetId)
      expect(await systemsOf('pets')).toEqual(['one'])
      expect(await rejectionOf(startUndo(accord, job.id))).toMatch(
        /^NOT_APPLICABLE id: .*an import that replaces nothing/,
      )
    })

    it('stay where scoring them fails', async () => {
      const german = await file(GERMAN, { content: 'CAPTIONS' })
      const job = await ended(start([german, await system('good')], { metrics: ['BLEU-1', 'SPICE'] }))
      expect(job).toMatchObject({ status: 'FAILED', failure: { code: 'LANGUAGE_NOT_SUPPORTED' } })
      expect(summaryOf(job)).toMatch(/with 1 new system\. Scoring them failed\.$/)
      expect(await systemsOf('pets')).toEqual(['good'])
      expect(await ended(startUndo(accord, job.id))).toMatchObject({ status: 'DONE' })
    })

    it('change nothing where what would replace a dataset or a system is refused', async () => {
      await done(start([await people(), await system('good')], { metrics: ['BLEU-1'] }))
      const before = await content()
      const isUnchanged = async () =>
        expect({ ...(await content()), upload: [], upload_piece: [] }).toEqual(before)
      const short = await system('good', GOOD.slice(1))
      for (const files of [[await people(), short], [short]]) {
        const refused = await ended(start(files, { isReplaced: true }))
        expect(refused).toMatchObject({ status: 'FAILED', result: null, failure: { code: 'MISSING_IMAGES' } })
        expect(summaryOf(refused)).toBeNull()
        await isUnchanged()
        expect(await rejectionOf(startUndo(accord, refused.id))).toMatch(/^NOT_APPLICABLE id/)
      }
    })

    it('are undone: the dataset that they made, or the systems that they added', async () => {
      const first = await done(start([await people(), await system('good')]))
      const added = await done(start([await system('bad', BAD), await system('other')]))
      const undone = await ended(startUndo(accord, added.id))
      expect(undone).toMatchObject({ status: 'DONE', result: { systemCount: 2 } })
      expect(await systemsOf('pets')).toEqual(['good'])
      expect((await ended(startUndo(accord, added.id))).failure).toMatchObject({ code: 'NOT_APPLICABLE' })
      expect(await ended(startUndo(accord, first.id))).toMatchObject({ status: 'DONE' })
      expect(await accord.database.all(sql`SELECT id FROM dataset`)).toEqual([])
      expect(await findJobs(accord.database, [first.id])).toEqual([])
      expect(await rejectionOf(startUndo(accord, first.id))).toMatch(/^NOT_APPLICABLE id: .*found no job/)
    })
  })

  it.runIf(engine === 'sqlite')('are read before others that write have to wait', async () => {
    const text = (image: number) => `a w${image % 50} with a w${image % 7} and w${image % 31}`
    const images = Array.from({ length: 3000 }, (_, index) => index + 1)
    const captions = cocoCaptions(Object.fromEntries(images.map((id) => [id, [text(id), text(id + 1)]])))
    const results = cocoResults(Object.fromEntries(images.map((id) => [id, text(id)])))
    const other = connect(location, { timeout: 0 })
    atEnd(async () => {
      other.close()
    })
    const isLocked = () => {
      try {
        other.exec('BEGIN IMMEDIATE')
        other.exec('ROLLBACK')
        return false
      } catch {
        return true
      }
    }
    /** How often files are heard of before and while others wait, by file. */
    const heard = async (files: readonly DroppedFile[]) => {
      const counts: Record<string, [before: number, during: number]> = {}
      const progress = (_share: number, message: string) => {
        if (!message.startsWith('importing')) return
        counts[message] ??= [0, 0]
        counts[message][isLocked() ? 1 : 0]++
      }
      const input = { dataset: 'pets', files, metrics: [] }
      // Without the lease of a job, whose renewals are waited for too.
      const context = {
        input,
        database: accord.database,
        progress,
        result: null,
        storeResult: async () => {},
      }
      await importFilesJob(context as unknown as Parameters<typeof importFilesJob>[0])
      return counts
    }
    const captionsFile = await file(captions, { content: 'CAPTIONS' }, 'people.json')
    const made = await heard([captionsFile, await system('one', results)])
    expect(made['importing people.json'][0]).toBeGreaterThan(8)
    expect(made['importing people.json'][1]).toBeGreaterThan(0)
    const added = await heard([await system('two', results), await system('three', results)])
    for (const name of ['importing two.json', 'importing three.json']) {
      expect(added[name][0]).toBeGreaterThanOrEqual(3)
      expect(added[name][1]).toBeGreaterThan(0)
    }
  })

  it('that wait for a worker cannot be undone, but cancelled', async () => {
    const job = await start([await people()])
    expect(await rejectionOf(startUndo(accord, job.id))).toMatch(/found importFiles, QUEUED/)
    expect((await cancelJob(accord, job.id)).status).toBe('CANCELLED')
    expect(await uploads()).toHaveLength(1)
  })
})
