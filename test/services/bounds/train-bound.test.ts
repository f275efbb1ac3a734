import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createThreads } from '../../../src/compute/pool.js'
import type { CheckpointHeader } from '../../../src/core/bounds/settings.js'
import { createRandom } from '../../../src/core/stats/random.js'
import type { Progress } from '../../../src/progress.js'
import { performJob } from '../../../src/queue/perform.js'
import { createTrainBoundJob } from '../../../src/services/bounds/train-bound.js'
import { type BoundSettings, DEFAULT_BOUND_SETTINGS } from '../../../src/shared/choices.js'
import * as store from '../../../src/store/bounds.js'
import { update } from '../../../src/store/engine/rows.js'
import type { Database } from '../../../src/store/engine/session.js'
import { raw, sql } from '../../../src/store/engine/sql.js'
import { readImageIds } from '../../../src/store/images.js'
import { findJobs } from '../../../src/store/jobs.js'
import type { Bound } from '../../../src/store/schema/bound-tables.js'
import { BoundEntity } from '../../../src/store/schema/bound-tables.js'
import type { Dataset } from '../../../src/store/schema/dataset-tables.js'
import { readScores } from '../../../src/store/scores.js'
import { listSystems, listUsualSystems, readSystemCaptions } from '../../../src/store/systems.js'
import { ALL_ENGINES, ENGINES, locationOf, openTestDatabase } from '../../kit/databases.js'
import { isSlow } from '../../kit/slow.js'
import { importImages } from '../jobs-kit.js'

const ANIMALS = ['dog', 'cat', 'bird', 'horse']
const PLACES = ['street', 'beach', 'park']

/** Images of an animal in a place, with two captions each. */
const IMAGES = Object.fromEntries(
  ANIMALS.flatMap((animal, i) =>
    PLACES.map((place, j) => [
      `${i}${j}`,
      [`A ${animal} runs in the ${place}.`, `The ${animal} is sitting at a ${place}.`],
    ]),
  ),
)

const SMALL: BoundSettings = {
  ...DEFAULT_BOUND_SETTINGS,
  atoms: 4,
  validationImages: 2,
  testImages: 2,
  minWordCount: 1,
  embedding: 8,
  state: 8,
  batch: 4,
  epochs: 4,
}

const PROCESS = fileURLToPath(new URL('../../kit/training-process.js', import.meta.url))

/** Kills a process that trains a bound of the dataset "animals" after it has reported a number of mini-batches. */
async function killTraining(location: string, settings: BoundSettings, steps: number): Promise<void> {
  const child = fork(PROCESS, [location, JSON.stringify(settings)])
  let count = 0
  child.on('message', () => {
    if (++count === steps) child.kill('SIGKILL')
  })
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
}

