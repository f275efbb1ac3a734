import { type CaptionForm, type CaptionSequences, concatenate } from '../core/text/sequences.js'
import { yieldToEventLoop } from '../event-loop.js'
import * as captionSearch from './caption-search.js'
import { damaged, toBlob } from './engine/blobs.js'
import { type Order, type PagedRows, pagedRows } from './engine/keyset.js'
import { columnsOf, decode, find, findOne, insertRows, mapRows, rowsBy } from './engine/rows.js'
import type { Rows, Session } from './engine/session.js'
import { among, EMPTY, perEngine, raw, type Sql, sql, where } from './engine/sql.js'
import { rangesOfImages } from './image-ranges.js'
import { readImageCounts } from './postings.js'
import { type Caption, CaptionEntity, type Image, ImageEntity } from './schema/dataset-tables.js'
import {
  type CaptionTokens,
  JOINED_IDS,
  parseNumbers,
  readTokenLists,
  readTokens,
  TEXT_COLUMN,
} from './tokens.js'
import { findWord, inRange, type Range } from './words.js'

export type NewImage = Omit<Image, 'id' | 'datasetId'>

export interface NewCaption extends Omit<Caption, 'id' | 'tokens'> {
  readonly tokens: Int32Array
}

/** Conditions on images, combined by AND. Absent and null conditions are ignored. */
export interface ImageFilter {
  readonly externalIds?: readonly string[] | null
  readonly word?: string | null
  /** Of one human caption. */
  readonly captionWords?: captionSearch.WordSearch | null
  /** Of the caption of a system. */
  readonly systemCaption?: { readonly systemId: number; readonly search: captionSearch.WordSearch } | null
  /** Number of human captions. */
  readonly captionCount?: Range | null
}

/** Number of images whose captions are read together. */
const IMAGES_PER_READ = 8192

/** Reserves ids for images. @returns the first of `count` consecutive ids */
export function reserveImageIds(session: Session, count: number): Promise<number> {
  return session.reserveIds(ImageEntity, count)
}

/** Writes images with the reserved ids `firstId`, `firstId` + 1, …, in the order of the imported file. */
export function insertImages(
  session: Session,
  datasetId: number,
  firstId: number,
  images: Rows<NewImage>,
): Promise<void> {
  let id = firstId
  return insertRows(
    session,
    ImageEntity,
    mapRows(images, (image) => ({ ...image, id: id++, datasetId })),
  )
}

/** Writes human captions, all those of an image in one call. */
export async function insertCaptions(session: Session, captions: Rows<NewCaption>): Promise<void> {
  const range = captionSearch.emptyRange()
  await session.insertMany(
    CaptionEntity,
    ['imageId', 'position', 'externalId', 'text', 'tokens'],
    mapRows(captions, ({ imageId, position, externalId, text, tokens }) => {
      captionSearch.extend(range, imageId)
      return [imageId, position, externalId, text, toBlob(tokens)]
    }),
  )
  await captionSearch.indexCaptions(session, range)
}

export type ImageProperty = keyof Image & string

/**
 * A dataset's images, in the order of the imported file.
 *
 * @param only the properties that the rows have. Default: all
 */
export async function pagedImages(
  session: Session,
  datasetId: number,
  filter: ImageFilter,
  only?: readonly ImageProperty[],
): Promise<PagedRows<Image>> {
  const conditions = await imageConditions(session, datasetId, filter)
  const order: Order = { expression: sql`image.id`, type: 'integer', direction: 'ASC' }
  return pagedRows(session, { entity: ImageEntity, only, conditions, order })
}

export function findImage(session: Session, datasetId: number, externalId: string): Promise<Image | null> {
  return findOne(session, ImageEntity, sql`WHERE dataset_id = ${datasetId} AND external_id = ${externalId}`)
}

export const findImages = rowsBy(ImageEntity, 'id')

/** Ids of a dataset's images by external id, ascending; of all images if `externalIds` is absent. */
export async function readImageIds(
  session: Session,
  datasetId: number,
  externalIds?: readonly string[],
): Promise<Map<string, number>> {
  const rows = await session.all<{ id: number; externalId: string }>(
    sql`SELECT id, external_id AS "externalId" FROM image
        WHERE dataset_id = ${datasetId} ${externalIds ? sql`AND external_id ${among(externalIds)}` : EMPTY}
        ORDER BY id`,
  )
  return new Map(rows.map(({ id, externalId }) => [externalId, id]))
}

