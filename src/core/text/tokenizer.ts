import { BEFORE_NUMBER, NEVER_SENTENCE_FINAL, OFTEN_SENTENCE_FINAL } from './abbreviations.js'
import { createScanner, type Match } from './penn-rules.js'
import type { Corpus } from './sequences.js'
import { createWordNumbers, isLetter } from './word-numbers.js'

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
export const PUNCTUATION: ReadonlySet<string> = new Set([
  ...["''", "'", '``', '`', '-LRB-', '-RRB-', '-LCB-', '-RCB-'],
  ...['.', '?', '!', ',', ':', '-', '--', '...', ';'],
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

/** Numbers the tokens of captions without {@link PUNCTUATION} from 0 in order of appearance. */
interface TokenNumbers {
  /** The tokens by number. */
  readonly texts: readonly string[]
  /** The numbers of a caption's tokens. */
  numbersOf(caption: string): Int32Array
}

export function createTokenNumbers(): TokenNumbers {
  const { texts, append } = createTokenAppender()
  return {
    texts,
    numbersOf(caption) {
      const numbers: number[] = []
      append(caption, numbers)
      return Int32Array.from(numbers)
    },
  }
}

/** The tokens of captions without {@link PUNCTUATION}, numbered in order of appearance. */
export function tokenizeCorpus(captions: readonly string[]): Corpus {
  const { texts, append } = createTokenAppender()
  const tokens: number[] = []
  const offsets = new Int32Array(captions.length + 1)
  for (let caption = 0; caption < captions.length; caption++) {
    append(captions[caption], tokens)
    offsets[caption + 1] = tokens.length
  }
  return { tokens: Int32Array.from(tokens), offsets, texts }
}

/** `append` adds the numbers of a caption's tokens to a list. */
function createTokenAppender() {
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

function scanCaption(caption: string, sink: TokenSink): void {
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
