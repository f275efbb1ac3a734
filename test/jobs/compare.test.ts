import { beforeAll, describe, expect, it } from 'vitest'
import { compareSystems } from '../../src/jobs/compare.js'
import { MetricStatisticsEntity } from '../../src/store/entities.js'
import { update } from '../../src/store/rows.js'
import type { Database } from '../../src/store/session.js'
import { sql } from '../../src/store/sql.js'
import { rejectionOf } from '../kit/boxes.js'
import { ENGINES, openTestDatabase } from '../kit/databases.js'
import {
  type CaptionedDataset,
  directScores,
  evaluate,
  importCaptions,
  METRICS,
  systemOf,
  threads,
} from './caption-metrics.js'

const THINGS = ['dog', 'cat', 'bus', 'horse', 'bench', 'tree', 'boat', 'plane', 'clock', 'kite']
const PLACES = ['on the grass', 'in a city', 'near the water', 'under a blue sky']

type ById<Value> = Readonly<Record<string, Value>>

/** Forty images, each with three different captions. */
const HUMAN: ById<string[]> = Object.fromEntries(
  THINGS.flatMap((thing) =>
    PLACES.map((place, index) => [
      `${thing}-${index}`,
      [`A ${thing} ${place}.`, `The old ${thing} stands ${place}.`, `There is a ${thing} ${place} today.`],
    ]),
  ),
)
const IDS = Object.keys(HUMAN)

const captionsOf = (write: (id: string, index: number) => string, ids = IDS): ById<string> =>
  Object.fromEntries(ids.map((id) => [id, write(id, IDS.indexOf(id))]))

const GOOD = captionsOf((id) => HUMAN[id][0])
const POOR = captionsOf((id) => `A ${id.split('-')[0]}.`)
/** Equal to the good system on one half of the images, to the poor one on the other. */
const mixed = (half: number) => captionsOf((id, index) => (index % 2 === half ? GOOD : POOR)[id])

