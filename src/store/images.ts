import type { SelectQueryBuilder } from 'typeorm'
import type { TokenSequences } from '../text/sequences.js'
import { toSequences } from './blobs.js'
import type { Database } from './database.js'
import { type Caption, CaptionEntity, type Image, ImageEntity } from './entities.js'
import { type Page, type PageRequest, readPage } from './keyset.js'

/** What images to list; all conditions hold, absent ones and nulls restrict nothing. */
export interface ImageFilter {
  readonly externalIds?: readonly string[] | null
  readonly word?: string | null
  readonly minCaptionCount?: number | null
}

const BY_ID = { expression: 'image.id', direction: 'ASC' } as const

/** A page of a data set's images, in the order of the imported file. */
export function pageOfImages(
  database: Database,
  datasetId: number,
  filter: ImageFilter,
  request: PageRequest,
): Promise<Page<Image>> {
  return readPage(imagesWhere(database, datasetId, filter), 'image', BY_ID, request)
}

export function countOfImages(database: Database, datasetId: number, filter: ImageFilter): Promise<number> {
  return imagesWhere(database, datasetId, filter).getCount()
}

export function findImage(database: Database, datasetId: number, externalId: string): Promise<Image | null> {
  return database.source.getRepository(ImageEntity).findOneBy({ datasetId, externalId })
}

/** Images by id, in no particular order. */
export function findImages(database: Database, ids: readonly number[]): Promise<Image[]> {
  return images(database)
    .where('image.id IN (SELECT value FROM json_each(:ids))', { ids: JSON.stringify(ids) })
    .getMany()
}

/** Ids of a data set's images by external id. */
export function readImageIds(database: Database, datasetId: number): Map<string, number> {
  const rows = database.connection
    .prepare('SELECT external_id, id FROM image WHERE dataset_id = ? ORDER BY id')
    .raw()
    .all(datasetId)
  return new Map(rows as [string, number][])
}

/** Ids, ascending, of the images that the statistics count: those with K captions or more. */
export function readCountedImageIds(database: Database, datasetId: number): Int32Array {
  const ids = database.connection
    .prepare(
      `SELECT image.id FROM image JOIN dataset ON dataset.id = image.dataset_id
       WHERE dataset.id = ? AND image.caption_count >= dataset.captions_per_image ORDER BY image.id`,
    )
    .pluck()
    .all(datasetId)
  return Int32Array.from(ids as number[])
}

/** An image that uses a word. */
export interface WordImages {
  readonly wordId: number
  readonly imageId: number
}

/**
 * For each word, the first `limit` images behind `afterImageId` where exactly `captionCount` of the first K
 * captions use it; at least one where `captionCount` is undefined. Sorted by word, then image.
 */
export function readWordImages(
  database: Database,
  wordIds: readonly number[],
  captionCount: number | undefined,
  afterImageId: number,
  limit: number,
): WordImages[] {
  return database.connection
    .prepare(
      `SELECT wanted.value AS wordId, image.id AS imageId
       FROM json_each(@wordIds) AS wanted
       JOIN image ON image.id IN (${imagesOfWord(captionCount)})
       ORDER BY wordId, imageId`,
    )
    .all({ wordIds: JSON.stringify(wordIds), captionCount, afterImageId, limit }) as WordImages[]
}

// Correlated on wanted.value: the search stops after `limit` images of each word.
function imagesOfWord(captionCount: number | undefined): string {
  if (captionCount === 0) return IMAGES_WITHOUT_WORD
  const condition = captionCount === undefined ? '' : 'AND caption_count = @captionCount'
  return `SELECT image_id FROM image_word
          WHERE word_id = wanted.value ${condition} AND image_id > @afterImageId
          ORDER BY image_id LIMIT @limit`
}

