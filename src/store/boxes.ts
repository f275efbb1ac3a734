import type {
  BoxedImage,
  BoxSource,
  SystemDescription,
  Box as UnsavedBox,
  Description as UnsavedDescription,
} from '../core/selection/scenes.js'
import { AccordError, quote, wasRemoved } from '../errors.js'
import { lockRow } from './engine/locks.js'
import { columnsOf, decode, find, insert, rowsBy } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, EMPTY, raw, type Sql, sql, values } from './engine/sql.js'
import {
  type Box,
  BoxEntity,
  type BoxImport,
  type BoxImportCounts,
  BoxImportEntity,
  DatasetEntity,
  type Description,
  DescriptionEntity,
  MentionEntity,
  SystemEntity,
} from './schema/entities.js'

/** Number of images or descriptions that are checked against the database and written together. */
const CHUNK = 1_000

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

/**
 * Adds boxes, and human descriptions that mention them, to images of a dataset in one transaction. Images that are
 * not in the dataset are excluded and counted, with their boxes and descriptions. Missing image sizes are filled in. A
 * description is linked to the caption of its image with the same text; without a text, to the caption with the same
 * id.
 *
 * @returns the numbers of added and excluded items, which are also stored
 * @throws AccordError UNKNOWN_IMAGE if no image is in the dataset, DUPLICATE_ID if the image already has a box or a
 *   description with this id, INVALID_VALUE if an image has another size in the dataset, UNKNOWN_DATASET if the
 *   dataset was removed
 */
export function insertBoxes(session: Session, datasetId: number, source: BoxSource): Promise<BoxImport> {
  return session.transaction(async (session) => {
    if (!(await lockRow(session, DatasetEntity, datasetId))) throw wasRemoved('dataset')
    const stored = await readStoredImages(session, datasetId)
    const images = toKnown(source.images, stored)
    if (images.length === 0) throw noKnownImage(stored, source.images)
    const boxIds: BoxIds = new Map()
    for (const chunk of chunksOf(images)) await insertBoxesOfImages(session, chunk, boxIds)
    await fillSizes(session, images)
    const described = toKnown(source.descriptions, stored)
    let captions = 0
    for (const chunk of chunksOf(described)) captions += await insertHuman(session, chunk, boxIds)
    const counts: BoxImportCounts = {
      images: images.length,
      boxes: images.reduce((sum, { item }) => sum + item.boxes.length, 0),
      descriptions: described.length,
      captions,
      unknownImages: source.images.length - images.length,
      ...source.counts,
    }
    const row = { datasetId, counts, createdAt: new Date().toISOString() }
    return { id: await insert(session, BoxImportEntity, row), ...row }
  })
}

/**
 * Adds a system's descriptions, one per image, in one transaction. If the system has a caption for the
 * image, the description is linked to it.
 *
 * @param descriptions of images of the system's dataset, with mentions of their boxes
 * @throws AccordError INVALID_VALUE if a text differs from the system's caption, UNKNOWN_SYSTEM if the system was
 *   removed
 */
