import type { WordCounts } from '../core/text/word-counts.js'
import type { ImageRange } from './caption-search.js'
import { toBlob, toInt32Array } from './engine/blobs.js'
import { mapRows } from './engine/rows.js'
import type { Rows, Session } from './engine/session.js'
import { among, raw, sql } from './engine/sql.js'
import { PostingEntity, type Word } from './schema/dataset-tables.js'
import { findWords } from './words.js'

/**
 * Postings: for each word, the images in which one of the first K captions uses it. They are stored in blocks of 65,536
 * image ids, so that datasets of any size are counted and written block by block, and a page of images is read without
 * the other blocks.
 */
export const BLOCK_BITS = 16

/** Images, with the number of their first K captions that use a word. */
export interface WordUses {
  /** Ids, ascending. */
  readonly imageIds: Int32Array
  /** One number for each image. */
  readonly captionCounts: Uint8Array
}

/** Images of one block that use a word. */
export interface Posting extends WordUses {
  readonly wordId: number
}

/** Number of images that `readWordImages` first examines to find images without a word. */
const MIN_CANDIDATES = 256

/** No image has this id or a higher one. */
const MAX_ID = 2 ** 31 - 1

/** Writes postings, one for each word and block. The words may follow in the same transaction. */
export function insertPostings(session: Session, postings: Rows<Posting>): Promise<void> {
  return session.insertMany(
    PostingEntity,
    ['wordId', 'block', 'imageIds', 'captionCounts'],
    mapRows(postings, ({ wordId, imageIds, captionCounts }) => [
      wordId,
      imageIds[0] >> BLOCK_BITS,
      toBlob(imageIds),
      toBlob(captionCounts),
    ]),
  )
}

/**
 * Converts counts, sorted by word and image, to postings.
 *
 * @param firstWordId id of word 0; those of the others follow
 * @param imageIds id of each image, ascending
 */
export function* toPostings(
  { words, images, captionCounts }: WordCounts,
  firstWordId: number,
  imageIds: Int32Array,
): Generator<Posting> {
  const blockAt = (index: number) => imageIds[images[index]] >> BLOCK_BITS
  let start = 0
  for (let end = 1; end <= words.length; end++) {
    if (end < words.length && words[end] === words[start] && blockAt(end) === blockAt(start)) continue
    yield {
      wordId: firstWordId + words[start],
      imageIds: images.subarray(start, end).map((image) => imageIds[image]),
      captionCounts: Uint8Array.from(captionCounts.subarray(start, end)),
    }
    start = end
  }
}

/**
 * The images that use each word, by word; words without images are omitted.
 *
 * @param range only blocks with images of this range
 */
export async function readImageCounts(
  session: Session,
  wordIds: readonly number[],
  range?: ImageRange,
): Promise<Map<number, WordUses>> {
  if (range) return readBlocks(session, wordIds, range.first >> BLOCK_BITS, range.last >> BLOCK_BITS)
  const rows = await session.all<PostingRow>(
    sql`SELECT ${COLUMNS} FROM posting WHERE word_id ${among(wordIds)} ORDER BY word_id, block`,
  )
  return groupPostings(rows)
}

/** At most `limit` images after `after` and before `before`; the first ones, or the last ones if `fromEnd` is true. */
export interface WordImagesRequest {
  readonly limit: number
  readonly after?: number
  readonly before?: number
  readonly fromEnd?: boolean
}

/**
 * For each word, the requested images in which exactly `captionCount` of the first K captions use it, or at least one
 * if `captionCount` is undefined. Ids ascend; words without such images are omitted.
 */
export async function readWordImages(
  session: Session,
  wordIds: readonly number[],
  captionCount: number | undefined,
  request: WordImagesRequest,
): Promise<Map<number, Int32Array>> {
  const words = await findWords(session, wordIds)
  const promising = words.filter(({ histogram, imageCount }) =>
    captionCount === undefined ? imageCount > 0 : (histogram[captionCount] ?? 0) > 0,
  )
  const images =
    captionCount === 0
      ? await readImagesWithout(session, promising, request)
      : await readImagesWith(session, promising, captionCount, request)
  const found = [...images].map(([wordId, ids]): [number, Int32Array] => [
    wordId,
    Int32Array.from(ids.slice(0, request.limit)).sort(),
  ])
  return new Map(found.filter(([, ids]) => ids.length > 0))
}

/** Reads blocks from one end, twice as many each time, until every word has enough images. */
async function readImagesWith(
  session: Session,
  words: readonly Word[],
  captionCount: number | undefined,
  { limit, after = 0, before = MAX_ID, fromEnd = false }: WordImagesRequest,
): Promise<Map<number, number[]>> {
  const images = new Map(words.map(({ id }): [number, number[]] => [id, []]))
  let first = Math.max(0, after) >> BLOCK_BITS
  let last = Math.min(before >> BLOCK_BITS, await readLastBlock(session, words))
  for (let blocks = 1; first <= last; blocks *= 2) {
    const wanted = unfilled(images, limit)
    if (wanted.length === 0) break
    const counts = fromEnd
      ? await readBlocks(session, wanted, last - blocks + 1, last)
      : await readBlocks(session, wanted, first, first + blocks - 1)
    for (const [wordId, { imageIds, captionCounts }] of counts) {
      const found = imageIds.filter(
        (id, index) =>
          id > after && id < before && (captionCount === undefined || captionCounts[index] === captionCount),
      )
      images.get(wordId)?.push(...nearest(found, limit, fromEnd))
    }
    if (fromEnd) last -= blocks
    else first += blocks
  }
  return images
}

