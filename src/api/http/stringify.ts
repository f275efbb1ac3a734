import type { ExecutionResult } from 'graphql'
import { yieldToEventLoop } from '../../event-loop.js'
import { LIMITS, refusal } from '../schema/limits.js'

/** Characters that are written in one piece of work. */
const PIECE = 50_000

/** The texts of results of nothing but data that was answered before, as introspections are; null the first time. */
const texts = new WeakMap<object, string | null>()

/**
 * The JSON of a result, like JSON.stringify, with turns for other requests.
 *
 * @throws GraphQLError TOO_COSTLY for more than {@link LIMITS.response} characters
 */
export async function stringifyInTurns(result: unknown): Promise<string> {
  const { data, errors, extensions } = result as ExecutionResult
  if (typeof data !== 'object' || data === null || errors || extensions) return writeInTurns(result)
  const known = texts.get(data)
  if (known) return known
  const text = await writeInTurns(result)
  if (text.length > PIECE) texts.set(data, known === null ? text : null)
  return text
}

async function writeInTurns(result: unknown): Promise<string> {
  const pieces: string[] = []
  let length = 0
  let lastTurn = 0
  for (const piece of piecesOf(result)) {
    pieces.push(piece)
    length += piece.length
    if (length > LIMITS.response) {
      const message = `The response is too large: expected at most ${LIMITS.response} characters. Request smaller pages or fewer fields.`
      throw refusal(message, 'TOO_COSTLY')
    }
    if (length - lastTurn > PIECE) {
      lastTurn = length
      await yieldToEventLoop()
    }
  }
  pieces.push('\n')
  return pieces.join('')
}

/** Pieces of a value. Entries of lists are measured before they are written, other objects are not: each is walked once. */
function* piecesOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) yield JSON.stringify(value)
  else if (Array.isArray(value)) yield* piecesOfList(value)
  else yield* piecesOfObject(value)
}

/** Neighbouring entries are written together as far as they are small. */
function* piecesOfList(list: readonly unknown[]): Generator<string> {
  yield '['
  let start = 0
  let size = 0
  function* pieceBefore(end: number): Generator<string> {
    if (end > start) yield (start > 0 ? ',' : '') + JSON.stringify(list.slice(start, end)).slice(1, -1)
    start = end
    size = 0
  }
  for (const [i, entry] of list.entries()) {
    const sizeOfEntry = sizeWithin(entry, PIECE)
    if (size + sizeOfEntry > PIECE) yield* pieceBefore(i)
    size += sizeOfEntry
    if (sizeOfEntry < PIECE) continue
    if (i > 0) yield ','
    yield* piecesOf(entry)
    start = i + 1
    size = 0
  }
  yield* pieceBefore(list.length)
  yield ']'
}

function* piecesOfObject(object: object): Generator<string> {
  let separator = '{'
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue
    yield `${separator}${JSON.stringify(key)}:`
    yield* piecesOf(value)
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}

/** About the number of characters of a value; where it is larger than the limit, some number above that. */
function sizeWithin(value: unknown, limit: number): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  let size = 2
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && size < limit; i++) size += 1 + sizeWithin(value[i], limit - size)
    return size
  }
  for (const key in value) {
    const entry = (value as Record<string, unknown>)[key]
    size += key.length + 4 + sizeWithin(entry, limit - size)
    if (size >= limit) break
  }
  return size
}