/** The images of a dataset by external id, ascending by id, with what a file may call them. */
export async function readDescribedImages(
  session: Session,
  datasetId: number,
): Promise<{
  readonly ids: Map<string, number>
  readonly fileNames: Map<string, string>
  readonly uncaptioned: Set<string>
  readonly imgids: Map<string, string>
}> {
  const rows = await find(session, ImageEntity, sql`WHERE dataset_id = ${datasetId} ORDER BY id`, [
    ...(['id', 'externalId', 'fileName', 'captionCount', 'fields'] as const),
  ])
  return {
    ids: new Map(rows.map(({ id, externalId }) => [externalId, id])),
    fileNames: new Map(
      rows.flatMap(({ externalId, fileName }) => (fileName === null ? [] : [[externalId, fileName]])),
    ),
    uncaptioned: new Set(
      rows.flatMap(({ externalId, captionCount }) => (captionCount === 0 ? [externalId] : [])),
    ),
    imgids: new Map(
      rows.flatMap(({ externalId, fields }) =>
        fields?.imgid === undefined ? [] : [[externalId, fields.imgid]],
      ),
    ),
  }
}

/** The fields of all images of a dataset by id, ascending; none for an image without. */
export async function readImageFields(
  session: Session,
  datasetId: number,
): Promise<Map<number, Readonly<Record<string, string>>>> {
  const all = new Map<number, Readonly<Record<string, string>>>()
  for (const { first, last } of await rangesOfImages(session, datasetId)) {
    await yieldToEventLoop()
    const images = await find(
      session,
      ImageEntity,
      sql`WHERE dataset_id = ${datasetId} AND id BETWEEN ${first} AND ${last} ORDER BY id`,
      ['id', 'fields'],
    )
    for (const { id, fields } of images) all.set(id, fields ?? {})
  }
  return all
}

/** External ids of images of a dataset. @param imageIds ascending */
export async function readExternalIds(
  session: Session,
  datasetId: number,
  imageIds: ArrayLike<number>,
): Promise<string[]> {
  if (imageIds.length === 0) return []
  const range = { first: imageIds[0], last: imageIds[imageIds.length - 1] }
  const images = sql`SELECT id, external_id FROM image WHERE dataset_id = ${datasetId} AND ${between(range)} ORDER BY id`
  const [{ ids, texts }] = await session.all<{ ids: string | null; texts: string }>(
    sql`SELECT ${JOINED_IDS} AS ids, ${JOINED_TEXTS} AS texts FROM (${images}) AS images`,
  )
  const all = ids === null ? new Int32Array(0) : parseNumbers(ids)
  const externalIds: readonly string[] = JSON.parse(texts)
  let row = 0
  return Array.from(imageIds, (id) => {
    while (all[row] < id) row++
    return externalIds[row]
  })
}

/** External ids as JSON: reading one value is faster than reading a row for each. */
const JOINED_TEXTS = perEngine({
  sqlite: 'json_group_array(external_id)',
  postgres: `COALESCE(json_agg(external_id)::text, '[]')`,
})

/** Ids of a dataset's images, ascending. */
export async function listImageIds(
  session: Session,
  datasetId: number,
  filter: ImageFilter = {},
): Promise<Int32Array> {
  const conditions = await imageConditions(session, datasetId, filter)
  const images = sql`SELECT image.id FROM image ${where(conditions)} ORDER BY image.id`
  const [{ ids }] = await session.all<{ ids: string | null }>(
    sql`SELECT ${JOINED_IDS} AS ids FROM (${images}) AS images`,
  )
  return ids === null ? new Int32Array(0) : parseNumbers(ids)
}

/** Ids, ascending, of the images included in the statistics: those with at least K captions. */
export async function readCountedImageIds(session: Session, datasetId: number): Promise<Int32Array> {
  const rows = await session.all<{ id: number }>(
    sql`SELECT image.id FROM image JOIN dataset ON dataset.id = image.dataset_id
        WHERE dataset.id = ${datasetId} AND image.caption_count >= dataset.captions_per_image ORDER BY image.id`,
  )
  return Int32Array.from(rows, ({ id }) => id)
}

