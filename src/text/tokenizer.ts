import { BEFORE_NUMBER, NEVER_SENTENCE_FINAL, OFTEN_SENTENCE_FINAL } from './abbreviations.js'
import { createScanner, type Match } from './penn-rules.js'

/**
 * Penn Treebank tokenization as Stanford CoreNLP 3.4.1's `PTBTokenizer -preserveLines -lowerCase` does it,
 * the tokenizer of the reference caption toolkit. Two things differ, both on purpose:
 *
 * - A caption is tokenized by itself. The toolkit tokenizes a file of captions, where the next line's first
 *   word can decide whether an abbreviation ends the line above ("t.v." or "t.v. ."). Here every caption is
 *   read as if one that begins with "A" followed, as most captions do.
 * - The toolkit deletes characters that it does not know. Here letters and marks of every script belong to
 *   words, and emoji and other symbols are tokens; control characters, format characters and unknown
 *   punctuation are deleted as there.
 */

/** The tokens that {@link tokenize} leaves out. Brackets stay: they read `-lrb-` once they are lower case. */
export const PUNCTUATION: ReadonlySet<string> = new Set([
  ...["''", "'", '``', '`', '-LRB-', '-RRB-', '-LCB-', '-RCB-'],
  ...['.', '?', '!', ',', ':', '-', '--', '...', ';'],
])

/** The words of a caption: its Penn Treebank tokens in lower case without {@link PUNCTUATION}. */
export function tokenize(caption: string): string[] {
  return tokenizePenn(caption).filter((token) => !PUNCTUATION.has(token))
}

/**
 * All Penn Treebank tokens of a caption in lower case. A line break inside it is read as a space. The time
 * is linear in the length of the caption; one of more than a million characters is read in stretches.
 */
export function tokenizePenn(caption: string): string[] {
  const line = caption.replace(LINE_BREAK, ' ')
  const tokens: string[] = []
  for (let start = 0; start < line.length; ) {
    const end = endOfStretch(line, start)
    tokenizeStretch(line.slice(start, end), tokens)
    start = end
  }
  return tokens
}

function tokenizeStretch(line: string, tokens: string[]): void {
  let scan: ((position: number) => Match) | undefined
  let position = 0
  while (position < line.length) {
    if (line.charCodeAt(position) === SPACE) {
      position = endOfSpaces(line, position)
      continue
    }
    const end = endOfPlainToken(line, position)
    if (end > position) {
      tokens.push(line.slice(position, end).toLowerCase())
      position = end
      continue
    }
    scan ??= createScanner(line + NEXT_LINE)
    const match = scan(position)
    if (match.token !== '') tokens.push(match.token.toLowerCase())
    position = match.end
  }
}

/** Regular expressions run out of stack on tokens of several million characters. */
const LONGEST_STRETCH = 1_000_000

function endOfStretch(line: string, start: number): number {
  const end = start + LONGEST_STRETCH
  if (end >= line.length) return line.length
  const lastSpace = line.lastIndexOf(' ', end)
  return lastSpace > start ? lastSpace : end
}

const LINE_BREAK = /\r\n|[\n\r\v\f\u2028\u2029]/g
const NEXT_LINE = '\nA '
const SPACE = 0x20
const COMMA = 0x2c
const PERIOD = 0x2e

/** Words that are two tokens although they look like one. */
const ASSIMILATIONS: ReadonlySet<string> = new Set(['cannot', 'gonna', 'gotta', 'lemme', 'gimme', 'wanna'])

/** Words for which a period behind them is a matter of the rules. */
const ASSIMILATIONS_AND_ABBREVIATIONS: ReadonlySet<string> = new Set([
  ...ASSIMILATIONS,
  ...[...OFTEN_SENTENCE_FINAL, ...NEVER_SENTENCE_FINAL, ...BEFORE_NUMBER].map((entry) =>
    entry.replace(/[[\]]/g, '').toLowerCase(),
  ),
])

/**
 * Most tokens of captions need no rules: a word of ASCII letters before a space, a comma or a period, that
 * comma, and the last period. Returns the end of such a token, or `position` where it takes the rules to
 * tell. The result is the same as the rules' own.
 */
function endOfPlainToken(line: string, position: number): number {
  const end = endOfLetters(line, position)
  const next = line.charCodeAt(end)
  if (end === position) {
    if (next === COMMA && isSpaceOrEnd(line, end + 1)) return end + 1
    return next === PERIOD && endsSentence(line, end) ? end + 1 : position
  }
  if (isSpaceOrEnd(line, end) || (next === COMMA && isSpaceOrEnd(line, end + 1))) {
    return isOneOf(ASSIMILATIONS, line, position, end) ? position : end
  }
  if (next === PERIOD && isSpaceOrEnd(line, end + 1) && end > position + 1) {
    return isOneOf(ASSIMILATIONS_AND_ABBREVIATIONS, line, position, end) ? position : end
  }
  return position
}

/** Whether the period here stands alone, and is not the first dot of `. . .` either. */
function endsSentence(line: string, period: number): boolean {
  return isSpaceOrEnd(line, period + 1) && line.charCodeAt(period + 2) !== PERIOD
}

/** The other spaces after a plain one belong to it: alone, they may be part of an address. */
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

function isLetter(code: number): boolean {
  const lowerCase = code | 0x20
  return lowerCase >= 0x61 && lowerCase <= 0x7a
}

function isSpaceOrEnd(line: string, position: number): boolean {
  return position === line.length || line.charCodeAt(position) === SPACE
}

const LONGEST_LISTED = 7

function isOneOf(words: ReadonlySet<string>, line: string, start: number, end: number): boolean {
  return end - start <= LONGEST_LISTED && words.has(line.slice(start, end).toLowerCase())
}
