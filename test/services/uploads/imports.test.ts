import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Workers } from '../../../src/queue/worker.js'
import { removeDataset } from '../../../src/services/datasets/datasets.js'
import { cancelJob, type Job } from '../../../src/services/jobs/jobs.js'
import { openAccord } from '../../../src/services/open-accord.js'
import type { Accord } from '../../../src/services/shared/accord.js'
import type { JobInput } from '../../../src/services/shared/job-kinds.js'
import { checkName, checkSystemName } from '../../../src/services/shared/names.js'
import { type ImportName, startImport } from '../../../src/services/uploads/imports.js'
import { requireNewSystem } from '../../../src/services/uploads/requirements.js'
import { inputOf } from '../../../src/services/workers/describe.js'
import { startWorkers } from '../../../src/services/workers/workers.js'
import { requireDataset } from '../../../src/store/datasets.js'
import { raw, sql } from '../../../src/store/engine/sql.js'
import { findJobs } from '../../../src/store/jobs.js'
import { npy, temporaryFolder } from '../../formats/kit.js'
import { rejectionOf } from '../../kit/boxes.js'
import { atEnd } from '../../kit/cleanup.js'
import { cocoCaptions, cocoResults, scoreLines, vocabulary } from '../../kit/coco.js'
import { createTestDatabase, ENGINES } from '../../kit/databases.js'
import { dump } from '../../kit/dump.js'
import { uploadOf } from '../../kit/uploads.js'

const files = temporaryFolder()

describe('checkName', () => {
  it.each(['a', ' a ', 'Tom’s 犬', 'x'.repeat(10_000)])('accepts %j', (name) => {
    expect(() => checkName('system', name)).not.toThrow()
  })

  it.each(['', ' ', '\t\n', 'a\0b'])('rejects %j', (name) => {
    expect(() => checkName('system', name)).toThrow(/^system: invalid name: expected non-blank text /)
  })
})

describe('checkSystemName', () => {
  it.each([
    'people',
    'People',
    'PEOPLE',
    ' people ',
    'ｐｅｏｐｌｅ',
    'human',
    'Humans',
    'human(s)',
    'Human_captions',
    'human-references',
    'annotator(s)',
    'human annotators',
    'persons',
    'human agreement',
    'Human 1',
    'annotator_2',
    'ground truth',
    'GT',
    'human-written captions',
  ])('rejects %j, which stands for people', (name) => {
    expect(() => checkSystemName(name)).toThrow(
      /^system: reserved name: expected another name: this one stands /,
    )
  })

  it.each(['people2', 'humanoid', 'peopl', 'captions', 'person detector', 'human-v2', 'references'])(
    'accepts %j',
    (name) => {
      expect(() => checkSystemName(name)).not.toThrow()
    },
  )
})

const PETS = { 1: ['A dog runs.', 'The dog.'], 2: ['A cat.', 'A cat sleeps.'], 3: ['A dog.', 'A bus.'] }
const RESULTS = cocoResults({ 1: 'A dog.', 2: 'A cat.', 3: 'A bus.' })

/** An import: its input without sources, and its files by the name of the source. */
interface Example {
  readonly kind: ImportName
  readonly input: object
  readonly files: Readonly<
    Record<string, { readonly name: string; readonly content: string | Buffer | object }>
  >
}

const json = (content: object) => ({ name: 'file.json', content })

