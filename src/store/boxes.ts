import type BetterSqlite3 from 'better-sqlite3'
import { AccordError, quote } from '../errors.js'
import type {
  BoxedImage,
  BoxSource,
  SystemDescription,
  Box as UnsavedBox,
  Description as UnsavedDescription,
} from '../selection/types.js'
import {
  type Box,
  BoxEntity,
  type BoxImport,
  type BoxImportCounts,
  BoxImportEntity,
  type Description,
} from './box-entities.js'
import { type Database, inTransaction } from './database.js'
import { In } from './typeorm.js'

/** An image of a data set before its boxes are known. */
export interface StoredImage {
  readonly id: number
  /** Pixels; null where it is not known. */
  readonly width: number | null
  readonly height: number | null
}

/** Images of a data set by external id. */
export function readStoredImages(database: Database, datasetId: number): Map<string, StoredImage> {
  const rows = database.connection
    .prepare('SELECT external_id, id, width, height FROM image WHERE dataset_id = ? ORDER BY id')
    .raw()
    .all(datasetId) as [string, number, number | null, number | null][]
  return new Map(rows.map(([externalId, id, width, height]) => [externalId, { id, width, height }]))
}

/**
 * Adds boxes, and human descriptions that name them, to images of a data set in one transaction. Images that the
 * data set does not have are left out and counted, with what belongs to them. Sizes are filled in where the data
 * set has none. A description is a caption of its image where that has its text; without a text, its id.
 *
 * @returns what was added and left out, which is stored as well
 * @throws AccordError UNKNOWN_IMAGE where the data set has none of the images, DUPLICATE_ID where it has a box or
 *   a description of the same image and id, INVALID_VALUE where it knows another size of an image
 */
export function insertBoxes(database: Database, datasetId: number, source: BoxSource): BoxImportCounts {
  return inTransaction(database, () => {
    const stored = readStoredImages(database, datasetId)
    const images = source.images.filter(({ imageId }) => stored.has(imageId))
    if (images.length === 0) throw noKnownImage(stored, source.images)
    const insertBox = boxWriter(database)
    const boxIds = new Map<string, ReadonlyMap<string, number>>()
    for (const image of images) {
      const row = stored.get(image.imageId)!
      fillSize(database, image, row)
      boxIds.set(image.imageId, new Map(image.boxes.map((box) => [box.id, insertBox(row.id, image, box)])))
    }
    const described = source.descriptions.filter(({ imageId }) => stored.has(imageId))
    const insertHuman = humanDescriptionWriter(database)
    let captions = 0
    for (const description of described) {
      const { imageId } = description
      if (insertHuman(stored.get(imageId)!.id, description, boxIds.get(imageId)!)) captions++
    }
    const counts: BoxImportCounts = {
      images: images.length,
      boxes: images.reduce((sum, { boxes }) => sum + boxes.length, 0),
      descriptions: described.length,
      captions,
      unknownImages: source.images.length - images.length,
      ...source.counts,
    }
    database.connection
      .prepare('INSERT INTO box_import (dataset_id, counts, created_at) VALUES (?, ?, ?)')
      .run(datasetId, JSON.stringify(counts), new Date().toISOString())
    return counts
  })
}

/**
 * Adds a system's descriptions, one per image, in one transaction. Where the system has a caption of the image,
 * the description is that caption.
 *
 * @param descriptions of images of the system's data set, naming boxes of these
 * @throws AccordError INVALID_VALUE where a text is not that of the system's caption
 */
export function insertSystemDescriptions(
  database: Database,
  datasetId: number,
  systemId: number,
  descriptions: readonly SystemDescription[],
): void {
  const { connection } = database
  const findBoxes = connection.prepare('SELECT external_id, id FROM box WHERE image_id = ?').raw()
  const findCaption = connection.prepare(
    'SELECT id, text FROM system_caption WHERE system_id = ? AND image_id = ?',
  )
  const insert = connection.prepare(
    'INSERT INTO description (image_id, system_id, system_caption_id, text) VALUES (?, ?, ?, ?)',
  )
  const insertMentions = mentionWriter(connection)
  inTransaction(database, () => {
    const stored = readStoredImages(database, datasetId)
    for (const description of descriptions) {
      const image = stored.get(description.imageId)!
      const caption = findCaption.get(systemId, image.id) as StoredText | undefined
      const text = description.sentence?.text ?? null
      if (caption && text !== null && caption.text !== text) throw notTheCaption(description, caption, text)
      const row = insert.run(image.id, systemId, caption?.id ?? null, caption ? null : text)
      const boxIds = new Map(findBoxes.all(image.id) as [string, number][])
      insertMentions(Number(row.lastInsertRowid), description, boxIds)
    }
  })
}

