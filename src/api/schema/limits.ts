import { GraphQLError } from 'graphql'
import { type ErrorCode, type RequestErrorCode, statusOf } from '../../shared/error-codes.js'

/** Limits of one request. The page size is limited in connection.ts, the time in context.ts. */
export const LIMITS = {
  /** Levels of nested fields; a page has two. */
  depth: 16,
  /** Levels of an introspection, which nests the types of lists. Clients need 15. */
  introspectionDepth: 15,
  aliases: 50,
  /** Characters of the document. */
  document: 100_000,
  /** Lexical tokens of the document, including comments. */
  tokens: 1000,
  /** Fields and fragments in one selection set: the validation compares those of the same name with each other. */
  selections: 200,
  /** Errors of an invalid document that are reported. */
  validationErrors: 10,
  /** Fields of the document after its fragments are expanded. */
  documentFields: 1000,
  /** Fields of the response: for example 1,000 words with 50 fields each. An introspection of the whole schema has 17,000. */
  fields: 50_000,
  /** Fields of a response that failed. Each takes about 30 µs, and its error more space than its value. */
  errors: 100,
  /** Characters of a response. */
  response: 10_000_000,
  /** Computing time, in milliseconds. */
  milliseconds: 10_000,
  /** Sum of the weights of the fields, each {@link WEIGHT_MICROSECONDS}. */
  weight: 500_000,
  /** Seconds of a worker that an operation may take, and the operations of a client that have not ended together. */
  work: 160,
  clientWork: 320,
  /** Objects of the response, counted while it is computed. */
  objects: 50_000,
  /** Levels of the JSON of a request, and its values. */
  levels: 64,
  values: 50_000,
  /** Entries of a list in the input. */
  list: 1000,
  /** Characters of a string in the input. */
  string: 10_000,
  /** Bytes of a request body. */
  body: 1_000_000,
  /** Seconds to send the head of a request, all of its body, or more of an upload, and to read more of a response. */
  bodySeconds: 15,
  /** Bytes of request bodies and responses in memory, of all clients. One client has a tenth of this and of what follows: see {@link createQuota}. */
  buffers: 128_000_000,
  /** Open connections of all clients. */
  connections: 2000,
  /** Requests of all clients that are not answered yet. */
  requests: 2000,
  /** Open event streams of all clients. */
  streams: 200,
} as const

/** Work of weight 1, in microseconds. */
export const WEIGHT_MICROSECONDS = 20

/**
 * Checks the sizes of a value of the input.
 *
 * @param place names the value in the error
 * @throws GraphQLError BAD_USER_INPUT for a string or a list that is too long
 */
export function checkSizes(value: unknown, place: string): void {
  if (typeof value === 'string' && value.length > LIMITS.string) {
    throw badInput(`${place}: expected at most ${LIMITS.string} characters, found ${value.length}`)
  }
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value) && value.length > LIMITS.list) {
    throw badInput(`${place}: expected at most ${LIMITS.list} entries, found ${value.length}`)
  }
  for (const [key, entry] of Object.entries(value)) {
    checkSizes(entry, Array.isArray(value) ? `${place}[${key}]` : `${place}.${key}`)
  }
}

/** Characters of input that a message quotes. */
const MAX_QUOTED = 100

/** Shortens each part of a message in quotation marks. */
export function shortenQuotes(message: string): string {
  return message.replace(/"[^"]{101,}"/g, (quoted) => `${quoted.slice(0, MAX_QUOTED)}…"`)
}

/** The error for input that is refused before anything is executed. */
export function badInput(message: string): GraphQLError {
  return refusal(message, 'BAD_USER_INPUT')
}

/** The error for an operation that is refused before anything is executed. */
export function refusal(
  message: string,
  code: RequestErrorCode | ErrorCode,
  status = statusOf(code),
): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status } } })
}

/** What a server says that accepts no changes of anybody. */
export const READ_ONLY =
  'This server is read-only (`accord serve --read-only`): nothing can be changed, and nobody can sign in, because a session is stored.'

/**
 * The error for a mutation or an upload of a client that may only read.
 *
 * @param isReadOnly whether the server accepts no changes of anybody
 */
export function forbidden(isReadOnly = false): GraphQLError {
  return refusal(
    isReadOnly
      ? READ_ONLY
      : 'This server accepts no changes of this client: see `accord serve --open`, and `--allow-origin` for pages of other sites.',
    'FORBIDDEN',
  )
}

/** The error for a request that is refused because others use the memory or the time of the server. */
export function overloaded(): GraphQLError {
  return refusal('The server has too much to do. Try again later.', 'OVERLOADED')
}

/** Something limited that clients use: connections, streams, bytes of bodies. */
export interface Quota {
  /** What one use of a client holds; nothing at first. @param owner name of the client */
  open(owner: string | undefined): Allocation
}

/** What one use of a client holds. */
export interface Allocation {
  /** Holds more. @returns whether there is enough left and nothing was released yet; if not, nothing changes */
  add(amount: number): boolean
  /** Gives everything back. */
  release(): void
}

/**
 * Shares `total` among clients. A client holds at most a ninth of what is left to others: one client gets a tenth, and ten
 * that take all they can get leave a third.
 */
export function createQuota(total: number): Quota {
  const held = new Map<string, number>()
  let sum = 0
  return {
    open(owner = '') {
      let own = 0
      let isReleased = false
      return {
        add(amount) {
          const ofOwner = (held.get(owner) ?? 0) + amount
          if (isReleased || 9 * ofOwner > total - sum - amount) return false
          held.set(owner, ofOwner)
          sum += amount
          own += amount
          return true
        },
        release() {
          const rest = (held.get(owner) ?? 0) - own
          if (rest > 0) held.set(owner, rest)
          else held.delete(owner)
          sum -= own
          own = 0
          isReleased = true
        },
      }
    },
  }
}
