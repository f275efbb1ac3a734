import { timeNow } from '../clock.js'
import type { Split } from '../core/bounds/material.js'
import type { BoundOutcome, BoundProgress, CheckpointHeader } from '../core/bounds/settings.js'
import type { BoundSettings } from '../shared/choices.js'
import { toBlob, toFloat64Array, toInt32Array } from './engine/blobs.js'
import { find, findOne, insert, insertRows, rowsBy, update } from './engine/rows.js'
import { ConstraintViolation, type Session } from './engine/session.js'
import { among, perEngine, raw, sql } from './engine/sql.js'
import {
  type Bound,
  BoundCheckpointEntity,
  BoundEntity,
  type BoundLoss,
  BoundLossEntity,
  BoundSplitEntity,
  type RetrievalBound,
  RetrievalBoundEntity,
} from './schema/bound-tables.js'

export interface StoredSplit extends Split {
  readonly id: number
}

/** The split with a key; null if there is none. */
export async function findSplit(
  session: Session,
  datasetId: number,
  key: string,
): Promise<StoredSplit | null> {
  const condition = sql`WHERE dataset_id = ${datasetId} AND key = ${key}`
  const [row] = await readSplits(session, condition)
  return row ?? null
}

/** A split by id. @throws Error if it does not exist */
export async function readSplit(session: Session, id: number): Promise<StoredSplit> {
  const [row] = await readSplits(session, sql`WHERE id = ${id}`)
  if (!row) throw new Error(`The split ${id} does not exist.`)
  return row
}

async function readSplits(session: Session, condition: ReturnType<typeof sql>): Promise<StoredSplit[]> {
  const rows = await find(session, BoundSplitEntity, condition, ['trainingIds', 'validationIds', 'testIds'])
  return rows.map(({ id, trainingIds, validationIds, testIds }) => ({
    id,
    training: toInt32Array(trainingIds),
    validation: toInt32Array(validationIds),
    test: toInt32Array(testIds),
  }))
}

const ID_BYTES = 4

/** Numbers of images of a split. */
export interface SplitSizes {
  readonly training: number
  readonly validation: number
  readonly test: number
}

/** Sizes of splits by id, in no particular order. */
export async function readSplitSizes(
  session: Session,
  ids: readonly number[],
): Promise<(SplitSizes & { readonly id: number })[]> {
  const size = (column: string) => raw(`length(${column}) / ${ID_BYTES}`)
  return session.all(
    sql`SELECT id, ${size('training_ids')} AS training, ${size('validation_ids')} AS validation,
               ${size('test_ids')} AS test
        FROM bound_split WHERE id ${among(ids)}`,
  )
}

export function insertSplit(session: Session, datasetId: number, key: string, split: Split): Promise<number> {
  return insert(session, BoundSplitEntity, {
    datasetId,
    key,
    trainingIds: toBlob(split.training),
    validationIds: toBlob(split.validation),
    testIds: toBlob(split.test),
  })
}

/** The bounds of datasets, oldest first. */
export const listBounds = rowsBy(BoundEntity, 'datasetId', 'id')
export const findBounds = rowsBy(BoundEntity, 'id')

/** The bounds that jobs train or have imported, in no particular order. */
export const findBoundsOfJobs = rowsBy(BoundEntity, 'jobId')

/** The bounds whose captions are systems, by their ids, in no particular order. */
export const findBoundsOfSystems = rowsBy(BoundEntity, 'systemId')

/** Whether a bound is trained: until then it has no captions and no figures. */
export function isTrained({ outcome }: Bound): boolean {
  return outcome !== null
}

export function findBound(session: Session, datasetId: number, key: string): Promise<Bound | null> {
  return findOne(session, BoundEntity, sql`WHERE dataset_id = ${datasetId} AND key = ${key}`)
}

export interface NewBound {
  readonly datasetId: number
  readonly splitId: number
  readonly key: string
  readonly settings: BoundSettings
}

/** Writes a bound that is to be trained. @returns its id */
export function insertBound(session: Session, bound: NewBound): Promise<number> {
  return insert(session, BoundEntity, { ...bound, createdAt: timeNow() })
}

/** Bounds by id, locked until the end of the transaction. */
export function lockBounds(session: Session, ids: readonly number[]): Promise<Bound[]> {
  const lock = perEngine({ sqlite: '', postgres: 'FOR NO KEY UPDATE' })
  return find(session, BoundEntity, sql`WHERE id ${among(ids)} ${lock}`)
}

/** Records the job that trains or imports a bound. */
export async function assignJob(session: Session, id: number, jobId: number): Promise<void> {
  await update(session, BoundEntity, { jobId }, sql`id = ${id}`)
}

/** Stores how far a training has come. */
export async function saveProgress(session: Session, id: number, progress: BoundProgress): Promise<void> {
  await update(session, BoundEntity, { progress }, sql`id = ${id}`)
}

/** Removes what a training has stored, before it starts again from the beginning. */
export async function resetBound(session: Session, id: number): Promise<void> {
  await session.run(sql`DELETE FROM bound_loss WHERE bound_id = ${id}`)
  await session.run(sql`DELETE FROM bound_checkpoint WHERE bound_id = ${id}`)
  await update(session, BoundEntity, { checkpoint: null, progress: null }, sql`id = ${id}`)
}

/** Losses of trainings, by bound and step. */
export const readLosses = rowsBy(BoundLossEntity, 'boundId', 'boundId', 'step')

