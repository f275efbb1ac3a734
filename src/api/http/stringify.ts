import { giveWay } from '../../turns.js'
import { LIMITS } from '../execution/limits.js'
import { refusal } from './bad-input.js'

/** Characters that are written in one piece of work. */
const PIECE = 50_000

/** Entries of a list of plain values that are written at once. */
const ENTRIES = 1000

/**
 * The JSON of a result, like JSON.stringify, with turns for other requests.
 *
 * @throws GraphQLError TOO_COSTLY for more than {@link LIMITS.response} characters
 */
export async function stringifyInTurns(result: unknown): Promise<string> {
  const pieces: string[] = []
  let length = 0
  let turns = 0
  for (const piece of piecesOf(result)) {
    pieces.push(piece)
    length += piece.length
    if (length > LIMITS.response) {
      const message = `The response is too large: expected at most ${LIMITS.response} characters. Request smaller pages or fewer fields.`
      throw refusal(message, 'TOO_COSTLY')
    }
    if (length > turns * PIECE) {
      turns = Math.ceil(length / PIECE)
      await giveWay()
    }
  }
  pieces.push('\n')
  return pieces.join('')
}

function* piecesOf(value: unknown): Generator<string> {
  if (Array.isArray(value)) yield* piecesOfList(value)
  else if (isObject(value) && Object.values(value).some(isObject)) yield* piecesOfObject(value)
  else yield JSON.stringify(value)
}

function* piecesOfList(list: readonly unknown[]): Generator<string> {
  yield '['
  if (isObject(list[0])) {
    for (const [i, entry] of list.entries()) {
      if (i > 0) yield ','
      yield* piecesOf(entry)
    }
  } else {
    for (let i = 0; i < list.length; i += ENTRIES) {
      yield (i > 0 ? ',' : '') + JSON.stringify(list.slice(i, i + ENTRIES)).slice(1, -1)
    }
  }
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

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
