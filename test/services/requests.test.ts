import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Workers } from '../../src/queue/worker.js'
import { humanAgreement } from '../../src/services/agreement/agreement.js'
import { compare as compareSystems } from '../../src/services/comparisons/comparisons.js'
import { type DocumentSource, hashOfDocuments } from '../../src/services/evaluations/document-source.js'
import { scoresBySystem } from '../../src/services/evaluations/scores.js'
import { startEvaluation } from '../../src/services/evaluations/start-evaluation.js'
import { exportFrequencies } from '../../src/services/exports/export.js'
import { cancelJob, jobsById, listJobs, newestJobBySystem } from '../../src/services/jobs/jobs.js'
import { removeSystem, requireSystems, systemsByName } from '../../src/services/systems/systems.js'
import { startImport } from '../../src/services/uploads/imports.js'
import { startWorkers } from '../../src/services/workers/workers.js'
import { readScores } from '../../src/store/scores.js'
import { rejectionOf } from '../kit/boxes.js'
import { cocoResults } from '../kit/coco.js'
import { ENGINES } from '../kit/databases.js'
import { uploadOf } from '../kit/uploads.js'
import { first, initPark } from './kit.js'

const RESULTS = cocoResults({ 1: 'A dog.', 2: 'A man walks.', 3: 'A cat.' })

