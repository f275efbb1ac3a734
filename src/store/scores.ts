import type { ProvenanceRecord } from '../core/metrics/provenance.js'
import { wasRemoved } from '../errors.js'
import { changeBoardsOfDataset, changeBoardsOfSystem } from './boards.js'
import { toBlob, toFloat64Array, toInt32Array } from './engine/blobs.js'
import { find, insert, lockRow, rowsBy } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, EMPTY, sql } from './engine/sql.js'
import { saveProvenance } from './provenance-records.js'
import { DatasetEntity } from './schema/dataset-tables.js'
import * as tables from './schema/score-tables.js'
import { ImageSetEntity, SystemEntity } from './schema/system-tables.js'

/** Statistics and scores of one family of metrics for a system's captions, before they are stored. */
export interface NewMeasurement {
  /** Name of the family and layout revision of its statistics. */
  readonly family: string
  readonly layoutRevision: number
  /** Rows of sufficient statistics, one per image; of a score on folds those of each fold. */
  readonly statistics: Float64Array
  readonly scores: readonly NewScore[]
}

export interface NewScore
  extends Omit<tables.MetricScore, 'id' | 'systemId' | 'statisticsId' | 'provenanceId' | 'imageScores'> {
  readonly record: ProvenanceRecord
  readonly imageScores: Float64Array
}

/**
 * Writes a system's scores in one transaction. They replace those that were made in the same way.
 *
 * @param imageIds images that the rows of statistics and the image scores are aligned to
 * @returns the ids of the scores, in the order of the measurements
 * @throws AccordError UNKNOWN_SYSTEM if the system was removed
 */
export function saveScores(
  session: Session,
  systemId: number,
  imageIds: Int32Array,
  measurements: readonly NewMeasurement[],
): Promise<number[]> {
  return session.transaction(async (session) => {
    if (!(await lockRow(session, SystemEntity, systemId))) throw wasRemoved('system')
    const all = measurements.flatMap(({ scores }) => scores)
    const provenanceIds = await saveProvenance(session, all)
    await session.run(
      sql`DELETE FROM metric_score WHERE system_id = ${systemId}
          AND (provenance_id ${among(provenanceIds)} OR signature ${among(all.map(({ signature }) => signature))})`,
    )
    const ids: number[] = []
    const imageSetId = await insert(session, ImageSetEntity, { systemId, imageIds: toBlob(imageIds) })
    for (const { family, layoutRevision, statistics, scores } of measurements) {
      const statisticsId = await insert(session, tables.MetricStatisticsEntity, {
        systemId,
        imageSetId,
        family,
        layoutRevision,
        statistics: toBlob(statistics),
      })
      for (const score of scores) {
        const { imageScores, record: _record, ...columns } = score
        const id = await insert(session, tables.MetricScoreEntity, {
          systemId,
          statisticsId,
          provenanceId: provenanceIds[all.indexOf(score)],
          ...columns,
          imageScores: toBlob(imageScores),
        })
        ids.push(id)
      }
    }
    await removeUnused(session, systemId)
    await changeBoardsOfSystem(session, systemId)
    return ids
  })
}

/** Scores of systems without their image scores, by system and id; of all metrics if `metrics` is absent. */
export function readScores(
  session: Session,
  systemIds: readonly number[],
  metrics?: readonly string[],
): Promise<tables.MetricScore[]> {
  const ofMetrics = metrics ? sql`AND metric_score.metric ${among(metrics)}` : EMPTY
  return find(
    session,
    tables.MetricScoreEntity,
    sql`WHERE metric_score.system_id ${among(systemIds)} ${ofMetrics}
        ORDER BY metric_score.system_id, metric_score.id`,
  )
}

/** Whether a score is on folds of k references; null: against all captions of each image. */
export function isOf(references: number | null) {
  return ({ folds, referenceCount }: tables.MetricScore): boolean =>
    references === null ? folds === null : folds !== null && referenceCount === references
}

/** Scores of single images. The ids of the images are in ascending order. */
export interface ImageScores {
  readonly imageIds: Int32Array
  readonly scores: Float64Array
}

/** Image scores of stored scores, by id of the score. */
export async function readImageScores(
  session: Session,
  scoreIds: readonly number[],
): Promise<Map<number, ImageScores>> {
  const rows = await session.all<{ id: number; imageIds: Buffer; imageScores: Buffer }>(
    sql`SELECT metric_score.id, image_set.image_ids AS "imageIds", metric_score.image_scores AS "imageScores"
        FROM metric_score
        JOIN metric_statistics ON metric_statistics.id = metric_score.statistics_id
        JOIN image_set ON image_set.id = metric_statistics.image_set_id
        WHERE metric_score.id ${among(scoreIds)}`,
  )
  return new Map(
    rows.map(({ id, imageIds, imageScores }) => [
      id,
      { imageIds: toInt32Array(imageIds), scores: toFloat64Array(imageScores) },
    ]),
  )
}

/** Rows of sufficient statistics, one for each of the images; of a score on folds those of each fold. */
export interface StoredStatistics {
  readonly family: string
  readonly layoutRevision: number
  readonly imageIds: Int32Array
  readonly statistics: Float64Array
}

/** The statistics that a stored score was computed from. */
export async function readStatistics(session: Session, statisticsId: number): Promise<StoredStatistics> {
  return (await statisticsOfScores(session, [statisticsId])).get(statisticsId) as StoredStatistics
}

