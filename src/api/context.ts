import { AccordError } from '../errors.js'
import type { Database } from '../store/database.js'
import { createLoaders, type Loaders } from './loaders.js'

/** What the resolvers of one request share. */
export interface Context {
  readonly database: Database
  readonly loaders: Loaders
  /** Throws when the request has used up its time; called before each piece of work that takes any. */
  readonly checkTime: () => void
}

/** Time that one request may take, in milliseconds. */
export const TIME_BUDGET_MS = 10_000

/** A fresh context: loaders cache for one request only. */
export function createContext(database: Database, timeBudget = TIME_BUDGET_MS): Context {
  const deadline = performance.now() + timeBudget
  const checkTime = () => {
    if (performance.now() > deadline) {
      throw new AccordError('TIMEOUT', 'the query takes too long; ask for fewer things at once', {
        expected: `at most ${timeBudget / 1000} s`,
      })
    }
  }
  return { database, loaders: createLoaders(database, checkTime), checkTime }
}
