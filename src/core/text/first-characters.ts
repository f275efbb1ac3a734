/**
 * A pattern for the characters with which a match of a regular expression can begin, so that it is not tried at others. Null if
 * it can match nothing, and so begin anywhere.
 *
 * @param source of a regular expression with the flag `u`, without look-behind, back references and named groups
 */
export function firstCharacters(source: string): RegExp | null {
  const { first, isOptional } = readAlternatives({ source, position: 0 })
  return isOptional ? null : new RegExp(`^(?:${first.join('|')})`, 'u')
}

interface Reader {
  readonly source: string
  position: number
}

/** A part of a pattern: the characters with which it can begin, and whether it matches nothing as well. */
interface Part {
  readonly first: readonly string[]
  readonly isOptional: boolean
}

const NOTHING: Part = { first: [], isOptional: true }

function readAlternatives(reader: Reader): Part {
  const alternatives = [readSequence(reader)]
  while (reader.source[reader.position] === '|') {
    reader.position++
    alternatives.push(readSequence(reader))
  }
  return {
    first: alternatives.flatMap(({ first }) => first),
    isOptional: alternatives.some(({ isOptional }) => isOptional),
  }
}

function readSequence(reader: Reader): Part {
  let sequence = NOTHING
  while (reader.position < reader.source.length && !'|)'.includes(reader.source[reader.position])) {
    const atom = readAtom(reader)
    const [quantifier] = take(reader, /(?:[*+?]|\{\d+,?\d*\})?\??/y)
    if (!sequence.isOptional) continue
    const isOptional = atom.isOptional || /^(?:[*?]|\{0)/.test(quantifier)
    sequence = { first: [...sequence.first, ...atom.first], isOptional }
  }
  return sequence
}

function readAtom(reader: Reader): Part {
  const [opening] = take(reader, /(?:\((?:\?[:=!])?)?/y)
  if (opening === '') {
    const [atom] = take(reader, /\[\^?(?:\\.|[^\]\\])*\]|\\[pu]\{[^}]*\}|\\u....|\\.|./uy)
    return { first: [atom], isOptional: false }
  }
  const group = readAlternatives(reader)
  take(reader, /\)/y)
  // What a look-ahead requires is not needed to begin.
  return opening === '(' || opening === '(?:' ? group : NOTHING
}

function take(reader: Reader, pattern: RegExp): RegExpExecArray {
  pattern.lastIndex = reader.position
  const match = pattern.exec(reader.source)
  if (!match) throw new Error(`Unexpected syntax at ${reader.position} of /${reader.source}/.`)
  reader.position = pattern.lastIndex
  return match
}