export function insertSystemDescriptions(
  session: Session,
  datasetId: number,
  systemId: number,
  descriptions: readonly SystemDescription[],
): Promise<void> {
  return session.transaction(async (session) => {
    if (!(await lockRow(session, SystemEntity, systemId))) throw wasRemoved('system')
    const stored = await readStoredImages(session, datasetId)
    for (const chunk of chunksOf(toKnown(descriptions, stored)))
      await insertOfSystem(session, systemId, chunk)
  })
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

/** Boxes of images, in import order. */
export const readBoxes = rowsBy(BoxEntity, 'imageId', 'id')

/** Boxes by id, in no particular order. */
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

/** Imports of boxes by id, in no particular order. */
export const findBoxImports = rowsBy(BoxImportEntity, 'id')

/** A box list or description of an image, with the stored image. */
interface OfImage<Item> {
  readonly item: Item
  readonly image: StoredImage
}

/** Ids of boxes by external ids of the image and the box. */
type BoxIds = Map<string, ReadonlyMap<string, number>>

interface StoredText {
  readonly id: number
  readonly text: string
}

function ofSystems(names: readonly string[] | undefined): Sql {
  return names ? sql`AND system.name ${among(names)}` : EMPTY
}

/** The items whose image is in the dataset. */
function toKnown<Item extends { readonly imageId: string }>(
  items: readonly Item[],
  stored: ReadonlyMap<string, StoredImage>,
): OfImage<Item>[] {
  return items.flatMap((item) => {
    const image = stored.get(item.imageId)
    return image ? [{ item, image }] : []
  })
}

/** Writes the boxes of some images and adds their ids to `boxIds`. */
async function insertBoxesOfImages(
  session: Session,
  images: readonly OfImage<BoxedImage>[],
  boxIds: BoxIds,
): Promise<void> {
  const taken = await readExternalIds(session, raw('FROM box WHERE TRUE'), images)
  const count = images.reduce((sum, { item }) => sum + item.boxes.length, 0)
  let id = await session.reserveIds(BoxEntity, count)
  const rows: unknown[][] = []
  for (const { item, image } of images) {
    requireSameSize(item, image)
    const ids = new Map<string, number>()
    for (const box of item.boxes) {
      if (taken.get(image.id)?.has(box.id)) throw duplicate('box', box.id, item.imageId)
      const attributes = box.attributes?.length ? box.attributes : null
      rows.push([id, image.id, box.id, box.concept, ...box.bbox, attributes, box.depth ?? null])
      ids.set(box.id, id++)
    }
    boxIds.set(item.imageId, ids)
  }
  const geometry = ['x', 'y', 'width', 'height'] as const
  const columns = ['id', 'imageId', 'externalId', 'concept', ...geometry, 'attributes', 'depth'] as const
  await session.insertMany(BoxEntity, columns, rows)
}

/** Writes human descriptions. @returns the number of those linked to a caption */
async function insertHuman(
  session: Session,
  descriptions: readonly OfImage<UnsavedDescription>[],
  boxIds: BoxIds,
): Promise<number> {
  const taken = await readExternalIds(session, raw('FROM description WHERE system_id IS NULL'), descriptions)
  const free = await readFreeCaptions(session, descriptions)
  let captions = 0
  const rows = descriptions.map(({ item, image }) => {
    if (taken.get(image.id)?.has(item.id)) throw duplicate('description', item.id, item.imageId)
    const text = item.sentence?.text ?? null
    const captionId = takeCaption(free.get(image.id) ?? [], item.id, text)
    if (captionId !== null) captions++
    return {
      imageId: image.id,
      externalId: item.id,
      captionId,
      text: captionId === null ? text : null,
      description: item,
      boxIds: boxIds.get(item.imageId)!,
    }
  })
  await insertDescriptions(session, rows)
  return captions
}

/** Writes descriptions of a system. */
async function insertOfSystem(
  session: Session,
  systemId: number,
  descriptions: readonly OfImage<SystemDescription>[],
): Promise<void> {
  const imageIds = descriptions.map(({ image }) => image.id)
  const captions = await session.all<StoredText & { imageId: number }>(
    sql`SELECT id, image_id AS "imageId", text FROM system_caption
        WHERE system_id = ${systemId} AND image_id ${among(imageIds)}`,
  )
  const captionOf = new Map(captions.map((caption) => [caption.imageId, caption]))
  const boxIds = new Map<number, Map<string, number>>()
  for (const { imageId, externalId, id } of await readBoxes(session, imageIds))
    entryOf(boxIds, imageId, () => new Map<string, number>()).set(externalId, id)
  const rows = descriptions.map(({ item, image }) => {
    const caption = captionOf.get(image.id)
    const text = item.sentence?.text ?? null
    if (caption && text !== null && caption.text !== text) throw notTheCaption(item, caption, text)
    return {
      imageId: image.id,
      systemId,
      systemCaptionId: caption?.id ?? null,
      text: caption ? null : text,
      description: item,
      boxIds: boxIds.get(image.id) ?? new Map<string, number>(),
    }
  })
  await insertDescriptions(session, rows)
}

interface NewDescription extends Partial<Omit<Description, 'id'>> {
  readonly imageId: number
  readonly description: Pick<UnsavedDescription, 'mentions' | 'sentence'>
  /** Ids of the image's boxes by external id. */
  readonly boxIds: ReadonlyMap<string, number>
}

/** Writes descriptions with their mentions. */
async function insertDescriptions(session: Session, descriptions: readonly NewDescription[]): Promise<void> {
  const firstId = await session.reserveIds(DescriptionEntity, descriptions.length)
  const columns = ['imageId', 'systemId', 'externalId', 'captionId', 'systemCaptionId', 'text'] as const
  await session.insertMany(
    DescriptionEntity,
    ['id', ...columns],
    descriptions.map((row, index) => [firstId + index, ...columns.map((column) => row[column] ?? null)]),
  )
  await session.insertMany(
    MentionEntity,
    ['descriptionId', 'position', 'boxId', 'start', 'end'],
    descriptions.flatMap((row, index) => mentionRows(firstId + index, row)),
  )
}

function mentionRows(
  descriptionId: number,
  { description: { mentions, sentence }, boxIds }: NewDescription,
): unknown[][] {
  // The mentions of a sentence without links have no positions.
  const spans = sentence?.mentions.flatMap(({ boxIds: named, ...span }) => named.map(() => span)) ?? []
  return mentions.map((boxId, position) => {
    const span = spans[position]
    return [descriptionId, position, boxIds.get(boxId), span?.start ?? null, span?.end ?? null]
  })
}

/** External ids of rows by id of their image. @param rows `FROM` and a condition */
async function readExternalIds(
  session: Session,
  rows: Sql,
  images: readonly OfImage<unknown>[],
): Promise<Map<number, Set<string>>> {
  const imageIds = images.map(({ image }) => image.id)
  const found = await session.all<{ imageId: number; externalId: string }>(
    sql`SELECT image_id AS "imageId", external_id AS "externalId" ${rows} AND image_id ${among(imageIds)}`,
  )
  const taken = new Map<number, Set<string>>()
  for (const { imageId, externalId } of found) {
    entryOf(taken, imageId, () => new Set<string>()).add(externalId)
  }
  return taken
}

interface FreeCaption extends StoredText {
  readonly externalId: string
}

/** Captions of images that no description is linked to, by image and position. */
async function readFreeCaptions(
  session: Session,
  images: readonly OfImage<unknown>[],
): Promise<Map<number, FreeCaption[]>> {
  const imageIds = images.map(({ image }) => image.id)
  const rows = await session.all<FreeCaption & { imageId: number }>(
    sql`SELECT id, image_id AS "imageId", external_id AS "externalId", text FROM caption
        WHERE image_id ${among(imageIds)}
          AND NOT EXISTS (SELECT 1 FROM description WHERE description.caption_id = caption.id)
        ORDER BY image_id, position`,
  )
  const captions = new Map<number, FreeCaption[]>()
  for (const { imageId, ...caption } of rows) entryOf(captions, imageId, () => []).push(caption)
  return captions
}

/**
 * Removes the caption that a description is linked to from the free captions of its image. If several captions have the
 * same text, the one with the same id is chosen, otherwise the first.
 *
 * @returns its id; null if there is none
 */
function takeCaption(captions: FreeCaption[], id: string, text: string | null): number | null {
  const matches = captions.filter((caption) =>
    text === null ? caption.externalId === id : caption.text === text,
  )
  const match = matches.find(({ externalId }) => externalId === id) ?? matches[0]
  if (!match) return null
  captions.splice(captions.indexOf(match), 1)
  return match.id
}

/** Stores missing image sizes. */
async function fillSizes(session: Session, images: readonly OfImage<BoxedImage>[]): Promise<void> {
  const bySize = new Map<string, { width: number; height: number; imageIds: number[] }>()
  for (const { item, image } of images) {
    const { width, height } = item
    if (width === null || height === null || (image.width !== null && image.height !== null)) continue
    entryOf(bySize, `${width} ${height}`, () => ({ width, height, imageIds: [] })).imageIds.push(image.id)
  }
  for (const { width, height, imageIds } of bySize.values()) {
    await session.run(sql`UPDATE image SET width = ${width}, height = ${height} WHERE id ${among(imageIds)}`)
  }
}

function requireSameSize({ imageId, width, height }: BoxedImage, image: StoredImage): void {
  if (width === null || height === null || image.width === null || image.height === null) return
  if (image.width === width && image.height === height) return
  throw new AccordError('INVALID_VALUE', 'the image has another size in the dataset', {
    place: `image ${imageId}`,
    expected: `${image.width} × ${image.height} pixels`,
    found: `${width} × ${height}`,
  })
}

function* chunksOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += CHUNK) yield items.slice(start, start + CHUNK)
}

function noKnownImage(stored: ReadonlyMap<string, StoredImage>, images: readonly BoxedImage[]): AccordError {
  const [known] = stored.keys()
  return new AccordError('UNKNOWN_IMAGE', 'no image is in the dataset', {
    place: 'images',
    expected: known === undefined ? 'images of the dataset' : `image ids such as ${quote(known)}`,
    found: images.length === 0 ? 'no images' : quote(images[0].imageId),
  })
}

function duplicate(what: 'box' | 'description', id: string, imageId: string): AccordError {
  return new AccordError('DUPLICATE_ID', `the dataset already has a ${what} with this id`, {
    place: `image ${imageId}`,
    expected: 'a new id',
    found: quote(id),
  })
}

function notTheCaption({ imageId }: SystemDescription, caption: StoredText, text: string): AccordError {
  return new AccordError('INVALID_VALUE', "the description differs from the system's caption of the image", {
    place: `image ${imageId}`,
    expected: quote(caption.text),
    found: quote(text),
  })
}

/** The entry of a key, created if it does not exist. */
function entryOf<Key, Value>(entries: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = entries.get(key)
  if (known !== undefined) return known
  const made = make()
  entries.set(key, made)
  return made
}
