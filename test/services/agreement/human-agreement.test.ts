import { beforeAll, describe, expect, it } from 'vitest'
import type { Progress } from '../../../src/progress.js'
import { planAgreement, storedAgreement } from '../../../src/services/agreement/human-agreement.js'
import { requireDataset } from '../../../src/store/datasets.js'
import type { Database } from '../../../src/store/engine/session.js'
import { sql } from '../../../src/store/engine/sql.js'
import { AgreementScoreEntity } from '../../../src/store/schema/score-tables.js'
import { readAgreementStatistics, readFoldScores, saveAgreement } from '../../../src/store/scores.js'
import { captionedDataset, rejectionOf, rowCounts } from '../../kit/boxes.js'
import { ENGINES, openTestDatabase } from '../../kit/databases.js'
import { setRevision } from '../../kit/revisions.js'
import { HUMAN, repeated } from '../../kit/scenes.js'
import {
  type CaptionedDataset,
  cancelEverywhere,
  computeAgreement,
  computeInParts,
  differences,
  directScores,
  importCaptions,
  METRICS,
  namedScores,
  rangesOf,
  threads,
} from '../evaluations/caption-metrics.js'

const silent = () => {}

type Captions = Readonly<Record<string, readonly string[]>>

/** For each fold, the scores of the held-out captions as a system, against the next k captions. */
function directFolds(images: Captions, captionsPerImage: number, references: number) {
  return Array.from({ length: captionsPerImage }, (_, fold) => {
    const entries = Object.entries(images)
    return directScores(
      Object.fromEntries(entries.map(([id, captions]) => [id, captions[fold]])),
      Object.fromEntries(
        entries.map(([id, captions]) => [
          id,
          Array.from({ length: references }, (_, next) => (fold + 1 + next) % captionsPerImage)
            .sort()
            .map((next) => captions[next]),
        ]),
      ),
    )
  })
}

