import type { Database } from './database.js'

/**
 * Gives each text its token id, a new one where the database has none; call inside the transaction that
 * writes what uses the ids.
 *
 * @returns token ids aligned to `texts`
 */
export function saveTokens(database: Database, texts: readonly string[]): Int32Array {
  const find = database.connection.prepare('SELECT id FROM token WHERE text = ?').pluck()
  const insert = database.connection.prepare('INSERT INTO token (text) VALUES (?)')
  return Int32Array.from(texts, (text) =>
    Number((find.get(text) as number | undefined) ?? insert.run(text).lastInsertRowid),
  )
}

/** Text of each token by its id; position 0 and ids that are not in use hold the empty string. */
export function readTokenTexts(database: Database): string[] {
  const rows = database.connection.prepare('SELECT id, text FROM token ORDER BY id').raw().iterate()
  const texts: string[] = ['']
  for (const [id, text] of rows as Iterable<[number, string]>) {
    while (texts.length < id) texts.push('')
    texts.push(text)
  }
  return texts
}

/** The highest token id in use, 0 where there is none. Tokens are never changed or removed. */
export function readLastToken(database: Database): number {
  return (database.connection.prepare('SELECT max(id) FROM token').pluck().get() as number | null) ?? 0
}

/** Texts of tokens by id. */
export function readTexts(database: Database, ids: readonly number[]): Map<number, string> {
  const rows = database.connection
    .prepare('SELECT id, text FROM token WHERE id IN (SELECT value FROM json_each(?))')
    .raw()
    .all(JSON.stringify(ids))
  return new Map(rows as [number, string][])
}
