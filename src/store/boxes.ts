import type {
  BoxedImage,
  Box as UnsavedBox,
  Description as UnsavedDescription,
} from '../core/selection/scenes.js'
import { yieldToEventLoop } from '../event-loop.js'
import { columnsOf, decode, find, rowsBy } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, EMPTY, raw, type Sql, sql, values } from './engine/sql.js'
import { rangesOfImages } from './image-ranges.js'
import { type Box, BoxEntity, BoxImportEntity, type Description } from './schema/box-tables.js'

/** An image of a dataset before its boxes are known. */
export interface StoredImage {
  readonly id: number
  /** Pixels; null if unknown. */
  readonly width: number | null
  readonly height: number | null
}

/** Images of a dataset by external id. */
export async function readStoredImages(
  session: Session,
  datasetId: number,
): Promise<Map<string, StoredImage>> {
  const rows = await session.all<StoredImage & { externalId: string }>(
    sql`SELECT external_id AS "externalId", id, width, height FROM image
        WHERE dataset_id = ${datasetId} ORDER BY id`,
  )
  return new Map(rows.map(({ externalId, ...image }) => [externalId, image]))
}

/** Whether a system has descriptions that mention boxes. */
export async function hasDescriptions(session: Session, systemId: number): Promise<boolean> {
  const rows = await session.all(
    sql`SELECT 1 AS found FROM description WHERE system_id = ${systemId} LIMIT 1`,
  )
  return rows.length > 0
}