describe.each(ENGINES)('on %s', (engine) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(engine)
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

  async function compare(dataset: CaptionedDataset, names: readonly string[], metric = 'ROUGE-L') {
    const systems = await Promise.all(names.map((name) => systemOf(database, dataset, name)))
    const comparisons = await compareSystems(database, threads, systems, metric, () => {})
    return comparisons.map(({ first, second, ...comparison }) => ({
      first: names[first],
      second: names[second],
      ...comparison,
    }))
  }

  describe('a comparison', () => {
    it.each(METRICS)('by %s: equal systems do not differ, the better one is first', async (metric) => {
      const dataset = await importSystems({ poor: POOR, good: GOOD, copy: POOR })
      const pairs = await compare(dataset, ['poor', 'good', 'copy'], metric)
      expect(pairs.map(({ first, second }) => `${first}, ${second}`)).toEqual([
        'good, poor',
        'good, copy',
        'poor, copy',
      ])
      const [clear, , equal] = pairs
      expect(equal).toMatchObject({ difference: 0, lower: 0, upper: 0, pValue: 1, imageCount: 40 })
      expect(clear.pValue).toBe(1 / 1001)
      expect(clear.lower).toBeGreaterThan(0)
      expect(clear.upper).toBeGreaterThanOrEqual(clear.difference)
      expect(clear.firstScore).toBeCloseTo(directScores(GOOD, HUMAN).corpus[metric], 12)
      expect(clear.secondScore).toBeCloseTo(directScores(POOR, HUMAN).corpus[metric], 12)
      expect(clear.difference).toBe(clear.firstScore - clear.secondScore)
      expect(clear.signature).toMatch(`${metric}|`)
    })

    it('of systems that are good on different images has an interval around 0 and a large p', async () => {
      const dataset = await importSystems({ even: mixed(0), odd: mixed(1) })
      const [{ difference, lower, upper, pValue }] = await compare(dataset, ['even', 'odd'])
      expect(lower).toBeLessThan(0)
      expect(upper).toBeGreaterThan(0)
      expect(lower).toBeLessThanOrEqual(difference)
      expect(upper).toBeGreaterThanOrEqual(difference)
      expect(pValue).toBeGreaterThan(0.5)
      expect(pValue).toBeLessThanOrEqual(1)
    })

    it('does not depend on the order of systems, and is reproducible', async () => {
      const dataset = await importSystems({ poor: POOR, good: GOOD, even: mixed(0) })
      const forward = await compare(dataset, ['poor', 'good', 'even'])
      expect(await compare(dataset, ['even', 'good', 'poor'])).toEqual(forward)
      expect(await compare(dataset, ['poor', 'good', 'even'])).toEqual(forward)
    })

    it('is on the images that all of the systems described', async () => {
      const [most, some, few] = [IDS.slice(5), IDS.slice(0, 30), IDS.slice(10, 35)]
      const dataset = await importSystems({
        most: captionsOf((id) => GOOD[id], most.toReversed()),
        some: captionsOf((id) => POOR[id], some),
        few: captionsOf((id) => HUMAN[id][2], few),
      })
      const shared = IDS.slice(10, 30)
      const only = (captions: ById<string>) => captionsOf((id) => captions[id], shared)
      const pairs = await compare(dataset, ['some', 'few', 'most'], 'BLEU-2')
      expect(pairs.map(({ imageCount }) => imageCount)).toEqual([20, 20, 20])
      const poor = pairs.find(({ first, second }) => first === 'most' && second === 'some')!
      expect(poor.firstScore).toBeCloseTo(directScores(only(GOOD), HUMAN).corpus['BLEU-2'], 12)
      expect(poor.secondScore).toBeCloseTo(directScores(only(POOR), HUMAN).corpus['BLEU-2'], 12)
      const [two] = await compare(dataset, ['some', 'most'], 'BLEU-2')
      expect(two.imageCount).toBe(25)
    })

    it('uses the newest signature that all systems have', async () => {
      const dataset = await importSystems({ good: GOOD, poor: POOR })
      const documents = (await importSystems({})).row.name
      const before = await compare(dataset, ['good', 'poor'], 'CIDEr-D')
      await evaluate(database, dataset, 'good', { documents })
      expect(await compare(dataset, ['good', 'poor'], 'CIDEr-D')).toEqual(before)
      await evaluate(database, dataset, 'poor', { documents })
      const [{ signature }] = await compare(dataset, ['poor', 'good'], 'CIDEr-D')
      expect(signature).toContain('|df:of-things')
    })
  })

  describe('no comparison', () => {
    it('of a system that was not evaluated by the metric', async () => {
      const dataset = await importSystems({ good: GOOD })
      await dataset.captionSystem('new', POOR)
      await evaluate(database, dataset, 'new', { metrics: ['BLEU-1'] })
      expect(await rejectionOf(compare(dataset, ['good', 'new'], 'METEOR'))).toBe(
        'NOT_APPLICABLE systems: the system has not been evaluated by this metric:' +
          ' expected a system with a METEOR score, found "new"',
      )
    })

    it('if signatures differ', async () => {
      const dataset = await importSystems({ good: GOOD })
      await dataset.captionSystem('other', POOR)
      await evaluate(database, dataset, 'other', { documents: (await importSystems({})).row.name })
      expect(await rejectionOf(compare(dataset, ['good', 'other'], 'CIDEr'))).toMatch(
        /^NOT_APPLICABLE systems: scores can be compared only if their signatures are equal: expected CIDEr\|n:4\|df:own\|.*, of "good", found CIDEr\|n:4\|df:of-things%20\d+\|.*, of "other"$/,
      )
      expect(await compare(dataset, ['good', 'other'], 'BLEU-4')).toHaveLength(1)
    })

    it('if numbers of references differ', async () => {
      const images = { ...HUMAN, [IDS[0]]: ['A dog.', 'A dog.'] }
      const dataset = await importSystems(
        { good: GOOD, part: captionsOf((id) => GOOD[id], IDS.slice(1)) },
        images,
      )
      expect(await rejectionOf(compare(dataset, ['good', 'part']))).toMatch(
        /signatures are equal: .*refs:2-3.*refs:3/,
      )
    })

    it('if no image is shared', async () => {
      const dataset = await importSystems({
        first: captionsOf((id) => GOOD[id], IDS.slice(0, 20)),
        second: captionsOf((id) => GOOD[id], IDS.slice(20)),
      })
      expect(await rejectionOf(compare(dataset, ['first', 'second']))).toBe(
        'NOT_APPLICABLE systems: the systems have no image in common',
      )
    })

    it('by CIDEr if document frequencies are from different images, unless they are of one dataset', async () => {
      const dataset = await importSystems({ all: POOR, most: captionsOf((id) => GOOD[id], IDS.slice(1)) })
      expect(await rejectionOf(compare(dataset, ['all', 'most'], 'CIDEr-D'))).toBe(
        'NOT_APPLICABLE systems: document frequencies were counted in different images: expected systems' +
          ' with captions of the same images, or document frequencies of one dataset, found 39 shared images and a' +
          ' system with 40',
      )
      for (const name of ['all', 'most']) {
        await evaluate(database, dataset, name, { documents: dataset.row.name })
      }
      const [pair] = await compare(dataset, ['all', 'most'], 'CIDEr-D')
      expect(pair).toMatchObject({ first: 'most', second: 'all', imageCount: 39, pValue: 1 / 1001 })
    })

    it('if statistics were stored with another layout', async () => {
      const dataset = await importSystems({ good: GOOD, poor: POOR })
      const { id } = await systemOf(database, dataset, 'poor')
      await update(database, MetricStatisticsEntity, { layoutRevision: 0 }, sql`system_id = ${id}`)
      expect(await rejectionOf(compare(dataset, ['good', 'poor'], 'BLEU-2'))).toBe(
        'NOT_APPLICABLE systems: the stored statistics have another layout; evaluate the system again:' +
          ' expected BLEU, layout revision 1, found BLEU, layout revision 0, of "poor"',
      )
      await evaluate(database, dataset, 'poor')
      expect(await compare(dataset, ['good', 'poor'], 'BLEU-2')).toHaveLength(1)
    })

    it('by an unknown metric', async () => {
      const dataset = await importSystems({ good: GOOD, poor: POOR })
      expect(await rejectionOf(compare(dataset, ['good', 'poor'], 'BLEU-5'))).toMatch(
        /^UNKNOWN_METRIC metric: /,
      )
    })
  })
})
