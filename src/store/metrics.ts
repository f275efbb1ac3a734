import { timeNow } from '../clock.js'
import type { TrainedComposite } from '../core/composite/artefact.js'
import type { ExternalMetric } from '../core/metrics/external-family.js'
import { nameTaken, unknownName } from '../errors.js'
import { toBlob, toFloat64Array } from './engine/blobs.js'
import { find, findOne, insert, insertRows, rowsBy, translateViolations } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { sql } from './engine/sql.js'
import * as tables from './schema/metric-tables.js'

/** Writes a trained composite metric. @throws AccordError NAME_TAKEN */
export async function insertArtefact(
  session: Session,
  { header, weights, hash }: TrainedComposite,
): Promise<number> {
  const row = { name: header.name, hash, header, weights: toBlob(weights), createdAt: timeNow() }
  return translateViolations(() => insert(session, tables.ArtefactEntity, row), {
    UNIQUE: () => nameTaken('a composite metric of this name exists', 'name', header.name),
  })
}

/** All artefacts by name. */
export function listArtefacts(session: Session): Promise<tables.Artefact[]> {
  return find(session, tables.ArtefactEntity, sql`ORDER BY name`)
}

export const findArtefacts = rowsBy(tables.ArtefactEntity, 'id')

export function findArtefact(session: Session, name: string): Promise<tables.Artefact | null> {
  return findOne(session, tables.ArtefactEntity, sql`WHERE name = ${name}`)
}

/** @throws AccordError UNKNOWN_METRIC, listing the existing ones */
export async function requireArtefact(session: Session, name: string): Promise<tables.Artefact> {
  const artefact = await findArtefact(session, name)
  if (artefact) return artefact
  const known = (await listArtefacts(session)).map((existing) => existing.name)
  const none = 'a trained one; there is none yet'
  throw unknownName('UNKNOWN_METRIC', 'unknown composite metric', {
    source: 'name',
    known,
    none,
    found: name,
  })
}

/** All artefacts with their weights, by name. */
export async function readComposites(session: Session): Promise<TrainedComposite[]> {
  const rows = await find(session, tables.ArtefactEntity, sql`ORDER BY name`, ['weights'])
  return rows.map(({ header, weights, hash }) => ({ header, weights: toFloat64Array(weights), hash }))
}

/** Removes a composite metric, or one of another program, with all scores by it. */
export async function deleteMetric(session: Session, name: string): Promise<void> {
  await session.run(sql`DELETE FROM metric_score WHERE metric = ${name}`)
  await session.run(sql`DELETE FROM agreement_score WHERE metric = ${name}`)
  await session.run(sql`DELETE FROM judged_score WHERE metric = ${name}`)
  await session.run(sql`DELETE FROM artefact WHERE name = ${name}`)
  await session.run(sql`DELETE FROM external_metric WHERE name = ${name}`)
}

/** Stores the curve of a network so far. */
export async function saveCurve(session: Session, curve: tables.TrainingCurve): Promise<void> {
  const { jobId, position } = curve
  await session.transaction(async (writer) => {
    await writer.run(sql`DELETE FROM training_curve WHERE job_id = ${jobId} AND position = ${position}`)
    await insertRows(writer, tables.TrainingCurveEntity, [curve])
  })
}

/** Removes the curves of an earlier attempt of a job. */
export async function deleteCurves(session: Session, jobId: number): Promise<void> {
  await session.transaction((writer) => writer.run(sql`DELETE FROM training_curve WHERE job_id = ${jobId}`))
}

/** Curves of trainings, by job and in the order of training. */
export const readCurves = rowsBy(tables.TrainingCurveEntity, 'jobId', 'jobId', 'position')

/** All metrics of other programs, by name. */
export async function readExternalMetrics(session: Session): Promise<ExternalMetric[]> {
  const rows = await find(session, tables.ExternalMetricEntity, sql`ORDER BY name`)
  return rows.map(({ name, version, lowest, highest, higherIsBetter }) => ({
    name,
    version,
    lowest,
    highest,
    higherIsBetter,
  }))
}

/** @throws AccordError NAME_TAKEN */
export async function insertExternalMetric(session: Session, metric: ExternalMetric): Promise<void> {
  const row = { ...metric, createdAt: timeNow() }
  await translateViolations(() => insert(session, tables.ExternalMetricEntity, row), {
    UNIQUE: () => nameTaken('a metric of this name exists', 'metric', metric.name),
  })
}

/**
 * What tells the metrics of a database from others: the hashes of trained ones, and the descriptions of those of other programs,
 * since a transaction that was rolled back may have used their ids. One statement.
 */
export async function readMetricsKey(session: Session): Promise<string> {
  const rows = await session.all<{ part: string }>(
    sql`SELECT hash AS part FROM artefact
        UNION ALL SELECT name || '|' || version || '|' || lowest || '|' || highest || '|' ||
               CASE WHEN higher_is_better THEN 1 ELSE 0 END AS part
        FROM external_metric ORDER BY part`,
  )
  return rows.map(({ part }) => part).join(' ')
}

/** Stores document frequencies of a file under the hash of its content. */
export async function saveFrequencies(session: Session, hash: string, content: Buffer): Promise<void> {
  await session.run(
    sql`INSERT INTO frequencies (hash, content) VALUES (${hash}, ${content}) ON CONFLICT (hash) DO NOTHING`,
  )
}

/** @throws Error if they are not stored */
export async function findFrequencies(session: Session, hash: string): Promise<Buffer> {
  const [row] = await find(session, tables.FrequenciesEntity, sql`WHERE hash = ${hash}`, ['content'])
  if (row === undefined) throw new Error(`There are no document frequencies ${hash}.`)
  return row.content
}