// Images come in the order of their ids, which the unary plus and CROSS JOIN hold SQLite to, so that it can stop; for
// each, the word's use is looked up under every count, as the index of image_word has them.
const IMAGES_WITHOUT_WORD = `
  SELECT unused.id FROM word
  JOIN dataset ON dataset.id = word.dataset_id
  CROSS JOIN image AS unused
  WHERE word.id = wanted.value AND +unused.dataset_id = dataset.id
    AND unused.id > MAX(@afterImageId, (SELECT MIN(id) - 1 FROM image WHERE dataset_id = dataset.id))
    AND unused.caption_count >= dataset.captions_per_image
    AND NOT EXISTS (
      SELECT 1 FROM json_each(word.histogram) AS cell
      CROSS JOIN image_word ON image_word.word_id = word.id AND image_word.caption_count = cell.key
      WHERE cell.value > 0 AND cell.key > 0 AND image_word.image_id = unused.id
    )
  ORDER BY unused.id LIMIT @limit`

/** Captions of images, by image and position. */
export function readCaptions(database: Database, imageIds: readonly number[]): Promise<Caption[]> {
  return database.source
    .getRepository(CaptionEntity)
    .createQueryBuilder('caption')
    .addSelect('caption.tokens')
    .where('caption.imageId IN (SELECT value FROM json_each(:ids))', { ids: JSON.stringify(imageIds) })
    .orderBy('caption.imageId')
    .addOrderBy('caption.position')
    .getMany()
}

/** All human captions of a data set as token ids. */
export interface ReferenceCaptions {
  /** Ids of the images, ascending: the order of the imported file. */
  readonly imageIds: Int32Array
  /** Per image the index of its first caption, with one entry more than images. */
  readonly firstCaption: Int32Array
  /** The captions, by image and position. */
  readonly sequences: TokenSequences
}

/** Reads every caption of a data set, tokens only. */
export function readReferenceCaptions(database: Database, datasetId: number): ReferenceCaptions {
  const imageIds = Int32Array.from(readImageIds(database, datasetId).values())
  const rows = database.connection
    .prepare(
      `SELECT caption.image_id, caption.tokens FROM image
       JOIN caption ON caption.image_id = image.id
       WHERE image.dataset_id = ? ORDER BY caption.image_id, caption.position`,
    )
    .raw()
    .all(datasetId) as [number, Buffer][]
  const firstCaption = new Int32Array(imageIds.length + 1)
  let image = 0
  for (const [index, [imageId]] of rows.entries()) {
    while (imageIds[image] !== imageId) firstCaption[++image] = index
  }
  firstCaption.fill(rows.length, image + 1)
  return { imageIds, firstCaption, sequences: toSequences(rows.map(([, tokens]) => tokens)) }
}

/** How many of an image's first K captions use a word. */
export interface ImageUse {
  readonly wordId: number
  readonly imageId: number
  readonly captionCount: number
}

/** The images that use some words, in no particular order. */
export function readImageUse(database: Database, wordIds: readonly number[]): ImageUse[] {
  return database.connection
    .prepare(
      `SELECT word_id AS wordId, image_id AS imageId, caption_count AS captionCount FROM image_word
       WHERE word_id IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(wordIds)) as ImageUse[]
}

/** How many of each image's first K captions use a word: images that do not use it have no entry. */
export function readImageCounts(database: Database, wordId: number): Map<number, number> {
  const rows = database.connection
    .prepare('SELECT image_id, caption_count FROM image_word WHERE word_id = ?')
    .raw()
    .all(wordId)
  return new Map(rows as [number, number][])
}

function imagesWhere(database: Database, datasetId: number, filter: ImageFilter): SelectQueryBuilder<Image> {
  const { externalIds, word, minCaptionCount } = filter
  const query = images(database).where('image.datasetId = :datasetId', { datasetId })
  if (externalIds != null) {
    query.andWhere('image.externalId IN (SELECT value FROM json_each(:externalIds))', {
      externalIds: JSON.stringify(externalIds),
    })
  }
  if (word != null) {
    query.andWhere(
      `image.id IN (SELECT image_word.image_id FROM image_word JOIN word ON word.id = image_word.word_id
                    WHERE word.dataset_id = :datasetId AND word.text = :word)`,
      { word },
    )
  }
  if (minCaptionCount != null) query.andWhere('image.captionCount >= :minCaptionCount', { minCaptionCount })
  return query
}

function images(database: Database): SelectQueryBuilder<Image> {
  return database.source.getRepository(ImageEntity).createQueryBuilder('image')
}
