import { LRUCache } from 'lru-cache'
import type { Database } from '../../store/engine/session.js'
import type { Dataset } from '../../store/schema/entities.js'

/**
 * Figures of databases that this process keeps in memory, by what they were computed from.
 *
 * @param max number of entries of each database; the least recently used ones are removed
 */
export function createMemory<Figure extends object>(
  max: number,
): (database: Database) => LRUCache<string, Figure> {
  const memories = new WeakMap<Database, LRUCache<string, Figure>>()
  return (database) => {
    const memory = memories.get(database) ?? new LRUCache<string, Figure>({ max })
    memories.set(database, memory)
    return memory
  }
}

/**
 * A function that reads values by a number, and keeps them in memory for as long as the database is unchanged. On PostgreSQL,
 * where nothing tells that cheaply, each is read again.
 *
 * @param maxBytes of the values of a database; the least recently used ones are removed
 * @param bytesOf an estimate of the memory of a value, above 0
 */
export function createRowMemory<Value extends object>(maxBytes: number, bytesOf: (value: Value) => number) {
  const memories = new WeakMap<Database, { version: number; values: LRUCache<number, Value> }>()
  return async (
    database: Database,
    keys: readonly number[],
    read: (keys: readonly number[]) => Promise<ReadonlyMap<number, Value>>,
  ): Promise<ReadonlyMap<number, Value>> => {
    const version = database.version()
    if (version === null) return read(keys)
    let memory = memories.get(database)
    if (memory?.version !== version) {
      memory = { version, values: new LRUCache({ maxSize: maxBytes, sizeCalculation: bytesOf }) }
      memories.set(database, memory)
    }
    const found = new Map<number, Value>()
    const missing: number[] = []
    for (const key of keys) {
      const value = memory.values.get(key)
      if (value) found.set(key, value)
      else missing.push(key)
    }
    if (missing.length === 0) return found
    const values = await read(missing)
    const isUnchanged = database.version() === version
    for (const [key, value] of values) {
      found.set(key, value)
      if (isUnchanged) memory.values.set(key, value)
    }
    return found
  }
}

/** What identifies the captions and the words of a dataset. */
export function contentOf({ id, revision, wordRevision, vocabulary }: Dataset): unknown {
  return [id, revision, wordRevision, vocabulary]
}
