import { find } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { sql } from './engine/sql.js'
import { FrequenciesEntity } from './schema/entities.js'

/** Stores document frequencies of a file under the hash of its content. */
export async function saveFrequencies(session: Session, hash: string, content: Buffer): Promise<void> {
  await session.run(
    sql`INSERT INTO frequencies (hash, content) VALUES (${hash}, ${content}) ON CONFLICT (hash) DO NOTHING`,
  )
}

/** @throws Error if they are not stored */
export async function findFrequencies(session: Session, hash: string): Promise<Buffer> {
  const [row] = await find(session, FrequenciesEntity, sql`WHERE hash = ${hash}`, ['content'])
  if (row === undefined) throw new Error(`There are no document frequencies ${hash}.`)
  return row.content
}
