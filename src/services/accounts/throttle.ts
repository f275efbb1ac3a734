import { LRUCache } from 'lru-cache'
import { AccordError } from '../../errors.js'

/** Counts attempts by what they are made on or by. */
interface Throttle {
  /**
   * Counts an attempt before it is made, so that attempts at the same time count too.
   *
   * @throws AccordError TOO_MANY_ATTEMPTS
   */
  take(key: string): void
  /** Counts an attempt without a limit. @returns how many there are */
  note(key: string): number
  /** Forgets all attempts. */
  forget(key: string): void
}

/** Keys that are remembered: the least recently used ones are forgotten. */
const MAX_KEYS = 10_000

/** @param limit attempts in `minutes` after the first one */
export function createThrottle(limit: number, minutes: number): Throttle {
  const counts = new LRUCache<string, { count: number }>({ max: MAX_KEYS, ttl: minutes * 60_000 })
  function note(key: string): number {
    const attempts = counts.get(key) ?? { count: 0 }
    if (attempts.count === 0) counts.set(key, attempts)
    return ++attempts.count
  }
  return {
    note,
    take(key) {
      if (note(key) <= limit) return
      throw new AccordError('TOO_MANY_ATTEMPTS', 'too many attempts; try again later', {
        expected: `at most ${limit} in ${minutes} minutes`,
      })
    },
    forget(key) {
      counts.delete(key)
    },
  }
}

/** Limits how many requests of a client wait at the same time. */
export function createWaitingRoom(places: number) {
  const waiting = new Map<string, number>()
  return {
    /** @returns leaves the room @throws AccordError TOO_MANY_ATTEMPTS where all places of the client are taken */
    enter(client: string): () => void {
      const others = waiting.get(client) ?? 0
      if (others >= places)
        throw new AccordError(
          'TOO_MANY_ATTEMPTS',
          'too many attempts at the same time; try again in a moment',
          { expected: `at most ${places}` },
        )
      waiting.set(client, others + 1)
      return () => {
        const left = (waiting.get(client) as number) - 1
        if (left > 0) waiting.set(client, left)
        else waiting.delete(client)
      }
    },
  }
}
