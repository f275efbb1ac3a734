import { timeNow } from '../clock.js'
import { type CaptionForm, concatenate } from '../core/text/sequences.js'
import { type AccordError, nameTaken, unknownName, wasRemoved } from '../errors.js'
import * as captionSearch from './caption-search.js'
import { damaged, toBlob } from './engine/blobs.js'
import { type Direction, type Order, type PagedRows, pagedRows } from './engine/keyset.js'
import {
  find,
  findOne,
  insert,
  insertRows,
  mapRows,
  rowsBy,
  translateViolations,
  update,
} from './engine/rows.js'
import type { Rows, Session } from './engine/session.js'
import { among, EMPTY, raw, type Sql, sql } from './engine/sql.js'
import {
  type System,
  type SystemCaption,
  SystemCaptionEntity,
  SystemEntity,
  type SystemKind,
  type SystemWord,
  SystemWordEntity,
} from './schema/system-tables.js'
import { type CaptionTokens, readTokenLists, readTokens, TEXT_COLUMN, type TokenLists } from './tokens.js'
import * as wordRows from './words.js'

export type NewSystem = Omit<
  System,
  'id' | 'kind' | 'createdAt' | 'content' | 'wordRevision' | 'missingCountedCount' | 'isSubmission'
>

export interface NewSystemCaption extends Omit<SystemCaption, 'id' | 'systemId' | 'tokens'> {
  readonly tokens: Int32Array
}

/** Number of captions that are read together. */
const CAPTIONS_PER_READ = 40_000

/**
 * Writes a system without its content. Call it in the transaction that writes the content and ends with `finishSystem`.
 *
 * @returns the id of the system
 * @throws AccordError NAME_TAKEN; UNKNOWN_DATASET if the dataset was removed
 */
export async function insertSystem(session: Session, system: NewSystem, kind: SystemKind): Promise<number> {
  await assertSystemNameFree(session, system.datasetId, system.name)
  const row = {
    ...system,
    kind,
    missingCountedCount: 0,
    content: '',
    isSubmission: false,
    createdAt: timeNow(),
  }
  return translateViolations(() => insert(session, SystemEntity, row), {
    UNIQUE: () => systemTaken(system.name),
    FOREIGN_KEY: () => wasRemoved('dataset'),
  })
}

/** Stores what was counted and hashed while the content of a system was written. */
export async function finishSystem(
  session: Session,
  id: number,
  known: Pick<System, 'content' | 'wordRevision' | 'missingCountedCount'>,
): Promise<void> {
  await update(session, SystemEntity, known, sql`id = ${id}`)
}

/** Writes a system's captions, one for each image. */
export async function insertSystemCaptions(
  session: Session,
  systemId: number,
  captions: Rows<NewSystemCaption>,
): Promise<void> {
  const range = captionSearch.emptyRange()
  await session.insertMany(
    SystemCaptionEntity,
    ['systemId', 'imageId', 'text', 'tokens'],
    mapRows(captions, ({ imageId, text, tokens }) => {
      captionSearch.extend(range, imageId)
      return [systemId, imageId, text, toBlob(tokens)]
    }),
  )
  await captionSearch.indexSystemCaptions(session, systemId, range)
}

/** Writes a system's results on words. */
export function insertSystemWords(
  session: Session,
  systemId: number,
  words: Rows<Omit<SystemWord, 'systemId'>>,
): Promise<void> {
  return insertRows(
    session,
    SystemWordEntity,
    mapRows(words, (word) => ({ systemId, ...word })),
  )
}

/** @throws AccordError NAME_TAKEN if the dataset has a system of this name */
export async function assertSystemNameFree(session: Session, datasetId: number, name: string): Promise<void> {
  if (await findSystem(session, datasetId, name)) throw systemTaken(name)
}

/** Holds for systems that are not submissions to challenges, which their teams and hosts alone see. The index needs a comparison. */
const NO_SUBMISSION = sql`system.is_submission = FALSE`

/** All systems of datasets but submissions, by dataset and name. */
export function listSystems(session: Session, datasetIds: readonly number[]): Promise<System[]> {
  const condition = sql`WHERE dataset_id ${among(datasetIds)} AND ${NO_SUBMISSION} ORDER BY dataset_id, name`
  return find(session, SystemEntity, condition)
}

/** Holds for systems that are neither submissions nor the captions of upper bounds. */
const IS_USUAL = sql`${NO_SUBMISSION} AND system.id NOT IN (SELECT system_id FROM bound WHERE system_id IS NOT NULL)`

/** The same without those that are captions of upper bounds. */
export function listUsualSystems(session: Session, datasetIds: readonly number[]): Promise<System[]> {
  const condition = sql`WHERE dataset_id ${among(datasetIds)} AND ${IS_USUAL} ORDER BY dataset_id, name`
  return find(session, SystemEntity, condition)
}

