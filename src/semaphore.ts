/** A counting semaphore whose owners take turns. */
export interface Semaphore {
  /** Waits for a free place. @returns a function that frees it @throws the reason of the signal */
  acquire(client: { readonly owner?: string; readonly signal?: AbortSignal }): Promise<() => void>
}

export function createSemaphore(count: number): Semaphore {
  /** Those who wait by owner; the owner that comes first in the map is next. */
  const waiting = new Map<string, (() => void)[]>()
  let free = count

  function startNext(): void {
    const [next] = waiting
    if (free === 0 || next === undefined) return
    const [owner, starts] = next
    const start = starts.shift() as () => void
    waiting.delete(owner)
    if (starts.length > 0) waiting.set(owner, starts)
    free--
    start()
  }

  /** A function that frees a place when it is first called. */
  function createRelease(): () => void {
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      free++
      startNext()
    }
  }

  return {
    acquire({ owner = '', signal }) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const start = () => {
          signal?.removeEventListener('abort', leave)
          resolve(createRelease())
        }
        function leave(): void {
          const others = waiting.get(owner)?.filter((other) => other !== start) ?? []
          if (others.length > 0) waiting.set(owner, others)
          else waiting.delete(owner)
          reject(signal?.reason)
        }
        waiting.set(owner, [...(waiting.get(owner) ?? []), start])
        signal?.addEventListener('abort', leave, { once: true })
        startNext()
      })
    },
  }
}
