import type { TokenSequences } from '../core/text/sequences.js'
import { toInt32Array } from './engine/blobs.js'
import type { Session } from './engine/session.js'
import { perEngine, type Sql, sql } from './engine/sql.js'

const COMMA = 44
const ZERO = 48

/** Captions as token ids, each with the id of its image. */
export interface TokenLists {
  readonly imageIds: Int32Array
  readonly sequences: TokenSequences
}

/** All values of a column `id` in the order of the rows, as text for {@link parseNumbers}; null where there is none. */
export const JOINED_IDS = perEngine({ sqlite: 'group_concat(id)', postgres: "string_agg(id::text, ',')" })

// Aggregates in the order of their input. Binary values are joined as hexadecimal text by SQLite, which joins text only.
const JOINED = perEngine({
  sqlite: `group_concat(image_id) AS "imageIds", group_concat(length(tokens)) AS lengths,
           unhex(group_concat(hex(tokens), '')) AS tokens`,
  postgres: `string_agg(image_id::text, ',') AS "imageIds", string_agg(length(tokens)::text, ',') AS lengths,
             string_agg(tokens, ''::bytea) AS tokens`,
})

/**
 * Reads captions in one row, which takes a third of the time that a row for each of them takes.
 *
 * @param captions a query that returns `image_id` and `tokens` of captions in some order
 */
export async function readTokenLists(session: Session, captions: Sql): Promise<TokenLists> {
  const [joined] = await session.all<{ imageIds: string | null; lengths: string; tokens: Buffer }>(
    sql`SELECT ${JOINED} FROM (${captions}) AS captions`,
  )
  if (joined.imageIds === null) {
    return {
      imageIds: new Int32Array(0),
      sequences: { tokens: new Int32Array(0), offsets: new Int32Array(1) },
    }
  }
  const imageIds = parseNumbers(joined.imageIds)
  const offsets = new Int32Array(imageIds.length + 1)
  const lengths = parseNumbers(joined.lengths)
  for (let index = 0; index < lengths.length; index++) {
    offsets[index + 1] = offsets[index] + lengths[index] / 4
  }
  return { imageIds, sequences: { tokens: toInt32Array(joined.tokens), offsets } }
}

/** Numbers that are not negative, from text with commas between them. */
export function parseNumbers(list: string): Int32Array {
  let size = 1
  for (let i = 0; i < list.length; i++) if (list.charCodeAt(i) === COMMA) size++
  const numbers = new Int32Array(size)
  let index = 0
  for (let i = 0; i < list.length; i++) {
    const code = list.charCodeAt(i)
    if (code === COMMA) index++
    else numbers[index] = 10 * numbers[index] + code - ZERO
  }
  return numbers
}
