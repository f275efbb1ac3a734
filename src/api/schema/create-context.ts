import type { GraphQLError } from 'graphql'
import { AccordError } from '../../errors.js'
import { AT_ONCE, yieldToEventLoop } from '../../event-loop.js'
import type { Accord } from '../../services/shared/accord.js'
import type { Context, FileRules, Sender } from '../shared/context.js'
import { LIMITS, refusal, WEIGHT_MICROSECONDS } from './limits.js'
import { createOwnTime } from './own-time.js'

const SIGNAL_OF = Symbol('signal of')

/** One for all objects: with a getter of its own, each would have a class of its own in V8, which is freed late. */
const SIGNAL: PropertyDescriptor & ThisType<{ readonly [SIGNAL_OF]: () => AbortSignal }> = {
  enumerable: true,
  get() {
    return this[SIGNAL_OF]()
  },
}

/** Adds the property `signal`, which is computed when it is used. */
export function withSignal<Client extends object>(
  client: Client,
  signalOf: () => AbortSignal,
): Client & { readonly signal: AbortSignal } {
  const extended = { ...client, [SIGNAL_OF]: signalOf }
  return Object.defineProperty(extended, 'signal', SIGNAL) as typeof extended & {
    readonly signal: AbortSignal
  }
}

/** The value of a field of an operation that is given up. A common one would keep what waits for it in memory. */
export function never(): Promise<never> {
  return new Promise(() => {})
}

/** Objects of a response that are completed in less than a turn: after as many of them other work has its turn. */
const OBJECTS_PER_TURN = 100

export function createContext(accord: Accord, client: Sender, fileRules: FileRules): Context {
  const time = createOwnTime()
  let leavePlace = () => {}
  function outside<T>(work: Promise<T>): Promise<T> {
    leavePlace()
    return time.without(work)
  }
  const checkTime = () => {
    if (!client.isConnected()) throw new AccordError('CANCELLED', 'the client disconnected')
    if (time.exceeds(LIMITS.milliseconds)) {
      throw new AccordError('TIMEOUT', 'the query takes too long; request fewer fields at once', {
        expected: `at most ${LIMITS.milliseconds / 1000} s`,
      })
    }
  }
  let lastTurn: Promise<void> = Promise.resolve()
  async function takeTurn(previous: Promise<void>): Promise<void> {
    await previous
    const turn = yieldToEventLoop()
    if (turn !== AT_ONCE) await time.without(turn)
    checkTime()
  }
  function inTurn<T>(work: () => T): Promise<T> {
    const turn = takeTurn(lastTurn)
    // If the time is used up, all later turns are rejected too.
    lastTurn = turn
    return turn.then(work)
  }
  async function turnsTaken(): Promise<void> {
    let turn: Promise<void>
    do {
      turn = lastTurn
      // A rejection reaches those whose turn it was.
      await turn.catch(() => {})
    } while (turn !== lastTurn)
  }
  const computations = new Map<string, unknown>()
  function once<T>(key: string, compute: () => T): T {
    if (!computations.has(key)) computations.set(key, compute())
    return computations.get(key) as T
  }
  let spent = 0
  const spend = (microseconds: number) => {
    spent += microseconds / WEIGHT_MICROSECONDS
    if (spent <= LIMITS.weight) return
    throw new AccordError('TOO_COSTLY', 'the query is too expensive; request less at once', {
      expected: `a cost of at most ${LIMITS.weight}`,
      found: String(Math.ceil(spent)),
    })
  }
  let objectCount = 0
  let countOfTurn = 0
  const countObjects = (count: number) => {
    objectCount += count
    countOfTurn += count
    if (objectCount <= LIMITS.objects) {
      if (countOfTurn <= OBJECTS_PER_TURN) return false
      countOfTurn = 0
      return true
    }
    throw new AccordError('TOO_MANY_OBJECTS', 'the response is too large; request smaller pages', {
      expected: `at most ${LIMITS.objects} objects`,
    })
  }
  let failures = 0
  let giveUp: (error: GraphQLError) => void
  const givenUp = new Promise<never>((_resolve, reject) => {
    giveUp = reject
  })
  // Nobody may be waiting for it.
  givenUp.catch(() => {})
  const fail = (error: unknown) => {
    if (++failures <= LIMITS.errors) throw error
    giveUp(tooManyErrors(error))
    return never()
  }
  return {
    accord,
    client: withSignal({ owner: client.owner, spend }, () => client.signal),
    viewer: client.viewer,
    account: client.account,
    mayChange: client.mayChange,
    isReadOnly: client.isReadOnly,
    fileRules,
    checkTime,
    inTurn,
    turn: () => inTurn(() => {}),
    turnsTaken,
    outside,
    holdPlace(leave) {
      leavePlace = leave
    },
    once,
    countObjects,
    isGivenUp: () => failures > LIMITS.errors,
    fail,
    giveUp: (error) => giveUp(error),
    givenUp,
    loaders: new Map(),
  }
}

function tooManyErrors(error: unknown): GraphQLError {
  const last = error instanceof AccordError ? ` One of them: ${error.message}` : ''
  return refusal(`The query fails in more than ${LIMITS.errors} fields.${last}`, 'TOO_COSTLY')
}