describe.each(ENGINES)('on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(engine)
  })

  let count = 0
  const importImages = (images: Captions, captionsPerImage?: number) =>
    importCaptions(database, `scenes ${count++}`, images, captionsPerImage)

  const compute = (dataset: CaptionedDataset, references: number, progress: Progress = silent) =>
    computeAgreement(database, threads, dataset.row, { references }, progress)

  const stored = (dataset: CaptionedDataset, references: number, metrics?: readonly string[]) =>
    storedAgreement(database, threads.registry, dataset.row, { references, metrics })

  async function tableOf(dataset: CaptionedDataset, references: number) {
    await compute(dataset, references)
    const { rows, missing } = await stored(dataset, references)
    expect(missing).toEqual([])
    return rows
  }

  /** The differences between a stored table and the scores of the held-out captions as a system. */
  async function differencesFrom(
    images: Captions,
    captionsPerImage: number,
    dataset: CaptionedDataset,
    k: number,
  ) {
    const rows = await tableOf(dataset, k)
    const foldScores = await readFoldScores(
      database,
      rows.map(({ id }) => id),
    )
    const found: string[] = []
    for (const [fold, expected] of directFolds(images, captionsPerImage, k).entries()) {
      const scores = await namedScores(database, dataset, {
        scores: rows.map((row) => ({ ...row, value: row.folds[fold] })),
        imageIds: foldScores.get(rows[0].id)!.imageIds,
        imageScores: rows.map(({ id, imageCount }) =>
          foldScores.get(id)!.scores.subarray(fold * imageCount, (fold + 1) * imageCount),
        ),
      })
      found.push(...differences(scores, expected).map((difference) => `fold ${fold}, ${difference}`))
    }
    return found
  }

  describe('the leave-one-out table', () => {
    it.each([2, 1])('of three captions per image, k = %i: folds score like systems', async (k) => {
      const dataset = await importImages(HUMAN)
      expect(await differencesFrom(HUMAN, 3, dataset, k)).toEqual([])
    })

    it('of two captions per image', async () => {
      const images = Object.fromEntries(
        Object.entries(HUMAN).map(([id, captions]) => [id, captions.slice(1)]),
      )
      const dataset = await importImages(images)
      expect(await differencesFrom(images, 2, dataset, 1)).toEqual([])
    })

    it('has the metrics in order, with mean, deviation, interval and signature', async () => {
      const rows = await tableOf(await importImages(repeated(HUMAN, 3)), 2)
      expect(rows.map(({ metric }) => metric)).toEqual(METRICS)
      for (const { metric, folds, mean, standardDeviation, lower, upper, signature, ...row } of rows) {
        expect(row).toMatchObject({ referenceCount: 2, imageCount: 12, warnings: [] })
        expect(folds).toHaveLength(3)
        expect(mean).toBeCloseTo((folds[0] + folds[1] + folds[2]) / 3, 14)
        const variance = folds.reduce((sum, score) => sum + (score - mean) ** 2, 0) / 2
        expect(standardDeviation).toBeCloseTo(Math.sqrt(variance), 14)
        if (metric === 'ROUGE-4') {
          // No caption has four words in common with another.
          expect({ mean, lower, upper }).toEqual({ mean: 0, lower: null, upper: null })
          continue
        }
        // Their document frequencies are those of twelve images.
        if (/^CIDEr|^SPIDEr/.test(metric)) {
          expect([lower, upper], metric).toEqual([null, null])
          continue
        }
        expect(lower as number, metric).toBeLessThanOrEqual(mean)
        expect(upper as number, metric).toBeGreaterThanOrEqual(mean)
        expect(signature).toMatch(`${metric}|`)
        expect(signature).toContain('|refs:2|')
      }
    })

    it('includes the first K captions of images with at least K', async () => {
      const { d, b, c, a } = HUMAN
      const dataset = await importImages({
        none: [],
        d,
        one: ['A bus.'],
        b: [...b, 'A bench.', 'A dog.'],
        two: ['A cat.', 'A cat.'],
        c,
        a,
      })
      expect(dataset.row.excludedImageCount).toBe(3)
      expect(await differencesFrom(HUMAN, 3, dataset, 2)).toEqual([])
      const [{ imageCount }] = (await stored(dataset, 2)).rows
      expect(imageCount).toBe(4)
    })

    it('can use fewer captions than images have', async () => {
      const dataset = await importImages(HUMAN, 2)
      expect(await differencesFrom(HUMAN, 2, dataset, 1)).toEqual([])
    })

    it('is reproducible, and does not depend on the order of images', async () => {
      const rows = await tableOf(await importImages(HUMAN), 2)
      const again = await tableOf(await importImages(HUMAN), 2)
      const contents = (table: typeof rows) =>
        table.map(({ id: _id, datasetId: _datasetId, statisticsId: _statisticsId, ...content }) => content)
      expect(contents(again)).toEqual(contents(rows))
      const reversed = Object.fromEntries(Object.entries(HUMAN).reverse())
      const shuffled = await tableOf(await importImages(reversed), 2)
      for (const [index, { mean, folds }] of shuffled.entries()) {
        expect(mean).toBeCloseTo(rows[index].mean, 12)
        for (const [fold, score] of folds.entries()) expect(score).toBeCloseTo(rows[index].folds[fold], 12)
      }
    })

    it('of one image has a warning for CIDEr', async () => {
      const rows = await tableOf(await importImages({ only: HUMAN.d }), 2)
      for (const { metric, mean, lower, upper, warnings } of rows) {
        expect([lower, upper], metric).toEqual([null, null])
        if (!metric.startsWith('CIDEr')) continue
        expect(mean).toBe(0)
        expect(warnings).toEqual([expect.stringContaining('document frequencies come from one image only')])
      }
    })

    it('accepts captions without words', async () => {
      const images = { ...HUMAN, b: ['', '...', '!'], c: ['', 'A bus.', 'The bus.'] }
      const dataset = await importImages(images)
      expect(await differencesFrom(images, 3, dataset, 2)).toEqual([])
      for (const row of (await stored(dataset, 2)).rows) {
        for (const number of [row.mean, row.standardDeviation]) {
          expect(Number.isFinite(number), row.metric).toBe(true)
        }
      }
    })
  })

  describe('a stored table', () => {
    it('exists after it was computed, for its k and metrics', async () => {
      const dataset = await importImages(HUMAN)
      expect(await stored(dataset, 2)).toEqual({ rows: [], missing: METRICS })
      const rows = await tableOf(dataset, 2)
      expect(await stored(dataset, 2)).toEqual({ rows, missing: [] })
      expect(await stored(dataset, 1)).toEqual({ rows: [], missing: METRICS })
      const named = ['BLEU-1', 'BLEU-4']
      const chosen = rows.filter(({ metric }) => named.includes(metric))
      expect((await stored(dataset, 2, named)).rows).toEqual(chosen)
    })

    it('has the metrics that it has, and says which ones are missing', async () => {
      const dataset = await importImages(HUMAN)
      const rows = await tableOf(dataset, 2)
      await database.run(
        sql`DELETE FROM agreement_score WHERE dataset_id = ${dataset.row.id} AND metric = 'METEOR'`,
      )
      expect(await stored(dataset, 2)).toEqual({
        rows: rows.filter(({ metric }) => metric !== 'METEOR'),
        missing: ['METEOR'],
      })
    })

    it('shows rows of another revision of the metric, which are missing all the same, until they are computed again', async () => {
      const dataset = await importImages(HUMAN)
      const rows = await tableOf(dataset, 2)
      await setRevision(
        database,
        AgreementScoreEntity,
        sql`dataset_id = ${dataset.row.id} AND metric = 'METEOR'`,
      )
      const { rows: shown, missing } = await stored(dataset, 2)
      expect(shown.map(({ metric }) => metric)).toEqual(METRICS)
      expect(missing).toEqual(['METEOR'])
      expect(await tableOf(dataset, 2)).toHaveLength(rows.length)
      expect((await stored(dataset, 2)).missing).toEqual([])
    })

    it('is replaced by the next one; tables of other k remain', async () => {
      const dataset = await importImages(HUMAN)
      await compute(dataset, 1)
      await compute(dataset, 2)
      const before = await rowCounts(database)
      await compute(dataset, 2)
      await compute(dataset, 1)
      expect(await rowCounts(database)).toEqual(before)
    })

    it.each([0, -1, 3, 1.5, 1e15, Number.NaN])('does not exist for k = %d', async (k) => {
      const dataset = await importImages(HUMAN)
      expect((await stored(dataset, k)).rows).toEqual([])
    })

    it('does not exist for a dataset with at most one caption per image', async () => {
      const single = await importImages({ x: ['A dog.'], y: ['A cat.'] })
      expect((await stored(single, 0)).rows).toEqual([])
      await captionedDataset(database, 'boxes alone', {}, { captionsPerImage: 0 })
      const row = await requireDataset(database, 'boxes alone')
      expect((await storedAgreement(database, threads.registry, row, { references: -1 })).rows).toEqual([])
    })
  })

  describe('progress', () => {
    it('increases from 0 to 1', async () => {
      const dataset = await importImages(HUMAN)
      const fractions: number[] = []
      await compute(dataset, 2, (fraction) => fractions.push(fraction))
      expect(fractions[0]).toBe(0)
      expect(fractions.at(-1)).toBe(1)
      expect(fractions).toEqual(fractions.toSorted((one, other) => one - other))
    })

    it('can be cancelled at any report; nothing is stored before the table is written', async () => {
      const dataset = await importImages(HUMAN)
      const before = await rowCounts(database)
      let full: Record<string, number> | undefined
      let isWritten = false
      const points = await cancelEverywhere(
        (progress) =>
          compute(dataset, 2, (fraction, message) => {
            isWritten = fraction === 1
            progress(fraction, message)
          }),
        async () => {
          const counts = await rowCounts(database)
          if (isWritten) full = counts
          expect(counts).toEqual(full ?? before)
        },
      )
      expect(points).toBeGreaterThan(2)
      expect(await rowCounts(database)).toMatchObject({
        agreement_score: before.agreement_score + METRICS.length,
      })
    })
  })

  describe('an invalid table is refused, and the database does not change', () => {
    async function failure(act: () => Promise<unknown>): Promise<string> {
      const before = await rowCounts(database)
      const message = await rejectionOf(act())
      expect(await rowCounts(database)).toEqual(before)
      return message
    }

    it.each([0, 3, 1.5])('k = %d of three captions', async (k) => {
      const dataset = await importImages(HUMAN)
      expect(await failure(() => compute(dataset, k))).toBe(
        'OUT_OF_RANGE references: invalid number of references: expected an integer from 1 to 2,' +
          ` found ${k}`,
      )
    })

    it('one caption per image', async () => {
      const dataset = await importImages({ x: ['A dog.'], y: ['A cat.'] })
      expect(await failure(() => compute(dataset, 0))).toBe(
        'NOT_APPLICABLE dataset: people can be compared only if they describe the same image:' +
          ' expected at least two captions per image, found 1',
      )
    })

    it('a dataset that is removed during the computation', async () => {
      expect(await failure(() => saveAgreement(database, -1, []))).toBe(
        'UNKNOWN_DATASET dataset: the dataset was removed',
      )
    })
  })

  describe('a table in steps on ranges of images', () => {
    const images = {
      none: [],
      ...HUMAN,
      one: ['A bus.'],
      last: ['A bird in a tree.', 'A bird.', 'A small bird.', 'A fourth caption.'],
    }

    it.each([1, 2, 1_000])('of %i images is the same to the last bit', async (imagesPerRange) => {
      const dataset = await importImages(images, 3)
      const rows = await tableOf(dataset, 2)
      const foldScores = await readFoldScores(database, [rows[4].id])
      const statistics = await readAgreementStatistics(database, rows[4].statisticsId as number)
      const plan = await planAgreement(database, threads, dataset.row, { references: 2 })
      expect(plan.measured.imageCount).toBe(5)
      expect(plan.documents).toBe(plan.measured)
      const ranges = await rangesOf(database, plan.measured, imagesPerRange)
      expect(ranges).toHaveLength(Math.ceil(5 / imagesPerRange))
      await computeInParts(database, plan, imagesPerRange)
      const again = (await stored(dataset, 2)).rows
      const contents = (table: typeof rows) =>
        table.map(({ id: _id, statisticsId: _statisticsId, ...row }) => row)
      expect(contents(again)).toEqual(contents(rows))
      const statisticsOf = (table: typeof rows) =>
        readAgreementStatistics(database, table[4].statisticsId as number)
      expect(await statisticsOf(again)).toEqual(statistics)
      expect([...(await readFoldScores(database, [again[4].id])).values()]).toEqual([...foldScores.values()])
    })

    it('counts no documents if no metric needs them', async () => {
      const dataset = await importImages(images, 3)
      const input = { references: 2, metrics: ['BLEU-4', 'METEOR'] }
      const plan = await planAgreement(database, threads, dataset.row, input)
      expect(plan.documents).toBeNull()
      expect(plan.families.map(({ name }) => name)).toEqual(['BLEU', 'METEOR'])
    })

    it('is refused for an invalid k', async () => {
      const dataset = await importImages(images, 3)
      expect(await rejectionOf(planAgreement(database, threads, dataset.row, { references: 3 }))).toMatch(
        /^OUT_OF_RANGE references: /,
      )
    })
  })
})
