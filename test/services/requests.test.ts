import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Workers } from '../../src/queue/worker.js'
import { humanAgreement } from '../../src/services/agreement/agreement.js'
import { compare as compareSystems } from '../../src/services/comparisons/comparisons.js'
import { removeDataset } from '../../src/services/datasets/datasets.js'
import { startEvaluation } from '../../src/services/evaluations/evaluations.js'
import { scoresBySystem } from '../../src/services/evaluations/scores.js'
import { listCaptions } from '../../src/services/images/captions.js'
import {
  submitBoxes,
  submitCaptions,
  submitResults,
  submitVocabulary,
  submitWordScores,
} from '../../src/services/imports/imports.js'
import { cancelJob, jobsById, listJobs, newestJobBySystem } from '../../src/services/jobs/jobs.js'
import { startWorkers } from '../../src/services/jobs/workers.js'
import { boxesByImage } from '../../src/services/selection/selection.js'
import { removeSystem, requireSystems, systemsByName } from '../../src/services/systems/systems.js'
import { listWords } from '../../src/services/words/words.js'
import { rejectionOf } from '../kit/boxes.js'
import { ENGINES } from '../kit/databases.js'
import { first, initPark } from './kit.js'

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

  it('can be aborted', async () => {
    const reason = new Error('The client has gone.')
    const waiting = submitResults(
      park.remote,
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
      const { endedAt } = await park.remote.queue.waitForEnd(id)
      expect(endedAt).not.toBeNull()
      return (await jobsById(park.remote, [id])).get(id)
    }

    it('import captions and evaluate them', async () => {
      const submission = { dataset: 'park', system: 'submitted', captions: CAPTIONS, allowMissing: true }
      const { system, evaluation } = await submitResults(park.remote, submission)
      expect(system).toMatchObject({ name: 'submitted', imageCount: 3, missingImageCount: 1 })
      expect(await ended(evaluation.id)).toMatchObject({ status: 'DONE', progress: 1, systemId: system.id })
      expect((await newestJobBySystem(park.remote, 'evaluate', [system.id])).get(system.id)?.id).toBe(
        evaluation.id,
      )
      expect((await scoresBySystem(park.remote, [system.id])).get(system.id)).not.toHaveLength(0)
      expect(await rejectionOf(submitResults(park.remote, submission))).toMatch(/^NAME_TAKEN/)
      const missing = { ...submission, system: 'other', allowMissing: false }
      expect(await rejectionOf(submitResults(park.remote, missing))).toMatch(/^MISSING_IMAGES captions: /)
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
      const { system, unknownWords } = await submitWordScores(park.remote, {
        dataset: 'park',
        system: 'scored',
        scores,
        allowMissing: true,
      })
      expect([system.kind, unknownWords]).toEqual(['WORD_SCORES', ['unicorn']])
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
        compareSystems(park.remote, park.park.row, {
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
      const scores = (await scoresBySystem(park.remote, [id])).get(id)
      const cider = scores?.find(({ metric }) => metric === 'CIDEr-D')
      expect(cider?.signature).toContain('|df:dataset-')
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

    it('import a dataset with captions, boxes and a vocabulary, and remove it', async () => {
      const images = [{ externalId: '7', width: 100, height: 50 }, { externalId: 'b' }]
      const captions = ['A red dog.', 'A dog and a cat.', 'The cat.', 'A cat.'].map((text, index) => ({
        externalId: String(10 - index),
        imageId: index < 2 ? '7' : 'b',
        text,
      }))
      const input = {
        dataset: 'new',
        images,
        captions,
        vocabulary: [{ word: ' Dog ', partOfSpeech: 'NN' as const }],
      }
      const dataset = await submitCaptions(park.remote, input)
      expect(dataset).toMatchObject({ name: 'new', captionsPerImage: 2, imageCount: 2, captionCount: 4 })
      const { rows } = await listCaptions(park.remote, dataset, {}).page(first(10))
      // Ids are ordered by value: 9 before 10.
      expect(rows.map(({ row }) => row.externalId)).toEqual(['9', '10', '7', '8'])
      const wordsOf = async () =>
        (await listWords(park.remote, dataset).page(first(10))).rows.map(({ row }) => [
          row.text,
          row.partOfSpeech,
        ])
      expect(await wordsOf()).toEqual([['dog', 'NN']])

      const box = { externalId: '1', concept: 'dog', x: 1, y: 2, width: 30, height: 40 }
      const boxes = await submitBoxes(park.remote, {
        dataset: 'new',
        images: [
          {
            imageId: '7',
            boxes: [
              { ...box, attributes: ['red'], depth: 2.5 },
              { ...box, externalId: '2' },
            ],
          },
        ],
        descriptions: [
          { externalId: '10', imageId: '7', markup: 'A red [dog](1).' },
          { externalId: 'x', imageId: '7', boxes: ['2', '1'] },
        ],
      })
      expect(boxes.import.counts).toMatchObject({ images: 1, boxes: 2, descriptions: 2, captions: 1 })
      const imageId = rows[0].row.imageId
      expect((await boxesByImage(park.remote, [imageId])).get(imageId)).toMatchObject([
        { attributes: ['red'], depth: 2.5 },
        { attributes: null, depth: null },
      ])

      const vocabulary = [
        { word: 'cat', partOfSpeech: 'OTHER' as const },
        { word: 'zebra', partOfSpeech: 'NN' as const },
        { word: 'red', partOfSpeech: 'JJ' as const },
      ]
      const replaced = await submitVocabulary(park.remote, { dataset: 'new', vocabulary })
      expect(replaced).toMatchObject({ wordCount: 2, unknownWords: ['zebra'], dataset: { name: 'new' } })
      expect(await wordsOf()).toEqual([
        ['cat', 'OTHER'],
        ['red', 'JJ'],
      ])
      expect(await removeDataset(park.remote, 'new')).toBe(0)
      expect(await rejectionOf(removeDataset(park.remote, 'new'))).toMatch(/^UNKNOWN_DATASET/)
    })

    it.each<[string, () => Promise<unknown>, RegExp]>([
      [
        'a name in use',
        () => submitCaptions(park.remote, { dataset: 'park', images: [], captions: [] }),
        /^NAME_TAKEN/,
      ],
      [
        'no images',
        () => submitCaptions(park.remote, { dataset: 'x', images: [], captions: [] }),
        /^INVALID_SHAPE images: /,
      ],
      [
        'a caption of an unknown image',
        () =>
          submitCaptions(park.remote, {
            dataset: 'x',
            images: [{ externalId: '1' }],
            captions: [{ externalId: '1', imageId: '2', text: 'A dog.' }],
          }),
        /^UNKNOWN_IMAGE captions\[0\].imageId: /,
      ],
      [
        'an image twice',
        () =>
          submitCaptions(park.remote, {
            dataset: 'x',
            images: [{ externalId: '1' }, { externalId: '1' }],
            captions: [],
          }),
        /^DUPLICATE_ID images\[1\].externalId: .*images\[0\]$/,
      ],
      [
        'a box of negative width',
        () =>
          submitBoxes(park.remote, {
            dataset: 'park',
            images: [
              {
                imageId: '1',
                boxes: [{ externalId: '1', concept: 'dog', x: 0, y: 0, width: -1, height: 1 }],
              },
            ],
          }),
        /^INVALID_VALUE images\[0\].boxes\[0\].bbox: /,
      ],
      [
        'an unknown box',
        () =>
          submitBoxes(park.remote, {
            dataset: 'park',
            images: [{ imageId: '1', boxes: [] }],
            descriptions: [{ externalId: '1', imageId: '1', boxes: ['9'] }],
          }),
        /^UNKNOWN_BOX descriptions\[0\].boxes\[0\]: /,
      ],
      [
        'a vocabulary of unknown words',
        () =>
          submitVocabulary(park.remote, {
            dataset: 'park',
            vocabulary: [{ word: 'zebra', partOfSpeech: 'NN' }],
          }),
        /^UNKNOWN_WORD vocabulary: /,
      ],
      [
        'a word twice',
        () =>
          submitVocabulary(park.remote, {
            dataset: 'park',
            vocabulary: [
              { word: 'dog', partOfSpeech: 'NN' },
              { word: 'DOG', partOfSpeech: 'NN' },
            ],
          }),
        /^DUPLICATE_ID vocabulary\[1\].word: /,
      ],
    ])('refuse an import with %s', async (_what, submit, message) => {
      expect(await rejectionOf(submit())).toMatch(message)
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
