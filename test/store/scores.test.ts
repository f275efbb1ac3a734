import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ProvenanceRecord } from '../../src/core/metrics/provenance.js'
import { update } from '../../src/store/engine/rows.js'
import type { Database } from '../../src/store/engine/session.js'
import { sql } from '../../src/store/engine/sql.js'
import { readProvenance } from '../../src/store/provenance-records.js'
import { MetricScoreEntity } from '../../src/store/schema/score-tables.js'
import {
  type NewAgreement,
  type NewMeasurement,
  readAgreement,
  readAgreementStatistics,
  readFoldScores,
  readImageScores,
  readScores,
  readStatistics,
  saveAgreement,
  saveScores,
} from '../../src/store/scores.js'
import { insertSystem } from '../../src/store/systems.js'
import { captionedDataset, rejectionOf, removeDatasets, rowCounts } from '../kit/boxes.js'
import { ALL_ENGINES, openTestDatabase } from '../kit/databases.js'

const IMAGE_IDS = Int32Array.of(3, 70_000, 2_147_483_647)
/** Doubles that a conversion to text and back is likely to change. */
const STATISTICS = Float64Array.of(0.1 + 0.2, Number.MIN_VALUE, -0, 1e308, 1 / 3, Number.MAX_SAFE_INTEGER)

function measurement(metric: string, value: number, signature = `${metric}|1`): NewMeasurement {
  return {
    family: 'FAMILY',
    layoutRevision: 7,
    statistics: STATISTICS,
    scores: [
      {
        metric,
        signature,
        referenceCount: 5,
        value,
        lower: value / 3,
        upper: value * 3,
        folds: null,
        warnings: ['be "careful"\\'],
        record: recordOf(signature),
        imageScores: Float64Array.of(value, value / 7, Number.MIN_VALUE),
      },
    ],
  }
}

const agreement = (...scores: readonly (readonly [signature: string, mean: number])[]): NewAgreement => ({
  family: 'FAMILY',
  layoutRevision: 7,
  imageIds: IMAGE_IDS,
  statistics: STATISTICS,
  scores: scores.map(([signature, mean]) => ({
    referenceCount: 4,
    metric: 'M',
    signature,
    imageCount: 3,
    folds: [mean, 1 / 3],
    mean,
    standardDeviation: 0.1,
    lower: mean - 1,
    upper: mean + 1,
    warnings: [],
    record: recordOf(signature),
    imageScores: STATISTICS,
  })),
})

/** A record that is made in another way for each signature. */
function recordOf(signature: string): ProvenanceRecord {
  return {
    dataset: 'd',
    subject: { kind: 'system', content: 'c' },
    family: 'FAMILY',
    metric: signature,
    revision: 1,
    parameters: {},
    resources: {},
    tokenizer: 'ptb',
    language: 'en',
    text: 'tokens',
    documentFrequencies: null,
    references: { count: null, least: 5, most: 5, folds: null },
    images: { count: 3, of: 3, hash: null },
    interval: 'jackknife',
    seed: null,
    layoutRevision: 7,
  }
}