/** How many of some images the statistics count. @param imageIds ids by external id */
export async function countCounted(
  session: Session,
  datasetId: number,
  externalIds: readonly string[],
  imageIds: ReadonlyMap<string, number>,
): Promise<number> {
  if (externalIds.length === 0) return 0
  const counted = new Set(await readCountedImageIds(session, datasetId))
  return externalIds.filter((externalId) => counted.has(imageIds.get(externalId) as number)).length
}

export type CaptionText = Omit<Caption, 'tokens'>

/** A column of a caption without its tokens. */
export type CaptionProperty = keyof CaptionText & string

/**
 * Captions of images without their tokens, by image and position.
 *
 * @param only the properties that the rows have. Default: all but the tokens
 */
export async function readCaptions(
  session: Session,
  imageIds: readonly number[],
  only?: readonly CaptionProperty[],
): Promise<CaptionText[]> {
  const rows = await session.all<CaptionText>(
    sql`SELECT ${columnsOf(CaptionEntity, [], only)} FROM caption
        WHERE image_id ${among(imageIds)} ORDER BY image_id, position`,
  )
  return decode(CaptionEntity, rows)
}

/** Tokens of the captions of images, by image and position. */
export function readTokensOfImages(session: Session, imageIds: readonly number[]): Promise<CaptionTokens[]> {
  return readTokens(
    session,
    CaptionEntity,
    sql`WHERE image_id ${among(imageIds)} ORDER BY image_id, position`,
  )
}

/** Tokens of human captions, in no particular order. */
export function readCaptionTokens(session: Session, captionIds: readonly number[]): Promise<CaptionTokens[]> {
  return readTokens(session, CaptionEntity, sql`WHERE id ${among(captionIds)}`)
}

/** A dataset's human captions, by image and position. */
export async function pagedCaptions(
  session: Session,
  datasetId: number,
  search: captionSearch.WordSearch,
): Promise<PagedRows<CaptionText>> {
  const found = await captionSearch.searchConditions(session, 'caption', search)
  const conditions = [sql`image.dataset_id = ${datasetId}`, ...found]
  const joins = sql`JOIN image ON image.id = caption.image_id`
  const order: Order = { expression: sql`caption.id`, type: 'integer', direction: 'ASC' }
  return pagedRows(session, { entity: CaptionEntity, joins, conditions, order })
}

export const findCaptions = rowsBy(CaptionEntity, 'id')

/** Mean number of tokens of the human captions of a dataset; null for none. */
export async function readMeanLength(session: Session, datasetId: number): Promise<number | null> {
  const [{ length }] = await session.all<{ length: number | null }>(
    sql`SELECT CAST(AVG(length(caption.tokens)) / 4 AS double precision) AS length
        FROM image JOIN caption ON caption.image_id = image.id WHERE image.dataset_id = ${datasetId}`,
  )
  return length
}

/** Human captions of a dataset as token ids. */
export interface ReferenceCaptions {
  /** Ids of the images, ascending: the order of the imported file. */
  readonly imageIds: Int32Array
  /** Index of the first caption of each image; the last entry is the number of captions. */
  readonly firstCaption: Int32Array
  /** The captions, by image and position. */
  readonly sequences: CaptionSequences
}

/**
 * Reads the captions of a dataset's images as tokens, and as they are written where `form` is `raw`. Default range: all images.
 *
 * @throws AccordError RESOURCE_MISSING if captions or images differ from what was written
 */
export async function readReferenceCaptions(
  session: Session,
  datasetId: number,
  range?: captionSearch.ImageRange,
  form: CaptionForm = 'tokens',
): Promise<ReferenceCaptions> {
  const { imageIds, captionCounts } = await readCaptionCounts(session, datasetId, range)
  const firstCaption = new Int32Array(imageIds.length + 1)
  const parts: CaptionSequences[] = []
  let captionCount = 0
  for (let start = 0; start < imageIds.length; start += IMAGES_PER_READ) {
    const end = Math.min(start + IMAGES_PER_READ, imageIds.length)
    const images = { first: imageIds[start], last: imageIds[end - 1] }
    const read = await readTokenLists(
      session,
      CaptionEntity,
      form,
      sql`SELECT caption.image_id, caption.tokens${TEXT_COLUMN[form]} FROM image
          JOIN caption ON caption.image_id = image.id AND ${captionsBetween(images)}
          WHERE image.dataset_id = ${datasetId} AND ${between(images)}
          ORDER BY caption.image_id, caption.position`,
    )
    let image = start
    firstCaption[image] = captionCount
    for (const imageId of read.imageIds) {
      while (imageIds[image] !== imageId) firstCaption[++image] = captionCount
      captionCount++
    }
    firstCaption.fill(captionCount, image + 1, end + 1)
    parts.push(read.sequences)
  }
  if (captionCounts.some((count, image) => count !== firstCaption[image + 1] - firstCaption[image]))
    throw damaged(CaptionEntity.name)
  return { imageIds, firstCaption, sequences: concatenate(parts) }
}

