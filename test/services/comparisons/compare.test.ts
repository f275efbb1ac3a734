import { beforeAll, describe, expect, it } from 'vitest'
import type { Interval } from '../../../src/core/stats/interval.js'
import { storedAgreement } from '../../../src/services/agreement/human-agreement.js'
import { type CompareInput, compareSubjects } from '../../../src/services/comparisons/compare.js'
import { computeMissing } from '../../../src/services/comparisons/compute-missing.js'
import { hashOfDocuments } from '../../../src/services/evaluations/document-source.js'
import { openAccord } from '../../../src/services/open-accord.js'
import type { Accord } from '../../../src/services/shared/accord.js'
import type { UndefinedReason } from '../../../src/shared/undefined-reason.js'
import { requireDataset } from '../../../src/store/datasets.js'
import { update } from '../../../src/store/engine/rows.js'
import type { Database } from '../../../src/store/engine/session.js'
import { sql } from '../../../src/store/engine/sql.js'
import { MetricScoreEntity, MetricStatisticsEntity } from '../../../src/store/schema/score-tables.js'
import { readScores } from '../../../src/store/scores.js'
import { rejectionOf } from '../../kit/boxes.js'
import { ENGINES, locationOf, openTestDatabase } from '../../kit/databases.js'
import { setRevision } from '../../kit/revisions.js'
import { THING_CAPTIONS as HUMAN, thingOf } from '../../kit/things.js'
import {
  type CaptionedDataset,
  computeAgreement,
  directScores,
  evaluate,
  importCaptions,
  METRICS,
  systemOf,
  threads,
} from '../evaluations/caption-metrics.js'

type ById<Value> = Readonly<Record<string, Value>>

const IDS = Object.keys(HUMAN)

const captionsOf = (write: (id: string, index: number) => string, ids = IDS): ById<string> =>
  Object.fromEntries(ids.map((id) => [id, write(id, IDS.indexOf(id))]))

const GOOD = captionsOf((id) => HUMAN[id][0])
const POOR = captionsOf((id) => `A ${thingOf(id)}.`)
/** Equal to the good system on one half of the images, to the poor one on the other. */
const mixed = (half: number) => captionsOf((id, index) => (index % 2 === half ? GOOD : POOR)[id])
const only = (captions: ById<string>, ids: readonly string[]) => captionsOf((id) => captions[id], [...ids])

/** Of a pair with its sides exchanged. */
function reversed<
  Tested extends { readonly interval: Interval | null; readonly better: 'FIRST' | 'SECOND' | null },
>({ interval, better, ...rest }: Tested) {
  return {
    ...rest,
    interval: interval && { lower: -interval.upper, upper: -interval.lower },
    better: better && (better === 'FIRST' ? 'SECOND' : 'FIRST'),
  }
}

