import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createQueue, type Queue } from '../../../src/queue/queue.js'
import { runJob } from '../../../src/queue/run-job.js'
import { storedAgreement } from '../../../src/services/agreement/human-agreement.js'
import { compareSubjects } from '../../../src/services/comparisons/compare.js'
import { importDataset } from '../../../src/services/datasets/import-captions.js'
import type { EvaluateResult } from '../../../src/services/evaluations/evaluate-job.js'
import { computeSelection, pageOfImageSelections } from '../../../src/services/selection/content-selection.js'
import { importBoxes } from '../../../src/services/selection/import-boxes.js'
import type { JobInput, JobKinds, JobName } from '../../../src/services/shared/job-kinds.js'
import { withoutJob } from '../../../src/services/uploads/import-job.js'
import { KINDS } from '../../../src/services/workers/kinds.js'
import { requireDataset } from '../../../src/store/datasets.js'
import type { Database } from '../../../src/store/engine/session.js'
import { sql } from '../../../src/store/engine/sql.js'
import { claimJob, findJobs } from '../../../src/store/jobs.js'
import { readScores } from '../../../src/store/scores.js'
import { findSystem, findSystems } from '../../../src/store/systems.js'
import { temporaryFolder } from '../../formats/kit.js'
import { ENGINES, openTestDatabase } from '../../kit/databases.js'
import { type CaptionedDataset, importCaptions, METRICS, threads } from '../evaluations/caption-metrics.js'

const files = temporaryFolder()
const silent = () => {}

const IMAGES = {
  1: ['A dog runs.', 'The dog is running.', 'A brown dog.'],
  2: ['A cat sleeps.', 'The cat is asleep.', 'A small cat.'],
  3: ['A red bus.', 'A bus in the street.', 'The bus stops.'],
}
const CAPTIONS = [
  { image_id: 1, caption: 'A dog is running.' },
  { image_id: 2, caption: 'A small cat sleeps.' },
  { image_id: 3, caption: 'A bus.' },
]

