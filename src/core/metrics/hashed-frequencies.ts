/**
 * Document frequencies without captions: n-grams are known by hashes of their text, so that a table can be given away, and
 * is valid for every corpus. Hashes have 48 bits: among 10⁵ n-grams, one that is not in the table is found in it by mistake
 * with a probability of 4 · 10⁻¹⁰.
 */
import { type CorpusNgrams, wordText } from '../text/ngrams.js'
import type { DocumentFrequencies } from './document-frequencies.js'

/** Hashes of n-grams, ascending. The n-gram at position `g` has the number g + 1. */
export interface NgramHashes {
  readonly hashes: Float64Array
}

/** As {@link DocumentFrequencies}, with hashes instead of n-grams. */
export interface HashedFrequencies {
  readonly imageCount: number
  readonly ngrams: NgramHashes
  /** Per hash. */
  readonly counts: Int32Array
}

/** Two 32-bit halves of the state of a hash, one entry per n-gram. */
interface Halves {
  readonly high: Int32Array
  readonly low: Int32Array
}

/** Hashes a table. @param texts of the tokens that its words are keys of */
export function hashFrequencies(
  { imageCount, ngrams: { words, children }, counts }: DocumentFrequencies,
  texts: readonly string[],
): HashedFrequencies {
  const size = words.length
  const distinct = [...new Set(words)]
  const hashedWords = hashWords(distinct, texts)
  const placeOf = new Map(distinct.map((key, place) => [key, place]))
  // Entry 0 is the empty n-gram.
  const states = allocate(size + 1)
  const hashes = new Float64Array(size)
  for (let parent = 0; parent <= size; parent++) {
    for (let ngram = children[parent]; ngram < children[parent + 1]; ngram++) {
      append(states, parent, hashedWords, placeOf.get(words[ngram]) as number, states, ngram + 1)
      hashes[ngram] = toNumber(states, ngram + 1)
    }
  }
  const order = Array.from(hashes.keys()).sort((one, other) => hashes[one] - hashes[other])
  return {
    imageCount,
    ngrams: { hashes: Float64Array.from(order, (ngram) => hashes[ngram]) },
    counts: Int32Array.from(order, (ngram) => counts[ngram]),
  }
}

/** Per order, the numbers in a table of a corpus's n-grams; 0 for those that the table does not have. */
export function findHashes(
  { keys, orders, pairs }: CorpusNgrams,
  texts: readonly string[],
  { hashes }: NgramHashes,
): Int32Array[] {
  const words = hashWords(keys, texts)
  const starts = indexHashes(hashes)
  let states = allocate(keys.length)
  const empty = allocate(1)
  for (let word = 0; word < keys.length; word++) append(empty, 0, words, word, states, word)
  /** The last words of the n-grams, as positions in `keys`. */
  let lastWords = Int32Array.from(keys.keys())
  const all = [findAll(hashes, starts, states)]
  for (let order = 1; order < orders.length; order++) {
    const pair = pairs[order - 1]
    const longer = allocate(orders[order].distinct)
    const longerLastWords = new Int32Array(orders[order].distinct)
    for (let ngram = 0; ngram < longerLastWords.length; ngram++) {
      longerLastWords[ngram] = lastWords[pair[2 * ngram + 1]]
      append(states, pair[2 * ngram], words, longerLastWords[ngram], longer, ngram)
    }
    states = longer
    lastWords = longerLastWords
    all.push(findAll(hashes, starts, states))
  }
  return all
}

/** Of each text of a token, the number of images of a table; 0 for texts that it does not have. */
export function countTexts(texts: readonly string[], { ngrams, counts }: HashedFrequencies): Int32Array {
  const words = hashWords(
    Array.from(texts, (_, token) => token),
    texts,
  )
  const states = allocate(texts.length)
  const empty = allocate(1)
  for (let word = 0; word < texts.length; word++) append(empty, 0, words, word, states, word)
  const numbers = findAll(ngrams.hashes, indexHashes(ngrams.hashes), states)
  return numbers.map((number) => (number === 0 ? 0 : counts[number - 1]))
}

function allocate(length: number): Halves {
  return { high: new Int32Array(length), low: new Int32Array(length) }
}

/** FNV-1a over the UTF-16 code units of each word, with two offsets. */
function hashWords(keys: readonly number[] | Int32Array, texts: readonly string[]): Halves {
  const words = allocate(keys.length)
  for (let word = 0; word < keys.length; word++) {
    const text = wordText(texts, keys[word])
    let high = 0x811c9dc5
    let low = 0x2545f491
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      high = Math.imul(high ^ code, 0x01000193)
      low = Math.imul(low ^ code, 0x01000193)
    }
    words.high[word] = mix(high)
    words.low[word] = mix(low)
  }
  return words
}

/** Writes the state of an n-gram that is followed by a word. */
function append(
  { high, low }: Halves,
  ngram: number,
  words: Halves,
  word: number,
  target: Halves,
  place: number,
): void {
  target.high[place] = mix(Math.imul(high[ngram], 0x9e3779b1) + words.high[word])
  target.low[place] = mix(Math.imul(low[ngram], 0x85ebca6b) + words.low[word] + 1)
}

/** The finalizer of MurmurHash3. */
function mix(value: number): number {
  let hash = value | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** 48 bits of a state. */
function toNumber({ high, low }: Halves, ngram: number): number {
  return (high[ngram] >>> 0) * 0x10000 + (low[ngram] >>> 16)
}

/** Bits of a hash that tell the ranges of an index apart: at most a few hashes are in one. */
const INDEX_BITS = 16

/** Where the hashes of each of 2^16 ranges of equal width begin, and their number. */
function indexHashes(hashes: Float64Array): Int32Array {
  const starts = new Int32Array((1 << INDEX_BITS) + 1)
  for (let ngram = 0; ngram < hashes.length; ngram++) starts[Math.floor(hashes[ngram] / 2 ** 32) + 1]++
  for (let range = 1; range < starts.length; range++) starts[range] += starts[range - 1]
  return starts
}

/** The numbers of n-grams in a table; 0 for those that it does not have. @param starts of {@link indexHashes} */
function findAll(hashes: Float64Array, starts: Int32Array, states: Halves): Int32Array {
  const numbers = new Int32Array(states.high.length)
  for (let ngram = 0; ngram < numbers.length; ngram++) {
    const range = states.high[ngram] >>> (32 - INDEX_BITS)
    numbers[ngram] = find(hashes, toNumber(states, ngram), starts[range], starts[range + 1])
  }
  return numbers
}

/** The number of a hash among those at `first` … `end`, or 0. */
function find(hashes: Float64Array, wanted: number, first: number, end: number): number {
  let [low, high] = [first, end]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (hashes[middle] < wanted) low = middle + 1
    else high = middle
  }
  return low < end && hashes[low] === wanted ? low + 1 : 0
}
