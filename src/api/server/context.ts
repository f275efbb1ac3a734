import type { GraphQLError } from 'graphql'
import { AccordError } from '../../errors.js'
import { AT_ONCE, yieldToEventLoop } from '../../event-loop.js'
import type { Accounts } from '../../services/accounts/accounts.js'
import type { Viewer } from '../../services/accounts/viewer.js'
import type { Accord, Client } from '../../services/shared/accord.js'
import { LIMITS, refusal, WEIGHT_MICROSECONDS } from './limits.js'
import { createOwnTime } from './own-time.js'

/** Shared by the resolvers of one request. */
export interface Context {
  readonly accord: Accord
  /** It owns the jobs of the request; its signal is aborted when it disconnects or the server stops. */
  readonly client: Client
  /** For whom the request is answered: services decide by it who may see and do what. */
  readonly viewer: Viewer
  /** Its account, on a server with accounts. */
  readonly account: AccountOfRequest | null
  /** Whether the client may start jobs and change data. */
  readonly mayChange: boolean
  /** Whether the server accepts no changes of anybody. */
  readonly isReadOnly: boolean
  /** What files it accepts of the viewer. */
  readonly fileRules: FileRules
  /**
   * Throws if the computing time of the request is used up, or nobody waits for the response. Call it before each piece of
   * work.
   */
  readonly checkTime: () => void
  /** Does work of a millisecond or more. The server handles other requests between such pieces of work. */
  readonly inTurn: <T>(work: () => T) => Promise<T>
  /** Waits for a turn, for work in pieces. */
  readonly turn: () => Promise<void>
  /** Resolves when no work waits for its turn. */
  readonly turnsTaken: () => Promise<void>
  /** Waits for work outside this thread, which does not use the computing time of the request. */
  readonly outside: <T>(work: Promise<T>) => Promise<T>
  /** Lets the operation keep a place until it waits for work outside this thread. @param leave frees the place */
  readonly holdPlace: (leave: () => void) => void
  /** Executes a computation once per request. @param key identifies the computation and its input */
  readonly once: <T>(key: string, compute: () => T) => T
  /** The loaders that the request has used, by definition: see loader.ts. */
  readonly loaders: Map<object, unknown>
  /** Counts objects of the response. @returns whether they are many: lists are completed in turn. @throws if they are too many */
  readonly countObjects: (count: number) => boolean
  /** Whether so many fields have failed that the operation is given up. */
  readonly isGivenUp: () => boolean
  /** Throws the error of a field, or gives up the operation. */
  readonly fail: (error: unknown) => Promise<never>
  /** Gives up the operation. */
  readonly giveUp: (error: GraphQLError) => void
  /** Rejects when the operation is given up. Its fields that are not computed yet never will be. */
  readonly givenUp: Promise<never>
}

/** What files a server accepts of a client. */
export interface FileRules {
  readonly maximumBytes: number
  /** Seconds after which all of a file must have arrived. */
  readonly timeoutSeconds: number
}

/** A request to a server with accounts. */
export interface AccountOfRequest {
  readonly accounts: Accounts
  /** The secret of the session; null for a request with a token, or with neither. */
  readonly session: string | null
  /** The address of the client. */
  readonly address: string
  /** Whether the credential of the request still is that of its viewer, with the same rights. */
  readonly isCurrent: () => Promise<boolean>
  /** Lets the browser keep the secret of a session, or forget it. */
  readonly keep: (session: string | null) => void
}

/** What is known of the sender of a request by its headers. */
export type Identity = Pick<Sender, 'owner' | 'viewer' | 'account' | 'mayChange' | 'isReadOnly'>

/** Who sent a request. */
export interface Sender {
  /** Name of the client. */
  readonly owner: string | undefined
  readonly viewer: Viewer
  readonly account: AccountOfRequest | null
  /** Aborted when the client disconnects or the server stops. Created when it is used. */
  readonly signal: AbortSignal
  /** Whether the client waits for the response. */
  readonly isConnected: () => boolean
  /** Whether the client may start jobs and change data. */
  readonly mayChange: boolean
  /** Whether the server accepts no changes of anybody. */
  readonly isReadOnly: boolean
}

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
