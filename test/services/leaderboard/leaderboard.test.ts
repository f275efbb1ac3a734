import { beforeAll, describe, expect, it } from 'vitest'
import { reportAgreement } from '../../../src/services/agreement/agreement.js'
import { type LeaderboardOptions, rankSystems } from '../../../src/services/leaderboard/leaderboard.js'
import { evaluateSystem } from '../../../src/services/scoring/evaluate.js'
import { sql } from '../../../src/store/engine/sql.js'
import { AgreementScoreEntity, MetricScoreEntity } from '../../../src/store/schema/score-tables.js'
import { rejectionOf } from '../../kit/boxes.js'
import { ENGINES } from '../../kit/databases.js'
import { setRevision } from '../../kit/revisions.js'
import type { SeededDataset } from '../../kit/seed.js'
import { initPark, PARK } from '../kit.js'

describe.each(ENGINES)('the leaderboard on %s', (engine) => {
  let park: Awaited<ReturnType<typeof initPark>>
  let count = 0
  beforeAll(async () => {
    park = await initPark(engine)
  })

  const ALL = { 1: 'A dog.', 2: 'A dog.', 3: 'A cat.', 4: 'A bird.' }
  const COPIES = { 1: 'A dog runs.', 2: 'A man walks.', 3: 'A cat sleeps.', 4: 'A bird.' }
  const PART = { 1: 'A dog runs.', 2: 'A man walks.' }

  /** A dataset with systems that are evaluated against all references. */
  async function withSystems(systems: Readonly<Record<string, object>>): Promise<SeededDataset> {
    const dataset = await park.dataset(`park ${count++}`, { images: PARK })
    for (const [name, captions] of Object.entries(systems)) {
      await dataset.captionSystem(name, captions as Record<string, string>)
      await dataset.evaluate(name)
    }
    return dataset
  }

  const evaluate = (dataset: SeededDataset, system: string, options = {}) =>
    evaluateSystem(park.accord, { dataset: dataset.row.name, system, ...options })

  const of = (least: number, most = least) => ({ least, most, folds: null })

  /** The rows as `rank name` or `name: reason`. */
  async function board(dataset: SeededDataset, options: Omit<LeaderboardOptions, 'by'>): Promise<string[]> {
    const rows = await rankSystems(park.accord, dataset.row, { by: 'METRIC', ...options })
    return rows.map(({ rank, system, undefinedReason: reason, group }) => {
      expect(group).toBe(rank === null ? 'APART' : 'COMPARABLE')
      expect(rank === null).toBe(reason !== null)
      const name = system?.name ?? 'people'
      return rank === null ? `${name}: ${reason}` : `${rank} ${name}`
    })
  }

  it('by PHR ranks systems and people over the same words', async () => {
    const rows = await rankSystems(park.accord, park.park.row, { by: 'PHR' })
    expect(rows.map(({ system, rank }) => [system?.name ?? 'human', rank])).toEqual([
      ['oracle', 1],
      ['human', 2],
      ['detector', 3],
    ])
    expect(rows[1]).toMatchObject({ isHuman: true, system: null, wordCount: 3, references: of(2) })
    expect(rows.map(({ provenance }) => provenance?.subject.kind)).toEqual(['system', 'people', 'system'])
    expect(rows[1].value).toBeCloseTo((6 / 7 + 2) / 3, 14)
    expect(rows[1].signature).toMatch(
      /^PHR\|words:3\|refs:2\|images:3\|.*\|res:vocabulary-[0-9a-f]{8}\|.*\|seed:1\|/,
    )
    expect(new Set(rows.map(({ signature }) => signature)).size).toBe(1)
  })

  it('by PHR lists a system that lacks an image of the statistics apart', async () => {
    const dataset = await park.dataset('few scores', { images: PARK })
    await dataset.scoreSystem('part', { 1: { dog: 0.9 }, 2: { dog: 0.5 }, 4: { dog: 0.1 } })
    const rows = await rankSystems(park.accord, dataset.row, { by: 'PHR', references: 1 })
    expect(rows.map(({ system, rank, undefinedReason: reason }) => [system?.name, rank, reason])).toEqual([
      [undefined, 1, null],
      ['part', null, 'PARTIAL'],
    ])
    expect(rows[1]).toMatchObject({ isPartial: true, imageCount: 2, references: of(1) })
  })

  it('against all references has no people, and systems that were not evaluated last', async () => {
    const dataset = await withSystems({ all: ALL, copies: COPIES })
    await dataset.captionSystem('new', ALL)
    await reportAgreement(park.accord, { dataset: dataset.row.name })
    expect(await board(dataset, { metric: 'BLEU-1' })).toEqual([
      '1 copies',
      '2 all',
      'people: OTHER_REFERENCES',
      'new: NOT_COMPUTED',
    ])
    const [copies, , people, unscored] = await rankSystems(park.accord, dataset.row, {
      by: 'METRIC',
      metric: 'BLEU-1',
    })
    expect(copies).toMatchObject({
      value: expect.closeTo(1, 9),
      // Of the images with three captions and of the one with two.
      references: of(2, 3),
      imageCount: 4,
      isPartial: false,
    })
    // They have a figure, which cannot be shown beside the others.
    expect(people).toMatchObject({
      isHuman: true,
      value: null,
      interval: null,
      signature: null,
      provenance: null,
      references: { least: 2, most: 2, folds: 3 },
      imageCount: 3,
    })
    expect(unscored).toMatchObject({ value: null, interval: null, signature: null, imageCount: null })
  })

  it('on folds of k references ranks people among the systems', async () => {
    const dataset = await withSystems({ all: ALL, copies: COPIES })
    await reportAgreement(park.accord, { dataset: dataset.row.name })
    for (const system of ['all', 'copies']) await evaluate(dataset, system, { references: 2 })
    const ranked = await board(dataset, { metric: 'CIDEr-D', references: 2 })
    expect(ranked.map((row) => row.split(' ')[1]).sort()).toEqual(['all', 'copies', 'people'])
    expect(await board(dataset, { metric: 'CIDEr-D', references: 1 })).toEqual([
      'people: NOT_COMPUTED',
      'all: NOT_COMPUTED',
      'copies: NOT_COMPUTED',
    ])
  })

  it('never ranks a part of the images above all of them', async () => {
    const dataset = await withSystems({ all: ALL, part: PART })
    expect(await board(dataset, { metric: 'BLEU-1' })).toEqual([
      '1 all',
      'part: PARTIAL',
      'people: NOT_COMPUTED',
    ])
    const [, part] = await rankSystems(park.accord, dataset.row, { by: 'METRIC', metric: 'BLEU-1' })
    expect(part).toMatchObject({ isPartial: true, imageCount: 2, value: expect.closeTo(1, 5) })
  })

  it('ranks systems on the same part of the images together where there are no others', async () => {
    const dataset = await withSystems({
      part: PART,
      same: { 1: 'A dog.', 2: 'A man.' },
      other: { 3: 'A cat.' },
    })
    expect(await board(dataset, { metric: 'ROUGE-L' })).toEqual([
      '1 part',
      '2 same',
      'other: OTHER_IMAGES',
      'people: NOT_COMPUTED',
    ])
  })

  it('ranks figures of the same document frequencies, of whichever score a system has such', async () => {
    const dataset = await withSystems({ all: ALL, copies: COPIES })
    const values = async () => {
      const rows = await rankSystems(park.accord, dataset.row, { by: 'METRIC', metric: 'CIDEr' })
      return rows.map(({ rank, value, undefinedReason: reason }) => ({ rank, value, reason }))
    }
    const before = await values()
    // It has the same images and captions.
    await evaluate(dataset, 'copies', { documents: park.park.row.name, metrics: ['CIDEr'] })
    expect(await values()).toEqual(before)
    const other = await park.dataset(`documents ${count++}`, {
      images: { 1: ['A dog.', 'A cat.'], 2: ['It.'] },
    })
    await evaluate(dataset, 'copies', { documents: other.row.name, metrics: ['CIDEr'] })
    expect(await values()).toEqual(before)
    const single = await withSystems({ all: ALL })
    await single.captionSystem('named', COPIES)
    await evaluate(single, 'named', { documents: other.row.name })
    expect(await board(single, { metric: 'CIDEr' })).toEqual([
      '1 all',
      'named: OTHER_DOCUMENT_FREQUENCIES',
      'people: NOT_COMPUTED',
    ])
    expect(await board(single, { metric: 'CIDEr', documents: other.row.name })).toEqual([
      '1 named',
      'all: OTHER_DOCUMENT_FREQUENCIES',
      'people: NOT_COMPUTED',
    ])
    const ofWords = rankSystems(park.accord, single.row, { by: 'PHR', documents: other.row.name })
    expect(await rejectionOf(ofWords)).toMatch(/^NOT_APPLICABLE documents: /)
  })

  it('lists figures of another revision of the metric apart, until they are made again', async () => {
    const dataset = await withSystems({ all: ALL, copies: COPIES })
    await reportAgreement(park.accord, { dataset: dataset.row.name })
    await setRevision(
      park.database,
      MetricScoreEntity,
      sql`metric = 'BLEU-1' AND system_id IN
      (SELECT id FROM system WHERE dataset_id = ${dataset.row.id} AND name = 'copies')`,
    )
    await setRevision(park.database, AgreementScoreEntity, sql`dataset_id = ${dataset.row.id}`)
    expect(await board(dataset, { metric: 'BLEU-1' })).toEqual([
      '1 all',
      'copies: OTHER_REVISION',
      'people: OTHER_REVISION',
    ])
    const rows = await rankSystems(park.accord, dataset.row, { by: 'METRIC', metric: 'BLEU-1' })
    const [, copies, people] = rows
    expect(copies).toMatchObject({ value: expect.any(Number), provenance: { revision: 0 } })
    expect(people).toMatchObject({ value: null, interval: null })
    await dataset.evaluate('copies')
    expect((await board(dataset, { metric: 'BLEU-1' })).slice(0, 2)).toEqual(['1 copies', '2 all'])
  })

  it('property: another system or metric changes the rank of others at most', async () => {
    const dataset = await withSystems({ all: ALL, part: PART })
    const read = async () => {
      const rows = await rankSystems(park.accord, dataset.row, { by: 'METRIC', metric: 'METEOR' })
      return new Map(rows.map(({ rank: _rank, ...row }) => [row.system?.name, row]))
    }
    const before = await read()
    await dataset.captionSystem('more', COPIES)
    await dataset.evaluate('more')
    await evaluate(dataset, 'all', { references: 1, metrics: ['BLEU-1'] })
    await evaluate(dataset, 'part', { documents: dataset.row.name, metrics: ['CIDEr'] })
    const after = await read()
    for (const [name, row] of before) expect(after.get(name)).toEqual(row)
  })

  it('needs a metric that exists, and a number of references that folds can have', async () => {
    const rank = (options: Omit<LeaderboardOptions, 'by'>) =>
      rankSystems(park.accord, park.park.row, { by: 'METRIC', ...options })
    expect(await rejectionOf(rank({}))).toMatch(/^OUT_OF_RANGE metric: /)
    expect(await rejectionOf(rank({ metric: 'unknown metric' }))).toMatch(
      /^UNKNOWN_METRIC .*"unknown metric"$/,
    )
    expect(await rejectionOf(rank({ metric: 'BLEU-1', references: 3 }))).toMatch(/^OUT_OF_RANGE references: /)
  })
})