/** A system that is not a submission; null if there is none of this name. */
export function findSystem(session: Session, datasetId: number, name: string): Promise<System | null> {
  return findOne(
    session,
    SystemEntity,
    sql`WHERE dataset_id = ${datasetId} AND name = ${name} AND ${NO_SUBMISSION}`,
  )
}

/** @throws AccordError UNKNOWN_SYSTEM, listing the existing systems */
export async function requireSystem(session: Session, datasetId: number, name: string): Promise<System> {
  const system = await findSystem(session, datasetId, name)
  if (system) return system
  const known = (await listSystems(session, [datasetId])).map((existing) => existing.name)
  const none = 'an imported system; it has none yet'
  throw unknownName('UNKNOWN_SYSTEM', 'unknown system', { source: 'system', known, none, found: name })
}

export const findSystems = rowsBy(SystemEntity, 'id')

/** Removes a system, which is neither a submission nor a baseline, and everything that belongs to it. */
export async function deleteSystem(session: Session, id: number): Promise<void> {
  await session.run(sql`DELETE FROM system WHERE id = ${id}`)
}

/** A system's caption without its tokens. */
export type SystemCaptionText = Omit<SystemCaption, 'tokens'>

/** Tokens of systems' captions, in no particular order. */
export function readSystemCaptionTokens(
  session: Session,
  captionIds: readonly number[],
): Promise<CaptionTokens[]> {
  return readTokens(session, SystemCaptionEntity, sql`WHERE id ${among(captionIds)}`)
}

/** Which systems are meant. */
export interface SystemSelection {
  /** Default: all. */
  readonly names?: readonly string[]
  /** Without names: also those that are captions of upper bounds. */
  readonly isBoundIncluded?: boolean
}

/** Systems' captions of images without their tokens, by image and name of the system. */
export function readSystemCaptions(
  session: Session,
  imageIds: readonly number[],
  { names, isBoundIncluded = false }: SystemSelection = {},
): Promise<SystemCaptionText[]> {
  const isMeant = names
    ? sql`${NO_SUBMISSION} AND system.name ${among(names)}`
    : isBoundIncluded
      ? NO_SUBMISSION
      : IS_USUAL
  return find(
    session,
    SystemCaptionEntity,
    sql`JOIN system ON system.id = system_caption.system_id
        WHERE system_caption.image_id ${among(imageIds)} AND ${isMeant}
        ORDER BY system_caption.image_id, system.name`,
  )
}

export const findSystemCaptions = rowsBy(SystemCaptionEntity, 'id')

/** A system's captions, by image. @param externalIds of the images. Default: all */
export async function pagedSystemCaptions(
  session: Session,
  systemId: number,
  search: captionSearch.WordSearch,
  externalIds?: readonly string[],
): Promise<PagedRows<SystemCaptionText>> {
  const found = await captionSearch.searchConditions(session, 'systemCaption', search)
  const ofImages = externalIds
    ? [
        sql`system_caption.image_id IN (
          SELECT image.id FROM image JOIN system ON system.dataset_id = image.dataset_id
          WHERE system.id = ${systemId} AND image.external_id ${among(externalIds)})`,
      ]
    : []
  const conditions = [sql`system_caption.system_id = ${systemId}`, ...ofImages, ...found]
  const order: Order = { expression: sql`system_caption.image_id`, type: 'integer', direction: 'ASC' }
  return pagedRows(session, { entity: SystemCaptionEntity, conditions, order })
}

/**
 * A system's captions as token ids, and as they are written where `form` is `raw`: one sequence for each of the image ids, which
 * ascend; those of a range if given.
 */
export async function readSystemSequences(
  session: Session,
  systemId: number,
  range?: captionSearch.ImageRange,
  form: CaptionForm = 'tokens',
): Promise<TokenLists> {
  const parts: TokenLists[] = []
  const end = range ? sql`AND image_id <= ${range.last}` : EMPTY
  for (let after = range ? range.first - 1 : 0; ; ) {
    const read = await readTokenLists(
      session,
      SystemCaptionEntity,
      form,
      sql`SELECT image_id, tokens${TEXT_COLUMN[form]} FROM system_caption
          WHERE system_id = ${systemId} AND image_id > ${after} ${end}
          ORDER BY image_id LIMIT ${CAPTIONS_PER_READ}`,
    )
    parts.push(read)
    if (read.imageIds.length < CAPTIONS_PER_READ) break
    after = read.imageIds[read.imageIds.length - 1]
  }
  const imageIds = Int32Array.from(parts.flatMap(({ imageIds }) => Array.from(imageIds)))
  const [system] = await findSystems(session, [systemId])
  if (!range && system && system.imageCount !== imageIds.length) throw damaged(SystemCaptionEntity.name)
  return { imageIds, sequences: concatenate(parts.map(({ sequences }) => sequences)) }
}