describe.each(ENGINES)('on %s', (engine) => {
  let database: Database
  let accord: Accord
  beforeAll(async () => {
    database = await openTestDatabase(engine)
    accord = await openAccord({ location: locationOf(database), threadCount: 1 })
    return accord.close
  })

  let count = 0
  async function importSystems(systems: ById<ById<string>>, images = HUMAN): Promise<CaptionedDataset> {
    const dataset = await importCaptions(database, `things ${count++}`, images)
    for (const [name, captions] of Object.entries(systems)) {
      await dataset.captionSystem(name, captions)
      await evaluate(database, dataset, name)
    }
    return dataset
  }

  interface Options extends Partial<Omit<CompareInput, 'figures'>> {
    readonly references?: number
    /** Name of the dataset whose document frequencies the scores have. */
    readonly documents?: string
  }

  /** Pairs with names for positions; people are `people`. */
  async function compare(
    dataset: CaptionedDataset,
    names: readonly string[],
    metric = 'ROUGE-L',
    { references, people = false, documents }: Options = {},
  ) {
    const systems = await Promise.all(names.map((name) => systemOf(database, dataset, name)))
    const documentHash = await hashOfDocuments(database, { documents })
    const figures = [{ kind: 'METRIC' as const, metric, references }]
    const input = { people, documentHash, figures }
    const row = await requireDataset(database, dataset.row.name)
    const k = references ?? (people ? row.captionsPerImage - 1 : null)
    if (k !== null)
      await computeMissing(accord, row, { systems, people, metrics: [metric], references: k }, {})
    const [pairs] = await compareSubjects(database, threads, row, systems, input, () => {})
    const nameOf = (position: number) => names[position] ?? 'people'
    return pairs.map(({ first, second, ...pair }) => ({
      first: nameOf(first),
      second: nameOf(second),
      ...pair,
    }))
  }

  const reasonsOf = async (...args: Parameters<typeof compare>) =>
    (await compare(...args)).map(({ undefinedReason }) => undefinedReason)

  describe('a comparison', () => {
    it.each(METRICS)('by %s: equal systems do not differ, the better is clearly better', async (metric) => {
      const dataset = await importSystems({ poor: POOR, good: GOOD, copy: POOR })
      const pairs = await compare(dataset, ['poor', 'good', 'copy'], metric)
      expect(pairs.map(({ first, second }) => `${first}, ${second}`)).toEqual([
        'poor, good',
        'poor, copy',
        'good, copy',
      ])
      const [, equal, clear] = pairs
      expect(equal).toMatchObject({
        difference: 0,
        alone: { interval: null, pValue: 1, better: null },
        together: { interval: null, pValue: 1, better: null, tests: 2 },
        undefinedReason: 'NO_VARIATION',
        imageCount: 40,
      })
      expect(clear.alone.pValue).toBeLessThan(0.001)
      expect(clear.together.pValue).toBeLessThan(0.01)
      for (const { interval, better } of [clear.alone, clear.together]) {
        expect(interval!.lower).toBeGreaterThan(0)
        expect(interval!.upper).toBeGreaterThan(clear.difference!)
        expect(better).toBe('FIRST')
      }
      expect(clear.firstScore).toBeCloseTo(directScores(GOOD, HUMAN).corpus[metric], 12)
      expect(clear.secondScore).toBeCloseTo(directScores(POOR, HUMAN).corpus[metric], 12)
      expect(clear.difference).toBe(clear.firstScore! - clear.secondScore!)
      expect(clear.signature).toMatch(new RegExp(`^${metric}\\|.*\\|ci:jackknife\\|`))
      expect(clear.references).toEqual({ least: 3, most: 3, folds: null })
    })

    it('of systems that are good on different images has a difference within its error and a large p', async () => {
      const dataset = await importSystems({ even: mixed(0), odd: mixed(1) })
      const [{ difference, alone }] = await compare(dataset, ['even', 'odd'])
      expect(Math.abs(difference!)).toBeLessThan((alone.interval!.upper - alone.interval!.lower) / 4)
      expect(alone.pValue).toBeGreaterThan(0.5)
      expect(alone.pValue).toBeLessThanOrEqual(1)
    })

    it('does not depend on the order of systems, nor on the time', async () => {
      const dataset = await importSystems({ poor: POOR, good: GOOD, even: mixed(0), copy: POOR })
      const forward = await compare(dataset, ['poor', 'good', 'even', 'copy'])
      const backward = await compare(dataset, ['copy', 'even', 'good', 'poor'])
      for (const pair of forward) {
        const opposite = backward.find(({ first, second }) => first === pair.second && second === pair.first)!
        expect(opposite).toEqual({
          ...pair,
          first: pair.second,
          second: pair.first,
          firstScore: pair.secondScore,
          secondScore: pair.firstScore,
          difference: 0 - pair.difference!,
          alone: reversed(pair.alone),
          together: reversed(pair.together),
        })
      }
      expect(await compare(dataset, ['poor', 'good', 'even', 'copy'])).toEqual(forward)
    })

    it('is the same whichever other systems are compared, and whatever else is stored', async () => {
      const dataset = await importSystems({ poor: POOR, good: GOOD })
      const [alone] = await compare(dataset, ['good', 'poor'], 'BLEU-4')
      await dataset.captionSystem('even', mixed(0))
      await evaluate(database, dataset, 'even', { metrics: ['BLEU-4'] })
      await evaluate(database, dataset, 'poor', { references: 2 })
      const pairs = await compare(dataset, ['even', 'good', 'poor'], 'BLEU-4')
      const pair = pairs.find(({ first, second }) => first === 'good' && second === 'poor')
      expect(alone.alone).toMatchObject({ tests: 1, level: 0.05 })
      expect(alone.together).toEqual(alone.alone)
      expect(pair).toEqual({ ...alone, together: pair?.together })
      expect(pair?.together.tests).toBe(3)
    })

    it('of systems with few images is approximate below 30', async () => {
      const ids = IDS.slice(0, 12)
      const dataset = await importSystems({ good: only(GOOD, ids), poor: only(POOR, ids) })
      const [pair] = await compare(dataset, ['good', 'poor'])
      expect(pair).toMatchObject({ isSmall: true, alone: { better: 'FIRST' } })
    })

    it.each([
      [1, 'TOO_FEW_IMAGES'],
      [9, 'TOO_FEW_IMAGES'],
      [10, null],
    ] as const)('on %i images has the reason %s', async (images, reason) => {
      const dataset = await importSystems({ good: GOOD, part: only(POOR, IDS.slice(0, images)) })
      const [pair] = await compare(dataset, ['good', 'part'])
      expect(pair).toMatchObject({ imageCount: images, undefinedReason: reason })
      expect(pair.difference).toBeGreaterThan(0)
      for (const figure of [pair.alone.pValue, pair.alone.interval, pair.together.interval]) {
        expect(figure === null).toBe(reason !== null)
      }
    })
  })

  describe('each pair', () => {
    it('is on the images that the two of them described', async () => {
      const [most, some, few] = [IDS.slice(5), IDS.slice(0, 30), IDS.slice(10, 35)]
      const dataset = await importSystems({
        most: only(GOOD, most.toReversed()),
        some: only(POOR, some),
        few: captionsOf((id) => HUMAN[id][2], few),
        one: only(GOOD, [IDS[20]]),
      })
      const pairs = await compare(dataset, ['some', 'few', 'most', 'one'], 'BLEU-2')
      const imagesOf = (one: string, other: string) =>
        pairs.find(({ first, second }) => [first, second].sort().join() === [one, other].sort().join())!
      expect(imagesOf('some', 'most').imageCount).toBe(25)
      expect(imagesOf('some', 'few').imageCount).toBe(20)
      expect(imagesOf('most', 'few').imageCount).toBe(25)
      expect(imagesOf('one', 'few')).toMatchObject({ imageCount: 1, undefinedReason: 'TOO_FEW_IMAGES' })
      const { firstScore: secondScore, secondScore: firstScore } = imagesOf('some', 'most')
      const shared = IDS.slice(5, 30)
      expect(firstScore).toBeCloseTo(directScores(only(GOOD, shared), HUMAN).corpus['BLEU-2'], 12)
      expect(secondScore).toBeCloseTo(directScores(only(POOR, shared), HUMAN).corpus['BLEU-2'], 12)
    })

    it('has the references of its images, also where a part lacks the image with more', async () => {
      const images = { ...HUMAN, [IDS[0]]: ['A dog.', 'A dog.', 'Dogs.', 'It.', 'A dog on the grass.'] }
      const dataset = await importSystems({ good: GOOD, part: only(POOR, IDS.slice(1)) }, images)
      const [pair] = await compare(dataset, ['good', 'part'])
      expect(pair).toMatchObject({
        imageCount: 39,
        undefinedReason: null,
        references: { least: 3, most: 3, folds: null },
      })
      expect(pair.signature).toContain('|refs:3|images:39|')
    })

    it('is by the newest scores with the document frequencies that are named', async () => {
      const dataset = await importSystems({ good: GOOD, poor: POOR })
      const other = await importSystems({}, { one: ['A dog.'], two: ['A dog on the grass.', 'A cat.'] })
      const before = await compare(dataset, ['good', 'poor'], 'CIDEr-D')
      await evaluate(database, dataset, 'good', { documents: other.row.name })
      expect(await compare(dataset, ['good', 'poor'], 'CIDEr-D')).toEqual(before)
      await evaluate(database, dataset, 'poor', { documents: other.row.name })
      expect(await compare(dataset, ['good', 'poor'], 'CIDEr-D')).toEqual(before)
      const documents = other.row.name
      const [{ signature }] = await compare(dataset, ['poor', 'good'], 'CIDEr-D', { documents })
      expect(signature).toMatch(/\|df:dataset-[0-9a-f]{8}\/2\|/)
    })
  })

  describe('metamorphic:', () => {
    it('captions in another order of images and of captions compare as they are', async () => {
      const dataset = await importSystems({ even: mixed(0), poor: POOR })
      const permuted = await importSystems(
        {
          even: Object.fromEntries(Object.entries(mixed(0)).reverse()),
          poor: Object.fromEntries(Object.entries(POOR).reverse()),
        },
        HUMAN,
      )
      expect(await compare(permuted, ['even', 'poor'], 'BLEU-3')).toEqual(
        await compare(dataset, ['even', 'poor'], 'BLEU-3'),
      )
    })

    it('a system that wins on a subset loses nothing there by what it does elsewhere', async () => {
      const half = IDS.filter((_, index) => index % 2 === 0)
      const dataset = await importSystems({ even: mixed(0), part: only(POOR, half), good: only(GOOD, half) })
      const pairs = await compare(dataset, ['even', 'good', 'part'])
      const ofEven = pairs.find(({ first, second }) => first === 'even' && second === 'part')!
      const ofGood = pairs.find(({ first, second }) => first === 'good' && second === 'part')!
      expect(ofEven.difference).toBe(ofGood.difference)
      expect(ofEven.alone).toEqual(ofGood.alone)
    })

    it('on a doubled dataset the difference is the same and its interval shorter', async () => {
      const double = <Value>(values: ById<Value>): ById<Value> =>
        Object.fromEntries(
          Object.entries(values).flatMap(([id, value]) => [
            [id, value],
            [`${id} again`, value],
          ]),
        )
      const dataset = await importSystems({ even: mixed(0), poor: POOR })
      const doubled = await importSystems({ even: double(mixed(0)), poor: double(POOR) }, double(HUMAN))
      const [one] = await compare(dataset, ['even', 'poor'], 'BLEU-2')
      const [two] = await compare(doubled, ['even', 'poor'], 'BLEU-2')
      expect(two.difference).toBeCloseTo(one.difference!, 9)
      const widthOf = ({ alone: { interval } }: typeof one) => interval!.upper - interval!.lower
      expect(widthOf(two) / widthOf(one)).toBeCloseTo(Math.SQRT1_2, 1)
      expect(two.alone.pValue).toBeLessThanOrEqual(one.alone.pValue!)
    })
  })

  describe('people', () => {
    const OTHERS = captionsOf((id) => `There is a ${id.split('-')[0]} here.`)

    it.each(METRICS)(
      'are compared by %s on the same folds, both computed where they are missing',
      async (metric) => {
        const dataset = await importSystems({})
        await dataset.captionSystem('poor', POOR)
        const [pair] = await compare(dataset, ['poor'], metric, { people: true })
        expect(pair).toMatchObject({
          first: 'poor',
          second: 'people',
          imageCount: 40,
          references: { least: 2, most: 2, folds: 3 },
          undefinedReason: null,
        })
        const row = await requireDataset(database, dataset.row.name)
        const { rows } = await storedAgreement(database, threads.registry, row, {
          references: 2,
          metrics: [metric],
        })
        expect(pair.secondScore).toBeCloseTo(rows.find((candidate) => candidate.metric === metric)!.mean, 12)
        const [system] = await Promise.all([systemOf(database, dataset, 'poor')])
        const [score] = await readScores(database, [system.id], [metric])
        expect(score).toMatchObject({
          referenceCount: 2,
          folds: [expect.anything(), expect.anything(), expect.anything()],
        })
        expect(pair.firstScore).toBeCloseTo(score.value, 12)
      },
    )

    it('are compared on the images of a system that has a part, as the complete system is', async () => {
      const ids = IDS.slice(0, 30)
      const dataset = await importSystems({ all: POOR, part: only(POOR, ids) })
      const pairs = await compare(dataset, ['all', 'part'], 'CIDEr-D', { people: true })
      const [part] = pairs.filter(({ first, second }) => first === 'part' && second === 'people')
      expect(part).toMatchObject({ imageCount: 30, undefinedReason: null })
      const [equal] = pairs.filter(({ first, second }) => first !== 'people' && second !== 'people')
      expect(equal).toMatchObject({ difference: 0, alone: { pValue: 1 }, imageCount: 30 })
    })

    it('with fewer references have scores of their own', async () => {
      const dataset = await importSystems({ others: OTHERS })
      const [one] = await compare(dataset, ['others'], 'BLEU-1', { people: true, references: 1 })
      const [two] = await compare(dataset, ['others'], 'BLEU-1', { people: true, references: 2 })
      expect(one.references).toEqual({ least: 1, most: 1, folds: 3 })
      expect(one.secondScore).toBeLessThan(two.secondScore!)
      expect(
        await rejectionOf(compare(dataset, ['others'], 'BLEU-1', { people: true, references: 3 })),
      ).toMatch(/^OUT_OF_RANGE references/)
    })

    it('leave out a system without an image of K captions; the others are compared', async () => {
      const images = { ...HUMAN, short: ['A dog.'] }
      const dataset = await importSystems({ poor: POOR, short: { short: 'A dog.' } }, images)
      const pairs = await compare(dataset, ['poor', 'short'], 'BLEU-1', { people: true })
      expect(pairs.map(({ first, second, undefinedReason }) => [first, second, undefinedReason])).toEqual([
        ['poor', 'short', 'NOT_COMPUTED'],
        ['poor', 'people', null],
        ['short', 'people', 'NOT_COMPUTED'],
      ])
    })

    it('use the table that is stored', async () => {
      const dataset = await importSystems({ others: OTHERS })
      await computeAgreement(database, threads, dataset.row, { references: 2 }, () => {})
      const before = await database.all(
        sql`SELECT id FROM agreement_score WHERE dataset_id = ${dataset.row.id}`,
      )
      await compare(dataset, ['others'], 'BLEU-1', { people: true })
      expect(
        await database.all(sql`SELECT id FROM agreement_score WHERE dataset_id = ${dataset.row.id}`),
      ).toEqual(before)
    })
  })

  describe('no comparison, with a reason,', () => {
    const is = (reason: UndefinedReason) => [reason]

    it('of a system that was not evaluated by the metric; the others are compared', async () => {
      const dataset = await importSystems({ good: GOOD, poor: POOR })
      await dataset.captionSystem('new', POOR)
      await evaluate(database, dataset, 'new', { metrics: ['BLEU-1'] })
      expect(await reasonsOf(dataset, ['good', 'new'], 'METEOR')).toEqual(is('NOT_COMPUTED'))
      expect(await reasonsOf(dataset, ['good', 'poor', 'new'], 'METEOR')).toEqual([
        null,
        'NOT_COMPUTED',
        'NOT_COMPUTED',
      ])
    })

    it('where document frequencies are of different images, unless they are named or those of folds', async () => {
      const dataset = await importSystems({ all: POOR, most: only(GOOD, IDS.slice(1)) })
      expect(await reasonsOf(dataset, ['all', 'most'], 'CIDEr-D')).toEqual(is('OTHER_DOCUMENT_FREQUENCIES'))
      expect(await reasonsOf(dataset, ['all', 'most'], 'BLEU-4')).toEqual([null])
      const [onFolds] = await compare(dataset, ['all', 'most'], 'CIDEr-D', { references: 2 })
      expect(onFolds).toMatchObject({ first: 'all', imageCount: 39, alone: { better: 'SECOND' } })
      await evaluate(database, dataset, 'most', { documents: dataset.row.name })
      expect(await reasonsOf(dataset, ['all', 'most'], 'CIDEr-D')).toEqual(is('OTHER_DOCUMENT_FREQUENCIES'))
      const documents = dataset.row.name
      const [named] = await compare(dataset, ['all', 'most'], 'CIDEr-D', { documents })
      expect(named).toMatchObject({
        first: 'all',
        second: 'most',
        imageCount: 39,
        alone: { better: 'SECOND' },
      })
    })

    it('if no image is shared', async () => {
      const dataset = await importSystems({
        first: only(GOOD, IDS.slice(0, 20)),
        second: only(GOOD, IDS.slice(20)),
      })
      expect(await reasonsOf(dataset, ['first', 'second'])).toEqual(is('NO_SHARED_IMAGES'))
    })

    it('where a score was made by another revision of the metric', async () => {
      const dataset = await importSystems({ good: GOOD, poor: POOR })
      const { id } = await systemOf(database, dataset, 'poor')
      await setRevision(database, MetricScoreEntity, sql`system_id = ${id}`)
      expect(await reasonsOf(dataset, ['good', 'poor'])).toEqual(is('OTHER_REVISION'))
      await evaluate(database, dataset, 'poor')
      expect(await reasonsOf(dataset, ['good', 'poor'])).toEqual([null])
    })

    it('if statistics were stored with another layout', async () => {
      const dataset = await importSystems({ good: GOOD, poor: POOR })
      const { id } = await systemOf(database, dataset, 'poor')
      await update(database, MetricStatisticsEntity, { layoutRevision: 0 }, sql`system_id = ${id}`)
      expect(await reasonsOf(dataset, ['good', 'poor'], 'BLEU-2')).toEqual(is('OTHER_LAYOUT'))
    })

    it('by an unknown metric', async () => {
      const dataset = await importSystems({ good: GOOD, poor: POOR })
      expect(await rejectionOf(compare(dataset, ['good', 'poor'], 'BLEU-5'))).toMatch(
        /^UNKNOWN_METRIC metric: /,
      )
    })
  })
})
