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
 * Something in memory of each database, which is created anew when the database has changed. Null on PostgreSQL, where nothing
 * tells that cheaply.
 */
export function createMemoryUntilChange<Content extends object>(
  create: () => Content,
): (database: Database) => Content | null {
  const memories = new WeakMap<Database, { readonly version: number; readonly content: Content }>()
  return (database) => {
    const version = database.version()
    if (version === null) return null
    const known = memories.get(database)
    if (known?.version === version) return known.content
    const content = create()
    memories.set(database, { version, content })
    return content
  }
}

/**
 * A function that reads values by a number, and keeps them in memory for as long as the database is unchanged. What is read
 * while it changes is kept under the former state, for which nobody asks again.
 *
 * @param maxBytes of the values of a database; the least recently used ones are removed
 * @param bytesOf an estimate of the memory of a value, above 0
 */
export function createRowMemory<Value extends object>(maxBytes: number, bytesOf: (value: Value) => number) {
  const memoryOf = createMemoryUntilChange(
    () => new LRUCache<number, Value>({ maxSize: maxBytes, sizeCalculation: bytesOf }),
  )
  return async (
    database: Database,
    keys: readonly number[],
    read: (keys: readonly number[]) => Promise<ReadonlyMap<number, Value>>,
  ): Promise<ReadonlyMap<number, Value>> => {
    const memory = memoryOf(database)
    if (memory === null) return read(keys)
    const found = new Map<number, Value>()
    const missing: number[] = []
    for (const key of keys) {
      const value = memory.get(key)
      if (value) found.set(key, value)
      else missing.push(key)
    }
    if (missing.length === 0) return found
    for (const [key, value] of await read(missing)) {
      found.set(key, value)
      memory.set(key, value)
    }
    return found
  }
}

/** What identifies the captions and the words of a dataset. */
export function contentOf({ id, revision, wordRevision, vocabulary }: Dataset): unknown {
  return [id, revision, wordRevision, vocabulary]
}
