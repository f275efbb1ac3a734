import type { GraphQLError } from 'graphql'
import type { Accounts } from '../../services/accounts/accounts.js'
import type { Viewer } from '../../services/accounts/viewer.js'
import type { Accord, Client } from '../../services/shared/accord.js'

/** Shared by the resolvers of one request. `viewer` is for whom it is answered: services decide by it who may see and do what. */
export interface Context extends Pick<Sender, 'viewer' | 'account' | 'mayChange' | 'isReadOnly'> {
  readonly accord: Accord
  /** It owns the jobs of the request; its signal is aborted when it disconnects or the server stops. */
  readonly client: Client
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