describe.each(ENGINES)('imports on %s', (engine) => {
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
    const { database } = accord
    await database.transaction(async (session) => {
      for (const table of ['job', 'upload', 'dataset']) await session.run(raw(`DELETE FROM ${table}`))
    })
  })

  const uploads = async () =>
    (await accord.database.all<{ id: string }>(sql`SELECT id FROM upload ORDER BY id`)).map(({ id }) => id)

  const captions = (upload: string, dataset = 'pets') =>
    startImport(accord, 'importCaptions', { dataset, file: { upload } })

  describe('are refused at once', () => {
    it('without the upload', async () => {
      expect(await rejectionOf(captions('unknown'))).toMatch(/^UNKNOWN_UPLOAD upload: /)
      const upload = await uploadOf(accord, cocoCaptions(PETS))
      await accord.database.transaction((session) =>
        session.run(sql`UPDATE upload SET expires_at = '1970-01-01T00:00:00.000Z'`),
      )
      expect(await rejectionOf(captions(upload))).toMatch(/^UNKNOWN_UPLOAD upload: /)
      const late = await uploadOf(accord, cocoCaptions(PETS))
      await accord.database.transaction((session) => session.run(sql`UPDATE upload SET sha256 = NULL`))
      expect(await rejectionOf(captions(late))).toMatch(/^UNKNOWN_UPLOAD upload: /)
      expect(await accord.database.all(sql`SELECT id FROM job`)).toEqual([])
    })

    it('with an invalid name', async () => {
      const upload = await uploadOf(accord, {})
      for (const name of ['', ' ', 'a\0']) {
        expect(await rejectionOf(captions(upload, name))).toMatch(/^INVALID_VALUE dataset: /)
      }
    })

    it('a system called people', async () => {
      const { database } = accord
      for (const name of ['people', 'People'])
        expect(await rejectionOf(requireNewSystem(database, 1, name))).toMatch(
          /^INVALID_VALUE system: reserved/,
        )
    })

    it('if another job imports the upload; the same import is one job', async () => {
      const upload = await uploadOf(accord, cocoCaptions(PETS))
      const first = await captions(upload)
      expect((await captions(upload)).id).toBe(first.id)
      expect(await rejectionOf(captions(upload, 'other'))).toMatch(/^NOT_APPLICABLE upload: another job/)
      await cancelJob(accord, first.id)
      expect((await captions(upload, 'other')).status).toBe('QUEUED')
    })
  })

  it('have no rows of the file in the job, and do not tell the id of the upload', async () => {
    const upload = await uploadOf(accord, cocoCaptions(PETS))
    const job = await captions(upload)
    const [{ input }] = await accord.database.all<{ input: string }>(sql`SELECT input FROM job`)
    expect(input).toBe(JSON.stringify({ dataset: 'pets', file: { upload } }))
    expect(inputOf(job)).toEqual([{ name: 'dataset', text: 'pets' }])
    const figures = [{ kind: 'METRIC', metric: 'BLEU-1', references: null }, { kind: 'PHR' }]
    const other = {
      systemIds: [1, 2],
      metrics: ['A', 'B'],
      people: false,
      figures,
      file: { path: '/home/me/a.json' },
    }
    expect(inputOf({ ...job, input: other }).map(({ name, text }) => `${name}=${text}`)).toEqual([
      'metrics=A',
      'metrics=B',
      'people=false',
      'figures.0.kind=METRIC',
      'figures.0.metric=BLEU-1',
      'figures.1.kind=PHR',
      'file.path=a.json',
    ])
  })

  it('are removed with their dataset', async () => {
    const local = await openAccord({ location, threadCount: 1 })
    const { datasetId } = await local.run('importCaptions', {
      dataset: 'pets',
      file: { path: files.write('pets.json', cocoCaptions(PETS)) },
    })
    const job = await startImport(accord, 'importVocabulary', {
      datasetId,
      file: { upload: await uploadOf(accord, vocabulary({ dog: 'NN' })) },
    })
    await removeDataset(local, 'pets')
    expect(await findJobs(accord.database, [job.id])).toEqual([])
    await local.close()
  })

  describe('by workers', () => {
    let workers: Workers
    beforeAll(async () => {
      workers = await startWorkers({ location, count: 1 })
    })
    afterAll(() => workers.close())

    async function ended<Name extends ImportName>(kind: Name, input: JobInput<Name>): Promise<Job> {
      const { id } = await startImport(accord, kind, input)
      return accord.queue.waitForEnd(id)
    }

    const importPets = async () => {
      const file = { upload: await uploadOf(accord, cocoCaptions(PETS)) }
      const { result } = await ended('importCaptions', { dataset: 'pets', file })
      return (result as { readonly datasetId: number }).datasetId
    }

    it('remove the upload with what they write', async () => {
      const upload = await uploadOf(accord, cocoCaptions(PETS))
      expect(await ended('importCaptions', { dataset: 'pets', file: { upload } })).toMatchObject({
        status: 'DONE',
        result: {
          imageCount: 3,
          captionCount: 6,
          datasetId: (await requireDataset(accord.database, 'pets')).id,
        },
      })
      expect(await uploads()).toEqual([])
      expect(await rejectionOf(captions(upload, 'again'))).toMatch(/^UNKNOWN_UPLOAD/)
    })

    it('fail with the place in the file, and leave the upload', async () => {
      const datasetId = await importPets()
      const upload = await uploadOf(accord, RESULTS.slice(1), 'my results.json')
      const input = { datasetId, file: { upload }, system: 'parrot' }
      const failed = await ended('importResults', { ...input, isMissingAllowed: false })
      expect(failed).toMatchObject({
        status: 'FAILED',
        failure: {
          code: 'MISSING_IMAGES',
          message:
            'my results.json: images are missing: expected all 3 images of the dataset, found 2, without 1',
        },
      })
      expect(await uploads()).toEqual([upload])
      expect(await ended('importResults', { ...input, isMissingAllowed: true })).toMatchObject({
        status: 'DONE',
        result: { imageCount: 2, missingImageCount: 1, missing: ['1'] },
      })
      const broken = await uploadOf(accord, '[{"image_id": 1, "caption": 7}]')
      expect(
        (
          await ended('importResults', {
            ...input,
            system: 'other',
            file: { upload: broken },
            isMissingAllowed: true,
          })
        ).failure?.message,
      ).toBe('upload: [0].caption: wrong shape: expected a string, found the number 7')
    })

    it('of a kind of file that it is not fail', async () => {
      const upload = await uploadOf(accord, npy(Float32Array.of(1), 1, 1), 'scores.npy')
      expect((await ended('importCaptions', { dataset: 'x', file: { upload } })).failure).toMatchObject({
        code: 'INVALID_SHAPE',
        detail: { source: 'scores.npy', place: 'line 1' },
      })
    })

    it('evaluate a system', async () => {
      const datasetId = await importPets()
      const file = { upload: await uploadOf(accord, RESULTS) }
      const { result } = await ended('importResults', {
        datasetId,
        file,
        system: 'parrot',
        isMissingAllowed: false,
        evaluate: true,
      })
      const { evaluationId = 0 } = result as { readonly evaluationId?: number }
      expect(await accord.queue.waitForEnd(evaluationId)).toMatchObject({ kind: 'evaluate', status: 'DONE' })
      expect(
        await rejectionOf(
          startImport(accord, 'importResults', {
            datasetId,
            file: { upload: await uploadOf(accord, RESULTS) },
            system: 'parrot',
            isMissingAllowed: false,
          }),
        ),
      ).toMatch(/^NAME_TAKEN/)
    })

    it('that have two uploads remove both', async () => {
      const upload = await uploadOf(accord, cocoCaptions(PETS))
      const words = await uploadOf(accord, vocabulary({ dog: 'NN', zebra: 'NN' }))
      const input = { dataset: 'pets', file: { upload }, vocabulary: { upload: words } }
      expect(await ended('importCaptions', input)).toMatchObject({ result: { vocabularySize: 2 } })
      expect(await uploads()).toEqual([])
    })
  })

  describe('store the same as the command line', () => {
    const EXAMPLES: readonly Example[] = [
      {
        kind: 'importCaptions',
        input: { dataset: 'new', captionsPerImage: 2 },
        files: {
          file: { name: 'captions.json.gz', content: cocoCaptions(PETS) },
          vocabulary: { name: 'words.csv', content: vocabulary({ dog: 'NN', cat: 'VB' }) },
        },
      },
      {
        kind: 'importVocabulary',
        input: {},
        files: { file: { name: 'v.csv', content: vocabulary({ dog: 'VB' }) } },
      },
      {
        kind: 'importResults',
        input: { system: 'parrot', isMissingAllowed: false },
        files: { file: { name: 'results.json.gz', content: RESULTS } },
      },
      {
        kind: 'importWordScores',
        input: { system: 'lines', isMissingAllowed: true },
        files: { file: { name: 'scores.jsonl', content: scoreLines({ 1: { dog: 0.5 }, 2: { cat: 1 } }) } },
      },
      {
        kind: 'importWordScores',
        input: { system: 'matrix', isMissingAllowed: false },
        files: {
          file: { name: 'scores.npy', content: npy(Float32Array.of(1, 2, 3, 4, 5, 6), 3, 2) },
          vocabulary: { name: 'words.csv', content: vocabulary({ dog: 'NN', cat: 'NN' }) },
          imageIds: json([1, 2, 3]),
        },
      },
      {
        kind: 'importBoxes',
        input: { dataset: 'pets' },
        files: {
          file: json({
            images: [
              { image_id: 1, width: 9, height: 9, boxes: [{ id: 1, concept: 'dog', bbox: [1, 2, 3, 4] }] },
            ],
            descriptions: [{ id: 'x', image_id: 1, caption: 'A [dog](1) runs.' }],
          }),
        },
      },
      {
        kind: 'importObjects',
        input: {},
        files: { file: { name: 'objects.csv', content: 'image_id,objects\n1,dog|person\n2,\n' } },
      },
      {
        kind: 'importDescriptions',
        input: { system: 'pointer', isMissingAllowed: true },
        files: { file: json([{ image_id: 1, mentions: [1] }]) },
      },
      {
        kind: 'importJudgements',
        input: { dataset: 'pets' },
        files: {
          file: {
            name: 'ratings.jsonl',
            content: JSON.stringify({ image_id: 1, captions: [{ caption: 'A cat.', ratings: [1, 2] }] }),
          },
        },
      },
      {
        kind: 'importVotes',
        input: { people: 3 },
        files: { file: { name: 'votes.csv', content: 'kind,atom,visual\nentity,dog,yes\n' } },
      },
    ]

    /** The stored content without jobs, uploads and times. */
    async function contentOf({ database }: Accord) {
      const {
        job: _job,
        upload: _upload,
        upload_piece: _pieces,
        token: _token,
        ...content
      } = await dump(database)
      const withoutTimes = (key: string, value: unknown) =>
        /created_at|createdAt/.test(key) ? undefined : value
      return Object.fromEntries(
        Object.entries(content).map(([table, rows]) => [
          table,
          rows.map((row) => JSON.parse(row, withoutTimes)),
        ]),
      )
    }

    /** The input with the dataset `pets` where the kind needs one. */
    async function inputIn({ database }: Accord, { kind, input }: Example): Promise<object> {
      const isNew = ['importCaptions', 'importBoxes', 'importJudgements', 'importArtefact'].includes(kind)
      return isNew ? input : { ...input, datasetId: (await requireDataset(database, 'pets')).id }
    }

    it('for every kind of file', async () => {
      const pets: Example = {
        kind: 'importCaptions',
        input: { dataset: 'pets' },
        files: { file: json(cocoCaptions(PETS)) },
      }
      const [served, local] = [await createTestDatabase(engine), await createTestDatabase(engine)]
      const api = await openAccord({ location: served.location, threadCount: 1, hasWorkers: true })
      const cli = await openAccord({ location: local.location, threadCount: 1 })
      const workers = await startWorkers({ location: served.location, count: 1 })
      for (const example of [pets, ...EXAMPLES]) {
        const sources: Record<string, object> = {}
        const paths: Record<string, object> = {}
        for (const [key, { name, content }] of Object.entries(example.files)) {
          const path = files.write(name, content)
          paths[key] = { path }
          sources[key] = { upload: await uploadOf(api, readFileSync(path), name) }
        }
        const input = { ...(await inputIn(api, example)), ...sources } as never
        const { id } = await startImport(api, example.kind, input)
        const ended = await api.queue.waitForEnd(id)
        expect({ kind: example.kind, failure: ended.failure }).toEqual({ kind: example.kind, failure: null })
        const localInput = { ...(await inputIn(cli, example)), ...paths } as never
        const report = await cli.run(example.kind, localInput)
        expect(report).toEqual(ended.result)
      }
      expect(await contentOf(api)).toEqual(await contentOf(cli))
      await workers.close()
      await Promise.all([api.close(), cli.close()])
      await served.remove()
      await local.remove()
    })
  })
})
