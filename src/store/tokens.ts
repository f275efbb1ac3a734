import { TokenEntity } from './entities.js'
import type { Session } from './session.js'
import { among, perEngine, sql } from './sql.js'

/**
 * The token id of each text; texts that the database does not have get new ids, ascending in the order of `texts`.
 * Tokens are never changed or removed: new ones stay when the surrounding transaction is undone, except on SQLite.
 *
 * @returns token ids aligned to `texts`
 */
export async function saveTokens(session: Session, texts: readonly string[]): Promise<Int32Array> {
  const ids = await readIds(session, texts)
  const missing = texts.filter((text) => !ids.has(text))
  if (missing.length > 0) {
    const added = await session.independently((inner) => addTokens(inner, missing))
    for (const [text, id] of added) ids.set(text, id)
  }
  return Int32Array.from(texts, (text) => ids.get(text) as number)
}

/** Text of each token by its id; position 0 and ids that are not in use hold the empty string. */
export async function readTokenTexts(session: Session): Promise<string[]> {
  const rows = await session.all<{ id: number; text: string }>(sql`SELECT id, text FROM token ORDER BY id`)
  const texts: string[] = ['']
  for (const { id, text } of rows) {
    while (texts.length < id) texts.push('')
    texts.push(text)
  }
  return texts
}

/** The highest token id in use, 0 where there is none. Tokens are never changed or removed. */
export async function readLastToken(session: Session): Promise<number> {
  const [{ last }] = await session.all<{ last: number | null }>(sql`SELECT max(id) AS last FROM token`)
  return last ?? 0
}

/** Texts of tokens by id. */
export async function readTexts(session: Session, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await session.all<{ id: number; text: string }>(
    sql`SELECT id, text FROM token WHERE id ${among(ids)}`,
  )
  return new Map(rows.map(({ id, text }) => [id, text]))
}

async function readIds(session: Session, texts: readonly string[]): Promise<Map<string, number>> {
  const rows = await session.all<{ id: number; text: string }>(
    sql`SELECT id, text FROM token WHERE text ${among(texts)}`,
  )
  return new Map(rows.map(({ id, text }) => [text, id]))
}

/** Adds the texts that nobody has added meanwhile; one process at a time, which on SQLite every transaction is. */
async function addTokens(session: Session, texts: readonly string[]): Promise<Map<string, number>> {
  await session.all(
    perEngine({ sqlite: 'SELECT 1', postgres: "SELECT pg_advisory_xact_lock(hashtext('accord tokens'))" }),
  )
  const ids = await readIds(session, texts)
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
