import { describe, expect, it } from 'vitest'
import { computeAgreement, storedAgreement } from '../../src/jobs/human-agreement.js'
import { loadFamilies } from '../../src/jobs/metric-families.js'
import type { Progress } from '../../src/jobs/progress.js'
import { deleteDataset, requireDataset } from '../../src/store/datasets.js'
import { readFoldScores } from '../../src/store/scores.js'
import { captionedDataset, rejectionOf, rowCounts } from '../kit/boxes.js'
import { initWorld, type SeededDataset } from '../kit/seed.js'
import { cancelEverywhere, differences, directScores, METRICS, namedScores } from './caption-metrics.js'

const world = await initWorld()
const { database } = world
const families = loadFamilies()
const silent = () => {}

type Captions = Readonly<Record<string, readonly string[]>>

const HUMAN: Captions = {
  d: ['A dog runs on the grass.', 'The dog is running outside.', 'A brown dog plays in a park.'],
  b: ['Two people sit on a bench.', 'A man and a woman sit together.', 'People on a bench.'],
  c: ['A red bus stops in the city.', 'The bus drives down a street.', 'A bus with people in it.'],
  a: ['A cat sleeps on a couch.', 'The kitten is asleep on the sofa.', 'A small cat on a couch.'],
}

let count = 0
const importImages = (images: Captions, captionsPerImage?: number) =>
  world.dataset(`scenes ${count++}`, { images, captionsPerImage })

const compute = (dataset: SeededDataset, references: number, progress: Progress = silent) =>
  computeAgreement(database, dataset.row, references, families, progress)

const stored = (dataset: SeededDataset, references: number) =>
  storedAgreement(database, dataset.row, references, families)

async function tableOf(dataset: SeededDataset, references: number) {
  compute(dataset, references)
  return (await stored(dataset, references))!
}

/** For each fold, the scores that a system of the held-out captions would have against the next k. */
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

/** Where a stored table differs from what a system of the held-out captions would get. */
async function differencesFrom(
  images: Captions,
  captionsPerImage: number,
  dataset: SeededDataset,
  k: number,
) {
  const rows = await tableOf(dataset, k)
  const foldScores = readFoldScores(
    database,
    rows.map(({ id }) => id),
  )
  return directFolds(images, captionsPerImage, k).flatMap((expected, fold) => {
    const found = namedScores(database, dataset, {
      scores: rows.map((row) => ({ ...row, value: row.folds[fold] })),
      imageIds: foldScores.get(rows[0].id)!.imageIds,
      imageScores: rows.map(({ id, imageCount }) =>
        foldScores.get(id)!.scores.subarray(fold * imageCount, (fold + 1) * imageCount),
      ),
      unscoredImageCount: 0,
    })
    return differences(found, expected).map((difference) => `fold ${fold}, ${difference}`)
  })
}

describe('the leave-one-out table', () => {
  it.each([2, 1])('of three captions per image, k = %i: folds as of systems', async (k) => {
    const dataset = await importImages(HUMAN)
    expect(await differencesFrom(HUMAN, 3, dataset, k)).toEqual([])
  })

  it('of two captions per image', async () => {
    const images = Object.fromEntries(Object.entries(HUMAN).map(([id, captions]) => [id, captions.slice(1)]))
    const dataset = await importImages(images)
    expect(await differencesFrom(images, 2, dataset, 1)).toEqual([])
  })

  it('has the metrics in order, with mean, deviation, interval and signature', async () => {
    const rows = await tableOf(await importImages(HUMAN), 2)
    expect(rows.map(({ metric }) => metric)).toEqual(METRICS)
    for (const { metric, folds, mean, standardDeviation, lower, upper, signature, ...row } of rows) {
      expect(row).toMatchObject({ referenceCount: 2, imageCount: 4, warnings: [] })
      expect(folds).toHaveLength(3)
      expect(mean).toBeCloseTo((folds[0] + folds[1] + folds[2]) / 3, 14)
      const variance = folds.reduce((sum, score) => sum + (score - mean) ** 2, 0) / 2
      expect(standardDeviation).toBeCloseTo(Math.sqrt(variance), 14)
      expect(lower, metric).toBeLessThanOrEqual(mean)
      expect(upper, metric).toBeGreaterThanOrEqual(mean)
      expect(signature).toMatch(`${metric}|`)
      expect(signature).toContain('|refs:2|')
    }
  })

  it('counts images of K captions or more, by their first K', async () => {
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
    const [{ imageCount }] = (await stored(dataset, 2))!
    expect(imageCount).toBe(4)
  })

  it('may be of fewer captions than images have', async () => {
    const dataset = await importImages(HUMAN, 2)
    expect(await differencesFrom(HUMAN, 2, dataset, 1)).toEqual([])
  })

  it('is the same every time and in every order of images', async () => {
    const rows = await tableOf(await importImages(HUMAN), 2)
    const again = await tableOf(await importImages(HUMAN), 2)
    const contents = (table: typeof rows) =>
      table.map(({ id: _id, datasetId: _datasetId, ...content }) => content)
    expect(contents(again)).toEqual(contents(rows))
    const reversed = Object.fromEntries(Object.entries(HUMAN).reverse())
    const shuffled = await tableOf(await importImages(reversed), 2)
    for (const [index, { mean, folds }] of shuffled.entries()) {
      expect(mean).toBeCloseTo(rows[index].mean, 12)
      for (const [fold, score] of folds.entries()) expect(score).toBeCloseTo(rows[index].folds[fold], 12)
    }
  })

  it('of one image warns of CIDEr', async () => {
    const rows = await tableOf(await importImages({ only: HUMAN.d }), 2)
    for (const { metric, mean, lower, upper, warnings } of rows) {
      expect([lower, upper], metric).toEqual([expect.closeTo(mean, 12), expect.closeTo(mean, 12)])
      if (!metric.startsWith('CIDEr')) continue
      expect(mean).toBe(0)
      expect(warnings).toEqual([expect.stringContaining('document frequencies come from one image only')])
    }
  })

  it('takes captions without words', async () => {
    const images = { ...HUMAN, b: ['', '...', '!'], c: ['', 'A bus.', 'The bus.'] }
    const dataset = await importImages(images)
    expect(await differencesFrom(images, 3, dataset, 2)).toEqual([])
    for (const row of (await stored(dataset, 2))!) {
      for (const number of [row.mean, row.standardDeviation, row.lower, row.upper]) {
        expect(Number.isFinite(number), row.metric).toBe(true)
      }
    }
  })
})