/** The ids of those datasets that have an image with a box. */
export async function readBoxedDatasets(
  session: Session,
  datasetIds: readonly number[],
): Promise<Set<number>> {
  const rows = await session.all<{ id: number }>(
    sql`SELECT wanted.value AS id FROM ${values(datasetIds, 'wanted')}
        WHERE EXISTS (
          SELECT 1 FROM image JOIN box ON box.image_id = image.id WHERE image.dataset_id = wanted.value
        )`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** All images of a dataset with their boxes, both in import order. */
export async function readBoxedImages(session: Session, datasetId: number): Promise<BoxedImage[]> {
  const rows = await find(
    session,
    BoxEntity,
    sql`JOIN image ON image.id = box.image_id WHERE image.dataset_id = ${datasetId} ORDER BY box.id`,
  )
  const boxes = new Map<number, UnsavedBox[]>()
  for (const { imageId, externalId, concept, x, y, width, height } of rows)
    entryOf(boxes, imageId, () => []).push({ id: externalId, concept, bbox: [x, y, width, height] })
  return [...(await readStoredImages(session, datasetId))].map(([imageId, { id, width, height }]) => ({
    imageId,
    ...(width === null || height === null ? { width: null, height: null } : { width, height }),
    boxes: boxes.get(id) ?? [],
  }))
}

/** The human descriptions of a dataset with the boxes that they mention, without sentences, in import order. */
export async function readHumanDescriptions(
  session: Session,
  datasetId: number,
): Promise<UnsavedDescription[]> {
  const rows = await session.all<{ rowId: number; id: string; imageId: string; boxId: string | null }>(
    sql`SELECT description.id AS "rowId", description.external_id AS id, image.external_id AS "imageId",
               box.external_id AS "boxId"
        FROM image
        JOIN description ON description.image_id = image.id AND description.system_id IS NULL
        LEFT JOIN mention ON mention.description_id = description.id
        LEFT JOIN box ON box.id = mention.box_id
        WHERE image.dataset_id = ${datasetId} ORDER BY description.id, mention.position`,
  )
  const descriptions: (UnsavedDescription & { mentions: string[] })[] = []
  let last: number | undefined
  for (const { rowId, id, imageId, boxId } of rows) {
    if (rowId !== last) descriptions.push({ id, imageId, mentions: [], sentence: null })
    if (boxId !== null) descriptions.at(-1)!.mentions.push(boxId)
    last = rowId
  }
  return descriptions
}

/** For each system with descriptions, by name: the ids of the boxes that it mentions, by image. */
export async function readSystemSelections(
  session: Session,
  datasetId: number,
  names?: readonly string[],
): Promise<Map<string, Map<string, string[]>>> {
  const rows = await session.all<{ system: string; imageId: string; boxId: string | null }>(
    sql`SELECT system.name AS system, image.external_id AS "imageId", box.external_id AS "boxId"
        FROM system
        JOIN description ON description.system_id = system.id
        JOIN image ON image.id = description.image_id
        LEFT JOIN mention ON mention.description_id = description.id
        LEFT JOIN box ON box.id = mention.box_id
        WHERE system.dataset_id = ${datasetId} ${ofSystems(names)}
        ORDER BY system.name, description.id, mention.position`,
  )
  const systems = new Map<string, Map<string, string[]>>()
  for (const { system, imageId, boxId } of rows) {
    const selected = entryOf(
      entryOf(systems, system, () => new Map<string, string[]>()),
      imageId,
      () => [],
    )
    if (boxId !== null) selected.push(boxId)
  }
  return systems
}

/** The numbers of boxes of images of a dataset, by the id of the image; none for an image without. */
export async function countBoxesOfImages(session: Session, datasetId: number): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for (const { first, last } of await rangesOfImages(session, datasetId)) {
    await yieldToEventLoop()
    const rows = await session.all<{ imageId: number; count: number }>(
      sql`SELECT box.image_id AS "imageId", COUNT(*) AS count FROM box
          WHERE box.image_id BETWEEN ${first} AND ${last} GROUP BY box.image_id`,
    )
    for (const { imageId, count } of rows) counts.set(imageId, Number(count))
  }
  return counts
}

/** Boxes of images, in import order. */
export const readBoxes = rowsBy(BoxEntity, 'imageId', 'id')
export const findBoxes = rowsBy(BoxEntity, 'id')

/** A human description; its text is that of the linked caption, if there is one. */
export type HumanDescription = Pick<Description, 'id' | 'imageId' | 'captionId' | 'text'> & {
  readonly externalId: string
}

/** Human descriptions of images, in import order. */
export const readDescriptions = descriptionsBy('image_id')

/** Human descriptions by id. */
export const findDescriptions = descriptionsBy('id')

function descriptionsBy(column: 'id' | 'image_id') {
  return (session: Session, keys: readonly number[]): Promise<HumanDescription[]> =>
    session.all<HumanDescription>(
      sql`SELECT description.id, description.image_id AS "imageId", description.external_id AS "externalId",
                 description.caption_id AS "captionId", COALESCE(caption.text, description.text) AS text
          FROM description LEFT JOIN caption ON caption.id = description.caption_id
          WHERE description.${raw(column)} ${among(keys)} AND description.system_id IS NULL
          ORDER BY description.id`,
    )
}

/** A system's description; its text is that of the linked caption, if there is one. */
export type SystemDescriptionRow = Pick<Description, 'id' | 'imageId' | 'text'> & {
  readonly systemId: number
}

/** Systems' descriptions of images, by name of the system and image; of all systems if `names` is absent. */
export const readSystemDescriptions = systemDescriptionsBy('image_id')

/** Systems' descriptions by id. */
export const findSystemDescriptions = systemDescriptionsBy('id')

function systemDescriptionsBy(column: 'id' | 'image_id') {
  return (
    session: Session,
    keys: readonly number[],
    names?: readonly string[],
  ): Promise<SystemDescriptionRow[]> =>
    session.all<SystemDescriptionRow>(
      sql`SELECT description.id, description.image_id AS "imageId", description.system_id AS "systemId",
                 COALESCE(system_caption.text, description.text) AS text
          FROM description
          JOIN system ON system.id = description.system_id
          LEFT JOIN system_caption ON system_caption.id = description.system_caption_id
          WHERE description.${raw(column)} ${among(keys)} ${ofSystems(names)}
          ORDER BY system.name, description.id`,
    )
}

/** A mention and the row that it belongs to. */
export interface OwnedMention {
  /** Id of the description, caption or system caption. */
  readonly ownerId: number
  readonly start: number | null
  readonly end: number | null
  /** The words that refer to the box; null if the source does not contain them. */
  readonly text: string | null
  readonly box: Box
}

/** The kind of row whose mentions are read. */
export type MentionOwner = 'description' | 'caption' | 'systemCaption'

const OWNER_COLUMNS: Readonly<Record<MentionOwner, Sql>> = {
  description: raw('description.id'),
  caption: raw('description.caption_id'),
  systemCaption: raw('description.system_caption_id'),
}

/** Mentions of descriptions or captions, by description or caption and position. */
export async function readMentions(
  session: Session,
  owner: MentionOwner,
  ids: readonly number[],
): Promise<OwnedMention[]> {
  const rows = await session.all<Box & Omit<OwnedMention, 'box' | 'text'> & { sentence: string | null }>(
    sql`SELECT ${OWNER_COLUMNS[owner]} AS "ownerId", mention.span_start AS start, mention.span_end AS "end",
               COALESCE(caption.text, system_caption.text, description.text) AS sentence,
               ${columnsOf(BoxEntity)}
        FROM description
        JOIN mention ON mention.description_id = description.id
        JOIN box ON box.id = mention.box_id
        LEFT JOIN caption ON caption.id = description.caption_id
        LEFT JOIN system_caption ON system_caption.id = description.system_caption_id
        WHERE ${OWNER_COLUMNS[owner]} ${among(ids)}
        ORDER BY "ownerId", mention.position`,
  )
  return decode(BoxEntity, rows).map(({ ownerId, start, end, sentence, ...box }) => ({
    ownerId,
    start,
    end,
    text: start === null || end === null ? null : (sentence?.slice(start, end) ?? null),
    box,
  }))
}

/** Imports of boxes into datasets, oldest first. */
export const readBoxImports = rowsBy(BoxImportEntity, 'datasetId', 'id')
export const findBoxImports = rowsBy(BoxImportEntity, 'id')

function ofSystems(names: readonly string[] | undefined): Sql {
  return names ? sql`AND system.name ${among(names)}` : EMPTY
}

/** The entry of a key, created if it does not exist. */
export function entryOf<Key, Value>(entries: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = entries.get(key)
  if (known !== undefined) return known
  const made = make()
  entries.set(key, made)
  return made
}
