import { giveWay } from '../turns.js'

/** Lists with more entries are written entry by entry. */
const LONG_LIST = 100

/** Characters that are collected before other work of the thread can be done. */
const PIECE = 65_536

/**
 * JSON in which the keys of objects are sorted. Inputs of imports have many megabytes: other work of the thread is done
 * in between.
 *
 * @param onPiece called with each piece of the text, in order
 */
export async function canonicalJson(value: unknown, onPiece: (piece: string) => void): Promise<string> {
  const pieces: string[] = []
  let piece = ''
  const flush = () => {
    pieces.push(piece)
    onPiece(piece)
    piece = ''
  }
  for (const part of partsOf(value)) {
    piece += part
    if (piece.length < PIECE) continue
    flush()
    await giveWay()
  }
  flush()
  return pieces.join('')
}

function* partsOf(value: unknown): Generator<string> {
  if (isLongList(value)) {
    let separator = '['
    for (const entry of value) {
      yield separator
      yield* partsOf(entry ?? null)
      separator = ','
    }
    yield ']'
  } else if (isObject(value) && Object.values(value).some(isLongList)) {
    let separator = '{'
    for (const [key, property] of sortedEntries(value)) {
      if (property === undefined) continue
      yield `${separator}${JSON.stringify(key)}:`
      yield* partsOf(property)
      separator = ','
    }
    yield '}'
  } else {
    yield JSON.stringify(value, (_, inner) =>
      isObject(inner) ? Object.fromEntries(sortedEntries(inner)) : inner,
    )
  }
}

function isLongList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > LONG_LIST
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sortedEntries(value: object): [string, unknown][] {
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
}
