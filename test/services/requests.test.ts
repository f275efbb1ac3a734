import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestAgreement } from '../../src/services/agreement.js'
import { requestComparisons } from '../../src/services/comparisons.js'
import {
  cancelEvaluation,
  evaluationsById,
  evaluationsBySystem,
  startEvaluation,
} from '../../src/services/evaluations.js'
import { submitResults, submitWordScores } from '../../src/services/imports.js'
import { scoresBySystem } from '../../src/services/scores.js'
import { requestSystemRemoval, requireSystems, systemsByName } from '../../src/services/systems.js'
import { startWorkers, type Workers } from '../../src/services/workers.js'
import { rejectionOf } from '../kit/boxes.js'
import { ENGINES } from '../kit/databases.js'
import { initPark } from './kit.js'

const CAPTIONS = [
  { imageId: '1', caption: 'A dog.' },
  { imageId: '2', caption: 'A man walks.' },
  { imageId: '3', caption: 'A cat.' },
]

describe.each(ENGINES)('requests to workers on %s', (engine) => {
  let park: Awaited<ReturnType<typeof initPark>>
  let workers: Workers
  beforeAll(async () => {
    park = await initPark(engine)
  })
  afterAll(() => workers.close())

  it('wait in the queue: the same evaluation once, which can be cancelled once', async () => {
    const [one, other] = await Promise.all([
      startEvaluation(park.accord, { dataset: 'park', system: 'captioner' }),
      startEvaluation(park.accord, { dataset: 'park', system: 'captioner' }),
    ])
    expect(other.id).toBe(one.id)
    expect(one).toMatchObject({ status: 'QUEUED', progress: 0, startedAt: null, finishedAt: null })
    const cancelled = await cancelEvaluation(park.accord, one.id)
    expect(cancelled).toMatchObject({ id: one.id, status: 'CANCELLED', finishedAt: expect.any(String) })
    expect(await rejectionOf(cancelEvaluation(park.accord, one.id))).toMatch(/^NOT_APPLICABLE .*CANCELLED$/)
    expect(await rejectionOf(cancelEvaluation(park.accord, 0))).toMatch(/^UNKNOWN_EVALUATION/)
    expect((await startEvaluation(park.accord, { dataset: 'park', system: 'captioner' })).id).not.toBe(one.id)
  })

  it.each([
    ['moon', 'captioner', /^UNKNOWN_DATASET/],
    ['park', 'moon', /^UNKNOWN_SYSTEM/],
    ['park', 'detector', /^NOT_APPLICABLE/],
  ])('are refused immediately if they are invalid: %s, %s', async (dataset, system, message) => {
    expect(await rejectionOf(startEvaluation(park.accord, { dataset: dataset, system: system }))).toMatch(
      message,
    )
  })

  it('can be aborted', async () => {
    const reason = new Error('The client has gone.')
    const waiting = submitResults(
      park.accord,
      { dataset: 'park', system: 'slow', captions: CAPTIONS, allowMissing: true },
      { signal: AbortSignal.abort(reason) },
    )
    await expect(waiting).rejects.toBe(reason)
  })

  describe('with workers', () => {
    beforeAll(async () => {
      workers = await startWorkers({ location: park.location, count: 1 })
    })

    const ended = async (id: number) => {
      const { finishedAt } = await park.accord.queue.waitForEnd(id)
      expect(finishedAt).not.toBeNull()
      return (await evaluationsById(park.accord, [id])).get(id)
    }

    it('import captions and evaluate them', async () => {
      const submission = { dataset: 'park', system: 'submitted', captions: CAPTIONS, allowMissing: true }
      const { system, evaluation } = await submitResults(park.accord, submission)
      expect(system).toMatchObject({ name: 'submitted', imageCount: 3, missingImageCount: 1 })
      expect(await ended(evaluation.id)).toMatchObject({ status: 'DONE', progress: 1, systemId: system.id })
      expect((await evaluationsBySystem(park.accord, [system.id])).get(system.id)?.id).toBe(evaluation.id)
      expect((await scoresBySystem(park.accord, [system.id])).get(system.id)).not.toHaveLength(0)
      expect(await rejectionOf(submitResults(park.accord, submission))).toMatch(/^NAME_TAKEN/)
      const missing = { ...submission, system: 'other', allowMissing: false }
      expect(await rejectionOf(submitResults(park.accord, missing))).toMatch(/^MISSING_IMAGES captions: /)
    })

    it('import word scores', async () => {
      const scores = [
        {
          imageId: '1',
          words: [
            { word: 'dog', score: 1 },
            { word: 'unicorn', score: 1 },
          ],
        },
      ]
      const { system, unknownWords } = await submitWordScores(park.accord, {
        dataset: 'park',
        system: 'scored',
        scores,
        allowMissing: true,
      })
      expect([system.kind, unknownWords]).toEqual(['WORD_SCORES', ['unicorn']])
    })

    it('compute a table once for concurrent requests', async () => {
      const ask = () => requestAgreement(park.accord, park.park.row, { references: 1 })
      const [one, other] = await Promise.all([ask(), ask()])
      expect(one).toEqual(other)
      expect(one).toMatchObject({ references: 1 })
      expect(await rejectionOf(requestAgreement(park.accord, park.park.row, { references: 3 }))).toMatch(
        /^OUT_OF_RANGE/,
      )
    })

    it('compare systems', async () => {
      for (const name of ['submitted', 'copier']) {
        await ended((await startEvaluation(park.accord, { dataset: 'park', system: name })).id)
      }
      const compare = (names: string[], metric = 'BLEU-1') =>
        requestComparisons(park.accord, park.park.row, {
          systems: names,
          figure: { kind: 'METRIC', metric },
        })
      const [comparison, ...others] = await compare(['submitted', 'copier', 'submitted'])
      expect(others).toEqual([])
      expect(comparison).toMatchObject({
        first: { name: 'copier' },
        second: { name: 'submitted' },
        imageCount: 3,
        undefinedReason: 'TOO_FEW_IMAGES',
        pValue: null,
      })
      expect(comparison.difference).toBe(comparison.firstScore! - comparison.secondScore!)
      expect(await rejectionOf(compare(['copier', 'copier']))).toMatch(/^OUT_OF_RANGE systems: .*found 1$/)
      expect(await rejectionOf(compare(['copier', 'moon']))).toMatch(/^UNKNOWN_SYSTEM/)
      expect(await rejectionOf(compare(['copier', 'detector']))).toMatch(/^NOT_APPLICABLE/)
      expect(await rejectionOf(compare(['copier', 'submitted'], 'BERTScore'))).toMatch(/^UNKNOWN_METRIC/)
    })

    it('remove a system, also during its evaluation', async () => {
      const { id } = await startEvaluation(park.accord, { dataset: 'park', system: 'copier' })
      const [copier] = await requireSystems(park.accord, park.park.row, ['copier'])
      expect(await requestSystemRemoval(park.accord, 'park', 'copier')).toEqual(park.park.row)
      expect((await systemsByName(park.accord, park.park.row.id)).has('copier')).toBe(false)
      expect((await evaluationsById(park.accord, [id])).size).toBe(0)
      expect((await evaluationsBySystem(park.accord, [copier.id])).size).toBe(0)
      expect(await rejectionOf(requestSystemRemoval(park.accord, 'park', 'copier'))).toMatch(
        /^UNKNOWN_SYSTEM/,
      )
    })
  })
})