/** Mean number of tokens of a caption of each system that has captions, by id. */
export async function readMeanLengths(
  session: Session,
  systemIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await session.all<{ id: number; length: number }>(
    sql`SELECT system_id AS id, CAST(AVG(length(tokens)) / 4 AS double precision) AS length
        FROM system_caption WHERE system_id ${among(systemIds)} GROUP BY system_id`,
  )
  return new Map(rows.map(({ id, length }) => [id, length]))
}

/** Systems' results on words, in no particular order; on all their words if `wordIds` is absent. */
export function readSystemWords(
  session: Session,
  systemIds: readonly number[],
  referenceCount: number,
  wordIds?: readonly number[],
): Promise<SystemWord[]> {
  return find(
    session,
    SystemWordEntity,
    sql`WHERE system_id ${among(systemIds)} AND reference_count = ${referenceCount}
        ${wordIds ? sql`AND word_id ${among(wordIds)}` : EMPTY}`,
  )
}

/** Conditions on results of a system on words, combined by AND. A range excludes undefined values. */
export interface SystemWordFilter {
  /** Conditions on the words themselves. */
  readonly word?: wordRows.WordFilter | null
  readonly precisionAtHumanRecall?: wordRows.Range | null
  readonly averagePrecision?: wordRows.Range | null
  readonly precision?: wordRows.Range | null
  readonly recall?: wordRows.Range | null
  /** PHR, or precision of a captioning system, minus human precision. */
  readonly gapToPeople?: wordRows.Range | null
}

export type SystemWordOrderField =
  | wordRows.WordOrderField
  | 'PHR'
  | 'AVERAGE_PRECISION'
  | 'WORD_PRECISION'
  | 'WORD_RECALL'
  | 'GAP_TO_PEOPLE'

/** The results of a system on words with a number of references. */
export interface SystemWordSubject {
  readonly systemId: number
  /** K. */
  readonly captionsPerImage: number
  /** k. */
  readonly references: number
}

const FIGURES = {
  PHR: raw('system_word.precision_at_human_recall'),
  AVERAGE_PRECISION: raw('system_word.average_precision'),
  WORD_PRECISION: raw('system_word.precision'),
  WORD_RECALL: raw('system_word.recall'),
} as const

function gapToPeople({ captionsPerImage, references }: SystemWordSubject): Sql {
  const ofSystem = sql`COALESCE(${FIGURES.PHR}, ${FIGURES.WORD_PRECISION})`
  return sql`(${ofSystem} - ${wordRows.humanPrecision(captionsPerImage, references)})`
}

/** The order of results by a field; undefined ones are last in both directions. Default: as {@link wordRows.wordOrder}. */
export function systemWordOrder(
  subject: SystemWordSubject,
  field: SystemWordOrderField,
  direction?: Direction | null,
): Order {
  const chosen = direction ?? 'DESC'
  switch (field) {
    case 'PHR':
    case 'AVERAGE_PRECISION':
    case 'WORD_PRECISION':
    case 'WORD_RECALL':
      return { ...wordRows.undefinedLast(FIGURES[field], chosen), direction: chosen }
    case 'GAP_TO_PEOPLE':
      return { ...wordRows.undefinedLast(gapToPeople(subject), chosen), direction: chosen }
    default:
      return wordRows.wordOrder(field, direction)
  }
}

/** A system's results on words. */
export function pagedSystemWords(
  session: Session,
  subject: SystemWordSubject,
  filter: SystemWordFilter,
  order: Order,
): PagedRows<SystemWord> {
  const conditions = systemWordConditions(subject, filter)
  const joins = sql`JOIN word ON word.id = system_word.word_id`
  return pagedRows(session, { entity: SystemWordEntity, joins, conditions, order, tieBreaker: sql`word.id` })
}

function systemWordConditions(subject: SystemWordSubject, filter: SystemWordFilter): Sql[] {
  const { systemId, references } = subject
  return [
    sql`system_word.system_id = ${systemId} AND system_word.reference_count = ${references}`,
    ...wordRows.wordConditions(filter.word ?? {}),
    ...wordRows.inRange(FIGURES.PHR, filter.precisionAtHumanRecall),
    ...wordRows.inRange(FIGURES.AVERAGE_PRECISION, filter.averagePrecision),
    ...wordRows.inRange(FIGURES.WORD_PRECISION, filter.precision),
    ...wordRows.inRange(FIGURES.WORD_RECALL, filter.recall),
    ...wordRows.inRange(gapToPeople(subject), filter.gapToPeople),
  ]
}

function systemTaken(name: string): AccordError {
  return nameTaken('the dataset has a system of this name; remove it first', 'system', name)
}
