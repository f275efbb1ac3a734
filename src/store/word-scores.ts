import { toInt32Array, toScores } from './blobs.js'
import type { Database } from './database.js'

/** What a system gave to images for one word; words of a dense file share one array of image ids. */
export interface StoredWordScores {
  readonly imageIds: Int32Array
  readonly scores: Float32Array | Float64Array
}

/** The scores of a system for words, by word; words that it has no scores for are left out. */
export function readWordScores(
  database: Database,
  systemId: number,
  wordIds: readonly number[],
): Map<number, StoredWordScores> {
  const rows = database.connection
    .prepare(
      `SELECT word_id, image_set_id, bytes_per_score, scores FROM word_scores
       WHERE system_id = ? AND word_id IN (SELECT value FROM json_each(?))`,
    )
    .raw()
    .all(systemId, JSON.stringify(wordIds)) as [number, number, number, Buffer][]
  const imageSets = readImageSets(database, new Set(rows.map(([, imageSetId]) => imageSetId)))
  return new Map(
    rows.map(([wordId, imageSetId, bytesPerScore, scores]) => [
      wordId,
      { imageIds: imageSets.get(imageSetId) as Int32Array, scores: toScores(scores, bytesPerScore) },
    ]),
  )
}

function readImageSets(database: Database, ids: ReadonlySet<number>): Map<number, Int32Array> {
  const rows = database.connection
    .prepare('SELECT id, image_ids FROM image_set WHERE id IN (SELECT value FROM json_each(?))')
    .raw()
    .all(JSON.stringify([...ids])) as [number, Buffer][]
  return new Map(rows.map(([id, imageIds]) => [id, toInt32Array(imageIds)]))
}
