import { giveWay } from '../turns.js'

/** Lists with more entries are written entry by entry. */
const LONG_LIST = 100

/** Characters that are written before other work of the thread can be done. */
const PIECE = 65_536

/**
 * Writes the JSON of a value in pieces. Inputs of imports have many megabytes: other work of the thread is done in between.
 *
 * @param sortKeys write the keys of objects in alphabetical order
 */
export async function writeJson(
  value: unknown,
  { sortKeys }: { readonly sortKeys: boolean },
  onPiece: (piece: string) => void,
): Promise<void> {
  let piece = ''
  for (const part of partsOf(value, sortKeys ? sortedEntries : Object.entries)) {
    piece += part
    if (piece.length < PIECE) continue
    onPiece(piece)
    piece = ''
    await giveWay()
  }
  onPiece(piece)
}

type Entries = (value: object) => [string, unknown][]

function* partsOf(value: unknown, entriesOf: Entries): Generator<string> {
  if (isLongList(value)) {
    let separator = '['
    for (const entry of value) {
      yield separator
      yield* partsOf(entry ?? null, entriesOf)
      separator = ','
    }
    yield ']'
  } else if (isObject(value) && Object.values(value).some(isLongList)) {
    let separator = '{'
    for (const [key, property] of entriesOf(value)) {
      if (property === undefined) continue
      yield `${separator}${JSON.stringify(key)}:`
      yield* partsOf(property, entriesOf)
      separator = ','
    }
    yield '}'
  } else {
    yield JSON.stringify(value, (_, inner) =>
      isObject(inner) ? Object.fromEntries(entriesOf(inner)) : inner,
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
