import { beforeAll, describe, expect, it } from 'vitest'
import { createThreads } from '../../../src/compute/pool.js'
import { chrf } from '../../../src/core/metrics/chrf.js'
import type { MetricFamily } from '../../../src/core/metrics/metric.js'
import { conclusionOf } from '../../../src/services/judgements/conclusion.js'
import { findDisagreements } from '../../../src/services/judgements/disagreements.js'
import { importJudgements } from '../../../src/services/judgements/import-judgements.js'
import { judgeMetrics } from '../../../src/services/judgements/judge.js'
import { withoutJob } from '../../../src/services/uploads/import-job.js'
import { requireDataset } from '../../../src/store/datasets.js'
import type { Database } from '../../../src/store/engine/session.js'
import { sql } from '../../../src/store/engine/sql.js'
import {
  readJudgedCaptions,
  readJudgedScores,
  requireJudgementSet,
  saveJudgedScores,
} from '../../../src/store/judgements.js'
import { score } from '../../core/metrics/trials.js'
import { temporaryFolder } from '../../formats/kit.js'
import { ENGINES, openTestDatabase } from '../../kit/databases.js'
import { dumpContent, importImages } from '../jobs-kit.js'

const { write } = temporaryFolder()
const silent = () => {}
const threads = createThreads({ threadCount: 1 })
let files = 0

const REFERENCES: Record<string, string[]> = {
  1: ['A dog runs on grass.', 'The dog is running.'],
  2: ['A cat sleeps on a sofa.', 'The cat is asleep.'],
  3: ['A man rides a horse.', 'A person on a horse.'],
}

const RATED = [
  {
    image: 1,
    captions: [
      ['A dog runs.', [4, 4, 3]],
      ['A cat.', [1, 1, 1]],
      ['A dog on a sofa.', [2, 3, 2]],
    ],
  },
  {
    image: 2,
    captions: [
      ['A cat on a sofa.', [4, 3, 4]],
      ['A bird.', [1, 1, 2]],
    ],
  },
  {
    image: 3,
    captions: [
      ['A man rides a horse.', [4, 4, 4]],
      ['A car.', [1, 1, 1]],
    ],
  },
] as const

const PAIRS = [
  { image: 1, captions: ['A dog runs.', 'A cat.'], preferred: 0, category: 'HI' },
  { image: 2, captions: ['A bird.', 'A cat on a sofa.'], preferred: 1, category: 'HI' },
  { image: 3, captions: ['A horse.', 'A man rides a horse.'], preferred: 1, category: 'HM' },
  { image: 3, captions: ['A car.', 'A car.'], preferred: 0, category: 'HM' },
]