describe('a stored table', () => {
  it('is there once it was computed, for its own k and metrics', async () => {
    const dataset = await importImages(HUMAN)
    expect(await stored(dataset, 2)).toBeNull()
    const rows = await tableOf(dataset, 2)
    expect(await stored(dataset, 2)).toEqual(rows)
    expect(await stored(dataset, 1)).toBeNull()
    const bleu = await storedAgreement(database, dataset.row, 2, [families[0]])
    expect(bleu).toEqual(rows.slice(0, 4))
    const others = families.map((family) => ({
      ...family,
      metrics: family.metrics.map((metric) => ({ ...metric, parameters: { ...metric.parameters, x: '1' } })),
    }))
    expect(await storedAgreement(database, dataset.row, 2, others)).toBeNull()
  })

  it('is replaced by the next, and tables of other k stay', async () => {
    const dataset = await importImages(HUMAN)
    compute(dataset, 1)
    compute(dataset, 2)
    const before = rowCounts(database)
    compute(dataset, 2)
    compute(dataset, 1)
    expect(rowCounts(database)).toEqual(before)
  })

  it.each([0, -1, 3, 1.5, 1e15, Number.NaN])('is not there for k = %d', async (k) => {
    const dataset = await importImages(HUMAN)
    expect(await stored(dataset, k)).toBeNull()
  })

  it('is not there for a data set without or with single captions', async () => {
    const single = await importImages({ x: ['A dog.'], y: ['A cat.'] })
    expect(await stored(single, 0)).toBeNull()
    captionedDataset(database, 'boxes alone', {})
    const boxes = { ...(await requireDataset(database, 'boxes alone')), captionsPerImage: 0 }
    expect(await storedAgreement(database, boxes, -1, families)).toBeNull()
  })
})

describe('progress', () => {
  it('goes from 0 to 1 and never back', async () => {
    const dataset = await importImages(HUMAN)
    const fractions: number[] = []
    compute(dataset, 2, (fraction) => fractions.push(fraction))
    expect(fractions[0]).toBe(0)
    expect(fractions.at(-1)).toBe(1)
    expect(fractions).toEqual(fractions.toSorted((one, other) => one - other))
  })

  it('may be thrown out of at any report: before the table is written nothing of it is stored', async () => {
    const dataset = await importImages(HUMAN)
    const before = rowCounts(database)
    let full: Record<string, number> | undefined
    const points = await cancelEverywhere(
      (progress) =>
        compute(dataset, 2, (fraction, message) => {
          if (fraction === 1) full = rowCounts(database)
          progress(fraction, message)
        }),
      () => expect(rowCounts(database)).toEqual(full ?? before),
    )
    expect(points).toBeGreaterThan(20)
    expect(full).toMatchObject({ agreement_score: before.agreement_score + METRICS.length })
  })
})

describe('what cannot be computed is refused, and the database is as before', () => {
  async function failure(act: () => void): Promise<string> {
    const before = rowCounts(database)
    const message = await rejectionOf((async () => act())())
    expect(rowCounts(database)).toEqual(before)
    return message
  }

  it.each([0, 3, 1.5])('k = %d of three captions', async (k) => {
    const dataset = await importImages(HUMAN)
    expect(await failure(() => compute(dataset, k))).toBe(
      'OUT_OF_RANGE references: the number of references is not possible: expected a whole number from 1 to 2,' +
        ` found ${k}`,
    )
  })

  it('one caption per image', async () => {
    const dataset = await importImages({ x: ['A dog.'], y: ['A cat.'] })
    expect(await failure(() => compute(dataset, 0))).toBe(
      'NOT_APPLICABLE dataset: people can be compared only where they describe the same image:' +
        ' expected at least two captions per image, found 1',
    )
  })

  it('a data set that is removed meanwhile', async () => {
    const dataset = await importImages(HUMAN)
    const computing = (async () =>
      compute(dataset, 2, (_, message) => {
        if (message === 'writing') deleteDataset(database, dataset.row.id)
      }))()
    expect(await rejectionOf(computing)).toBe('UNKNOWN_DATASET dataset: the data set was removed meanwhile')
  })
})
