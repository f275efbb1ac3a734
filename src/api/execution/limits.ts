import { badInput } from '../http/bad-input.js'

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
  /** Fields of the response: for example 1,000 words with 50 fields each. */
  fields: 50_000,
  /** Fields of the response of an operation that is not compiled. An introspection of the whole schema has 17,000. */
  interpretedFields: 20_000,
  /** Fields of compiled code: one for each type that a field of the document can have. Each takes about 20 µs. */
  compiledFields: 500,
  /** Fields of a response that failed. Each takes about 30 µs, and its error more space than its value. */
  errors: 100,
  /** Characters of a response. */
  response: 10_000_000,
  /** Computing time, in milliseconds. */
  milliseconds: 10_000,
  /** Sum of the weights of the fields, each {@link WEIGHT_MICROSECONDS}. */
  weight: 500_000,
  /** The same, of what workers compute for comparisons and judgements. */
  work: 8_000_000,
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
  /** Bytes of request bodies and responses in memory, of all clients. One client has a tenth of this and of what follows: see share.ts. */
  memory: 128_000_000,
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
