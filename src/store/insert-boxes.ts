import { timeNow } from '../clock.js'
import type {
  BoxedImage,
  BoxSource,
  SystemDescription,
  Description as UnsavedDescription,
} from '../core/selection/scenes.js'
import { AccordError, quote, wasRemoved } from '../errors.js'
import { entryOf, readBoxes, readStoredImages, type StoredImage } from './boxes.js'
import { insert, lockRow } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, raw, type Sql, sql } from './engine/sql.js'
import {
  BoxEntity,
  type BoxImport,
  type BoxImportCounts,
  BoxImportEntity,
  type Description,
  DescriptionEntity,
  MentionEntity,
} from './schema/box-tables.js'
import { DatasetEntity } from './schema/dataset-tables.js'
import { SystemEntity } from './schema/system-tables.js'

/** Number of images or descriptions that are checked against the database and written together. */
const CHUNK = 1_000

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
    const row = { datasetId, counts, createdAt: timeNow() }
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
