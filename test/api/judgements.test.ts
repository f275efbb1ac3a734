import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { importJudgements } from '../../src/services/judgements/import-judgements.js'
import { withoutJob } from '../../src/services/uploads/import-job.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

describe('human judgements', async () => {
  const world = await initWorld()
  let api: Api

  async function importLines(dataset: string, records: readonly object[]) {
    const file = join(world.folder, 'judgements.jsonl')
    writeFileSync(file, records.map((record) => JSON.stringify(record)).join('\n'))
    await importJudgements(
      withoutJob(world.accord.database, () => {}),
      { file, dataset },
    )
  }

  beforeAll(async () => {
    const dog = { image_id: 1, references: ['A dog runs on grass.', 'The dog is running.'] }
    const cat = { image_id: 2, references: ['A cat sleeps.', 'The cat is asleep.'] }
    const rated = [
      {
        ...dog,
        captions: [
          { caption: 'A dog runs.', ratings: { ann: 4, ben: 3 } },
          { caption: 'A car.', ratings: { ann: 1, ben: 1 } },
        ],
      },
      {
        ...cat,
        captions: [
          { caption: 'The cat is asleep.', ratings: { ann: 1, ben: 1 } },
          { caption: 'A cat.', ratings: { ann: 3, ben: 4 } },
        ],
      },
    ]
    await importLines('rated', rated)
    await importLines(
      'many',
      rated.flatMap((line) =>
        Array.from({ length: 6 }, (_, copy) => ({
          ...line,
          image_id: 10 * line.image_id + copy,
          captions: line.captions.map((caption, index) => ({
            ...caption,
            system: ['mine', 'people'][index],
          })),
        })),
      ),
    )
    await importLines('pairs', [
      { ...dog, id: 'p1', category: 'HI', captions: ['A car.', 'A dog runs.'], preferred: 1 },
      { ...cat, id: 'p2', category: 'HM', captions: ['A cat sleeps.', 'A cat.'], preferred: 0 },
    ])
    await world.dataset('bare', { images: { 1: ['A dog.'] } })
    api = await world.serve({ workers: 1 })
  })

  const judgementsOf = async (dataset: string, fields: string): Promise<Json> =>
    (await api.ask(`{ dataset(name: "${dataset}") { judgements { ${fields} } } }`)).dataset.judgements

  it('are null for a dataset without them', async () => {
    expect(await judgementsOf('bare', 'kind')).toBeNull()
  })

  it('of an image and a caption', async () => {
    const { dataset } = await api.ask(`{ dataset(name: "pairs") {
      image(externalId: "1") { judgedCaptions { text meanRating image { externalId }
        preferences { externalId category preferred { text } first { text } second { text } } } } } }`)
    const preference = {
      externalId: 'p1',
      category: 'HI',
      preferred: { text: 'A dog runs.' },
      first: { text: 'A car.' },
      second: { text: 'A dog runs.' },
    }
    expect(dataset.image.judgedCaptions).toEqual(
      ['A car.', 'A dog runs.'].map((text) => ({
        text,
        meanRating: null,
        image: { externalId: '1' },
        preferences: [preference],
      })),
    )
  })

  it('correlations, raters and a comparison', async () => {
    const judged = await judgementsOf(
      'rated',
      `kind captionCount judgementCount metaEvaluation(metrics: ["ROUGE-L"], compare: ["BLEU-1", "ROUGE-L"], resampleCount: 100) {
         rows { metric { name } signature ratings { tauB tauC spearman pearson pValue undefinedReason interval { lower upper } }
                preferences { mean } published { tauC } }
         raters { another { tauB } others { tauB } } agreement { raterCount alpha pairwiseTau pairs { firstRater secondRater captionCount tauB } undefinedReason }
         comparison { first { name } second { name } difference pValue interval { lower } } notes }`,
    )
    expect(judged).toMatchObject({ kind: 'RATINGS', captionCount: 4, judgementCount: 8 })
    const { rows, agreement, comparison, raters } = judged.metaEvaluation
    expect(rows.map(({ metric }: Json) => metric.name)).toEqual(['BLEU-1', 'ROUGE-L'])
    expect(rows[0]).toMatchObject({ preferences: null, published: null, ratings: { undefinedReason: null } })
    expect(agreement).toMatchObject({
      raterCount: 2,
      pairs: [{ firstRater: 'ann', secondRater: 'ben', captionCount: 4 }],
    })
    expect(comparison).toBeNull()
    expect(raters.another.tauB).toBeGreaterThan(0.5)
    expect(raters.others.tauB).toBeGreaterThan(0.5)
  })

  it('systems, images, clusters and a comparison', async () => {
    const { metaEvaluation } = await judgementsOf(
      'many',
      `metaEvaluation(metrics: ["ROUGE-L"], compare: ["BLEU-1", "ROUGE-L"], resampleCount: 100) {
         conclusion imageCount referenceCaptionCount comparison { first { name } second { name } interval { lower } }
         rows { cluster { rank pValue } isChosenByJudgements chancePValue ratings { effectiveCount }
           contest { systemLevel { softPairwiseAccuracyInterval { lower }  systems { name value rating } pearson kendall pairwiseAccuracy softPairwiseAccuracy cluster { rank } }
             byImage { pearson tauB accuracy calibratedAccuracy tieThreshold cluster { rank pValue } }
             bySystem { accuracy } ungrouped { tauB } }
           contestWithoutPeople { systemLevel { kendall } bySystem { accuracy } } } }`,
    )
    expect(metaEvaluation).toMatchObject({
      imageCount: 12,
      comparison: { first: { name: 'BLEU-1' }, second: { name: 'ROUGE-L' } },
    })
    expect(metaEvaluation.conclusion).toBe(
      '0 of 2 metrics rank the 2 systems as people do. No metric is significantly better than chance: the highest τ-c is .000' +
        ' (BLEU-1 and ROUGE-L, p 1.000).',
    )
    expect(metaEvaluation.referenceCaptionCount).toBe(6)
    const [{ contest, contestWithoutPeople, cluster, ...row }] = metaEvaluation.rows
    expect(row).toMatchObject({ isChosenByJudgements: false, chancePValue: 1 })
    expect(cluster).toEqual({ rank: 1, pValue: null })
    expect(contest.systemLevel.systems.map(({ name, rating }: Json) => [name, rating])).toEqual([
      ['mine', 2.25],
      ['people', 2.25],
    ])
    expect(contest.byImage).toMatchObject({ accuracy: expect.any(Number), cluster: { rank: 1 } })
    expect(contestWithoutPeople).toMatchObject({
      systemLevel: null,
      bySystem: { accuracy: expect.any(Number) },
    })
  })

  it('accuracy on preferences', async () => {
    const { metaEvaluation } = await judgementsOf(
      'pairs',
      'metaEvaluation(metrics: ["ROUGE-L"], resampleCount: 100) { rows { ratings { tauB } preferences { mean pValue accuracyByCategory { category value } } } raters { others { tauB } } agreement { alpha } }',
    )
    expect(metaEvaluation).toEqual({
      rows: [
        {
          ratings: null,
          preferences: {
            mean: 1,
            pValue: null,
            accuracyByCategory: [
              { category: 'HI', value: 1 },
              { category: 'HM', value: 1 },
            ],
          },
        },
      ],
      raters: null,
      agreement: null,
    })
  })

  it('strengths of systems by preferences', async () => {
    const pair = (image: number, preferred: number | string) => ({
      image_id: image,
      references: ['A dog.'],
      captions: ['A dog.', 'A cat.'],
      systems: ['mine', 'people'],
      preferred,
    })
    await importLines('contests', [pair(1, 0), pair(2, 1), pair(3, 1), pair(4, 'tie')])
    const { metaEvaluation } = await judgementsOf(
      'contests',
      `metaEvaluation(metrics: ["ROUGE-L"], anchor: "mine", resampleCount: 100) {
         strengths { anchor undefinedReason systems { name rating interval { lower } preferredCount otherCount tieCount } }
         rows { ranking { systemRatings spearman kendall } baselines { verdict candidates { kind name value comparison { difference interval { lower upper } pValue } } } } }`,
    )
    expect(metaEvaluation).toEqual({
      strengths: {
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
      },
      // The metric prefers all captions of one system: its strengths have no maximum.
      rows: [{ ranking: { systemRatings: [null, null], spearman: null, kendall: null }, baselines: null }],
    })
  })

  it('captions that a metric ranks differently from people', async () => {
    const { disagreements } = await judgementsOf(
      'rated',
      'disagreements(metric: "ROUGE-L", first: 1) { caption { text } value rating scoreRank ratingRank }',
    )
    expect(disagreements).toEqual([
      { caption: { text: 'The cat is asleep.' }, value: 1, rating: 1, scoreRank: 1, ratingRank: 1 / 6 },
    ])
  })

  it.each([
    ['rated', 'metaEvaluation(metrics: ["NOPE"]) { notes }', 'UNKNOWN_METRIC'],
    ['rated', 'metaEvaluation(compare: ["BLEU-1", "NOPE"]) { notes }', 'UNKNOWN_METRIC', 'compare'],
    ['rated', 'metaEvaluation(resampleCount: 5) { notes }', 'OUT_OF_RANGE'],
    ['rated', 'metaEvaluation(compare: ["BLEU-1"]) { notes }', 'OUT_OF_RANGE'],
    ['rated', 'metaEvaluation(anchor: "mine") { notes }', 'NOT_APPLICABLE'],
    ['rated', 'disagreements(metric: "BLEU-1", first: 0) { value }', 'OUT_OF_RANGE'],
    ['pairs', 'disagreements(metric: "BLEU-1") { value }', 'NOT_APPLICABLE'],
  ])('%s { %s } fails with %s', async (dataset, fields, code, place?: string) => {
    const { errors } = await api.query(`{ dataset(name: "${dataset}") { judgements { ${fields} } } }`)
    expect(errors?.[0].extensions).toMatchObject({ code, ...(place && { place }) })
  })
})
