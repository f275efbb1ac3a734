/** Time that a thread computes in one turn of its event loop, in milliseconds. */
const PORTION_MS = 4

/** What {@link yieldToEventLoop} returns where the computation goes on at once. */
export const AT_ONCE = Promise.resolve()

/** Begin of the current turn; undefined until something computes in it. */
let turnStart: number | undefined

/** Computations that wait for a turn, longest first. */
const waiting: { readonly short: (() => void)[]; readonly long: (() => void)[] } = { short: [], long: [] }

/** Time of short computations before a turn of a long one, in milliseconds: long ones have a fifth of the time at least. */
const SHORT_MS = 4 * PORTION_MS

/** Time of short computations since the last turn of a long one. */
let shortMs = 0

/** Whether the current turn is that of a short computation. */
let isShortTurn = false

/**
 * Lets the thread handle requests and timers if it has computed for long. Computations call it between pieces of work of at
 * most a few milliseconds; all computations of the thread share the time of a turn.
 *
 * @param isShort whether the next piece of the computation takes much less than a turn: it waits neither for all long ones nor
 *   for what follows other short pieces
 */
export function yieldToEventLoop(isShort = false): Promise<void> {
  const now = performance.now()
  if (turnStart === undefined) {
    beginTurn(now, isShort)
    return AT_ONCE
  }
  const mustWait = isShortTurn && !isShort && waiting.short.length > 0
  if (!mustWait && now - turnStart < PORTION_MS) return AT_ONCE
  return new Promise((resolve) => waiting[isShort ? 'short' : 'long'].push(resolve))
}

function beginTurn(now: number, isShort: boolean): void {
  turnStart = now
  isShortTurn = isShort
  setImmediate(endTurn)
}

function endTurn(): void {
  const now = performance.now()
  if (isShortTurn) shortMs += now - (turnStart as number)
  turnStart = undefined
  const { short, long } = waiting
  const isShort = short.length > 0 && (long.length === 0 || shortMs < SHORT_MS)
  // Of those of a kind, the computation that has waited longest.
  const resume = (isShort ? short : long).shift()
  if (!resume) return
  if (!isShort) shortMs = 0
  beginTurn(now, isShort)
  resume()
}
