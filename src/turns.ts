/** Time that a thread computes in one turn of its event loop, in milliseconds. */
const PORTION_MS = 4

const done = Promise.resolve()

/** Begin of the current turn; undefined until something computes in it. */
let turnStart: number | undefined

/** Computations that wait for a turn, longest first. */
const waiting: (() => void)[] = []

/**
 * Lets the thread handle requests and timers if it has computed for long. Computations call it between pieces of work of at
 * most a few milliseconds; all computations of the thread share the time of a turn.
 */
export function giveWay(): Promise<void> {
  const now = performance.now()
  if (turnStart === undefined) beginTurn(now)
  else if (now - turnStart >= PORTION_MS) return new Promise((resolve) => waiting.push(resolve))
  return done
}

function beginTurn(now: number): void {
  turnStart = now
  setImmediate(endTurn)
}

/** The next turn is that of the computation that has waited longest. */
function endTurn(): void {
  turnStart = undefined
  const resume = waiting.shift()
  if (!resume) return
  beginTurn(performance.now())
  resume()
}
