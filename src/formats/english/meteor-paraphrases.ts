import type { TokenSequences } from '../../core/text/sequences.js'
import { AccordError, quote } from '../../errors.js'
import { MAX_DECOMPRESSED_BYTES, readWhole } from '../io/files.js'

const NEWLINE = 10
const CARRIAGE_RETURN = 13
const SPACE = 32

/**
 * Reads the entries of METEOR's paraphrase table that consist only of the given words. Sequence 2e is the phrase of
 * entry e, sequence 2e + 1 its paraphrase. Tokens are indexes into `words`.
 *
 * The file is gzip-compressed UTF-8 with three lines per entry: a probability (not used by METEOR), a phrase and its
 * paraphrase. The decompressed size is at most 1 GiB; it is held in memory while it is read.
 *
 * @throws AccordError INVALID_SHAPE for any other content, with the line
 */
export function readParaphrases(path: string, words: readonly string[]): TokenSequences {
  const bytes = readWhole(path, MAX_DECOMPRESSED_BYTES)
  const vocabulary = createVocabulary(words)
  const tokens: number[] = []
  const offsets = [0]
  let start = 0
  for (let line = 1; start < bytes.length; line += 3) {
    const phrase = endOfLine(bytes, start) + 1
    const paraphrase = endOfLine(bytes, phrase) + 1
    const end = endOfLine(bytes, paraphrase)
    if (phrase > bytes.length || paraphrase > bytes.length || paraphrase === bytes.length) {
      throw invalidTable(path, line, 'three lines: probability, phrase, paraphrase', 'the end of the file')
    }
    if (!startsLikeNumber(bytes[start])) {
      throw invalidTable(path, line, 'a probability', quote(bytes.toString('utf8', start, phrase - 1)))
    }
    const hasPhrase = vocabulary.read(bytes, phrase, paraphrase - 1, tokens)
    if (hasPhrase === undefined) throw invalidTable(path, line + 1, 'a phrase', 'an empty line')
    const phraseLength = tokens.length
    const hasParaphrase = vocabulary.read(bytes, paraphrase, end, tokens)
    if (hasParaphrase === undefined) throw invalidTable(path, line + 2, 'a paraphrase', 'an empty line')
    if (hasPhrase && hasParaphrase) offsets.push(phraseLength, tokens.length)
    else tokens.length = offsets[offsets.length - 1]
    start = end + 1
  }
  return { tokens: Int32Array.from(tokens), offsets: Int32Array.from(offsets) }
}

function endOfLine(bytes: Buffer, start: number): number {
  const end = start > bytes.length ? -1 : bytes.indexOf(NEWLINE, start)
  return end < 0 ? bytes.length : end
}

function startsLikeNumber(byte: number): boolean {
  return (byte >= 48 && byte <= 57) || byte === 45 || byte === 46
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === CARRIAGE_RETURN || byte === 9 || byte === 12
}

/** Looks up words by their UTF-8 bytes, to avoid creating strings for the millions of words of a table. */
function createVocabulary(words: readonly string[]) {
  const encoded = words.map((word) => Buffer.from(word))
  const mask = 2 ** Math.ceil(Math.log2(4 * words.length + 1)) - 1
  const slots = new Int32Array(mask + 1).fill(-1)
  encoded.forEach((bytes, id) => {
    let slot = hash(bytes, 0, bytes.length) & mask
    while (slots[slot] >= 0) slot = (slot + 1) & mask
    slots[slot] = id
  })

  return {
    /**
     * Appends the words of a line to `tokens`, up to the first word that is not in the vocabulary. Returns whether
     * all words are in the vocabulary, or undefined for a line without words.
     */
    read(bytes: Buffer, start: number, end: number, tokens: number[]): boolean | undefined {
      let position = start
      while (position < end && isSpace(bytes[position])) position++
      if (position === end) return undefined
      while (position < end) {
        let wordEnd = position + 1
        while (wordEnd < end && !isSpace(bytes[wordEnd])) wordEnd++
        const id = find(bytes, position, wordEnd)
        if (id < 0) return false
        tokens.push(id)
        position = wordEnd
        while (position < end && isSpace(bytes[position])) position++
      }
      return true
    },
  }

  function find(bytes: Buffer, start: number, end: number): number {
    let slot = hash(bytes, start, end) & mask
    for (; slots[slot] >= 0; slot = (slot + 1) & mask) {
      if (encoded[slots[slot]].equals(bytes.subarray(start, end))) return slots[slot]
    }
    return -1
  }
}

/** FNV-1a. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5
  for (let i = start; i < end; i++) value = Math.imul(value ^ bytes[i], 0x01000193)
  return value ^ (value >>> 15)
}

function invalidTable(source: string, line: number, expected: string, found: string): AccordError {
  return new AccordError('INVALID_SHAPE', 'invalid METEOR paraphrase table', {
    source,
    place: `line ${line}`,
    expected,
    found,
  })
}
