import { LIMITS } from '../execution/limits.js'
import { refusal } from './bad-input.js'

const [QUOTE, COMMA, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'",[\\]{}'].map(
  (character) => character.charCodeAt(0),
)

/**
 * Reads JSON that a client sent. Its size is checked before anything is allocated: nested or tiny values take a hundred
 * times as much memory as their text.
 *
 * @throws GraphQLError BAD_REQUEST for too many levels or values; SyntaxError
 */
export function parseJson(text: string): unknown {
  let level = 0
  let values = 1
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(text, i)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++level > LIMITS.levels) throw tooLarge(`${LIMITS.levels} levels`)
        if (++values > LIMITS.values) throw tooLarge(`${LIMITS.values} values`)
        break
      case COMMA:
        if (++values > LIMITS.values) throw tooLarge(`${LIMITS.values} values`)
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        level--
    }
  }
  return JSON.parse(text)
}

/** The place of the closing quotation mark. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) return i
    if (code === BACKSLASH) i++
  }
  return text.length
}

function tooLarge(expected: string) {
  return refusal(
    `The request cannot be read: expected JSON of at most ${expected}, found more.`,
    'BAD_REQUEST',
  )
}
