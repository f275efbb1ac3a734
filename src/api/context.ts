import { setImmediate as nextTurn } from 'node:timers/promises'
import { AccordError } from '../errors.js'
import type { Accord, Client } from '../services/accord.js'

/** Shared by the resolvers of one request. */
export interface Context {
  readonly accord: Accord
  /** Its address owns the jobs of the request; its signal is aborted when the server stops. */
  readonly client: Client
  /** Throws if the time budget of the request is used up. Call it before each piece of work. */
  readonly checkTime: () => void
  /** Does work of a millisecond or more. The server handles other requests between such pieces of work. */
  readonly inTurn: <T>(work: () => T) => Promise<T>
  /** Waits for work outside this thread, which does not use the time budget of the request. */
  readonly outside: <T>(work: Promise<T>) => Promise<T>
}

/** Time that one request may take on the thread of the server, in milliseconds. */
const TIME_BUDGET_MS = 10_000

/** Time that a request may take before other requests are handled, in milliseconds. */
const PORTION_MS = 10

export function createContext(accord: Accord, client: Client): Context {
  let deadline = performance.now() + TIME_BUDGET_MS
  let waitCount = 0
  let waitingSince = 0
  async function outside<T>(work: Promise<T>): Promise<T> {
    if (waitCount++ === 0) waitingSince = performance.now()
    try {
      return await work
    } finally {
      if (--waitCount === 0) deadline += performance.now() - waitingSince
    }
  }
  const checkTime = () => {
    if (waitCount === 0 && performance.now() > deadline) {
      throw new AccordError('TIMEOUT', 'the query takes too long; request fewer fields at once', {
        expected: `at most ${TIME_BUDGET_MS / 1000} s`,
      })
    }
  }
  let lastTurn: Promise<void> = Promise.resolve()
  let portionEnd = 0
  async function takeTurn(previous: Promise<void>): Promise<void> {
    await previous
    checkTime()
    if (performance.now() < portionEnd) return
    await nextTurn()
    portionEnd = performance.now() + PORTION_MS
  }
  function inTurn<T>(work: () => T): Promise<T> {
    const turn = takeTurn(lastTurn)
    // If the time is used up, all later turns are rejected too.
    lastTurn = turn
    return turn.then(work)
  }
  return { accord, client, checkTime, inTurn, outside }
}