/** The statistics that stored scores were computed from, by id. */
export async function statisticsOfScores(
  session: Session,
  ids: readonly number[],
): Promise<Map<number, StoredStatistics>> {
  const rows = await session.all<{
    id: number
    family: string
    layoutRevision: number
    imageIds: Buffer
    statistics: Buffer
  }>(
    sql`SELECT metric_statistics.id, metric_statistics.family, metric_statistics.layout_revision AS "layoutRevision",
               image_set.image_ids AS "imageIds", metric_statistics.statistics
        FROM metric_statistics
        JOIN image_set ON image_set.id = metric_statistics.image_set_id
        WHERE metric_statistics.id ${among(ids)}`,
  )
  return new Map(
    rows.map(({ id, imageIds, statistics, ...layout }) => [
      id,
      { ...layout, imageIds: toInt32Array(imageIds), statistics: toFloat64Array(statistics) },
    ]),
  )
}

/** What a family measured of people's held-out captions: rows of a leave-one-out table before they have ids. */
export interface NewAgreement extends StoredStatistics {
  readonly scores: readonly NewAgreementScore[]
}

export interface NewAgreementScore
  extends Omit<
    tables.AgreementScore,
    'id' | 'datasetId' | 'statisticsId' | 'provenanceId' | 'imageIds' | 'imageScores'
  > {
  readonly record: ProvenanceRecord
  /** Fold by fold, aligned to the images of the family. */
  readonly imageScores: Float64Array
}

/**
 * Writes rows of a leave-one-out table in one transaction. They replace those that were made in the same way.
 *
 * @throws AccordError UNKNOWN_DATASET if the dataset was removed
 */
export function saveAgreement(
  session: Session,
  datasetId: number,
  families: readonly NewAgreement[],
): Promise<void> {
  return session.transaction(async (session) => {
    if (!(await lockRow(session, DatasetEntity, datasetId))) throw wasRemoved('dataset')
    for (const { family, layoutRevision, imageIds, statistics, scores } of families) {
      const statisticsId = await insert(session, tables.AgreementStatisticsEntity, {
        datasetId,
        family,
        layoutRevision,
        imageIds: toBlob(imageIds),
        statistics: toBlob(statistics),
      })
      const provenanceIds = await saveProvenance(session, scores)
      for (const [index, { imageScores, record: _record, ...score }] of scores.entries()) {
        const provenanceId = provenanceIds[index]
        await session.run(
          sql`DELETE FROM agreement_score
              WHERE dataset_id = ${datasetId} AND reference_count = ${score.referenceCount}
                AND (provenance_id = ${provenanceId} OR signature = ${score.signature})`,
        )
        await insert(session, tables.AgreementScoreEntity, {
          datasetId,
          statisticsId,
          provenanceId,
          ...score,
          imageIds: toBlob(imageIds),
          imageScores: toBlob(imageScores),
        })
      }
    }
    await session.run(
      sql`DELETE FROM agreement_statistics
          WHERE dataset_id = ${datasetId}
            AND NOT EXISTS (SELECT 1 FROM agreement_score WHERE statistics_id = agreement_statistics.id)`,
    )
    await changeBoardsOfDataset(session, datasetId)
  })
}

/** All stored rows of the leave-one-out tables of datasets, with any number of references, by id. */
export const readAgreement = rowsBy(tables.AgreementScoreEntity, 'datasetId', 'id')

/** The statistics that a row of a leave-one-out table was computed from, fold by fold. */
export async function readAgreementStatistics(
  session: Session,
  statisticsId: number,
): Promise<StoredStatistics> {
  return (await statisticsOfAgreement(session, [statisticsId])).get(statisticsId) as StoredStatistics
}

/** The statistics of rows of leave-one-out tables, fold by fold, by id. */
export async function statisticsOfAgreement(
  session: Session,
  ids: readonly number[],
): Promise<Map<number, StoredStatistics>> {
  const rows = await find(session, tables.AgreementStatisticsEntity, sql`WHERE id ${among(ids)}`, [
    'imageIds',
    'statistics',
  ])
  return new Map(
    rows.map(({ id, family, layoutRevision, imageIds, statistics }) => [
      id,
      { family, layoutRevision, imageIds: toInt32Array(imageIds), statistics: toFloat64Array(statistics) },
    ]),
  )
}

/** Image scores of rows of leave-one-out tables, fold by fold aligned to the images, by id of the row. */
export async function readFoldScores(
  session: Session,
  rowIds: readonly number[],
): Promise<Map<number, ImageScores>> {
  const rows = await find(session, tables.AgreementScoreEntity, sql`WHERE id ${among(rowIds)}`, [
    'imageIds',
    'imageScores',
  ])
  return new Map(
    rows.map(({ id, imageIds, imageScores }) => [
      id,
      { imageIds: toInt32Array(imageIds), scores: toFloat64Array(imageScores) },
    ]),
  )
}

/** Removes statistics that no score refers to, and image sets that no row refers to. */
async function removeUnused(session: Session, systemId: number): Promise<void> {
  await session.run(
    sql`DELETE FROM metric_statistics
        WHERE system_id = ${systemId}
          AND NOT EXISTS (SELECT 1 FROM metric_score WHERE statistics_id = metric_statistics.id)`,
  )
  await session.run(
    sql`DELETE FROM image_set
        WHERE system_id = ${systemId}
          AND NOT EXISTS (SELECT 1 FROM metric_statistics WHERE image_set_id = image_set.id)
          AND NOT EXISTS (SELECT 1 FROM word_scores WHERE image_set_id = image_set.id)`,
  )
}