describe.each(ALL_ENGINES)('scores on %s', (engine) => {
  let database: Database
  let datasetId: number
  let systemId: number
  beforeAll(async () => {
    database = await openTestDatabase(engine)
  })
  beforeEach(async () => {
    await removeDatasets(database)
    datasetId = await captionedDataset(database, 'things', { '1': [] })
    systemId = await newSystem('ours')
  })

  const newSystem = (name: string) =>
    insertSystem(database, { datasetId, name, imageCount: 3, missingImageCount: 0 }, 'CAPTIONS')

  it('are read as they were saved, to the last bit', async () => {
    await saveScores(database, systemId, IMAGE_IDS, [measurement('A', 0.1), measurement('B', 1 / 3)])
    const scores = await readScores(database, [systemId])
    expect(scores).toMatchObject([
      { systemId, folds: null, metric: 'A', signature: 'A|1', referenceCount: 5, value: 0.1 },
      { metric: 'B', value: 1 / 3, lower: 1 / 9, upper: 1, warnings: ['be "careful"\\'] },
    ])
    expect(scores[0]).not.toHaveProperty('imageScores')
    expect(await readStatistics(database, scores[1].statisticsId)).toEqual({
      family: 'FAMILY',
      layoutRevision: 7,
      imageIds: IMAGE_IDS,
      statistics: STATISTICS,
    })
    expect(await readImageScores(database, [scores[1].id])).toEqual(
      new Map([
        [scores[1].id, { imageIds: IMAGE_IDS, scores: Float64Array.of(1 / 3, 1 / 21, Number.MIN_VALUE) }],
      ]),
    )
  })

  it('are selected by system and metric', async () => {
    const otherId = await newSystem('theirs')
    for (const id of [otherId, systemId])
      await saveScores(database, id, IMAGE_IDS, [measurement('A', 1), measurement('B', 2)])
    const read = async (ids: number[], metrics?: string[]) =>
      (await readScores(database, ids, metrics)).map(
        (score) => `${score.systemId === otherId} ${score.metric}`,
      )
    expect(await read([otherId, systemId])).toEqual(['false A', 'false B', 'true A', 'true B'])
    expect(await read([otherId], ['B', 'C'])).toEqual(['true B'])
    expect(await read([otherId], [])).toEqual([])
    expect(await read([])).toEqual([])
    expect(await readImageScores(database, [])).toEqual(new Map())
  })

  it('replace those of the same signature; unused statistics are removed', async () => {
    await saveScores(database, systemId, IMAGE_IDS, [measurement('A', 1)])
    const before = await rowCounts(database)
    await saveScores(database, systemId, IMAGE_IDS, [measurement('A', 2)])
    expect(await rowCounts(database)).toEqual(before)
    expect(await readScores(database, [systemId])).toMatchObject([{ value: 2 }])
    await saveScores(database, systemId, IMAGE_IDS, [measurement('A', 3, 'A|2')])
    expect(await rowCounts(database)).toMatchObject({ metric_score: 2, metric_statistics: 2, image_set: 2 })
  })

  it('that are stored concurrently for one system are complete', async () => {
    const values = [1, 2, 3, 4]
    await Promise.all(
      values.map((value) => saveScores(database, systemId, IMAGE_IDS, [measurement('A', value)])),
    )
    expect(await rowCounts(database)).toMatchObject({ metric_score: 1, metric_statistics: 1, image_set: 1 })
    const [{ id, value }] = await readScores(database, [systemId])
    expect((await readImageScores(database, [id])).get(id)!.scores[0]).toBe(value)
  })

  it('of a removed system are refused', async () => {
    const before = await rowCounts(database)
    expect(await rejectionOf(saveScores(database, -1, IMAGE_IDS, [measurement('A', 1)]))).toBe(
      'UNKNOWN_SYSTEM system: the system was removed',
    )
    expect(await rowCounts(database)).toEqual(before)
  })

  it('have the record of how they were made, one for equal records', async () => {
    await saveScores(database, systemId, IMAGE_IDS, [measurement('A', 1), measurement('B', 2)])
    const otherId = await newSystem('theirs')
    await saveScores(database, otherId, IMAGE_IDS, [measurement('A', 3)])
    const [a, b, other] = await readScores(database, [systemId, otherId])
    expect(other.provenanceId).toBe(a.provenanceId)
    expect(b.provenanceId).not.toBe(a.provenanceId)
    const records = await readProvenance(database, [a.provenanceId!, b.provenanceId!])
    // They are never removed.
    expect(await rejectionOf(readProvenance(database, [-1]))).toMatch(/^RESOURCE_MISSING/)
    expect(records).toEqual(
      new Map([
        [a.provenanceId, recordOf('A|1')],
        [b.provenanceId, recordOf('B|1')],
      ]),
    )
  })

  it('replace those of the same signature', async () => {
    await saveScores(database, systemId, IMAGE_IDS, [measurement('A', 1), measurement('B', 2)])
    const signature = 'A|2'
    await update(database, MetricScoreEntity, { signature }, sql`system_id = ${systemId} AND metric = 'A'`)
    await saveScores(database, systemId, IMAGE_IDS, [measurement('A', 3, signature)])
    expect(await readScores(database, [systemId])).toMatchObject([
      { metric: 'B', value: 2 },
      { metric: 'A', value: 3 },
    ])
  })

  it('of a leave-one-out table are read as they were saved and replaced where they are made alike', async () => {
    await saveAgreement(database, datasetId, [agreement(['M|1', 1], ['M|2', 2])])
    await saveAgreement(database, datasetId, [agreement(['M|2', 0.1 + 0.2])])
    const rows = await readAgreement(database, [datasetId])
    expect(rows).toMatchObject([
      { signature: 'M|1', mean: 1 },
      { signature: 'M|2', mean: 0.1 + 0.2, folds: [0.1 + 0.2, 1 / 3] },
    ])
    expect(rows[0]).not.toHaveProperty('imageScores')
    expect(await readFoldScores(database, [rows[1].id])).toEqual(
      new Map([[rows[1].id, { imageIds: IMAGE_IDS, scores: STATISTICS }]]),
    )
    expect(await readAgreementStatistics(database, rows[1].statisticsId)).toEqual({
      family: 'FAMILY',
      layoutRevision: 7,
      imageIds: IMAGE_IDS,
      statistics: STATISTICS,
    })
    expect(await rowCounts(database)).toMatchObject({ agreement_score: 2, agreement_statistics: 2 })
    await saveAgreement(database, datasetId, [agreement(['M|1', 4], ['M|2', 5])])
    expect(await rowCounts(database)).toMatchObject({ agreement_score: 2, agreement_statistics: 1 })
    expect(await readAgreement(database, [-1])).toEqual([])
    expect(await rejectionOf(saveAgreement(database, -1, [agreement(['M|1', 1])]))).toBe(
      'UNKNOWN_DATASET dataset: the dataset was removed',
    )
  })
})
