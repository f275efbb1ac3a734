import { BEFORE_NUMBER, NEVER_SENTENCE_FINAL, OFTEN_SENTENCE_FINAL } from './abbreviations.js'
import { createScanner, type Match } from './penn-rules.js'

/**
 * Penn Treebank tokenization, equivalent to Stanford CoreNLP 3.4.1's `PTBTokenizer -preserveLines -lowerCase`, the
 * tokenizer of the reference caption toolkit. There are two intentional differences:
 *
 * - Each caption is tokenized separately. The toolkit tokenizes a file of captions, in which the first word of the
 *   next line can determine whether an abbreviation ends the previous line ("t.v." or "t.v. ."). Here every
 *   caption is tokenized as if the next line started with "A", as most captions do.
 * - The toolkit deletes unknown characters. Here letters and marks of all scripts are part of words, and emoji and
 *   other symbols are tokens. Control characters, format characters and unknown punctuation are deleted in both.
 */

/** Tokens that {@link tokenize} removes. Brackets are not removed, because they are `-lrb-` etc. in lower case. */
// biome-ignore format: a table
export const PUNCTUATION: ReadonlySet<string> = new Set([
  "''", "'", '``', '`', '-LRB-', '-RRB-', '-LCB-', '-RCB-',
  '.', '?', '!', ',', ':', '-', '--', '...', ';',
])

/** Returns the lower-case Penn Treebank tokens of a caption without {@link PUNCTUATION}. */
export function tokenize(caption: string): string[] {
  return tokenizePenn(caption).filter((token) => !PUNCTUATION.has(token))
}

/**
 * Returns all Penn Treebank tokens of a caption in lower case. Line breaks are treated as spaces. The time is
 * linear in the length of the caption. Captions of more than a million characters are tokenized in chunks.
 */
export function tokenizePenn(caption: string): string[] {
  const tokens: string[] = []
  scanCaption(caption, {
    addPlain: (line, start, end) => tokens.push(line.slice(start, end).toLowerCase()),
    add: (token) => tokens.push(token),
  })
  return tokens
}

/** Tokens without {@link PUNCTUATION}, numbered from 0 in order of appearance: `append` adds those of a caption to a list. */
export function createPennAppender() {
  const { texts, numberOf, numberOfWord } = createWordNumbers()
  let numbers: number[]
  const sink: TokenSink = {
    addPlain(line, start, end) {
      if (isLetter(line.charCodeAt(start))) numbers.push(numberOfWord(line, start, end))
    },
    add(token) {
      if (!PUNCTUATION.has(token)) numbers.push(numberOf(token))
    },
  }
  function append(caption: string, to: number[]): void {
    numbers = to
    scanCaption(caption, sink)
  }
  return { texts, append }
}

/** Receives the tokens of a caption in order. */
interface TokenSink {
  /** A word of ASCII letters in any case, a comma or a period, from `start` to `end` of a line. */
  addPlain(line: string, start: number, end: number): void
  /** Any other token. */
  add(token: string): void
}

/** The toolkit removes spaces of all kinds from the end of a line of tokens, so that none belongs to a final address. */
function scanCaption(text: string, sink: TokenSink): void {
  const caption = text.slice(0, endOfText(text))
  if (caption.length <= MAX_CHUNK_LENGTH) {
    scanChunk(caption, sink)
    return
  }
  const line = caption.replace(LINE_BREAK, ' ')
  for (let start = 0; start < line.length; ) {
    const end = endOfChunk(line, start)
    scanChunk(line.slice(start, end), sink)
    start = end
  }
}

function scanChunk(chunk: string, sink: TokenSink): void {
  let line = chunk
  let scan: ((position: number) => Match) | undefined
  let position = 0
  while (position < line.length) {
    if (line.charCodeAt(position) === SPACE) {
      position = endOfSpaces(line, position)
      continue
    }
    const end = endOfPlainToken(line, position)
    if (end > position) {
      sink.addPlain(line, position, end)
      position = end
      continue
    }
    if (scan === undefined) {
      // Plain tokens are the same before line breaks and before spaces.
      line = line.slice(0, position) + line.slice(position).replace(LINE_BREAK, ' ')
      scan = createScanner(line + NEXT_LINE)
      continue
    }
    const match = scan(position)
    if (match.token !== '') sink.add(match.token.toLowerCase())
    position = match.end
  }
}

