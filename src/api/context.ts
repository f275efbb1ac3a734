import { setImmediate as nextTurn } from 'node:timers/promises'
import { AccordError } from '../errors.js'
import { createLoaders, type Loaders } from './loaders.js'
import type { Services } from './services.js'

/** What the resolvers of one request share. */
export interface Context extends Services {
  readonly loaders: Loaders
  /** Throws when the request has used up its time; called before each piece of work that takes any. */
  readonly checkTime: () => void
  /** Does work that takes a millisecond or more, in small portions, so that the server answers others in between. */
  readonly inTurn: <T>(work: () => T) => Promise<T>
  /** Waits for work that another thread does: that time is not the request's. */
  readonly outside: <T>(work: Promise<T>) => Promise<T>
}

/** Time that one request may take on the server's own thread, in milliseconds. */
export const TIME_BUDGET_MS = 10_000

/** Time that a request may work before it lets others have their turn, in milliseconds. */
const PORTION_MS = 10

/** A fresh context: loaders cache for one request only. */
export function createContext(services: Services, timeBudget = TIME_BUDGET_MS): Context {
  let deadline = performance.now() + timeBudget
  let waits = 0
  let waitingSince = 0
  async function outside<T>(work: Promise<T>): Promise<T> {
    if (waits++ === 0) waitingSince = performance.now()
    try {
      return await work
    } finally {
      if (--waits === 0) deadline += performance.now() - waitingSince
    }
  }
  const checkTime = () => {
    if (waits === 0 && performance.now() > deadline) {
      throw new AccordError('TIMEOUT', 'the query takes too long; ask for fewer things at once', {
        expected: `at most ${timeBudget / 1000} s`,
      })
    }
  }
  let turn: Promise<void> = Promise.resolve()
  let portionEnd = 0
  async function takeTurn(previous: Promise<void>): Promise<void> {
    await previous
    checkTime()
    if (performance.now() < portionEnd) return
    await nextTurn()
    portionEnd = performance.now() + PORTION_MS
  }
  function inTurn<T>(work: () => T): Promise<T> {
    const mine = takeTurn(turn)
    // A turn that was refused for lack of time ends those behind it.
    turn = mine
    return mine.then(work)
  }
  return { ...services, loaders: createLoaders(services, checkTime), checkTime, inTurn, outside }
}
