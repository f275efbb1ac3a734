import type { CaptionForm, CaptionSequences } from '../core/text/sequences.js'
import { damaged, toInt32Array } from './engine/blobs.js'
import { find } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, perEngine, raw, type Sql, sql } from './engine/sql.js'
import { type CaptionEntity, TokenEntity } from './schema/dataset-tables.js'
import type { JudgedCaptionEntity } from './schema/judgement-tables.js'
import type { SystemCaptionEntity } from './schema/system-tables.js'

/**
 * The token id of each text. New texts are added, with ascending ids in the order of `texts`. Tokens are never changed
 * or removed; on PostgreSQL, new tokens remain if the surrounding transaction is rolled back.
 *
 * @returns token ids aligned to `texts`
 */
export async function saveTokens(session: Session, texts: readonly string[]): Promise<Int32Array> {
  const ids = await findTokens(session, texts)
  const missing = texts.filter((text) => !ids.has(text))
  if (missing.length > 0) {
    const added = await session.independently((inner) => addTokens(inner, missing))
    for (const [text, id] of added) ids.set(text, id)
  }
  return Int32Array.from(texts, (text) => ids.get(text) as number)
}

/** Text of each token by its id; unused ids, such as 0, have the empty string. */
export async function readTokenTexts(session: Session): Promise<string[]> {
  const rows = await find(session, TokenEntity, sql`ORDER BY id`)
  const texts: string[] = ['']
  for (const { id, text } of rows) {
    while (texts.length < id) texts.push('')
    texts.push(text)
  }
  return texts
}

/** {@link readTokenTexts} when it is first called; later calls return the same texts. */
export function createTextReader(session: Session): () => Promise<readonly string[]> {
  let texts: Promise<string[]> | undefined
  return () => (texts ??= readTokenTexts(session))
}

/** Texts of tokens by id. */
export async function readTexts(session: Session, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await find(session, TokenEntity, sql`WHERE id ${among(ids)}`)
  return new Map(rows.map(({ id, text }) => [id, text]))
}

/** Ids of tokens by text; unknown ones are left out. */
export async function findTokens(session: Session, texts: readonly string[]): Promise<Map<string, number>> {
  const rows = await session.all<{ id: number; text: string }>(
    sql`SELECT id, text FROM token WHERE text ${among(texts)}`,
  )
  return new Map(rows.map(({ id, text }) => [text, id]))
}

/** Adds texts that are still unknown, one process at a time; on SQLite, transactions always run one at a time. */
async function addTokens(session: Session, texts: readonly string[]): Promise<Map<string, number>> {
  await session.all(
    perEngine({ sqlite: 'SELECT 1', postgres: "SELECT pg_advisory_xact_lock(hashtext('accord tokens'))" }),
  )
  const ids = await findTokens(session, texts)
  const added = [...new Set(texts)].filter((text) => !ids.has(text))
  if (added.length === 0) return ids
  const firstId = await session.reserveIds(TokenEntity, added.length)
  for (const [index, text] of added.entries()) ids.set(text, firstId + index)
  await session.insertMany(
    TokenEntity,
    ['id', 'text'],
    added.map((text, index) => [firstId + index, text]),
  )
  return ids
}

const COMMA = 44
const ZERO = 48
const BYTES_PER_TOKEN = Int32Array.BYTES_PER_ELEMENT

/** Captions as token ids, each with the id of its image. */
export interface TokenLists {
  readonly imageIds: Int32Array
  readonly sequences: CaptionSequences
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

/** What {@link readTokenLists} selects, after the tokens, of captions in a form. */
export const TEXT_COLUMN: Readonly<Record<CaptionForm, Sql>> = { tokens: raw(''), raw: raw(', text') }

const JOINED_TEXTS: Readonly<Record<CaptionForm, Sql>> = {
  tokens: raw(''),
  raw: perEngine({
    sqlite: ', json_group_array(text) AS texts',
    postgres: ', json_agg(text)::text AS texts',
  }),
}

type Captions = typeof CaptionEntity | typeof SystemCaptionEntity | typeof JudgedCaptionEntity

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
  return rows.map(({ id, imageId, tokens }) => ({ id, imageId, tokens: toInt32Array(tokens) }))
}

/**
 * Reads captions in one row, which takes a third of the time that a row for each of them takes.
 *
 * @param form in which they are read
 * @param captions a query that returns `image_id`, `tokens` and {@link TEXT_COLUMN} of captions of the entity in some order
 * @throws AccordError RESOURCE_MISSING if tokens are not whole numbers of 32 bits
 */
export async function readTokenLists(
  session: Session,
  entity: Captions,
  form: CaptionForm,
  captions: Sql,
): Promise<TokenLists> {
  const [joined] = await session.all<{
    imageIds: string | null
    lengths: string
    tokens: Buffer
    texts?: string
  }>(sql`SELECT ${JOINED}${JOINED_TEXTS[form]} FROM (${captions}) AS captions`)
  if (joined.imageIds === null) {
    return {
      imageIds: new Int32Array(0),
      sequences: { tokens: new Int32Array(0), offsets: new Int32Array(1) },
    }
  }
  const imageIds = parseNumbers(joined.imageIds)
  const lengths = parseNumbers(joined.lengths)
  if (lengths.some((length) => length % BYTES_PER_TOKEN !== 0))
    throw damaged(entity.name, undefined, 'tokens of 4 bytes')
  const offsets = new Int32Array(imageIds.length + 1)
  for (let index = 0; index < imageIds.length; index++)
    offsets[index + 1] = offsets[index] + lengths[index] / BYTES_PER_TOKEN
  const written = joined.texts === undefined ? {} : { written: JSON.parse(joined.texts) as string[] }
  return { imageIds, sequences: { tokens: toInt32Array(joined.tokens), offsets, ...written } }
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
