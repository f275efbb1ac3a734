import type { TrainedComposite } from '../core/composite/artefact.js'
import { nameTaken, unknownName } from '../errors.js'
import { toBlob, toFloat64Array } from './engine/blobs.js'
import { translateViolations } from './engine/constraints.js'
import { find, findOne, insert, insertRows, rowsBy } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { sql } from './engine/sql.js'
import { type Artefact, ArtefactEntity, type TrainingCurve, TrainingCurveEntity } from './schema/entities.js'

/** Writes a trained composite metric. @throws AccordError NAME_TAKEN */
export async function insertArtefact(
  session: Session,
  { header, weights, hash }: TrainedComposite,
): Promise<number> {
  const row = {
    name: header.name,
    hash,
    header,
    weights: toBlob(weights),
    createdAt: new Date().toISOString(),
  }
  return translateViolations(() => insert(session, ArtefactEntity, row), {
    UNIQUE: () => nameTaken('a composite metric of this name exists', 'name', header.name),
  })
}

/** All artefacts by name. */
export function listArtefacts(session: Session): Promise<Artefact[]> {
  return find(session, ArtefactEntity, sql`ORDER BY name`)
}

/** Artefacts by id, in no particular order. */
export const findArtefacts = rowsBy(ArtefactEntity, 'id')

/** The artefact with this name, or null. */
export function findArtefact(session: Session, name: string): Promise<Artefact | null> {
  return findOne(session, ArtefactEntity, sql`WHERE name = ${name}`)
}

/** @throws AccordError UNKNOWN_METRIC, listing the existing ones */
export async function requireArtefact(session: Session, name: string): Promise<Artefact> {
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
  const rows = await find(session, ArtefactEntity, sql`ORDER BY name`, ['weights'])
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
export async function saveCurve(session: Session, curve: TrainingCurve): Promise<void> {
  const { jobId, position } = curve
  await session.transaction(async (writer) => {
    await writer.run(sql`DELETE FROM training_curve WHERE job_id = ${jobId} AND position = ${position}`)
    await insertRows(writer, TrainingCurveEntity, [curve])
  })
}

/** Removes the curves of an earlier attempt of a job. */
export async function deleteCurves(session: Session, jobId: number): Promise<void> {
  await session.transaction((writer) => writer.run(sql`DELETE FROM training_curve WHERE job_id = ${jobId}`))
}

/** Curves of trainings, by job and in the order of training. */
export const readCurves = rowsBy(TrainingCurveEntity, 'jobId', 'jobId', 'position')