/** Whether a system has descriptions that name boxes. */
export function hasDescriptions(database: Database, systemId: number): boolean {
  return (
    database.connection.prepare('SELECT 1 FROM description WHERE system_id = ?').get(systemId) !== undefined
  )
}

/** Which of some data sets have an image with a box. */
export function readBoxedDatasets(database: Database, datasetIds: readonly number[]): Set<number> {
  const rows = database.connection
    .prepare(
      `SELECT wanted.value FROM json_each(?) AS wanted
       WHERE EXISTS (SELECT 1 FROM image JOIN box ON box.image_id = image.id WHERE image.dataset_id = wanted.value)`,
    )
    .pluck()
    .all(JSON.stringify(datasetIds))
  return new Set(rows as number[])
}

/** All images of a data set with their boxes, both in the order of the import. */
export function readBoxedImages(database: Database, datasetId: number): BoxedImage[] {
  const boxes = new Map<number, UnsavedBox[]>()
  const rows = database.connection
    .prepare(
      `SELECT box.image_id, box.external_id, box.concept, box.x, box.y, box.width, box.height
       FROM image JOIN box ON box.image_id = image.id WHERE image.dataset_id = ? ORDER BY box.id`,
    )
    .raw()
    .all(datasetId) as [number, string, string, number, number, number, number][]
  for (const [imageId, id, concept, ...bbox] of rows)
    entryOf(boxes, imageId, () => []).push({ id, concept, bbox })
  return [...readStoredImages(database, datasetId)].map(([imageId, { id, width, height }]) => ({
    imageId,
    ...(width === null || height === null ? { width: null, height: null } : { width, height }),
    boxes: boxes.get(id) ?? [],
  }))
}

/** What the human descriptions of a data set name, in the order of the import; without their sentences. */
export function readHumanDescriptions(database: Database, datasetId: number): UnsavedDescription[] {
  const rows = database.connection
    .prepare(
      `SELECT description.id, description.external_id, image.external_id, box.external_id
       FROM image
       JOIN description ON description.image_id = image.id AND description.system_id IS NULL
       LEFT JOIN mention ON mention.description_id = description.id
       LEFT JOIN box ON box.id = mention.box_id
       WHERE image.dataset_id = ? ORDER BY description.id, mention.position`,
    )
    .raw()
    .all(datasetId) as [number, string, string, string | null][]
  const descriptions: (UnsavedDescription & { mentions: string[] })[] = []
  let last: number | undefined
  for (const [descriptionId, id, imageId, boxId] of rows) {
    if (descriptionId !== last) descriptions.push({ id, imageId, mentions: [], sentence: null })
    if (boxId !== null) descriptions.at(-1)!.mentions.push(boxId)
    last = descriptionId
  }
  return descriptions
}

/** Per system with descriptions, by name, the ids of the boxes that it names in each image it describes. */
export function readSystemSelections(
  database: Database,
  datasetId: number,
  names?: readonly string[],
): Map<string, Map<string, string[]>> {
  const rows = database.connection
    .prepare(
      `SELECT system.name, image.external_id, box.external_id
       FROM system
       JOIN description ON description.system_id = system.id
       JOIN image ON image.id = description.image_id
       LEFT JOIN mention ON mention.description_id = description.id
       LEFT JOIN box ON box.id = mention.box_id
       WHERE system.dataset_id = @datasetId
         AND (@names IS NULL OR system.name IN (SELECT value FROM json_each(@names)))
       ORDER BY system.name, description.id, mention.position`,
    )
    .raw()
    .all({ datasetId, names: names ? JSON.stringify(names) : null }) as [string, string, string | null][]
  const systems = new Map<string, Map<string, string[]>>()
  for (const [system, imageId, boxId] of rows) {
    const selected = entryOf(
      entryOf(systems, system, () => new Map<string, string[]>()),
      imageId,
      () => [],
    )
    if (boxId !== null) selected.push(boxId)
  }
  return systems
}

/** Boxes of images, by image and in the order of the import. */
export function readBoxes(database: Database, imageIds: readonly number[]): Promise<Box[]> {
  return database.source
    .getRepository(BoxEntity)
    .createQueryBuilder('box')
    .where('box.imageId IN (SELECT value FROM json_each(:ids))', { ids: JSON.stringify(imageIds) })
    .orderBy('box.id')
    .getMany()
}

