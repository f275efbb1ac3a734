import type { TokenSequences } from '../core/text/sequences.js'
import { toInt32Array } from './engine/blobs.js'
import { addWords, damaged, SEAL_BYTES, sealStart, unseal } from './engine/checksums.js'
import type { Session } from './engine/session.js'
import { perEngine, raw, type Sql, sql } from './engine/sql.js'
import type { CaptionEntity, JudgedCaptionEntity, SystemCaptionEntity } from './schema/entities.js'

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

/** A table of captions. */
type Captions = typeof CaptionEntity | typeof SystemCaptionEntity | typeof JudgedCaptionEntity

/** The tokens of a caption. */
export interface CaptionTokens {
  readonly id: number
  readonly imageId: number
  readonly tokens: Int32Array
}

/** Tokens of single captions. @param tail SQL after `FROM table` */
export async function readTokens(session: Session, entity: Captions, tail: Sql): Promise<CaptionTokens[]> {
  const rows = await session.all<{ id: number; imageId: number; tokens: Buffer }>(
    sql`SELECT id, image_id AS "imageId", tokens FROM ${raw(entity.name)} ${tail}`,
  )
  return rows.map(({ id, imageId, tokens }) => ({
    id,
    imageId,
    tokens: toInt32Array(unseal(entity, tokens, imageId)),
  }))
}

/**
 * Reads captions in one row, which takes a third of the time that a row for each of them takes.
 *
 * @param captions a query that returns `image_id` and `tokens` of captions of the entity in some order
 * @throws AccordError RESOURCE_MISSING for captions that differ from their checksums
 */
export async function readTokenLists(session: Session, entity: Captions, captions: Sql): Promise<TokenLists> {
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
  const sequences = unsealLists(imageIds, parseNumbers(joined.lengths), joined.tokens)
  if (!sequences) throw damaged(entity.name)
  return { imageIds, sequences }
}

/** Token lists without their checksums, which follow each of them; null if one differs from its checksum. */
function unsealLists(imageIds: Int32Array, lengths: Int32Array, bytes: Buffer): TokenSequences | null {
  const areWords = lengths.every((length) => length >= SEAL_BYTES && length % 4 === 0)
  if (!areWords || lengths.length !== imageIds.length || sum(lengths) !== bytes.length) return null
  const words = toInt32Array(bytes)
  const offsets = new Int32Array(imageIds.length + 1)
  let end = 0
  for (let index = 0; index < imageIds.length; index++) {
    const start = end
    end += lengths[index] / 4
    if (addWords(sealStart(imageIds[index]), words, start, end - 1) !== words[end - 1]) return null
    words.copyWithin(offsets[index], start, end - 1)
    offsets[index + 1] = offsets[index] + end - 1 - start
  }
  return { tokens: words.subarray(0, offsets[imageIds.length]), offsets }
}

function sum(numbers: Int32Array): number {
  return numbers.reduce((total, one) => total + one, 0)
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