/** Regular expressions overflow the stack on tokens of several million characters. */
const MAX_CHUNK_LENGTH = 1_000_000

function endOfChunk(line: string, start: number): number {
  const end = start + MAX_CHUNK_LENGTH
  if (end >= line.length) return line.length
  const lastSpace = line.lastIndexOf(' ', end)
  return lastSpace > start ? lastSpace : end
}

const LINE_BREAK = /\r\n|[\n\r\v\f\u2028\u2029]/g
const OTHER_END_SPACES: ReadonlySet<number> = new Set([0x85, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f])
const NEXT_LINE = '\nA '
const SPACE = 0x20
const COMMA = 0x2c
const PERIOD = 0x2e

/** Words that are split into two tokens. */
const CONTRACTIONS: ReadonlySet<string> = new Set(['cannot', 'gonna', 'gotta', 'lemme', 'gimme', 'wanna'])

/** Words that need the rules if a period follows. */
const CONTRACTIONS_AND_ABBREVIATIONS: ReadonlySet<string> = new Set([
  ...CONTRACTIONS,
  ...[...OFTEN_SENTENCE_FINAL, ...NEVER_SENTENCE_FINAL, ...BEFORE_NUMBER].map((entry) =>
    entry.replace(/[[\]]/g, '').toLowerCase(),
  ),
])

/**
 * Fast path. Most tokens of captions do not need the rules: words of ASCII letters before a space, comma or
 * period, the comma itself, and the final period. Returns the end of such a token, or `position` if the rules are
 * required. The result is identical to that of the rules.
 */
function endOfPlainToken(line: string, position: number): number {
  const end = endOfLetters(line, position)
  const next = line.charCodeAt(end)
  if (end === position) {
    if (next === COMMA && isSpaceOrEnd(line, end + 1)) return end + 1
    return next === PERIOD && endsSentence(line, end) ? end + 1 : position
  }
  if (isSpaceOrEnd(line, end) || (next === COMMA && isSpaceOrEnd(line, end + 1))) {
    return isOneOf(CONTRACTIONS, line, position, end) ? position : end
  }
  if (next === PERIOD && isSpaceOrEnd(line, end + 1) && end > position + 1) {
    return isOneOf(CONTRACTIONS_AND_ABBREVIATIONS, line, position, end) ? position : end
  }
  return position
}

/** Whether the period is followed by a space or the end, and does not start an ellipsis (`. . .`). */
function endsSentence(line: string, period: number): boolean {
  return isSpaceOrEnd(line, period + 1) && line.charCodeAt(period + 2) !== PERIOD
}

/** Skips all kinds of spaces after a plain space. Without a preceding plain space, they can be part of an address. */
function endOfSpaces(line: string, position: number): number {
  let end = position + 1
  while (isSpace(line.charCodeAt(end))) end++
  return end
}

function isSpace(code: number): boolean {
  if (code === SPACE) return true
  return code === 0x09 || code === 0xa0 || (code >= 0x2000 && code <= 0x200a) || code === 0x3000
}

/** The position after the last character that is no space, line break or separator. */
function endOfText(text: string): number {
  let end = text.length
  while (end > 0 && isEndSpace(text.charCodeAt(end - 1))) end--
  return end
}

/** What Python counts as space. */
function isEndSpace(code: number): boolean {
  if (isSpace(code)) return true
  return (code >= 0x0a && code <= 0x0d) || (code >= 0x1c && code <= 0x1f) || OTHER_END_SPACES.has(code)
}

function endOfLetters(line: string, position: number): number {
  let end = position
  while (isLetter(line.charCodeAt(end))) end++
  return end
}

function isSpaceOrEnd(line: string, position: number): boolean {
  return position === line.length || line.charCodeAt(position) === SPACE
}

const MAX_LISTED_LENGTH = 7

function isOneOf(words: ReadonlySet<string>, line: string, start: number, end: number): boolean {
  return end - start <= MAX_LISTED_LENGTH && words.has(line.slice(start, end).toLowerCase())
}

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

function createWordNumbers(): WordNumbers {
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
function isLetter(code: number): boolean {
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