/** Examines images from one end, more each time, until enough images without each word are found. */
async function readImagesWithout(
  session: Session,
  words: readonly Word[],
  { limit, after = 0, before = MAX_ID, fromEnd = false }: WordImagesRequest,
): Promise<Map<number, number[]>> {
  const images = new Map<number, number[]>()
  for (const datasetId of new Set(words.map((word) => word.datasetId))) {
    const inDataset = words.filter((word) => word.datasetId === datasetId)
    for (const { id } of inDataset) images.set(id, [])
    const own = new Map(inDataset.map(({ id }) => [id, images.get(id) as number[]]))
    let range = { after, before }
    for (let size = Math.max(MIN_CANDIDATES, 2 * limit); ; size = Math.min(2 * size, 1 << BLOCK_BITS)) {
      const wanted = unfilled(own, limit)
      if (wanted.length === 0) break
      const candidates = await readCandidates(session, datasetId, { ...range, fromEnd, limit: size })
      if (candidates.length === 0) break
      const [first, last] = [candidates[0], candidates[candidates.length - 1]]
      const counts = await readBlocks(session, wanted, first >> BLOCK_BITS, last >> BLOCK_BITS)
      for (const wordId of wanted) {
        const using = new Set(counts.get(wordId)?.imageIds)
        const found = candidates.filter((id) => !using.has(id))
        own.get(wordId)?.push(...nearest(found, limit, fromEnd))
      }
      range = fromEnd ? { ...range, before: first } : { ...range, after: last }
    }
  }
  return images
}

/** At most `limit` of ascending ids: the first ones, or the last ones in descending order. */
function nearest(ids: Int32Array, limit: number, fromEnd: boolean): Int32Array {
  return fromEnd ? ids.slice(Math.max(0, ids.length - limit)).reverse() : ids.subarray(0, limit)
}

function unfilled(images: ReadonlyMap<number, readonly number[]>, limit: number): number[] {
  return [...images].filter(([, ids]) => ids.length < limit).map(([wordId]) => wordId)
}

/** Ids of images included in the statistics, ascending. */
async function readCandidates(
  session: Session,
  datasetId: number,
  { after, before, fromEnd, limit }: Required<WordImagesRequest>,
): Promise<Int32Array> {
  const direction = raw(fromEnd ? 'DESC' : 'ASC')
  const rows = await session.all<{ id: number }>(
    sql`SELECT id FROM image
        WHERE dataset_id = ${datasetId} AND id > ${after} AND id < ${before}
          AND caption_count >= (SELECT captions_per_image FROM dataset WHERE id = ${datasetId})
        ORDER BY id ${direction} LIMIT ${limit}`,
  )
  return Int32Array.from(rows, ({ id }) => id).sort()
}

async function readLastBlock(session: Session, words: readonly Word[]): Promise<number> {
  const wordIds = words.map(({ id }) => id)
  const [{ last }] = await session.all<{ last: number | null }>(
    sql`SELECT max(block) AS last FROM posting WHERE word_id ${among(wordIds)}`,
  )
  return last ?? -1
}

interface PostingRow {
  readonly wordId: number
  readonly imageIds: Buffer
  readonly captionCounts: Buffer
}

const COLUMNS = sql`word_id AS "wordId", image_ids AS "imageIds", caption_counts AS "captionCounts"`

async function readBlocks(
  session: Session,
  wordIds: readonly number[],
  first: number,
  last: number,
): Promise<Map<number, WordUses>> {
  const rows = await session.all<PostingRow>(
    sql`SELECT ${COLUMNS} FROM posting
        WHERE word_id ${among(wordIds)} AND block BETWEEN ${first} AND ${last} ORDER BY word_id, block`,
  )
  return groupPostings(rows)
}

/** @param rows by word and block */
function groupPostings(rows: readonly PostingRow[]): Map<number, WordUses> {
  const counts = new Map<number, WordUses>()
  for (let start = 0, end = 0; start < rows.length; start = end) {
    while (rows[end]?.wordId === rows[start].wordId) end++
    const blocks = rows.slice(start, end)
    counts.set(rows[start].wordId, {
      imageIds: toInt32Array(Buffer.concat(blocks.map(({ imageIds }) => imageIds))),
      captionCounts: Uint8Array.from(Buffer.concat(blocks.map(({ captionCounts }) => captionCounts))),
    })
  }
  return counts
}