describe.each(ENGINES)('requests to workers on %s', (engine) => {
  let park: Awaited<ReturnType<typeof initPark>>
  let workers: Workers
  beforeAll(async () => {
    park = await initPark(engine)
  })
  afterAll(() => workers.close())

  it('wait in the queue: the same evaluation once, which can be cancelled once', async () => {
    const [one, other] = await Promise.all([
      startEvaluation(park.remote, { dataset: 'park', system: 'captioner' }),
      startEvaluation(park.remote, { dataset: 'park', system: 'captioner' }),
    ])
    expect(other.id).toBe(one.id)
    expect(one).toMatchObject({ status: 'QUEUED', progress: 0, startedAt: null, endedAt: null })
    const cancelled = await cancelJob(park.remote, one.id)
    expect(cancelled).toMatchObject({ id: one.id, status: 'CANCELLED', endedAt: expect.any(String) })
    expect(await rejectionOf(cancelJob(park.remote, one.id))).toMatch(/^NOT_APPLICABLE .*CANCELLED$/)
    expect(await rejectionOf(cancelJob(park.remote, 0))).toMatch(/^UNKNOWN_JOB/)
    expect((await startEvaluation(park.remote, { dataset: 'park', system: 'captioner' })).id).not.toBe(one.id)
  })

  it.each([
    ['moon', 'captioner', /^UNKNOWN_DATASET/],
    ['park', 'moon', /^UNKNOWN_SYSTEM/],
    ['park', 'detector', /^NOT_APPLICABLE/],
  ])('are refused immediately if they are invalid: %s, %s', async (dataset, system, message) => {
    expect(await rejectionOf(startEvaluation(park.remote, { dataset, system }))).toMatch(message)
  })

  it.each<[string, object, RegExp]>([
    ['an unknown metric', { metrics: ['BLEU-1', 'unknown metric'] }, /^UNKNOWN_METRIC/],
    ['no metrics', { metrics: [] }, /^OUT_OF_RANGE metrics/],
    ['unknown documents', { documents: 'moon' }, /^UNKNOWN_DATASET/],
    ['documents of folds', { documents: 'park', references: 1 }, /^NOT_APPLICABLE documents/],
    ['too many references', { references: 3 }, /^OUT_OF_RANGE/],
  ])('are refused immediately with %s', async (_what, options, message) => {
    const starting = startEvaluation(park.remote, { dataset: 'park', system: 'captioner', ...options })
    expect(await rejectionOf(starting)).toMatch(message)
  })

  it('wait once if they name the same file of document frequencies', async () => {
    const bytes = await exportFrequencies(park.accord, park.park.row)
    const upload = await uploadOf(park.remote, bytes, 'park.frequencies')
    const options = { dataset: 'park', system: 'copier', metrics: ['CIDEr'], documentsFile: { upload } }
    const started = await startEvaluation(park.remote, options)
    expect((await startEvaluation(park.remote, options)).id).toBe(started.id)
    await cancelJob(park.remote, started.id)
  })

  it('can be aborted', async () => {
    const reason = new Error('The client has gone.')
    const input = { datasetId: park.park.row.id, system: 'nobody' }
    const waiting = park.remote.run('removeSystem', input, { signal: AbortSignal.abort(reason) })
    await expect(waiting).rejects.toBe(reason)
  })

  describe('with workers', () => {
    beforeAll(async () => {
      workers = await startWorkers({ location: park.location, count: 1 })
    })

    const ended = async (id: number) => {
      const { endedAt } = await park.remote.queue.waitForEnd(id)
      expect(endedAt).not.toBeNull()
      return (await jobsById(park.remote, [id])).get(id)
    }

    it('import captions and evaluate them', async () => {
      const { row } = park.park
      const { id } = await startImport(park.remote, 'importResults', {
        datasetId: row.id,
        file: { upload: await uploadOf(park.remote, RESULTS) },
        system: 'submitted',
        isMissingAllowed: true,
        evaluate: true,
      })
      const { evaluationId = 0 } = await park.remote.queue.waitForResult('importResults', id)
      const [system] = await requireSystems(park.remote, row, ['submitted'])
      expect(system).toMatchObject({ name: 'submitted', imageCount: 3, missingImageCount: 1 })
      expect(await ended(evaluationId)).toMatchObject({ status: 'DONE', progress: 1, systemId: system.id })
      expect((await newestJobBySystem(park.remote, 'evaluate', [system.id])).get(system.id)?.id).toBe(
        evaluationId,
      )
      expect((await scoresBySystem(park.remote, [system.id])).get(system.id)).not.toHaveLength(0)
    })

    it('compute a table once for concurrent requests', async () => {
      const ask = () => humanAgreement(park.remote, park.park.row, { references: 1 })
      const [one, other] = await Promise.all([ask(), ask()])
      expect(one).toEqual(other)
      expect(one).toMatchObject({ references: 1 })
      expect(await rejectionOf(humanAgreement(park.remote, park.park.row, { references: 3 }))).toMatch(
        /^OUT_OF_RANGE/,
      )
    })

    it('compare systems', async () => {
      for (const name of ['submitted', 'copier']) {
        await ended((await startEvaluation(park.remote, { dataset: 'park', system: name })).id)
      }
      const compare = (names: string[], metric = 'BLEU-1') =>
        compareSystems(park.remote, park.park.row, { systems: names, figure: { kind: 'METRIC', metric } })
      const [comparison, ...others] = await compare(['submitted', 'copier', 'submitted'])
      expect(others).toEqual([])
      expect(comparison).toMatchObject({
        first: { name: 'submitted' },
        second: { name: 'copier' },
        imageCount: 3,
        undefinedReason: 'TOO_FEW_IMAGES',
        alone: { interval: null, pValue: null, better: null },
      })
      expect(comparison.difference).toBe(comparison.firstScore! - comparison.secondScore!)
      expect(await rejectionOf(compare(['copier', 'copier']))).toMatch(/^OUT_OF_RANGE systems: .*found 1$/)
      expect(await rejectionOf(compare(['copier', 'moon']))).toMatch(/^UNKNOWN_SYSTEM/)
      expect(await rejectionOf(compare(['copier', 'detector']))).toMatch(/^NOT_APPLICABLE/)
      expect(await rejectionOf(compare(['copier', 'submitted'], 'unknown metric'))).toMatch(/^UNKNOWN_METRIC/)
    })

    it('evaluate by some metrics, with the document frequencies of a dataset', async () => {
      const metrics = ['CIDEr-D', 'BLEU-1', 'CIDEr-D']
      const options = { dataset: 'park', system: 'copier', metrics, documents: 'park' }
      const started = await startEvaluation(park.remote, options)
      const swapped = { ...options, metrics: ['BLEU-1', 'CIDEr-D'] }
      expect((await startEvaluation(park.remote, swapped)).id).toBe(started.id)
      expect(await ended(started.id)).toMatchObject({ status: 'DONE' })
      const [{ id }] = await requireSystems(park.remote, park.park.row, ['copier'])
      const signatureWith = async (source: DocumentSource) => {
        const hash = await hashOfDocuments(park.remote.database, source)
        const scores = (await scoresBySystem(park.remote, [id], null, hash)).get(id)
        return scores?.find(({ metric }) => metric === 'CIDEr-D')?.signature
      }
      expect(await signatureWith({ documents: 'park' })).toContain('|df:dataset-')
      // Without a name they are those of the measured images, also after an evaluation with others.
      expect(await signatureWith({})).toContain('|df:own-')
    })

    it('evaluate with the document frequencies of a file, which every worker has', async () => {
      const bytes = await exportFrequencies(park.accord, park.park.row)
      const upload = await uploadOf(park.remote, bytes, 'park.frequencies')
      const options = { dataset: 'park', system: 'copier', metrics: ['CIDEr'], documentsFile: { upload } }
      const started = await startEvaluation(park.remote, options)
      expect(await ended(started.id)).toMatchObject({ status: 'DONE' })
      await ended(
        (await startEvaluation(park.remote, { ...options, documentsFile: undefined, documents: 'park' })).id,
      )
      const [{ id }] = await requireSystems(park.remote, park.park.row, ['copier'])
      const stored = (await readScores(park.remote.database, [id])).filter(({ metric }) => metric === 'CIDEr')
      const scoreWith = (source: string) => stored.find(({ signature }) => signature.includes(source))?.value
      expect(scoreWith('|df:file-')).toBeGreaterThan(0)
      expect(scoreWith('|df:file-')).toBe(scoreWith('|df:dataset-'))
      const two = { ...options, documents: 'coco' }
      expect(await rejectionOf(startEvaluation(park.remote, two))).toMatch(/^NOT_APPLICABLE documents: two/)
      const none = { ...options, documentsFile: { upload: 'none' } }
      expect(await rejectionOf(startEvaluation(park.remote, none))).toMatch(/^UNKNOWN_UPLOAD/)
    })

    it('list the evaluations of a system, newest first', async () => {
      const [{ id }] = await requireSystems(park.remote, park.park.row, ['copier'])
      const newest = listJobs(park.remote, { kinds: ['evaluate'], systemId: id })
      const { rows } = await newest.page(first(10))
      const ids = rows.map(({ row }) => row.id)
      expect(ids.length).toBeGreaterThan(1)
      expect(ids).toEqual(ids.toSorted((one, other) => other - one))
      expect(await newest.count()).toBe(ids.length)
      const oldest = await listJobs(park.remote, { kinds: ['evaluate'], systemId: id }, 'ASC').page(first(1))
      expect(oldest).toMatchObject({ rows: [{ row: { id: ids.at(-1) } }], hasNextPage: true })
    })

    it('remove a system, also during its evaluation', async () => {
      const { id } = await startEvaluation(park.remote, { dataset: 'park', system: 'copier' })
      const [copier] = await requireSystems(park.remote, park.park.row, ['copier'])
      await removeSystem(park.remote, 'park', 'copier')
      expect((await systemsByName(park.remote, park.park.row.id)).has('copier')).toBe(false)
      expect((await jobsById(park.remote, [id])).size).toBe(0)
      expect((await newestJobBySystem(park.remote, 'evaluate', [copier.id])).size).toBe(0)
      expect(await rejectionOf(removeSystem(park.remote, 'park', 'copier'))).toMatch(/^UNKNOWN_SYSTEM/)
    })
  })
})