describe('training a bound', () => {
  const threads = createThreads({ threadCount: 1 })
  afterAll(() => threads.close())

  describe.each(isSlow ? ALL_ENGINES : ENGINES)('on %s', (engine) => {
    let database: Database
    let dataset: Dataset

    beforeAll(async () => {
      database = await openTestDatabase(engine)
      dataset = await importImages(database, 'animals', IMAGES)
    })

    beforeEach(async () => {
      await database.run(sql`DELETE FROM bound`)
      await database.run(sql`DELETE FROM system`)
    })

    const trainBound = {
      priority: 0,
      isResumable: true,
      load: async () => createTrainBoundJob({ checkpointInterval: 0 }),
    }
    async function train(
      settings: Partial<BoundSettings> = {},
      progress: Progress = () => {},
    ): Promise<Bound> {
      const runtime = { database, kinds: { trainBound }, threads: async () => threads }
      const input = { datasetId: dataset.id, settings: { ...SMALL, ...settings } }
      const { boundId } = await performJob(runtime, 'trainBound', input, { progress })
      const [bound] = await store.findBounds(database, [boundId])
      return bound
    }

    /** The job that holds a bound. */
    const lastJob = async () => (await findJobs(database, [(await onlyBound()).jobId!]))[0]

    const onlyBound = async () => (await store.listBounds(database, [dataset.id]))[0]

    /** Stops a training after a number of mini-batches. */
    async function interrupt(steps: number, settings: Partial<BoundSettings> = {}): Promise<void> {
      let count = 0
      const stop = (_fraction: number, message: string) => {
        if (message.startsWith('training') && count++ === steps) throw new Error('stopped')
      }
      await expect(train(settings, stop)).rejects.toThrow('stopped')
    }

    it('removes losses and checkpoint of an attempt before it starts from the beginning', async () => {
      await interrupt(6)
      const { id, checkpoint } = await onlyBound()
      expect(checkpoint).not.toBeNull()
      expect((await store.readLosses(database, [id])).length).toBeGreaterThan(0)
      await store.resetBound(database, id)
      expect((await onlyBound()).checkpoint).toBeNull()
      expect(await store.readLosses(database, [id])).toEqual([])
      expect(await store.readCheckpoint(database, id)).toEqual([])
    })

    it('stores captions of the test images, their scores, losses and likelihoods', async () => {
      const bound = await train()
      expect(bound.checkpoint).toBeNull()
      expect(await lastJob()).toMatchObject({ status: 'DONE', failure: null, leaseUntil: null })
      const split = await store.readSplit(database, bound.splitId)
      const parts = [split.training, split.validation, split.test].map((ids) => Array.from(ids))
      expect(parts.map((ids) => ids.length)).toEqual([8, 2, 2])
      expect(await store.readSplitSizes(database, [bound.splitId])).toEqual([
        { id: bound.splitId, training: 8, validation: 2, test: 2 },
      ])
      expect(parts.flat().sort((a, b) => a - b)).toEqual([
        ...(await readImageIds(database, dataset.id)).values(),
      ])
      const [system] = await listSystems(database, [dataset.id])
      expect(system).toMatchObject({ id: bound.systemId, name: 'bound-all-4', imageCount: 2 })
      expect(await listUsualSystems(database, [dataset.id])).toEqual([])
      expect(await readSystemCaptions(database, parts[2])).toEqual([])
      const captions = await readSystemCaptions(database, parts[2], { isBoundIncluded: true })
      expect(captions.map(({ imageId }) => imageId)).toEqual(parts[2])
      const scores = await readScores(database, [system.id], ['CIDEr'])
      expect(scores[0].signature).toContain('df:dataset-')
      const losses = await store.readLosses(database, [bound.id])
      expect(losses.map(({ step }) => step)).toEqual([2, 4, 6, 8, 10, 12, 14, 16])
      expect(losses[7].training).toBeLessThan(losses[0].training)
      const likelihoods = await store.readLikelihoods(database, bound.id)
      const words = likelihoods!.wordCounts.reduce((sum, count) => sum + count, 0)
      const total = likelihoods!.logLikelihoods.reduce((sum, value) => sum + value, 0)
      expect(likelihoods!.captionIds).toHaveLength(4)
      expect(bound.outcome).toMatchObject({ steps: 16, captionCount: 4, logLikelihood: total })
      expect(bound.outcome!.perplexity).toBeCloseTo(Math.exp(-total / words))
    })

    it('is not repeated', async () => {
      const first = await train()
      expect(await train({}, () => expect.fail('no work was expected'))).toEqual(first)
    })

    it('gives the same weights after an interruption', async () => {
      await interrupt(7)
      const { checkpoint, outcome } = await onlyBound()
      expect(outcome).toBeNull()
      expect(checkpoint?.step).toBe(6)
      const resumed = await train()
      const ofResumed = [
        await store.readModel(database, resumed.id),
        await store.readLosses(database, [resumed.id]),
      ]
      await database.run(sql`DELETE FROM bound`)
      const whole = await train()
      expect(await store.readModel(database, whole.id)).toEqual(ofResumed[0])
      const withoutId = (losses: unknown) =>
        (losses as { boundId: number }[]).map(({ boundId: _, ...loss }) => loss)
      expect(withoutId(await store.readLosses(database, [whole.id]))).toEqual(withoutId(ofResumed[1]))
    })

    it.skipIf(!isSlow)('gives the same weights after its process was killed at any moment', async () => {
      const settings = { ...SMALL, epochs: 40 }
      const { id } = await train(settings)
      const expected = await store.readModel(database, id)
      await database.run(sql`DELETE FROM bound`)
      const random = createRandom(11)
      let last = 0
      for (let kill = 0; kill < 2; kill++) {
        await killTraining(locationOf(database), settings, 10 + random.below(30))
        const { checkpoint, outcome } = await onlyBound()
        expect(outcome).toBeNull()
        expect(checkpoint!.step).toBeGreaterThan(last)
        last = checkpoint!.step
        // Nobody renews the lease any more.
        await database.run(
          sql`UPDATE job SET lease_until = '1970-01-01T00:00:00.000Z' WHERE status = 'RUNNING'`,
        )
      }
      let steps = 0
      const resumed = await train(settings, (_fraction, message) => {
        if (message.startsWith('training')) steps++
      })
      expect(steps).toBe(resumed.outcome!.steps - last)
      expect(await store.readModel(database, resumed.id)).toEqual(expected)
    })

    // The limit of pages is what a full disk is for SQLite; PostgreSQL has none that a test can set.
    it.runIf(engine === 'sqlite')(
      'stores nothing half on a full disk, and continues afterwards',
      async () => {
        // A checkpoint of these is larger than what the file has left.
        const settings = { embedding: 64, state: 64, epochs: 1 }
        await interrupt(0, settings)
        const limitPages = (count: number) =>
          database.transaction((writer) => writer.all(raw(`PRAGMA max_page_count = ${count}`)))
        const [{ pages }] = await database.all<{ pages: number }>(
          raw('SELECT page_count AS pages FROM pragma_page_count'),
        )
        await limitPages(pages)
        await expect(train(settings)).rejects.toMatchObject({
          code: 'RESOURCE_MISSING',
          message: expect.stringContaining('the disk is full'),
        })
        const { id, checkpoint, outcome } = await onlyBound()
        expect([checkpoint, outcome]).toEqual([null, null])
        expect(await store.readCheckpoint(database, id)).toEqual([])
        expect(await store.readLosses(database, [id])).toEqual([])
        await limitPages(1_000_000)
        const weights = await store.readModel(database, (await train(settings)).id)
        await database.run(sql`DELETE FROM bound`)
        expect(await store.readModel(database, (await train(settings)).id)).toEqual(weights)
      },
    )

    /** Makes the last job that of another process, whose lease ends after a time. */
    async function occupy(milliseconds: number) {
      const job = await lastJob()
      await database.run(
        sql`UPDATE job SET status = 'RUNNING', worker = 'other', lease_until = ${new Date(Date.now() + milliseconds).toISOString()}
            WHERE id = ${job.id}`,
      )
      return job
    }

    it('waits for the lease of a process that was killed', async () => {
      await interrupt(5)
      await occupy(100)
      expect((await train()).outcome).not.toBeNull()
    })

    it('is refused while another process trains it', async () => {
      await interrupt(5)
      const { id } = await occupy(5000)
      const outcome = expect(train()).rejects.toMatchObject({ code: 'BUSY' })
      await database.run(
        sql`UPDATE job SET lease_until = ${new Date(Date.now() + 60_000).toISOString()} WHERE id = ${id}`,
      )
      await outcome
    })

    it.each([
      ['version', { version: 999 }, /expected version 1, found version 999/],
      ['dataset', { dataset: 'other' }, /expected the dataset with the hash/],
    ])('refuses a checkpoint of another %s', async (_name, change, message) => {
      await interrupt(5)
      const { checkpoint } = await onlyBound()
      const other = { ...checkpoint, ...change } as CheckpointHeader
      await update(database, BoundEntity, { checkpoint: other }, sql`1 = 1`)
      await expect(train()).rejects.toThrow(message)
      expect(await lastJob()).toMatchObject({
        status: 'FAILED',
        failure: { message: expect.stringMatching(message) },
      })
    })

    it('stops where the loss is not a number, and stores no such loss', async () => {
      await interrupt(5)
      const parts = await store.readCheckpoint(database, (await onlyBound()).id)
      const broken = Buffer.from(new Float32Array(parts[0].length / 4).fill(Number.NaN).buffer)
      await database.run(sql`UPDATE bound_checkpoint SET content = ${broken} WHERE part = 0`)
      await expect(train()).rejects.toMatchObject({ code: 'DIVERGED', detail: { place: 'step 5' } })
      const bound = await onlyBound()
      expect(bound).toMatchObject({ systemId: null, outcome: null })
      expect(await lastJob()).toMatchObject({
        status: 'FAILED',
        failure: { message: expect.stringContaining('step 5') },
      })
      for (const { training } of await store.readLosses(database, [bound.id]))
        expect(training).toBeGreaterThan(0)
    })

    it('stops after enough mini-batches without a lower loss', async () => {
      const bound = await train({ patience: 3, epochs: 500, dropout: 0 })
      expect(bound.outcome!.steps - bound.outcome!.bestStep).toBeGreaterThanOrEqual(3)
      expect(bound.outcome!.steps).toBeLessThan(2000)
    })

    it.each([
      [{ testImages: 6 }, /too small to be split: expected at least 14 images .*, found 12/],
      [{ atoms: 100 }, /there are fewer atoms: expected at most 7, .* found 100/],
      [{ kind: 'attribute', atoms: 1 }, /there are fewer atoms: expected at most 0/],
      [{ replaced: 1.5 }, /replaced: .*expected a number from 0 to 1, found 1.5/],
      [{ beam: 9 }, /beam: .*from 1 to 5, found 9/],
      [{ embedding: 2.5 }, /embedding: .*an integer from 4 to 2048/],
    ] as const)('refuses %j', async (settings, message) => {
      await expect(train(settings)).rejects.toThrow(message)
    })

    it('measures captions with unknown words', async () => {
      const bound = await train({ minWordCount: 9, epochs: 1 })
      // "a" and "the", beside the begin, the end and the unknown word.
      expect(bound.outcome!.words).toBe(5)
      expect(bound.outcome!.perplexity).toBeGreaterThan(1)
    })

    it('is trained again with other visual atoms', async () => {
      await expect(train({ visualOnly: true, atoms: 1 })).rejects.toThrow(
        /at most 0, the number of visual atoms/,
      )
    })
  })
})