describe.each(ENGINES)('on %s', (engine) => {
  let database: Database
  let pets: CaptionedDataset
  let queue: Queue<JobKinds>
  beforeAll(async () => {
    database = await openTestDatabase(engine)
    queue = createQueue(database, KINDS)
    pets = await importCaptions(database, 'pets', IMAGES)
  })
  afterAll(() => queue.close())

  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  beforeEach(async () => {
    log.mockClear()
    await database.run(sql`DELETE FROM job`)
    await database.run(sql`DELETE FROM system`)
  })

  const kinds = KINDS

  /** Executes the next job like a worker. @param worker name of the claim. Default: the valid one */
  async function work(worker?: string): Promise<void> {
    const job = await database.transaction((session) =>
      claimJob(session, { worker: 'worker', kinds: Object.keys(kinds), leaseMs: 600_000 }),
    )
    const claim = { id: job!.id, worker: worker ?? 'worker' }
    await runJob(
      { database, threads: async () => threads, kinds },
      { job: job!, claim, cancellation: new Int32Array(1) },
      silent,
    )
  }

  async function execute<Name extends JobName>(kind: Name, input: JobInput<Name>) {
    const { id } = await queue.enqueue(database, kind, input)
    await work()
    return queue.waitForResult(kind, id)
  }

  const results = (system: string, captions = CAPTIONS) => ({
    datasetId: pets.row.id,
    file: { path: files.write(`${captions.length} captions.json`, captions) },
    system,
    isMissingAllowed: false,
    evaluate: true,
  })
  const systemCount = async () => (await database.all(sql`SELECT id FROM system`)).length

  describe('importResults', () => {
    it('stores the system and queues its evaluation in one transaction', async () => {
      const { systemId, evaluationId = 0 } = await execute('importResults', results('parrot'))
      expect(await findSystems(database, [systemId])).toMatchObject([{ name: 'parrot', imageCount: 3 }])
      expect(await findJobs(database, [evaluationId])).toMatchObject([
        { kind: 'evaluate', systemId, status: 'QUEUED' },
      ])
      await work()
      const { scoreIds } = (await queue.waitForResult('evaluate', evaluationId)) as EvaluateResult
      const scores = await readScores(database, [systemId])
      expect(scores.map(({ id }) => id).sort()).toEqual([...scoreIds].sort())
      expect(scores.map(({ metric }) => metric).sort()).toEqual([...METRICS].sort())
    })

    it('adds the evaluation even if the queue is full', async () => {
      const { id } = await queue.enqueue(database, 'importResults', results('parrot'), { owner: 'anna' })
      for (let other = 1; other <= 99; other++)
        await queue.enqueue(database, 'importResults', results(`other ${other}`), { owner: 'anna' })
      await expect(
        queue.enqueue(database, 'importResults', results('magpie'), { owner: 'anna' }),
      ).rejects.toMatchObject({ code: 'QUEUE_FULL' })
      await work()
      const { evaluationId = 0 } = await queue.waitForResult('importResults', id)
      expect(await findJobs(database, [evaluationId])).toMatchObject([{ owner: 'anna', status: 'QUEUED' }])
    })

    it('stores nothing if it is refused', async () => {
      const importing = execute('importResults', results('parrot', CAPTIONS.slice(1)))
      await expect(importing).rejects.toMatchObject({ code: 'MISSING_IMAGES' })
      expect(await systemCount()).toBe(0)
    })

    it('stores nothing if its worker has lost the lease; another worker stores it', async () => {
      const { id } = await queue.enqueue(database, 'importResults', results('parrot'))
      await work('a worker of the past')
      expect(await systemCount()).toBe(0)
      expect(await findJobs(database, [id])).toMatchObject([{ status: 'RUNNING' }])
    })
  })

  it('importWordScores stores word scores, and returns unknown words', async () => {
    const images = Object.entries(IMAGES).map(([externalId, captions]) => ({
      externalId,
      fileName: null,
      url: null,
      width: null,
      height: null,
      captions: captions.map((text, index) => ({ externalId: `${externalId} ${index}`, text })),
    }))
    await importDataset(withoutJob(database, silent), { dataset: 'words' }, images)
    const words = await requireDataset(database, 'words')
    const lines = Object.keys(IMAGES).map((image) =>
      JSON.stringify({ image_id: image, words: { dog: Number(image), zebra: 0 } }),
    )
    const { systemId, ...report } = await execute('importWordScores', {
      datasetId: words.id,
      file: { path: files.write('scores.jsonl', lines.join('\n')) },
      system: 'spotter',
      isMissingAllowed: false,
    })
    expect(report).toMatchObject({ wordCount: 1, unknownWordCount: 1, unknownWords: ['zebra'] })
    expect(await findSystems(database, [systemId])).toMatchObject([{ kind: 'WORD_SCORES' }])
  })

  it('agreement stores the human table', async () => {
    expect(await execute('agreement', { datasetId: pets.row.id, references: 2 })).toBeNull()
    const table = await storedAgreement(database, threads.registry, pets.row, { references: 2 })
    expect(table.missing).toEqual([])
    expect(table.rows.map(({ metric }) => metric)).toEqual(METRICS)
  })

  it('compare has the result of the comparison, to the last bit', async () => {
    const systems = [
      await pets.captionSystem('parrot', { 1: 'A dog runs.', 2: 'A cat.', 3: 'The bus is red.' }),
      await pets.captionSystem('magpie', { 1: 'A brown dog.', 2: 'A dog.', 3: 'A bus in the street.' }),
    ]
    const ids = systems.map(({ id }) => id)
    for (const systemId of ids) await execute('evaluate', { datasetId: pets.row.id, systemId })
    const input = { people: true, figures: [{ kind: 'METRIC' as const, metric: 'CIDEr' }] }
    const result = await execute('compare', { datasetId: pets.row.id, systemIds: ids, ...input })
    expect(result).toMatchObject([{ length: 3 }])
    expect(result).toEqual(await compareSubjects(database, threads, pets.row, systems, input, silent))
    const unknown = execute('compare', { datasetId: pets.row.id, systemIds: [999_999], ...input })
    await expect(unknown).rejects.toMatchObject({ code: 'UNKNOWN_SYSTEM' })
  })

  it('content selection has the figures that are computed, to the last bit', async () => {
    const boxes = [0, 1, 2].map((index) => ({
      id: `${index}`,
      concept: `concept ${index}`,
      bbox: [0, 0, 9, 9 - index],
    }))
    const path = files.write('boxes.json', {
      images: ['a', 'b'].map((image_id) => ({ image_id, width: 20, height: 20, boxes })),
      descriptions: ['a', 'b', 'a', 'b'].map((image_id, index) => ({
        id: `${index}`,
        image_id,
        mentions: index < 2 ? ['0', '1'] : ['1'],
      })),
    })
    const dataset = `boxes of ${engine}`
    await importBoxes(withoutJob(database, silent), { file: path, dataset })
    expect(await execute('contentSelection', { dataset })).toEqual(
      await computeSelection(database, { dataset }, silent),
    )
    const input: JobInput<'imageSelections'> = {
      dataset,
      selector: { kind: 'baseline', baseline: 'size', k: 2 },
      by: 'f',
      worstFirst: true,
      request: { limit: 5, fromEnd: false },
    }
    expect(await execute('imageSelections', input)).toEqual(await pageOfImageSelections(database, input))
  })

  it('removeSystem removes the system with its jobs', async () => {
    const { id: systemId } = await pets.captionSystem('parrot', { 1: 'A dog.', 2: 'A cat.', 3: 'A bus.' })
    const evaluation = await queue.enqueue(database, 'evaluate', { datasetId: pets.row.id, systemId })
    expect(await execute('removeSystem', { datasetId: pets.row.id, system: 'parrot' })).toEqual({
      removedId: systemId,
    })
    expect(await findSystem(database, pets.row.id, 'parrot')).toBeNull()
    expect(await findJobs(database, [evaluation.id])).toEqual([])
  })

  it('stores a bug as an internal failure, and logs it', async () => {
    const { id: systemId } = await pets.captionSystem('parrot', { 1: 'A dog.', 2: 'A cat.', 3: 'A bus.' })
    // Nothing that asks for an evaluation writes a number here.
    const input = { datasetId: pets.row.id, systemId, metrics: 5 as never }
    const evaluation = await queue.enqueue(database, 'evaluate', input)
    await work()
    expect((await queue.waitForEnd(evaluation.id)).failure).toMatchObject({
      code: 'INTERNAL',
      message: 'the job failed because of a bug in Accord; the log of the worker contains the error',
    })
    expect(String(log.mock.calls[0][0])).toContain('TypeError')
  })
})
