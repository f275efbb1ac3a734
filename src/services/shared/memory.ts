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

/** What identifies the captions and the words of a dataset. */
export function contentOf({ id, revision, wordRevision, vocabulary }: Dataset): unknown {
  return [id, revision, wordRevision, vocabulary]
}
