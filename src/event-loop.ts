/** Time that a thread computes in one turn of its event loop, in milliseconds. */
const PORTION_MS = 4

const done = Promise.resolve()

/** Begin of the current turn; undefined until something computes in it. */
let turnStart: number | undefined

/** Computations that wait for a turn, longest first. */
const waiting: { readonly short: (() => void)[]; readonly long: (() => void)[] } = { short: [], long: [] }

/** Turns of short computations before one of a long one. */
const SHORT_TURNS = 4

/** Turns of short computations since the last one of a long one. */
let shortTurns = 0

/**
 * Lets the thread handle requests and timers if it has computed for long. Computations call it between pieces of work of at
 * most a few milliseconds; all computations of the thread share the time of a turn.
 *
 * @param isShort whether the rest of the computation takes less than a turn: it need not wait for all long ones
 */
export function yieldToEventLoop(isShort = false): Promise<void> {
  const now = performance.now()
  if (turnStart === undefined) beginTurn(now)
  else if (now - turnStart >= PORTION_MS)
    return new Promise((resolve) => waiting[isShort ? 'short' : 'long'].push(resolve))
  return done
}

function beginTurn(now: number): void {
  turnStart = now
  setImmediate(endTurn)
}

function endTurn(): void {
  turnStart = undefined
  const resume = takeNext()
  if (!resume) return
  beginTurn(performance.now())
  resume()
}

/** Of those of a kind, the computation that has waited longest. */
function takeNext(): (() => void) | undefined {
  const { short, long } = waiting
  if (short.length > 0 && (long.length === 0 || shortTurns < SHORT_TURNS)) {
    shortTurns++
    return short.shift()
  }
  shortTurns = 0
  return long.shift()
}
