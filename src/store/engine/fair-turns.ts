/** Runs `act` when a place is free. Those who wait take turns by owner; the signal ends waiting with its reason. */
export type FairTurns = <Result>(
  { owner, signal }: { readonly owner?: string; readonly signal?: AbortSignal },
  act: () => Promise<Result>,
) => Promise<Result>

/** @param places how many run at the same time */
export function createFairTurns(places: number): FairTurns {
  /** Those who wait by owner; the owner that comes first in the map is next. */
  const waiting = new Map<string, (() => void)[]>()
  let free = places

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

  function place(owner: string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
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
  }

  return async ({ owner = '', signal }, act) => {
    signal?.throwIfAborted()
    await place(owner, signal)
    try {
      return await act()
    } finally {
      free++
      startNext()
    }
  }
}