/** A human description with its text, which is that of the caption where it is one. */
export type HumanDescription = Pick<Description, 'id' | 'imageId' | 'captionId' | 'text'> & {
  readonly externalId: string
}

/** Human descriptions of images, in the order of the import. */
export function readDescriptions(database: Database, imageIds: readonly number[]): HumanDescription[] {
  return database.connection
    .prepare(
      `SELECT description.id, description.image_id AS imageId, description.external_id AS externalId,
              description.caption_id AS captionId, coalesce(caption.text, description.text) AS text
       FROM description LEFT JOIN caption ON caption.id = description.caption_id
       WHERE description.image_id IN (SELECT value FROM json_each(?)) AND description.system_id IS NULL
       ORDER BY description.id`,
    )
    .all(JSON.stringify(imageIds)) as HumanDescription[]
}

/** A system's description with its text, which is that of the system's caption where it is one. */
export type SystemDescriptionRow = Pick<Description, 'id' | 'imageId' | 'text'> & {
  readonly systemId: number
}

/** Systems' descriptions of images, by name of the system; of all systems where `names` is absent. */
export function readSystemDescriptions(
  database: Database,
  imageIds: readonly number[],
  names?: readonly string[],
): SystemDescriptionRow[] {
  return database.connection
    .prepare(
      `SELECT description.id, description.image_id AS imageId, description.system_id AS systemId,
              coalesce(system_caption.text, description.text) AS text
       FROM description
       JOIN system ON system.id = description.system_id
       LEFT JOIN system_caption ON system_caption.id = description.system_caption_id
       WHERE description.image_id IN (SELECT value FROM json_each(@imageIds))
         AND (@names IS NULL OR system.name IN (SELECT value FROM json_each(@names)))
       ORDER BY system.name`,
    )
    .all({
      imageIds: JSON.stringify(imageIds),
      names: names ? JSON.stringify(names) : null,
    }) as SystemDescriptionRow[]
}

/** A mention and the row that it is asked for by. */
export interface OwnedMention {
  /** Id of the description, caption or system caption. */
  readonly ownerId: number
  readonly start: number | null
  readonly end: number | null
  /** The words that name the box; null where the source does not say which. */
  readonly text: string | null
  readonly box: Box
}

/** What mentions are asked for by. */
export type MentionOwner = 'description' | 'caption' | 'systemCaption'

const OWNER_COLUMNS = {
  description: 'description.id',
  caption: 'description.caption_id',
  systemCaption: 'description.system_caption_id',
} as const satisfies Record<MentionOwner, string>

/** Mentions of descriptions or captions, by these and in the order named. */
export function readMentions(
  database: Database,
  owner: MentionOwner,
  ids: readonly number[],
): OwnedMention[] {
  const rows = database.connection
    .prepare(
      `SELECT ${OWNER_COLUMNS[owner]} AS ownerId, mention.span_start AS start, mention.span_end AS "end",
              coalesce(caption.text, system_caption.text, description.text) AS sentence,
              box.id, box.image_id AS imageId, box.external_id AS externalId, box.concept,
              box.x, box.y, box.width, box.height
       FROM description
       JOIN mention ON mention.description_id = description.id
       JOIN box ON box.id = mention.box_id
       LEFT JOIN caption ON caption.id = description.caption_id
       LEFT JOIN system_caption ON system_caption.id = description.system_caption_id
       WHERE ${OWNER_COLUMNS[owner]} IN (SELECT value FROM json_each(?))
       ORDER BY ownerId, mention.position`,
    )
    .all(JSON.stringify(ids)) as (Box & Omit<OwnedMention, 'box' | 'text'> & { sentence: string | null })[]
  return rows.map(({ ownerId, start, end, sentence, ...box }) => ({
    ownerId,
    start,
    end,
    text: start === null || end === null ? null : (sentence?.slice(start, end) ?? null),
    box,
  }))
}

/** Imports of boxes into data sets, oldest first. */
export function readBoxImports(database: Database, datasetIds: readonly number[]): Promise<BoxImport[]> {
  return database.source
    .getRepository(BoxImportEntity)
    .find({ where: { datasetId: In(datasetIds) }, order: { id: 'ASC' } })
}

interface StoredText {
  readonly id: number
  readonly text: string
}

function boxWriter({
  connection,
}: Database): (imageId: number, image: BoxedImage, box: UnsavedBox) => number {
  const find = connection.prepare('SELECT 1 FROM box WHERE image_id = ? AND external_id = ?')
  const insert = connection.prepare(
    'INSERT INTO box (image_id, external_id, concept, x, y, width, height) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  return (imageId, image, { id, concept, bbox }) => {
    if (find.get(imageId, id)) throw duplicate('box', id, image.imageId)
    return Number(insert.run(imageId, id, concept, ...bbox).lastInsertRowid)
  }
}

