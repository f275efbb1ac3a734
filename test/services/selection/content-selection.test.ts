import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BASELINES } from '../../../src/core/selection/baselines.js'
import {
  computeSelection,
  type ImageSelectionsInput,
  pageOfImageSelections,
} from '../../../src/services/selection/content-selection.js'
import { importBoxes, importDescriptions } from '../../../src/services/selection/import-boxes.js'
import { withoutJob } from '../../../src/services/uploads/import-job.js'
import { MAX_SELECTED_BOXES } from '../../../src/shared/choices.js'
import { requireDataset } from '../../../src/store/datasets.js'
import type { Database } from '../../../src/store/engine/session.js'
import { readImageIds } from '../../../src/store/images.js'
import { temporaryFolder } from '../../formats/kit.js'
import { captionedDataset, captioningSystem, rejectionOf, removeDatasets } from '../../kit/boxes.js'
import { ENGINES, openTestDatabase } from '../../kit/databases.js'

const files = temporaryFolder()
const silent = () => {}

interface TestImage {
  readonly size?: readonly [number, number]
  /** Concepts of the boxes, whose ids are their first letters, largest first. */
  readonly boxes: readonly string[]
  /** For each description, the concatenated ids of the mentioned boxes. */
  readonly named: readonly string[]
}

describe.each(ENGINES)('on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(engine)
  })
  afterEach(() => removeDatasets(database))

  /** A dataset of images by id. */
  function importImages(dataset: string, images: Readonly<Record<string, TestImage>>) {
    const path = files.write(`${dataset}.json`, {
      images: Object.entries(images).map(([image_id, { size, boxes }]) => ({
        image_id,
        ...(size && { width: size[0], height: size[1] }),
        boxes: boxes.map((concept, index) => ({
          id: concept[0],
          concept,
          bbox: [0, 0, 50 - index, 50 - index],
        })),
      })),
      descriptions: Object.entries(images).flatMap(([image_id, { named }]) =>
        named.map((ids, index) => ({ id: `${image_id}#${index}`, image_id, mentions: [...ids] })),
      ),
    })
    return importBoxes(withoutJob(database, silent), { file: path, dataset })
  }

  async function importSystem(dataset: string, system: string, named: Readonly<Record<string, string>>) {
    const records = Object.entries(named).map(([image_id, ids]) => ({ image_id, mentions: [...ids] }))
    const { id: datasetId } = await requireDataset(database, dataset)
    const input = { datasetId, file: files.write('system.json', records), system, isMissingAllowed: true }
    return importDescriptions(withoutJob(database, silent), input)
  }

  const compute = (input: Partial<Parameters<typeof computeSelection>[1]> = {}) =>
    computeSelection(database, { dataset: 'test', ...input }, silent)

  /** Figure 2 of Wang & Gaizauskas 2015: woman, car, boot, dress, and the mentions of seven people. */
  const figure2: TestImage = {
    boxes: ['woman', 'car', 'boot', 'dress'],
    named: ['wdbc', 'wc', 'wbc', 'wc', 'wc', 'wbc', 'wbdc'],
  }

  describe('computeSelection', () => {
    it('scores a system on the example of the paper', async () => {
      await importImages('test', { figure2 })
      await importSystem('test', 'ours', { figure2: 'wcb' })
      const { systems } = await compute()
      // All seven mention woman and car, four the boot; the descriptions mention 4, 2, 3, 2, 2, 3 and 4 boxes.
      const precision = (3 * 2 + 4 * 3) / (3 * 7)
      const recall = (2 * (3 / 4) + 3 * 1 + 2 * 1) / 7
      expect(systems).toMatchObject([
        {
          system: 'ours',
          images: 1,
          imagesLeftOut: 0,
          precision: expect.closeTo(precision, 12),
          recall: expect.closeTo(recall, 12),
          f: expect.closeTo((2 * precision * recall) / (precision + recall), 12),
          precisionSd: 0,
        },
      ])
    })

    it('has a point for every number of boxes, inside its interval', async () => {
      await importImages('test', {
        figure2,
        ...Object.fromEntries(
          Array.from({ length: 10 }, (_, image) => [
            `${image}`,
            { boxes: ['dog', 'ball'], named: ['d', 'db'] },
          ]),
        ),
        third: { boxes: ['dog', 'ball', 'cup'], named: ['c'] },
      })
      const size = (await compute()).baselines.find(({ baseline }) => baseline === 'size')!
      expect(size.points).toHaveLength(MAX_SELECTED_BOXES)
      for (const { precision, recall, f, intervals, undefinedReason, isSmall, ...point } of size.points) {
        expect(isSmall).toBe(true)
        const figures = [
          { value: precision, deviation: point.precisionSd, interval: intervals!.precision },
          { value: recall, deviation: point.recallSd, interval: intervals!.recall },
          { value: f, deviation: point.fSd, interval: intervals!.f },
        ]
        const varying = figures.filter(({ deviation }) => deviation! > 0)
        expect(undefinedReason).toBe(varying.length === 3 ? null : 'NO_VARIATION')
        expect(figures.filter(({ interval }) => interval !== null)).toEqual(varying)
        for (const { value, interval } of varying) {
          expect(interval!.lower).toBeLessThanOrEqual(value!)
          expect(interval!.upper).toBeGreaterThanOrEqual(value!)
        }
      }
      const recalls = size.points.map(({ recall }) => recall!)
      expect(recalls).toEqual(recalls.toSorted((one, other) => one - other))
    })

    it('has the reason why baselines have no points', async () => {
      await importImages('test', { figure2 })
      const { baselines, imagesWithoutSize } = await compute()
      expect(imagesWithoutSize).toBe(1)
      expect(baselines.map(({ baseline }) => baseline)).toEqual(BASELINES)
      expect(baselines.map(({ undefinedReason, points }) => undefinedReason ?? points.length)).toEqual([
        MAX_SELECTED_BOXES,
        MAX_SELECTED_BOXES,
        'NO_IMAGE_SIZE',
        'NO_PRIORS',
        'NO_PRIORS',
        'NO_PRIORS',
        'NO_PRIORS',
        'NO_PRIORS',
        'NO_PRIORS',
      ])
    })

    it('has all baselines with priors and sizes', async () => {
      await importImages('test', { figure2: { ...figure2, size: [100, 100] } })
      await importImages('development', { '1': { boxes: ['car', 'woman'], named: ['cw', 'c'] } })
      const { baselines, priors } = await compute({ priors: 'development' })
      expect(priors).toBe('development')
      expect(new Set(baselines.map(({ undefinedReason }) => undefinedReason))).toEqual(new Set([null]))
      const unigram = baselines.find(({ baseline }) => baseline === 'unigram')!
      // The car is first: everybody mentions it, and nobody mentions it alone.
      expect(unigram.points[0]).toMatchObject({ precision: 1 })
    })

    it('learns from a part of the images and scores the others', async () => {
      const images = Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [
          `image ${index}`,
          { boxes: ['dog', 'ball'], named: ['d', 'db'] },
        ]),
      )
      await importImages('test', images)
      const report = await compute({ priorsShare: 0.5 })
      expect(report).toMatchObject({ priors: null, priorsShare: 0.5 })
      expect(report.imageCount).toBeGreaterThan(10)
      expect(report.imageCount).toBeLessThan(30)
      expect(report.human.images).toBe(report.imageCount)
      expect(report.baselines.find(({ baseline }) => baseline === 'bigram')!.points[0]).toMatchObject({
        images: report.imageCount,
        precision: 1,
        recall: 0.75,
      })
      expect(await compute({ priorsShare: 0.5 })).toEqual(report)
    })

    it('excludes and counts what cannot be scored', async () => {
      await importImages('test', {
        figure2,
        empty: { boxes: [], named: [''] },
        silent: { boxes: ['dog'], named: ['', ''] },
        lonely: { boxes: ['dog'], named: ['d', ''] },
      })
      await importSystem('test', 'ours', { figure2: 'w' })
      const report = await compute()
      expect(report).toMatchObject({
        imageCount: 2,
        imagesWithoutReferences: 2,
        descriptionsWithoutMentions: 4,
      })
      expect(report.human).toMatchObject({ images: 1, imagesLeftOut: 1 })
      expect(report.systems).toMatchObject([{ images: 1, imagesLeftOut: 1 }])
    })

    it('has no numbers if nothing can be scored', async () => {
      await importImages('test', { lonely: { boxes: ['dog'], named: [''] } })
      const { human, baselines } = await compute()
      const nothing = {
        images: 0,
        precision: null,
        recall: null,
        f: null,
        precisionSd: null,
        recallSd: null,
        fSd: null,
        undefinedReason: 'NO_IMAGES',
        imagesLeftOut: 0,
        intervals: null,
        isSmall: false,
      }
      expect(human).toEqual(nothing)
      expect(baselines[0].points).toEqual(Array(MAX_SELECTED_BOXES).fill(nothing))
    })

    it('records the boxes, descriptions and priors that its figures were made from', async () => {
      const images = { figure2, other: { boxes: ['cat', 'dog'], named: ['cd', 'c'] } }
      await importImages('test', images)
      await importImages('same', Object.fromEntries(Object.entries(images).reverse()))
      await importImages('more', { ...images, third: { boxes: ['bus'], named: ['b'] } })
      const { record, signature } = await compute()
      expect(signature).toMatch(
        /^content-selection\|refs:2-7\|images:2\|.*\|data:[0-9a-f]{8}\|rev:1\|ci:jackknife\|seed:1\|version:/,
      )
      expect((await compute({ dataset: 'same' })).record).toEqual(record)
      const others = await Promise.all([
        compute({ dataset: 'more' }),
        compute({ priors: 'more' }),
        compute({ priors: 'same' }),
        compute({ priorsShare: 0.5 }),
      ])
      expect(new Set([signature, ...others.map((report) => report.signature)]).size).toBe(5)
    })

    it('says how important concepts are, most important first', async () => {
      await importImages('test', { figure2 })
      const { concepts } = await compute()
      expect(concepts.map(({ concept, named }) => [concept, named])).toEqual([
        ['car', 7],
        ['woman', 7],
        ['boot', 4],
        ['dress', 2],
      ])
    })

    it.each([
      [
        'an unknown dataset',
        { dataset: 'nothing' },
        'UNKNOWN_DATASET dataset: unknown dataset: expected one of bare, mute, test, found "nothing"',
      ],
      [
        'unknown priors',
        { priors: 'nothing' },
        'UNKNOWN_DATASET priors: unknown dataset: expected one of bare, mute, test, found "nothing"',
      ],
      [
        'a dataset without boxes',
        { dataset: 'bare' },
        'NOT_APPLICABLE dataset: the dataset has no boxes; `accord import boxes` adds them: expected a dataset with boxes, found "bare"',
      ],
      [
        'priors of the dataset itself',
        { priors: 'test' },
        'NOT_APPLICABLE priors: priors cannot be learned from the descriptions that are scored: expected another dataset, or a share of this one, found "test"',
      ],
      [
        'priors of both kinds',
        { priors: 'mute', priorsShare: 0.5 },
        'NOT_APPLICABLE priors: priors cannot be learned from two sources: expected another dataset, or a share of this one, found both',
      ],
      [
        'priors without descriptions that mention boxes',
        { priors: 'mute' },
        'NOT_APPLICABLE priors: no development data to learn priors from: expected descriptions that mention boxes, found none',
      ],
      [
        'a share that leaves nothing to learn from',
        { priorsShare: 1e-9 },
        'NOT_APPLICABLE priors: no development data to learn priors from: expected descriptions that mention boxes, found none',
      ],
      [
        'a share that leaves nothing to score',
        { priorsShare: 1 },
        'OUT_OF_RANGE priorsShare: invalid share of development images: expected a number above 0 and below 1, found 1',
      ],
    ])('refuses %s', async (_case, input, message) => {
      await importImages('test', { figure2 })
      await importImages('mute', { '1': { boxes: ['dog'], named: [''] } })
      await captionedDataset(database, 'bare', { '7': ['a dog'] })
      expect(await rejectionOf(compute(input))).toBe(message)
    })
  })

  describe('pageOfImageSelections', () => {
    const page = (input: Partial<ImageSelectionsInput>) =>
      pageOfImageSelections(database, {
        dataset: 'test',
        selector: { kind: 'baseline', baseline: 'size', k: 1 },
        by: 'f',
        worstFirst: true,
        request: { limit: 10, fromEnd: false },
        ...input,
      })
    /** External ids of the images of a page. */
    const idsOf = async ({ rows }: Awaited<ReturnType<typeof page>>) => {
      const { id } = await requireDataset(database, 'test')
      const byRow = new Map(
        [...(await readImageIds(database, id))].map(([externalId, row]) => [row, externalId]),
      )
      return rows.map(({ row }) => byRow.get(row.imageId)).join(' ')
    }

    beforeEach(async () => {
      await importImages('test', {
        best: { boxes: ['dog', 'cup'], named: ['d', 'd'] },
        worst: { boxes: ['cup', 'dog'], named: ['d', 'd'] },
        fair: { boxes: ['dog', 'cup'], named: ['dc', 'dc'] },
        bad: { boxes: ['cup', 'dog'], named: ['d', 'd'] },
      })
      await importSystem('test', 'ours', { best: 'c', fair: 'cd' })
    })

    it('lists the worst first, equal ones in the order of the dataset', async () => {
      const all = await page({})
      expect(await idsOf(all)).toBe('worst bad fair best')
      expect(all.totalCount).toBe(4)
      expect(all.rows.map(({ row }) => row.f)).toEqual([0, 0, expect.closeTo(2 / 3, 12), 1])
    })

    it('lists the best first', async () => {
      expect(await idsOf(await page({ worstFirst: false }))).toBe('best fair worst bad')
    })

    it('orders by precision or recall', async () => {
      expect(await idsOf(await page({ by: 'precision' }))).toBe('worst bad best fair')
    })

    it('has pages from both ends', async () => {
      const first = await page({ request: { limit: 2, fromEnd: false } })
      expect(await idsOf(first)).toBe('worst bad')
      expect(first).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
      const after = first.rows.at(-1)!.position
      const second = await page({ request: { limit: 2, fromEnd: false, after } })
      expect(await idsOf(second)).toBe('fair best')
      expect(second).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
      const before = second.rows[0].position
      const last = await page({ request: { limit: 1, fromEnd: true, before } })
      expect(await idsOf(last)).toBe('bad')
      expect(last).toMatchObject({ hasNextPage: true, hasPreviousPage: true })
    })

    it('has the boxes and sentence of a baseline', async () => {
      const selector = { kind: 'baseline', baseline: 'size', k: 2 } as const
      const [{ row }] = (await page({ selector, externalIds: ['worst'] })).rows
      expect(row.selected).toEqual(['c', 'd'])
      expect(row.sentence!.text).toMatch(/^Cup [a-z]+ (the )?dog\.$/)
      expect(row.sentence!.mentions.map(({ boxIds }) => boxIds)).toEqual([['c'], ['d']])
    })

    it('lists the images that a system describes', async () => {
      const ours = await page({ selector: { kind: 'system', name: 'ours' } })
      expect(await idsOf(ours)).toBe('best fair')
      expect(ours.rows.map(({ row }) => row.selected)).toEqual([['c'], ['c', 'd']])
      expect(ours.rows.map(({ row }) => row.sentence)).toEqual([null, null])
    })

    it('lists the scores of people', async () => {
      const { rows } = await page({ selector: { kind: 'human' } })
      expect(rows.map(({ row }) => [row.f, row.selected, row.sentence])).toEqual(
        Array(4).fill([1, null, null]),
      )
    })

    it('agrees with the means', async () => {
      const { rows } = await page({})
      const mean = rows.reduce((sum, { row }) => sum + row.f, 0) / rows.length
      const { baselines } = await compute()
      expect(baselines.find(({ baseline }) => baseline === 'size')!.points[0].f).toBeCloseTo(mean, 12)
    })

    it.each<[string, Partial<ImageSelectionsInput>, string]>([
      [
        'unigram without priors',
        { selector: { kind: 'baseline', baseline: 'unigram', k: 1 } },
        'NOT_APPLICABLE priors: unigram requires development data to learn priors from: expected another dataset, or a share of this one, found neither',
      ],
      [
        'position without sizes',
        { selector: { kind: 'baseline', baseline: 'position', k: 1 } },
        'NOT_APPLICABLE dataset: position requires the width and height of every image: found 4 without',
      ],
      [
        'k = 0',
        { selector: { kind: 'baseline', baseline: 'size', k: 0 } },
        'OUT_OF_RANGE k: invalid number of boxes: expected an integer from 1 to 15, found 0',
      ],
      [
        'an unknown system',
        { selector: { kind: 'system', name: 'theirs' } },
        'UNKNOWN_SYSTEM system: unknown system: expected one of captioner, ours, found "theirs"',
      ],
      [
        'a system without boxes',
        { selector: { kind: 'system', name: 'captioner' } },
        'NOT_APPLICABLE system: the system has no descriptions that mention boxes: expected a system with such descriptions, found "captioner"',
      ],
    ])('refuses %s', async (_case, input, message) => {
      const { id } = await requireDataset(database, 'test')
      await captioningSystem(database, id, 'captioner', [])
      expect(await rejectionOf(page(input))).toBe(message)
    })
  })
})
