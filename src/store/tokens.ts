import { find } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, perEngine, sql } from './engine/sql.js'
import { TokenEntity } from './schema/entities.js'

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