/**
 * Stores the losses of a step and, if there is one, a checkpoint, which replaces the previous one. Losses of later steps
 * than the checkpoint that a training resumed from are replaced.
 */
export async function saveLoss(
  session: Session,
  loss: BoundLoss,
  checkpoint: { readonly header: CheckpointHeader; readonly parts: readonly Buffer[] } | null,
): Promise<void> {
  const { boundId, step } = loss
  await session.transaction(async (writer) => {
    await writer.run(sql`DELETE FROM bound_loss WHERE bound_id = ${boundId} AND step >= ${step}`)
    await insertRows(writer, BoundLossEntity, [loss])
    if (checkpoint === null) return
    await writer.run(sql`DELETE FROM bound_checkpoint WHERE bound_id = ${boundId}`)
    const parts = checkpoint.parts.map((content, part) => ({ boundId, part, content }))
    await insertRows(writer, BoundCheckpointEntity, parts)
    await update(writer, BoundEntity, { checkpoint: checkpoint.header }, sql`id = ${boundId}`)
  })
}

export async function readCheckpoint(session: Session, id: number): Promise<Buffer[]> {
  const rows = await find(session, BoundCheckpointEntity, sql`WHERE bound_id = ${id} ORDER BY part`, [
    'content',
  ])
  return rows.map(({ content }) => content)
}

export interface FinishedBound extends CaptionLikelihoods {
  readonly systemId: number
  readonly outcome: BoundOutcome
  readonly model: Buffer
}

/** Stores the outcome of a training and removes its checkpoint. Call it in the transaction that writes the system. */
export async function finishBound(session: Session, id: number, bound: FinishedBound): Promise<void> {
  await session.run(sql`DELETE FROM bound_checkpoint WHERE bound_id = ${id}`)
  await update(
    session,
    BoundEntity,
    {
      systemId: bound.systemId,
      outcome: bound.outcome,
      model: bound.model,
      captionIds: toBlob(bound.captionIds),
      logLikelihoods: toBlob(bound.logLikelihoods),
      wordCounts: toBlob(bound.wordCounts),
      checkpoint: null,
      progress: null,
      endedAt: timeNow(),
    },
    sql`id = ${id}`,
  )
}

/** The file of a bound's model; null before it is trained. */
export async function readModel(session: Session, id: number): Promise<Buffer | null> {
  const [row] = await find(session, BoundEntity, sql`WHERE id = ${id}`, ['model'])
  return row?.model ?? null
}

/** Log-likelihoods of human captions by caption id. */
export interface CaptionLikelihoods {
  readonly captionIds: Int32Array
  readonly logLikelihoods: Float64Array
  /** Words of each caption, its end included. */
  readonly wordCounts: Int32Array
}

/** Those of a bound; null before it is trained. */
export async function readLikelihoods(session: Session, id: number): Promise<CaptionLikelihoods | null> {
  const columns = ['captionIds', 'logLikelihoods', 'wordCounts'] as const
  const [row] = await find(session, BoundEntity, sql`WHERE id = ${id}`, columns)
  if (!row?.captionIds || !row.logLikelihoods || !row.wordCounts) return null
  return {
    captionIds: toInt32Array(row.captionIds),
    logLikelihoods: toFloat64Array(row.logLikelihoods),
    wordCounts: toInt32Array(row.wordCounts),
  }
}

/** Ids of the systems of a dataset that are captions of bounds. */
export async function listBoundSystems(session: Session, datasetId: number): Promise<Set<number>> {
  const rows = await session.all<{ systemId: number }>(
    sql`SELECT system_id AS "systemId" FROM bound WHERE dataset_id = ${datasetId} AND system_id IS NOT NULL`,
  )
  return new Set(rows.map(({ systemId }) => systemId))
}

/** A stored retrieval bound; null if there is none. @param metric name and revision of the metric */
export function findRetrieval(
  session: Session,
  splitId: number,
  metric: string,
): Promise<RetrievalBound | null> {
  return findOne(session, RetrievalBoundEntity, sql`WHERE split_id = ${splitId} AND metric = ${metric}`)
}

/** Stores a retrieval bound, unless another process has stored it meanwhile. Call it outside transactions. */
export async function insertRetrieval(
  session: Session,
  splitId: number,
  metric: string,
  {
    value,
    lower,
    upper,
    imageScores,
  }: Omit<RetrievalBound, 'splitId' | 'metric' | 'imageScores'> & { readonly imageScores: Float64Array },
): Promise<void> {
  const row = { splitId, metric, value, lower, upper, imageScores: toBlob(imageScores) }
  try {
    await insertRows(session, RetrievalBoundEntity, [row])
  } catch (error) {
    if (!(error instanceof ConstraintViolation && error.kind === 'UNIQUE')) throw error
  }
}

/** Ids of the trained bounds of the datasets of captions, oldest first. */
export async function findBoundsOfCaptions(
  session: Session,
  captionIds: readonly number[],
): Promise<number[]> {
  const rows = await session.all<{ id: number }>(
    sql`SELECT DISTINCT bound.id FROM caption
        JOIN image ON image.id = caption.image_id
        JOIN bound ON bound.dataset_id = image.dataset_id
        WHERE caption.id ${among(captionIds)} AND bound.outcome IS NOT NULL ORDER BY bound.id`,
  )
  return rows.map(({ id }) => id)
}