const jsonLines = (records: readonly object[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

function ratings(withReferences: boolean, rate: (values: readonly number[]) => unknown = (values) => values) {
  return jsonLines(
    RATED.map(({ image, captions }) => ({
      image_id: image,
      ...(withReferences && { references: REFERENCES[image] }),
      captions: captions.map(([caption, values]) => ({ caption, ratings: rate(values) })),
    })),
  )
}

const pairs = () =>
  jsonLines(PAIRS.map(({ image, ...pair }) => ({ image_id: image, references: REFERENCES[image], ...pair })))

async function importText(database: Database, dataset: string, text: string) {
  return importJudgements(withoutJob(database, silent), { file: write(`${++files}.jsonl`, text), dataset })
}

async function judge(database: Database, dataset: string, input: Parameters<typeof judgeMetrics>[3] = {}) {
  const row = await requireDataset(database, dataset)
  return judgeMetrics(database, threads, row, { resamples: 100, ...input }, silent)
}

describe.each(ENGINES)('judging metrics on %s', (engine) => {
  let database: Database

  beforeAll(async () => {
    database = await openTestDatabase(engine)
    await importText(
      database,
      'rated',
      ratings(true, ([a, b, c]) => ({ ann: a, ben: b, cat: c })),
    )
    await importText(database, 'pairs', pairs())
    const copies = RATED.flatMap(({ image, captions }) =>
      [1, 2, 3, 4].map((copy) => ({
        image_id: `${image}-${copy}`,
        references: REFERENCES[image],
        captions: captions.map(([caption, values]) => ({ caption, ratings: values })),
      })),
    )
    await importText(database, 'many', jsonLines(copies))
  })

  it('reports what was imported', async () => {
    expect(await importText(database, 'again', pairs())).toEqual({
      datasetId: (await requireDataset(database, 'again')).id,
      isNewDataset: true,
      kind: 'PREFERENCES',
      imageCount: 3,
      captionCount: 8,
      judgementCount: 4,
      ownCaptionCount: 0,
      missingRatingCount: 0,
      matching: null,
      notes: [],
      equalPairCount: 1,
    })
  })

  it('has correlations of every metric, and the agreement of the raters', async () => {
    const report = await judge(database, 'rated')
    expect(report).toMatchObject({ kind: 'RATINGS', judgementCount: 21, captionCount: 7 })
    const meteor = report.rows.find(({ metric }) => metric === 'METEOR')
    expect(meteor?.signature).toMatch(/^METEOR\|.*refs:2\|images:7\|/)
    if (meteor?.figures.kind !== 'RATINGS') throw new Error('expected ratings')
    expect(meteor.figures.tauB).toBeGreaterThan(0.5)
    expect(meteor.figures).toMatchObject({ interval: null, pValue: null })
    expect(report.agreement).toMatchObject({ raterCount: 3, mostRatings: 3, undefinedReason: null })
    expect(report.agreement?.pairs).toHaveLength(3)
    expect(report.raters).toMatchObject({
      another: { tauB: expect.any(Number) },
      others: { tauB: expect.any(Number) },
    })
    // 'The cat is asleep.' is not judged here: no caption is one of its references.
    expect(report.referenceCaptionCount).toBe(1)
  })

  it('reads captions as they are written, where a metric does', async () => {
    const { rows } = await judge(database, 'rated', { metrics: ['chrF'] })
    expect(rows[0].signature).toContain('|text:raw|')
    const set = await requireJudgementSet(database, await requireDataset(database, 'rated'))
    const stored = await readJudgedScores(database, set.id, ['chrF'])
    const written = RATED.flatMap(({ image, captions }) =>
      captions.map(([candidate]) => ({ candidate, references: REFERENCES[image] })),
    )
    const { images } = score(chrf as unknown as MetricFamily, written)
    expect(stored.map(({ scores }) => [...scores])).toEqual([images.map(({ chrF }) => chrF)])
  })

  it('has the accuracy on preferences; equal captions tie', async () => {
    const { rows, raters, agreement, tiedPairCount } = await judge(database, 'pairs', { metrics: ['METEOR'] })
    expect([tiedPairCount, rows[0].contests]).toEqual([0, null])
    expect(rows[0].figures).toMatchObject({ accuracy: { HI: 1, HM: 0.75 }, mean: 0.875 })
    expect([raters, agreement]).toEqual([null, null])
  })

  it('judges systems, with and without people', async () => {
    const systems = ['mine', 'theirs', 'people']
    const captions = (texts: readonly string[]) =>
      texts.map((caption, index) => ({ caption, system: systems[index], ratings: [index + 1] }))
    const lines = [
      { image_id: 1, references: REFERENCES[1], captions: captions(['A cat.', 'A dog runs.', 'Fast!']) },
      { image_id: 2, references: REFERENCES[2], captions: captions(['A bird.', 'A cat sleeps.', 'Tired.']) },
    ]
    await importText(database, 'systems', jsonLines(lines))
    const { rows } = await judge(database, 'systems', { metrics: ['ROUGE-L', 'CIDEr'] })
    const { contests, signature } = rows.find(({ metric }) => metric === 'CIDEr') as (typeof rows)[number]
    expect(contests?.all.systemLevel).toMatchObject({
      systems: systems.map((name, index) => ({ name, rating: index + 1 })),
      cluster: { cluster: 1 },
    })
    expect(contests?.all.systemLevel?.pairwiseAccuracy).toBeLessThan(1)
    expect(contests?.withoutPeople?.systemLevel).toMatchObject({ pairwiseAccuracy: 1, kendall: 1 })
    expect(signature).toContain('images:6')
    expect(conclusionOf({ kind: 'RATINGS', rows })).toBe(
      'Both metrics rank the 2 systems as people do; with people among the systems none does. ' +
        'The highest τ-c is that of CIDEr (.000); there are too few images for a test.',
    )
  })

  it('leaves preferences without a preferred caption out', async () => {
    const [first] = PAIRS
    const tied = jsonLines([
      {
        image_id: 1,
        references: REFERENCES[1],
        captions: first.captions,
        preferred: 'tie',
        systems: ['a', 'b'],
      },
      { image_id: 1, references: REFERENCES[1], captions: first.captions, preferred: 0, systems: ['a', 'b'] },
    ])
    await importText(database, 'tied', tied)
    const { tiedPairCount, rows } = await judge(database, 'tied', { metrics: ['METEOR'] })
    expect(tiedPairCount).toBe(1)
    expect(rows[0].figures).toMatchObject({ accuracy: { all: 1 }, mean: 1 })
  })

  it('ranks systems by preferences, beside metrics', async () => {
    const pair = (
      image: number,
      systems: readonly string[],
      captions: readonly string[],
      preferred: number | string,
    ) => ({ image_id: image, references: REFERENCES[image], systems, captions, preferred })
    const lines = [
      pair(1, ['mine', 'people'], ['A cat.', 'A dog runs.'], 1),
      pair(2, ['people', 'mine'], ['A cat sleeps.', 'A bird.'], 0),
      pair(3, ['mine', 'people'], ['A horse.', 'A man rides.'], 0),
      pair(3, ['people', 'mine'], ['A man.', 'A person.'], 'tie'),
    ]
    await importText(database, 'contests', jsonLines(lines))
    const { strengths, rows } = await judge(database, 'contests', { metrics: ['ROUGE-L'], anchor: 'mine' })
    expect(strengths).toEqual({
      anchor: 'mine',
      undefinedReason: null,
      systems: [
        {
          name: 'people',
          rating: expect.closeTo(1000 + 400 * Math.log10(2.5 / 1.5), 6),
          interval: null,
          preferredCount: 2,
          otherCount: 1,
          tieCount: 1,
        },
        { name: 'mine', rating: 1000, interval: null, preferredCount: 1, otherCount: 2, tieCount: 1 },
      ],
    })
    expect(rows[0].ranking?.ratings).toHaveLength(2)
    await expect(judge(database, 'contests', { anchor: 'theirs' })).rejects.toMatchObject({
      code: 'UNKNOWN_SYSTEM',
      detail: { source: 'anchor' },
    })
    await importText(database, 'one-sided', jsonLines(lines.slice(0, 2)))
    expect((await judge(database, 'one-sided', { metrics: ['ROUGE-L'] })).strengths).toMatchObject({
      anchor: 'people',
      undefinedReason: 'UNCONNECTED_SYSTEMS',
    })
  })

  it('says which metric agrees best', async () => {
    const { rows } = await judge(database, 'many', { metrics: ['METEOR', 'ROUGE-4'] })
    const [meteor] = rows
    expect(meteor.figures).toMatchObject({
      pValue: expect.closeTo(0, 6),
      interval: { upper: expect.any(Number) },
    })
    expect(conclusionOf({ kind: 'RATINGS', rows })).toMatch(
      /^METEOR agrees best with people by τ-c \(\.\d+\), significantly better than every other metric\./,
    )
    expect(conclusionOf({ kind: 'RATINGS', rows: rows.slice(0, 1) })).toMatch(
      /^METEOR is significantly better than chance \(τ-c \.\d+\)\.$/,
    )
  })

  it('compares two metrics', async () => {
    const { rows, comparison } = await judge(database, 'many', { compare: ['METEOR', 'ROUGE-4'] })
    expect(rows.map(({ metric }) => metric)).toEqual(['METEOR', 'ROUGE-4'])
    expect(comparison).toMatchObject({ first: 'METEOR', second: 'ROUGE-4' })
    expect(comparison?.difference).toBeGreaterThan(0)
  })

  it('finds the captions that a metric ranks differently from people', async () => {
    const dataset = await requireDataset(database, 'rated')
    const found = await findDisagreements(database, threads, dataset, { metric: 'BLEU-1', count: 3 }, silent)
    const gaps = found.map(({ scoreRank, ratingRank }) => Math.abs(scoreRank - ratingRank))
    expect(gaps).toEqual(gaps.toSorted((one, other) => other - one))
    expect(found).toHaveLength(3)
    const pairsDataset = await requireDataset(database, 'pairs')
    await expect(
      findDisagreements(database, threads, pairsDataset, { metric: 'BLEU-1', count: 3 }, silent),
    ).rejects.toMatchObject({ code: 'NOT_APPLICABLE' })
  })

  it('judges captions of images of an existing dataset', async () => {
    await importImages(database, 'existing', { ...REFERENCES, 4: ['A bird.'], 5: [] })
    const report = await importText(database, 'existing', ratings(false))
    expect(report).toMatchObject({ isNewDataset: false, imageCount: 3, captionCount: 7 })
    const [own, other] = [await judge(database, 'existing'), await judge(database, 'rated')]
    expect(own.rows.map(({ figures }) => figures)).toEqual(other.rows.map(({ figures }) => figures))
  })

  it('gives a single rater no agreement, and constant ratings no correlation', async () => {
    await importText(
      database,
      'single',
      ratings(true, ([value]) => [value]),
    )
    expect(await judge(database, 'single', { metrics: ['BLEU-1'] })).toMatchObject({
      raters: null,
      agreement: { alpha: null, undefinedReason: 'SINGLE_RATER' },
    })
    await importText(
      database,
      'constant',
      ratings(true, () => [3, 3]),
    )
    const { rows, agreement } = await judge(database, 'constant', { metrics: ['BLEU-1'] })
    expect(rows[0].figures).toMatchObject({ tauC: null, undefinedReason: 'CONSTANT_RATINGS' })
    expect(agreement).toMatchObject({ alpha: null, undefinedReason: 'CONSTANT_RATINGS' })
  })

  it('refuses what cannot be judged, and changes nothing', async () => {
    await importImages(database, 'bare', { 1: ['A dog.'], 2: [] })
    await expect(judge(database, 'bare')).rejects.toMatchObject({ code: 'NOT_APPLICABLE' })
    const before = await dumpContent(database)
    const unknown = jsonLines([{ image_id: 9, captions: [{ caption: 'A dog.', ratings: [1] }] }])
    const blind = jsonLines([{ image_id: 2, captions: [{ caption: 'A dog.', ratings: [1] }] }])
    for (const [dataset, text, code] of [
      ['bare', unknown, 'UNKNOWN_IMAGE'],
      ['bare', blind, 'NOT_APPLICABLE'],
      ['rated', ratings(true), 'NAME_TAKEN'],
      ['rated', ratings(false), 'NAME_TAKEN'],
      ['missing', ratings(false), 'UNKNOWN_DATASET'],
    ] as const) {
      await expect(importText(database, dataset, text)).rejects.toMatchObject({ code })
    }
    expect(await dumpContent(database)).toEqual(before)
    await expect(judge(database, 'rated', { resamples: 1 })).rejects.toMatchObject({ code: 'OUT_OF_RANGE' })
    await expect(judge(database, 'rated', { metrics: ['BLEU-9'] })).rejects.toMatchObject({
      code: 'UNKNOWN_METRIC',
    })
  })

  it('stores the scores of the captions, and finds them unless they would be made in another way', async () => {
    await importText(database, 'stored', ratings(true))
    const dataset = await requireDataset(database, 'stored')
    const set = await requireJudgementSet(database, dataset)
    const stored = () => readJudgedScores(database, set.id, ['BLEU-1', 'CIDEr'])
    const first = await judge(database, 'stored', { metrics: ['CIDEr'] })
    const [{ record, scores }] = await stored()
    expect(scores).toHaveLength(7)
    // Other scores, made in the same way, tell that those in the database are used.
    const constant = scores.map(() => 1)
    await saveJudgedScores(database, set.id, [{ record, scores: constant }])
    const { rows } = await judge(database, 'stored', { metrics: ['BLEU-1', 'CIDEr'] })
    expect(rows.find(({ metric }) => metric === 'CIDEr')?.figures).toMatchObject({ tauC: null })
    expect((await stored()).map((one) => one.record.metric)).toEqual(['CIDEr', 'BLEU-1'])
    await database.run(sql`DELETE FROM judged_score WHERE set_id = ${set.id}`)
    await saveJudgedScores(database, set.id, [{ record: { ...record, revision: 0 }, scores: constant }])
    expect(await judge(database, 'stored', { metrics: ['CIDEr'] })).toEqual(first)
    expect(await stored()).toHaveLength(2)
  })

  it('leaves captions of FOIL out of their references, which are the other captions of the image', async () => {
    const captions = { 1: ['A dog runs on grass.', 'The dog is running.', 'A brown dog.'] }
    const images = { ...captions, 2: ['A cat sleeps.', 'A cat on a sofa.'] }
    const foil = (id: number, image: number, original: string, ...foils: readonly string[]) => [
      { id, image_id: image, caption: original, foil: false, foil_id: 0 },
      ...foils.map((caption, index) => ({ id, image_id: image, caption, foil: true, foil_id: index + 1 })),
    ]
    const annotations = [
      ...foil(1, 1, 'A dog runs on grass.', 'A cat runs on grass.', 'A dog runs on sand.'),
      ...foil(2, 2, 'A cat sleeps.', 'A man sleeps.'),
    ]
    await importImages(database, 'foil', images)
    await importText(database, 'foil', JSON.stringify({ annotations }))
    // The same with the other captions as the references.
    const pair = (id: string, references: readonly string[], ...texts: readonly string[]) => ({
      image_id: id,
      references,
      captions: texts,
      preferred: 0,
    })
    const others = captions[1].slice(1)
    const plain = [
      pair('1', others, 'A dog runs on grass.', 'A cat runs on grass.'),
      pair('1', others, 'A dog runs on grass.', 'A dog runs on sand.'),
      pair('2', ['A cat on a sofa.'], 'A cat sleeps.', 'A man sleeps.'),
    ]
    await importText(database, 'plain', jsonLines(plain))
    const metrics = ['BLEU-1', 'ROUGE-L', 'METEOR']
    const scoresOf = async (name: string) => {
      const { referenceCaptionCount, areOwnReferencesLeftOut } = await judge(database, name, { metrics })
      const { id } = await requireJudgementSet(database, await requireDataset(database, name))
      const scores = (await readJudgedScores(database, id, metrics)).map((row) => [...row.scores])
      return { referenceCaptionCount, areOwnReferencesLeftOut, scores }
    }
    const found = await scoresOf('foil')
    expect(found).toMatchObject({ referenceCaptionCount: 0, areOwnReferencesLeftOut: true })
    expect(found.scores).toEqual((await scoresOf('plain')).scores)
  })

  it('removes judgements with their dataset', async () => {
    const before = await dumpContent(database)
    await importText(database, 'removed', pairs())
    await judge(database, 'removed', { metrics: ['BLEU-1'] })
    const { id } = await requireDataset(database, 'removed')
    const { deleteDataset } = await import('../../../src/store/datasets.js')
    await deleteDataset(database, id)
    const after = await dumpContent(database)
    for (const table of ['judgement_set', 'judged_caption', 'judged_score', 'preference']) {
      expect(after[table]).toEqual(before[table])
    }
    expect(await readJudgedCaptions(database, 1)).toHaveLength(7)
  })
})
