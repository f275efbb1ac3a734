import { toBlob, toInt32Array, toScores } from './engine/blobs.js'
import { find, insertRows } from './engine/rows.js'
import type { Rows, Session } from './engine/session.js'
import { among, sql } from './engine/sql.js'
import { ImageSetEntity, WordScoresEntity } from './schema/system-tables.js'

/** A system's scores of images for one word; words of a dense file share one array of image ids. */
export interface StoredWordScores {
  readonly imageIds: Int32Array
  readonly scores: Float32Array | Float64Array
}

export interface NewWordScores extends StoredWordScores {
  readonly wordId: number
}

/** Sets of images that are read at once. */
const SETS_PER_READ = 100

/** Bytes of scores and image ids that are written together. */
const BATCH_BYTES = 1 << 22

/** Writes a system's word scores; each word occurs once. Consecutive words with the same image ids share a set. */
export async function insertWordScores(
  session: Session,
  systemId: number,
  scores: Rows<NewWordScores>,
): Promise<void> {
  let last: ImageSet | undefined
  let batch: Batch = { sets: [], rows: [] }
  let bytes = 0
  for await (const row of scores) {
    if (last?.imageIds !== row.imageIds) {
      last = { imageIds: row.imageIds, id: null }
      batch.sets.push(last)
      bytes += row.imageIds.byteLength
    }
    batch.rows.push({ ...row, set: last })
    bytes += row.scores.byteLength
    if (bytes < BATCH_BYTES) continue
    await insertBatch(session, systemId, batch)
    batch = { sets: [], rows: [] }
    bytes = 0
  }
  await insertBatch(session, systemId, batch)
}

/** A system's scores by word; words without scores are omitted. */
export async function readWordScores(
  session: Session,
  systemId: number,
  wordIds: readonly number[],
): Promise<Map<number, StoredWordScores>> {
  const rows = await find(
    session,
    WordScoresEntity,
    sql`WHERE system_id = ${systemId} AND word_id ${among(wordIds)}`,
    ['scores'],
  )
  const imageSets = await readImageSets(session, [...new Set(rows.map(({ imageSetId }) => imageSetId))])
  return new Map(
    rows.map(({ wordId, imageSetId, bytesPerScore, scores }) => [
      wordId,
      { imageIds: imageSets.get(imageSetId) as Int32Array, scores: toScores(scores, bytesPerScore) },
    ]),
  )
}

/** The images that systems have a score of, for each of some words. Words with the same images share one array. */
export async function readScoredImages(
  session: Session,
  systemIds: readonly number[],
  wordIds: readonly number[],
): Promise<{ readonly systemId: number; readonly wordId: number; readonly imageIds: Int32Array }[]> {
  const rows = await session.all<{ systemId: number; wordId: number; imageSetId: number }>(
    sql`SELECT system_id AS "systemId", word_id AS "wordId", image_set_id AS "imageSetId" FROM word_scores
        WHERE system_id ${among(systemIds)} AND word_id ${among(wordIds)}`,
  )
  const setIds = [...new Set(rows.map(({ imageSetId }) => imageSetId))]
  const imageSets = new Map<number, Int32Array>()
  for (let start = 0; start < setIds.length; start += SETS_PER_READ) {
    const sets = await readImageSets(session, setIds.slice(start, start + SETS_PER_READ))
    for (const [id, imageIds] of sets) imageSets.set(id, imageIds)
  }
  return rows.map(({ systemId, wordId, imageSetId }) => ({
    systemId,
    wordId,
    imageIds: imageSets.get(imageSetId) as Int32Array,
  }))
}

/** Ids, ascending, of the images that a system has a score of, for whichever word. */
export async function readScoredImageIds(session: Session, systemId: number): Promise<Int32Array> {
  const sets = await session.all<{ id: number }>(
    sql`SELECT DISTINCT image_set_id AS id FROM word_scores WHERE system_id = ${systemId}`,
  )
  const scored = new Set<number>()
  for (let start = 0; start < sets.length; start += SETS_PER_READ) {
    const ids = sets.slice(start, start + SETS_PER_READ).map(({ id }) => id)
    for (const imageIds of (await readImageSets(session, ids)).values()) {
      for (const id of imageIds) scored.add(id)
    }
  }
  return Int32Array.from(scored).sort()
}

/** Writes sets of image ids, which ascend. @returns the id of the first set; those of the others follow */
async function insertImageSets(
  session: Session,
  systemId: number,
  sets: readonly Int32Array[],
): Promise<number> {
  const firstId = await session.reserveIds(ImageSetEntity, sets.length)
  const rows = sets.map((imageIds, index) => ({ id: firstId + index, systemId, imageIds: toBlob(imageIds) }))
  await insertRows(session, ImageSetEntity, rows)
  return firstId
}

/** Sets of image ids by the id of the set. */
async function readImageSets(session: Session, ids: readonly number[]): Promise<Map<number, Int32Array>> {
  const rows = await find(session, ImageSetEntity, sql`WHERE id ${among(ids)}`, ['imageIds'])
  return new Map(rows.map(({ id, imageIds }) => [id, toInt32Array(imageIds)]))
}

interface ImageSet {
  readonly imageIds: Int32Array
  /** Null until it is written. */
  id: number | null
}

interface Batch {
  /** Sets that have not been written yet. */
  readonly sets: ImageSet[]
  readonly rows: (NewWordScores & { readonly set: ImageSet })[]
}

async function insertBatch(session: Session, systemId: number, { sets, rows }: Batch): Promise<void> {
  if (rows.length === 0) return
  if (sets.length > 0) {
    const firstId = await insertImageSets(
      session,
      systemId,
      sets.map(({ imageIds }) => imageIds),
    )
    for (const [index, set] of sets.entries()) set.id = firstId + index
  }
  await insertRows(
    session,
    WordScoresEntity,
    rows.map(({ wordId, scores, set }) => ({
      systemId,
      wordId,
      imageSetId: set.id as number,
      bytesPerScore: scores.BYTES_PER_ELEMENT,
      scores: toBlob(scores),
    })),
  )
}
