/** Numbers words from 0 in order of appearance. Words of ASCII letters are numbered without a string for each one. */
interface WordNumbers {
  /** The words by number, in lower case. */
  readonly texts: readonly string[]
  /** @param text in lower case */
  numberOf(text: string): number
  /** The number of a word of ASCII letters in any case, from `start` to `end` of a line. */
  numberOfWord(line: string, start: number, end: number): number
}

const INITIAL_SIZE = 4096

export function createWordNumbers(): WordNumbers {
  const texts: string[] = []
  const others = new Map<string, number>()
  /** A hash table with open addressing: numbers + 1 of words of letters, 0 where there is none. */
  let table = new Int32Array(INITIAL_SIZE)
  let count = 0
  /** Their hashes by number, and where their letters end and start in `letters`. */
  let hashes = new Int32Array(INITIAL_SIZE)
  let ends = new Int32Array(INITIAL_SIZE)
  let letters = new Uint8Array(8 * INITIAL_SIZE)
  let letterCount = 0

  function numberOfWord(line: string, start: number, end: number): number {
    let hash = 0
    for (let i = start; i < end; i++) hash = Math.imul(hash, 31) + (line.charCodeAt(i) | LOWER_CASE)
    hash = Math.imul(hash, 0x9e3779b1)
    hash ^= hash >>> 15
    const mask = table.length - 1
    let slot = hash & mask
    while (table[slot] !== 0) {
      const number = table[slot] - 1
      if (hashes[number] === hash && isWord(number, line, start, end)) return number
      slot = (slot + 1) & mask
    }
    table[slot] = append(hash, line, start, end) + 1
    if (++count * 2 > table.length) grow()
    return texts.length - 1
  }

  function isWord(number: number, line: string, start: number, end: number): boolean {
    const first = number === 0 ? 0 : ends[number - 1]
    if (ends[number] - first !== end - start) return false
    for (let i = start; i < end; i++) {
      if (letters[first + i - start] !== (line.charCodeAt(i) | LOWER_CASE)) return false
    }
    return true
  }

  function append(hash: number, line: string, start: number, end: number): number {
    while (letterCount + end - start > letters.length) letters = lengthen(letters)
    for (let i = start; i < end; i++) letters[letterCount++] = line.charCodeAt(i) | LOWER_CASE
    return appendText(line.slice(start, end).toLowerCase(), hash)
  }

  function appendText(text: string, hash: number): number {
    const number = texts.push(text) - 1
    if (number === hashes.length) {
      hashes = lengthen(hashes)
      ends = lengthen(ends)
    }
    hashes[number] = hash
    ends[number] = letterCount
    return number
  }

  function grow(): void {
    const smaller = table
    table = new Int32Array(2 * smaller.length)
    for (const entry of smaller) {
      if (entry === 0) continue
      let slot = hashes[entry - 1] & (table.length - 1)
      while (table[slot] !== 0) slot = (slot + 1) & (table.length - 1)
      table[slot] = entry
    }
  }

  function numberOf(text: string): number {
    if (consistsOfLetters(text)) return numberOfWord(text, 0, text.length)
    let number = others.get(text)
    if (number === undefined) {
      number = appendText(text, 0)
      others.set(text, number)
    }
    return number
  }

  return { texts, numberOf, numberOfWord }
}

/** This bit distinguishes the codes of ASCII letters in lower case from those in upper case. */
const LOWER_CASE = 0x20

/** Whether a code is that of an ASCII letter. */
export function isLetter(code: number): boolean {
  const lowerCase = code | LOWER_CASE
  return lowerCase >= 0x61 && lowerCase <= 0x7a
}

function consistsOfLetters(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!isLetter(text.charCodeAt(i))) return false
  return text !== ''
}

/** An array of twice the length with the same elements first. */
function lengthen<Elements extends Int32Array | Uint8Array>(elements: Elements): Elements {
  const longer = new (elements.constructor as new (length: number) => Elements)(2 * elements.length)
  longer.set(elements)
  return longer
}