/** The function that it gives writes a description, and says whether it is a caption. */
function humanDescriptionWriter({
  connection,
}: Database): (
  imageId: number,
  description: UnsavedDescription,
  boxIds: ReadonlyMap<string, number>,
) => boolean {
  const find = connection.prepare('SELECT 1 FROM description WHERE image_id = ? AND external_id = ?')
  // Of captions with the same text, the one with the same id comes first.
  const findCaption = connection
    .prepare(
      `SELECT caption.id FROM caption
       WHERE caption.image_id = @imageId
         AND CASE WHEN @text IS NULL THEN caption.external_id = @id ELSE caption.text = @text END
         AND NOT EXISTS (SELECT 1 FROM description WHERE description.caption_id = caption.id)
       ORDER BY caption.external_id = @id DESC, caption.position LIMIT 1`,
    )
    .pluck()
  const insert = connection.prepare(
    'INSERT INTO description (image_id, external_id, caption_id, text) VALUES (?, ?, ?, ?)',
  )
  const insertMentions = mentionWriter(connection)
  return (imageId, description, boxIds) => {
    const { id } = description
    if (find.get(imageId, id)) throw duplicate('description', id, description.imageId)
    const text = description.sentence?.text ?? null
    const captionId = findCaption.get({ imageId, id, text }) as number | undefined
    const isCaption = captionId !== undefined
    const { lastInsertRowid } = insert.run(imageId, id, captionId ?? null, isCaption ? null : text)
    insertMentions(Number(lastInsertRowid), description, boxIds)
    return isCaption
  }
}

function mentionWriter(
  connection: BetterSqlite3.Database,
): (
  descriptionId: number,
  description: Pick<UnsavedDescription, 'mentions' | 'sentence'>,
  boxIds: ReadonlyMap<string, number>,
) => void {
  const insert = connection.prepare(
    'INSERT INTO mention (description_id, position, box_id, span_start, span_end) VALUES (?, ?, ?, ?, ?)',
  )
  return (descriptionId, { mentions, sentence }, boxIds) => {
    // A sentence without links says nothing of where its mentions are.
    const spans = sentence?.mentions.flatMap(({ boxIds: named, ...span }) => named.map(() => span)) ?? []
    for (const [position, boxId] of mentions.entries()) {
      const span = spans[position]
      insert.run(descriptionId, position, boxIds.get(boxId), span?.start ?? null, span?.end ?? null)
    }
  }
}

/** Takes over the size of an image that had none. */
function fillSize({ connection }: Database, { imageId, width, height }: BoxedImage, row: StoredImage): void {
  if (width === null || height === null) return
  if (row.width === null || row.height === null) {
    connection.prepare('UPDATE image SET width = ?, height = ? WHERE id = ?').run(width, height, row.id)
  } else if (row.width !== width || row.height !== height) {
    throw new AccordError('INVALID_VALUE', 'the data set knows another size of the image', {
      place: `image ${imageId}`,
      expected: `${row.width} × ${row.height} pixels`,
      found: `${width} × ${height}`,
    })
  }
}

function noKnownImage(stored: ReadonlyMap<string, StoredImage>, images: readonly BoxedImage[]): AccordError {
  const [known] = stored.keys()
  return new AccordError('UNKNOWN_IMAGE', 'the data set has none of these images', {
    place: 'images',
    expected: known === undefined ? 'images of the data set' : `image ids such as ${quote(known)}`,
    found: images.length === 0 ? 'no images' : quote(images[0].imageId),
  })
}

function duplicate(what: 'box' | 'description', id: string, imageId: string): AccordError {
  return new AccordError('DUPLICATE_ID', `the data set has a ${what} of this id already`, {
    place: `image ${imageId}`,
    expected: 'a new id',
    found: quote(id),
  })
}

function notTheCaption({ imageId }: SystemDescription, caption: StoredText, text: string): AccordError {
  return new AccordError('INVALID_VALUE', "the description is not the system's caption of the image", {
    place: `image ${imageId}`,
    expected: quote(caption.text),
    found: quote(text),
  })
}

/** The entry of a key, made where there is none. */
function entryOf<Key, Value>(entries: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = entries.get(key)
  if (known !== undefined) return known
  const made = make()
  entries.set(key, made)
  return made
}
