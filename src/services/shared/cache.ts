import { LRUCache } from 'lru-cache'
import type { Database } from '../../store/engine/session.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'

/**
 * Figures of databases that this process caches, by what they were computed from.
 *
 * @param max number of entries of each database, or their bytes; the least recently used ones are removed
 * @param bytesOf the memory of a figure, above 0. Default: `max` is a number of entries
 */
export function createCache<Figure extends object>(
  max: number,
  bytesOf?: (figure: Figure) => number,
): (database: Database) => LRUCache<string, Figure> {
  const caches = new WeakMap<Database, LRUCache<string, Figure>>()
  const limits = bytesOf ? { maxSize: max, sizeCalculation: bytesOf } : { max }
  return (database) => {
    const cache = caches.get(database) ?? new LRUCache<string, Figure>(limits)
    caches.set(database, cache)
    return cache
  }
}

/** The cached figure of a key, of what JSON can write, or one that is computed and cached. */
export async function cached<Figure extends object>(
  cache: LRUCache<string, Figure>,
  key: readonly unknown[],
  compute: () => Promise<Figure>,
): Promise<Figure> {
  const text = JSON.stringify(key)
  const known = cache.get(text)
  if (known) return known
  const figure = await compute()
  cache.set(text, figure)
  return figure
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
