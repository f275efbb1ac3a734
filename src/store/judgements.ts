import { timeNow } from '../clock.js'
import type { Preference } from '../core/judgements/judgement.js'
import type { ProvenanceRecord } from '../core/metrics/provenance.js'
import type { CaptionForm } from '../core/text/sequences.js'
import { AccordError } from '../errors.js'
import { toBlob, toFloat64Array } from './engine/blobs.js'
import {
  find,
  findOne,
  insert,
  insertRows,
  lockRow,
  mapRows,
  rowsBy,
  translateViolations,
} from './engine/rows.js'
import type { Rows, Session } from './engine/session.js'
import { among, sql } from './engine/sql.js'
import { saveProvenance, withRecords } from './provenance-records.js'
import type { Dataset } from './schema/dataset-tables.js'
import * as tables from './schema/judgement-tables.js'
import { readTokenLists, TEXT_COLUMN, type TokenLists } from './tokens.js'

export type NewJudgementSet = Omit<tables.JudgementSet, 'id' | 'createdAt'>

export interface NewJudgedCaption extends Omit<tables.JudgedCaption, 'id' | 'setId' | 'tokens'> {
  readonly tokens: Int32Array
}

/** A preference; positions are those of the captions that were inserted. */
export type NewPreference = Preference & Pick<tables.PreferenceRow, 'externalId'>

/**
 * Writes the judgements of a dataset. Call it in a transaction.
 *
 * @throws AccordError NAME_TAKEN if the dataset has judgements
 */
export async function insertJudgements(
  session: Session,
  set: NewJudgementSet,
  captions: readonly NewJudgedCaption[],
  preferences: readonly NewPreference[],
): Promise<number> {
  const setId = await translateViolations(
    () => insert(session, tables.JudgementSetEntity, { ...set, createdAt: timeNow() }),
    { UNIQUE: judgementsTaken },
  )
  const firstId = await session.reserveIds(tables.JudgedCaptionEntity, captions.length)
  await insertCaptions(session, setId, firstId, captions)
  await session.insertMany(
    tables.PreferenceEntity,
    ['setId', 'externalId', 'firstId', 'secondId', 'preferred', 'category'],
    preferences.map(({ externalId, first, second, preferred, category }) => [
      setId,
      externalId,
      firstId + first,
      firstId + second,
      preferred,
      category,
    ]),
  )
  return setId
}

function insertCaptions(
  session: Session,
  setId: number,
  firstId: number,
  captions: Rows<NewJudgedCaption>,
): Promise<void> {
  let id = firstId
  return insertRows(
    session,
    tables.JudgedCaptionEntity,
    mapRows(captions, (caption) => ({ ...caption, id: id++, setId, tokens: toBlob(caption.tokens) })),
  )
}

function judgementsTaken(): AccordError {
  return new AccordError('NAME_TAKEN', 'the dataset has judgements', {
    source: 'dataset',
    expected: 'a dataset without judgements',
  })
}

/** The judgements of a dataset; null where it has none. */
function findJudgementSet(session: Session, datasetId: number): Promise<tables.JudgementSet | null> {
  return findOne(session, tables.JudgementSetEntity, sql`WHERE dataset_id = ${datasetId}`)
}

/** The judgements of datasets, in no particular order. */
export const findJudgementSets = rowsBy(tables.JudgementSetEntity, 'datasetId')

/** @throws AccordError NOT_APPLICABLE where the dataset has no judgements */
export async function requireJudgementSet(
  session: Session,
  { id, name }: Pick<Dataset, 'id' | 'name'>,
): Promise<tables.JudgementSet> {
  const set = await findJudgementSet(session, id)
  if (set) return set
  throw new AccordError('NOT_APPLICABLE', 'the dataset has no human judgements', {
    source: 'dataset',
    expected: 'one with judgements, see accord import judgements',
    found: JSON.stringify(name),
  })
}

/** The judged captions of a set, in the order of the source. */
export function readJudgedCaptions(session: Session, setId: number): Promise<tables.JudgedCaption[]> {
  return find(session, tables.JudgedCaptionEntity, sql`WHERE set_id = ${setId} ORDER BY id`)
}

export const findJudgedCaptions = rowsBy(tables.JudgedCaptionEntity, 'id')

/** The judged captions of images, by image and in the order of the source. */
export const judgedCaptionsOfImages = rowsBy(tables.JudgedCaptionEntity, 'imageId', 'imageId', 'id')

/** The judged captions of a set as tokens, and as they are written where `form` is `raw`, in the order of the source. */
export function readJudgedTokens(
  session: Session,
  setId: number,
  form: CaptionForm = 'tokens',
): Promise<TokenLists> {
  return readTokenLists(
    session,
    tables.JudgedCaptionEntity,
    form,
    sql`SELECT image_id, tokens${TEXT_COLUMN[form]} FROM judged_caption WHERE set_id = ${setId} ORDER BY id`,
  )
}

/** The preferences of a set, in the order of the source. */
export function readPreferences(session: Session, setId: number): Promise<tables.PreferenceRow[]> {
  return find(session, tables.PreferenceEntity, sql`WHERE set_id = ${setId} ORDER BY id`)
}

export const findPreferences = rowsBy(tables.PreferenceEntity, 'id')

/** Preferences in which one of the captions occurs, in the order of the source. */
export function preferencesOfCaptions(
  session: Session,
  captionIds: readonly number[],
): Promise<tables.PreferenceRow[]> {
  return find(
    session,
    tables.PreferenceEntity,
    sql`WHERE first_id ${among(captionIds)} OR second_id ${among(captionIds)} ORDER BY id`,
  )
}

/** The scores of all judged captions of a set by one metric, in the order of the source. */
export interface JudgedScores {
  readonly record: ProvenanceRecord
  /** NaN where a score is undefined. */
  readonly scores: Float64Array
}

/** The stored scores of a set by some metrics. */
export async function readJudgedScores(
  session: Session,
  setId: number,
  metrics: readonly string[],
): Promise<JudgedScores[]> {
  const rows = await find(
    session,
    tables.JudgedScoreEntity,
    sql`WHERE set_id = ${setId} AND metric ${among(metrics)} ORDER BY id`,
    ['scores'],
  )
  const recorded = await withRecords(session, rows)
  return recorded.map(({ record, scores }) => ({ record, scores: toFloat64Array(scores) }))
}

/** Writes scores in one transaction, in place of those that were made in the same way; nothing if the set was removed. */
export function saveJudgedScores(
  session: Session,
  setId: number,
  scored: readonly JudgedScores[],
): Promise<void> {
  return session.transaction(async (writer) => {
    if (!(await lockRow(writer, tables.JudgementSetEntity, setId))) return
    const provenanceIds = await saveProvenance(writer, scored)
    await writer.run(
      sql`DELETE FROM judged_score WHERE set_id = ${setId} AND provenance_id ${among(provenanceIds)}`,
    )
    for (const [index, { record, scores }] of scored.entries()) {
      await insert(writer, tables.JudgedScoreEntity, {
        setId,
        provenanceId: provenanceIds[index],
        metric: record.metric,
        scores: toBlob(scores),
      })
    }
  })
}
