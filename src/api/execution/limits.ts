import { badInput } from '../http/bad-input.js'

/** Limits of one request. The page size is limited in connection.ts, the time in context.ts. */
export const LIMITS = {
  /** Levels of nested fields. */
  depth: 12,
  aliases: 50,
  /** Characters of the document. */
  document: 100_000,
  /** Lexical tokens of the document. */
  tokens: 2000,
  /** Errors of an invalid document that are reported. */
  validationErrors: 10,
  /** Fields of the document after its fragments are expanded. */
  documentFields: 1000,
  /** Fields of the response: for example 1,000 words with 50 fields each. */
  fields: 50_000,
  /** Computing time, in milliseconds. */
  milliseconds: 10_000,
  /** Sum of the weights of the fields, each {@link WEIGHT_MICROSECONDS}. */
  weight: 500_000,
  /** Objects of the response, counted while it is computed. */
  objects: 50_000,
  /** Levels of a value of the input. */
  levels: 50,
  /** Entries of a list in the input. */
  list: 1000,
  /** Characters of a string in the input. */
  string: 10_000,
  /** Bytes of a request body, after decompression. */
  body: 1_000_000,
  /** Open event streams, of all clients and of one. */
  streams: 200,
  streamsPerClient: 20,
} as const

/** Work of weight 1, in microseconds. */
export const WEIGHT_MICROSECONDS = 20

/**
 * Checks the sizes of a value of the input.
 *
 * @param place names the value in the error
 * @throws GraphQLError BAD_USER_INPUT for a string or a list that is too long, or a value that is too deep
 */
export function checkSizes(value: unknown, place: string, level = 0): void {
  if (typeof value === 'string' && value.length > LIMITS.string) {
    throw badInput(`${place}: expected at most ${LIMITS.string} characters, found ${value.length}`)
  }
  if (typeof value !== 'object' || value === null) return
  if (level >= LIMITS.levels) throw badInput(`${place}: expected at most ${LIMITS.levels} levels, found more`)
  if (Array.isArray(value) && value.length > LIMITS.list) {
    throw badInput(`${place}: expected at most ${LIMITS.list} entries, found ${value.length}`)
  }
  for (const [key, entry] of Object.entries(value)) {
    checkSizes(entry, Array.isArray(value) ? `${place}[${key}]` : `${place}.${key}`, level + 1)
  }
}

/** Characters of input that a message quotes. */
const MAX_QUOTED = 100

/** Shortens each part of a message in quotation marks. */
export function shortenQuotes(message: string): string {
  return message.replace(/"[^"]{101,}"/g, (quoted) => `${quoted.slice(0, MAX_QUOTED)}…"`)
}