/** The images of a dataset with the numbers of their captions. Default range: all images. */
async function readCaptionCounts(session: Session, datasetId: number, range?: captionSearch.ImageRange) {
  const images = sql`SELECT id, caption_count FROM image
                     WHERE dataset_id = ${datasetId} ${range ? sql`AND ${between(range)}` : EMPTY} ORDER BY id`
  const [{ ids, counts, imageCount }] = await session.all<{
    ids: string | null
    counts: string
    imageCount: number | null
  }>(
    sql`SELECT ${JOINED_IDS} AS ids, ${JOINED_COUNTS} AS counts,
               (SELECT image_count FROM dataset WHERE id = ${datasetId}) AS "imageCount"
        FROM (${images}) AS images`,
  )
  const [imageIds, captionCounts] = ids === null ? NO_IMAGES : [parseNumbers(ids), parseNumbers(counts)]
  if (!range && imageIds.length !== (imageCount ?? 0)) throw damaged(ImageEntity.name)
  return { imageIds, captionCounts }
}

const NO_IMAGES = [new Int32Array(0), new Int32Array(0)] as const

const JOINED_COUNTS = perEngine({
  sqlite: 'group_concat(caption_count)',
  postgres: "string_agg(caption_count::text, ',')",
})

async function imageConditions(
  session: Session,
  datasetId: number,
  { externalIds, word, captionWords, systemCaption, captionCount }: ImageFilter,
): Promise<Sql[]> {
  const conditions = [sql`image.dataset_id = ${datasetId}`]
  if (externalIds != null) conditions.push(sql`image.external_id ${among(externalIds)}`)
  if (word != null) conditions.push(sql`image.id ${among(await imagesWithWord(session, datasetId, word))}`)
  if (captionWords != null) {
    const found = await captionSearch.searchConditions(session, 'caption', captionWords)
    // Without words there is no index: of all captions those of the dataset are read.
    if (captionSearch.tokensOf(captionWords).length === 0) found.push(captionsOf(datasetId))
    conditions.push(sql`image.id IN (SELECT caption.image_id FROM caption ${where(found)})`)
  }
  if (systemCaption != null) {
    const { systemId, search } = systemCaption
    const found = await captionSearch.searchConditions(session, 'systemCaption', search)
    conditions.push(
      sql`image.id IN (
        SELECT system_caption.image_id FROM system_caption
        ${where([sql`system_caption.system_id = ${systemId}`, ...found])})`,
    )
  }
  return [...conditions, ...inRange(sql`image.caption_count`, captionCount)]
}

/** The images of a dataset have consecutive ids. */
function captionsOf(datasetId: number): Sql {
  const end = (which: 'MIN' | 'MAX') =>
    sql`(SELECT ${raw(which)}(id) FROM image WHERE dataset_id = ${datasetId})`
  return sql`caption.image_id BETWEEN ${end('MIN')} AND ${end('MAX')}`
}

async function imagesWithWord(session: Session, datasetId: number, text: string): Promise<number[]> {
  const word = await findWord(session, datasetId, text)
  if (!word) return []
  const counts = await readImageCounts(session, [word.id])
  return Array.from(counts.get(word.id)?.imageIds ?? [])
}

function between({ first, last }: captionSearch.ImageRange): Sql {
  return sql`image.id BETWEEN ${first} AND ${last}`
}

/** The same of captions: PostgreSQL otherwise scans the captions of all datasets. */
function captionsBetween({ first, last }: captionSearch.ImageRange): Sql {
  return sql`caption.image_id BETWEEN ${first} AND ${last}`
}
