import { AccordError } from '../errors.js'
import { toBlob, toFloat64Array, toInt32Array } from './blobs.js'
import { type Database, inTransaction } from './database.js'
import { type AgreementScore, AgreementScoreEntity, type MetricScore, MetricScoreEntity } from './entities.js'
import { In } from './typeorm.js'

/** What one family of metrics measured on a system's captions, before it has ids. */
export interface NewMeasurement {
  /** Rows of sufficient statistics, one per image. */
  readonly statistics: Float64Array
  readonly scores: readonly (Omit<MetricScore, 'id' | 'systemId' | 'statisticsId' | 'imageScores'> & {
    readonly imageScores: Float64Array
  })[]
}

/**
 * Writes a system's scores in one transaction; those of the same signature are replaced.
 *
 * @param imageIds what the rows of statistics and the image scores are aligned to
 * @throws AccordError UNKNOWN_SYSTEM where the system was removed since it was read
 */
export function saveScores(
  database: Database,
  systemId: number,
  imageIds: Int32Array,
  measurements: readonly NewMeasurement[],
): void {
  const { connection } = database
  inTransaction(database, () => {
    const { changes, lastInsertRowid: imageSetId } = connection
      .prepare('INSERT INTO image_set (system_id, image_ids) SELECT id, ? FROM system WHERE id = ?')
      .run(toBlob(imageIds), systemId)
    if (changes === 0) {
      throw new AccordError('UNKNOWN_SYSTEM', 'the system was removed meanwhile', { source: 'system' })
    }
    const insertStatistics = connection.prepare(
      'INSERT INTO metric_statistics (system_id, image_set_id, statistics) VALUES (?, ?, ?)',
    )
    const removeScore = connection.prepare('DELETE FROM metric_score WHERE system_id = ? AND signature = ?')
    const insertScore = connection.prepare(
      `INSERT INTO metric_score (system_id, statistics_id, metric, signature, reference_count, value, lower, upper,
                                 warnings, image_scores)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    for (const { statistics, scores } of measurements) {
      const statisticsId = insertStatistics.run(systemId, imageSetId, toBlob(statistics)).lastInsertRowid
      for (const score of scores) {
        removeScore.run(systemId, score.signature)
        insertScore.run(
          systemId,
          statisticsId,
          score.metric,
          score.signature,
          score.referenceCount,
          score.value,
          score.lower,
          score.upper,
          JSON.stringify(score.warnings),
          toBlob(score.imageScores),
        )
      }
    }
    removeUnused(database, systemId)
  })
}

/** Scores of systems, by system, metric and signature; of some metrics or all. */
export function readScores(
  database: Database,
  systemIds: readonly number[],
  metrics?: readonly string[],
): Promise<MetricScore[]> {
  return database.source.getRepository(MetricScoreEntity).find({
    where: { systemId: In(systemIds), ...(metrics && { metric: In(metrics) }) },
    order: { systemId: 'ASC', id: 'ASC' },
  })
}

/** Per-image scores aligned to the ids of the images, which ascend. */
export interface ImageScores {
  readonly imageIds: Int32Array
  readonly scores: Float64Array
}

/** Image scores of stored scores, by id of the score. */
export function readImageScores(database: Database, scoreIds: readonly number[]): Map<number, ImageScores> {
  const rows = database.connection
    .prepare(
      `SELECT metric_score.id, image_set.image_ids, metric_score.image_scores FROM metric_score
       JOIN metric_statistics ON metric_statistics.id = metric_score.statistics_id
       JOIN image_set ON image_set.id = metric_statistics.image_set_id
       WHERE metric_score.id IN (SELECT value FROM json_each(?))`,
    )
    .raw()
    .all(JSON.stringify(scoreIds)) as [number, Buffer, Buffer][]
  return new Map(rows.map(toImageScores))
}

/** Rows of sufficient statistics behind a stored score, with the ids of the images. */
export function readStatistics(
  database: Database,
  statisticsId: number,
): { readonly imageIds: Int32Array; readonly statistics: Float64Array } {
  const [imageIds, statistics] = database.connection
    .prepare(
      `SELECT image_ids, statistics FROM metric_statistics
       JOIN image_set ON image_set.id = image_set_id WHERE metric_statistics.id = ?`,
    )
    .raw()
    .get(statisticsId) as [Buffer, Buffer]
  return { imageIds: toInt32Array(imageIds), statistics: toFloat64Array(statistics) }
}

/** A row of a leave-one-out table before it has an id. */
export interface NewAgreementScore
  extends Omit<AgreementScore, 'id' | 'datasetId' | 'imageIds' | 'imageScores'> {
  readonly imageIds: Int32Array
  /** Fold by fold, aligned to `imageIds`. */
  readonly imageScores: Float64Array
}

/**
 * Writes a leave-one-out table in one transaction; rows of the same signature are replaced.
 *
 * @throws AccordError UNKNOWN_DATASET where the data set was removed since it was read
 */
export function saveAgreement(
  database: Database,
  datasetId: number,
  scores: readonly NewAgreementScore[],
): void {
  const exists = database.connection.prepare('SELECT 1 FROM dataset WHERE id = ?')
  const insert = database.connection.prepare(
    `INSERT OR REPLACE INTO agreement_score (dataset_id, reference_count, metric, signature, image_count, folds, mean,
                                             standard_deviation, lower, upper, warnings, image_ids,
                                             image_scores)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  inTransaction(database, () => {
    if (!exists.get(datasetId)) {
      throw new AccordError('UNKNOWN_DATASET', 'the data set was removed meanwhile', { source: 'dataset' })
    }
    for (const score of scores) {
      insert.run(
        datasetId,
        score.referenceCount,
        score.metric,
        score.signature,
        score.imageCount,
        JSON.stringify(score.folds),
        score.mean,
        score.standardDeviation,
        score.lower,
        score.upper,
        JSON.stringify(score.warnings),
        toBlob(score.imageIds),
        toBlob(score.imageScores),
      )
    }
  })
}

/** The stored rows of a leave-one-out table that have one of these signatures. */
export function readAgreement(
  database: Database,
  datasetId: number,
  referenceCount: number,
  signatures: readonly string[],
): Promise<AgreementScore[]> {
  return database.source.getRepository(AgreementScoreEntity).find({
    where: { datasetId, referenceCount, signature: In(signatures) },
    order: { id: 'ASC' },
  })
}

/** Image scores behind rows of leave-one-out tables, fold by fold aligned to the images, by id of the row. */
export function readFoldScores(database: Database, rowIds: readonly number[]): Map<number, ImageScores> {
  const rows = database.connection
    .prepare(
      `SELECT id, image_ids, image_scores FROM agreement_score
       WHERE id IN (SELECT value FROM json_each(?))`,
    )
    .raw()
    .all(JSON.stringify(rowIds)) as [number, Buffer, Buffer][]
  return new Map(rows.map(toImageScores))
}

function toImageScores([id, imageIds, scores]: [number, Buffer, Buffer]): [number, ImageScores] {
  return [id, { imageIds: toInt32Array(imageIds), scores: toFloat64Array(scores) }]
}

/** Statistics that no score needs any longer, and image sets that nothing does. */
function removeUnused({ connection }: Database, systemId: number): void {
  connection
    .prepare(
      `DELETE FROM metric_statistics WHERE system_id = ? AND id NOT IN (SELECT statistics_id FROM metric_score)`,
    )
    .run(systemId)
  connection
    .prepare(
      `DELETE FROM image_set WHERE system_id = ?
         AND id NOT IN (SELECT image_set_id FROM metric_statistics)
         AND id NOT IN (SELECT image_set_id FROM word_scores)`,
    )
    .run(systemId)
}
