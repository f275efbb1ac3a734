import { LRUCache } from 'lru-cache'
import type { Database } from '../../store/engine/session.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'

/**
 * Figures of databases that this process caches, by what they were computed from.
 *
 * @param max number of entries of each database; the least recently used ones are removed
 */
export function createCache<Figure extends object>(
  max: number,
): (database: Database) => LRUCache<string, Figure> {
  const caches = new WeakMap<Database, LRUCache<string, Figure>>()
  return (database) => {
    const cache = caches.get(database) ?? new LRUCache<string, Figure>({ max })
    caches.set(database, cache)
    return cache
  }
}

/**
 * Something cached of each database, which is created anew when the database has changed. Null on PostgreSQL, where nothing
 * tells that cheaply.
 */
export function createCacheUntilChange<Content extends object>(
  create: () => Content,
): (database: Database) => Content | null {
  const caches = new WeakMap<Database, { readonly version: number; readonly content: Content }>()
  return (database) => {
    const version = database.version()
    if (version === null) return null
    const known = caches.get(database)
    if (known?.version === version) return known.content
    const content = create()
    caches.set(database, { version, content })
    return content
  }
}

/**
 * A function that reads values by a number, and caches them for as long as the database is unchanged. What is read
 * while it changes is kept under the former state, for which nobody asks again.
 *
 * @param maxBytes of the values of a database; the least recently used ones are removed
 * @param bytesOf an estimate of the memory of a value, above 0
 */
export function createRowCache<Value extends object>(maxBytes: number, bytesOf: (value: Value) => number) {
  const cacheOf = createCacheUntilChange(
    () => new LRUCache<number, Value>({ maxSize: maxBytes, sizeCalculation: bytesOf }),
  )
  return async (
    database: Database,
    keys: readonly number[],
    read: (keys: readonly number[]) => Promise<ReadonlyMap<number, Value>>,
  ): Promise<ReadonlyMap<number, Value>> => {
    const cache = cacheOf(database)
    if (cache === null) return read(keys)
    const found = new Map<number, Value>()
    const missing: number[] = []
    for (const key of keys) {
      const value = cache.get(key)
      if (value) found.set(key, value)
      else missing.push(key)
    }
    if (missing.length === 0) return found
    for (const [key, value] of await read(missing)) {
      found.set(key, value)
      cache.set(key, value)
    }
    return found
  }
}

/** What identifies the captions and the words of a dataset. */
export function contentOf({ id, revision, wordRevision, vocabulary }: Dataset): unknown {
  return [id, revision, wordRevision, vocabulary]
}
