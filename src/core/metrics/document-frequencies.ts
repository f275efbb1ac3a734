/**
 * Document frequencies of n-grams, n = 1..4: in how many images' references each n-gram occurs (Vedantam,
 * Zitnick, Parikh 2015, section 4). Tables of disjoint sets of images can be merged, and are valid in every
 * process that uses the same table of tokens: n-grams consist of the keys of {@link wordKeys}.
 */
import { AccordError } from '../../errors.js'
import {
  type CorpusNgrams,
  createPairInterner,
  hashPair,
  MAX_ORDER,
  type PairInterner,
  powerOfTwo,
  wordKeys,
} from '../text/ngrams.js'
import type { Corpus, TokenSequences } from '../text/sequences.js'
import { countImages, type ReferenceLists } from './reference-lists.js'

/**
 * A set of n-grams that contains every beginning of its n-grams. Plain typed arrays, so that it can be sent
 * between threads. The n-gram at position `g` has the number g + 1; number 0 is the empty n-gram.
 */
export interface NgramTable {
  /** The number of the n-gram without its last word; smaller than the number of the n-gram itself. */
  readonly parents: Int32Array
  /** The key of the last word. */
  readonly words: Int32Array
  /** A hash table with open addressing of the numbers by parent and word; 0 for a free slot. */
  readonly slots: Int32Array
}

/** In how many images' references each n-gram of a table occurs. */
export interface DocumentFrequencies {
  readonly imageCount: number
  readonly ngrams: NgramTable
  /** Per n-gram of the table. N-grams that are not in the table occur in at most one image. */
  readonly counts: Int32Array
}

export interface TableOptions {
  /** True for a table that will be merged with others: it then contains n-grams of one image as well. */
  readonly partial?: boolean
}

/**
 * Document frequencies in the references of lists over one corpus: one table per list; the tables share their
 * n-grams. N-grams of at most one image weigh the same whether they are listed or not, and are left out unless
 * the table is partial.
 *
 * @throws AccordError NOT_APPLICABLE for an image without references
 */
export function countDocumentFrequencies(
  corpus: Corpus,
  lists: readonly ReferenceLists[],
  options: TableOptions = {},
): DocumentFrequencies[] {
  const words = wordKeys(corpus)
  return joinParts(lists, [countPart(words, lists, { ...options, part: 0, parts: 1 })])
}

/** The n-grams of one part of a table, and their counts per list. */
export interface TablePart {
  readonly parents: Int32Array
  readonly words: Int32Array
  readonly counts: readonly Int32Array[]
}

export interface PartOptions extends TableOptions {
  /** Which n-grams are counted: those whose first word belongs to part `part` of `parts`. */
  readonly part: number
  readonly parts: number
}

/** Counts the n-grams of one part: the work of {@link countDocumentFrequencies}, for several threads. */
export function countPart(
  words: TokenSequences,
  lists: readonly ReferenceLists[],
  { partial = false, part, parts }: PartOptions,
): TablePart {
  const starts = findStarts(words, lists, part, parts)
  const interner = createPairInterner(starts.positions.length)
  const counts = lists.map(() => new Int32Array(0))
  for (let order = 1; order <= MAX_ORDER; order++) {
    const first = interner.size()
    if (order === 1) startNgrams(words, starts, interner)
    else extendNgrams(words, starts, order, interner, (ngram) => partial || occursTwice(counts, ngram))
    lists.forEach((list, index) => {
      counts[index] = enlarge(counts[index], interner.size())
      countOrder(list, starts, first, counts[index])
    })
  }
  return selectNgrams(interner.pairs(), counts, (ngram) => partial || occursTwice(counts, ngram))
}

/** The tables of all lists from all parts. */
export function joinParts(
  lists: readonly ReferenceLists[],
  parts: readonly TablePart[],
): DocumentFrequencies[] {
  const size = parts.reduce((sum, { words }) => sum + words.length, 0)
  const parents = new Int32Array(size)
  const words = new Int32Array(size)
  const counts = lists.map(() => new Int32Array(size))
  let start = 0
  for (const part of parts) {
    for (let i = 0; i < part.words.length; i++) {
      parents[start + i] = part.parents[i] === 0 ? 0 : start + part.parents[i]
    }
    words.set(part.words, start)
    part.counts.forEach((values, list) => {
      counts[list].set(values, start)
    })
    start += part.words.length
  }
  const ngrams = indexNgrams(parents, words)
  return lists.map((list, index) => ({ imageCount: countImages(list), ngrams, counts: counts[index] }))
}

/** Adds up partial tables of disjoint sets of images. A table that was added is not referred to any more. */
export interface TableMerger {
  add(table: DocumentFrequencies): void
  /** The document frequencies of all images together. */
  merged(options?: TableOptions): DocumentFrequencies
}

export function createTableMerger(): TableMerger {
  const interner = createPairInterner(0)
  let counts = new Int32Array(0)
  let imageCount = 0
  return {
    add({ imageCount: addedImages, ngrams, counts: added }) {
      const numbers = new Int32Array(added.length + 1)
      for (let i = 0; i < added.length; i++) {
        numbers[i + 1] = interner.intern(numbers[ngrams.parents[i]], ngrams.words[i]) + 1
      }
      if (counts.length < interner.size()) counts = enlarge(counts, 2 * interner.size())
      for (let i = 0; i < added.length; i++) counts[numbers[i + 1] - 1] += added[i]
      imageCount += addedImages
    },
    merged({ partial = false } = {}) {
      const selected = selectNgrams(interner.pairs(), [counts], (ngram) => partial || counts[ngram] >= 2)
      const ngrams = indexNgrams(selected.parents, selected.words)
      return { imageCount, ngrams, counts: selected.counts[0] }
    },
  }
}

/** The document frequencies of all images together, from partial tables of disjoint sets of images. */
export function mergeDocumentFrequencies(
  tables: readonly DocumentFrequencies[],
  options: TableOptions = {},
): DocumentFrequencies {
  const merger = createTableMerger()
  for (const table of tables) merger.add(table)
  return merger.merged(options)
}

/** Per order, the numbers in a table of a corpus's n-grams; 0 for those that the table does not have. */
export function findNgrams({ keys, orders, pairs }: CorpusNgrams, table: NgramTable): Int32Array[] {
  let numbers = keys.map((key) => findNgram(table, 0, key))
  let lastWords = keys
  const all = [numbers]
  for (let order = 1; order < orders.length; order++) {
    const pair = pairs[order - 1]
    const { distinct } = orders[order]
    const longer = new Int32Array(distinct)
    const longerLastWords = new Int32Array(distinct)
    for (let ngram = 0; ngram < distinct; ngram++) {
      const parent = numbers[pair[2 * ngram]]
      const lastWord = lastWords[pair[2 * ngram + 1]]
      longerLastWords[ngram] = lastWord
      if (parent !== 0) longer[ngram] = findNgram(table, parent, lastWord)
    }
    numbers = longer
    lastWords = longerLastWords
    all.push(numbers)
  }
  return all
}

const MAGIC = 0x41444631
const HEADER_LENGTH = 4

/**
 * A table as bytes, all numbers little-endian int32: magic number 'ADF1', number of images (low, high), number
 * of n-grams, then parents, last words and counts. N-grams are sorted by order, parent and last word: equal
 * tables have equal bytes, so that the bytes can be hashed.
 */
export function encodeDocumentFrequencies({ imageCount, ngrams, counts }: DocumentFrequencies): Uint8Array {
  const size = counts.length
  const order = sortNgrams(ngrams)
  const numbers = new Int32Array(size + 1)
  order.forEach((ngram, place) => {
    numbers[ngram + 1] = place + 1
  })
  const view = new DataView(new ArrayBuffer(4 * (HEADER_LENGTH + 3 * size)))
  const header = [MAGIC, imageCount | 0, Math.floor(imageCount / 2 ** 32), size]
  header.forEach((value, index) => {
    view.setInt32(4 * index, value, true)
  })
  order.forEach((ngram, place) => {
    const offset = 4 * (HEADER_LENGTH + place)
    view.setInt32(offset, numbers[ngrams.parents[ngram]], true)
    view.setInt32(offset + 4 * size, ngrams.words[ngram], true)
    view.setInt32(offset + 8 * size, counts[ngram], true)
  })
  return new Uint8Array(view.buffer)
}

/** @throws AccordError INVALID_SHAPE where the bytes are not a table */
export function decodeDocumentFrequencies(bytes: Uint8Array): DocumentFrequencies {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const size = bytes.length < 4 * HEADER_LENGTH ? -1 : view.getInt32(12, true)
  if (size < 0 || view.getInt32(0, true) !== MAGIC || bytes.length !== 4 * (HEADER_LENGTH + 3 * size)) {
    throw new AccordError('INVALID_SHAPE', 'not a table of document frequencies', {
      expected:
        size < 0 ? `at least ${4 * HEADER_LENGTH} bytes` : `${4 * (HEADER_LENGTH + 3 * size)} bytes of ADF1`,
      found: `${bytes.length} bytes`,
    })
  }
  const column = (index: number) =>
    Int32Array.from({ length: size }, (_, i) => view.getInt32(4 * (HEADER_LENGTH + index * size + i), true))
  const parents = column(0)
  const misplaced = parents.findIndex((parent, ngram) => parent < 0 || parent > ngram)
  if (misplaced >= 0) {
    throw new AccordError('INVALID_SHAPE', 'not a table of document frequencies', {
      place: `n-gram ${misplaced}`,
      expected: 'a parent before it',
      found: String(parents[misplaced]),
    })
  }
  return {
    imageCount: view.getUint32(4, true) + view.getInt32(8, true) * 2 ** 32,
    ngrams: indexNgrams(parents, column(1)),
    counts: column(2),
  }
}

/** Where the n-grams of a part begin, caption by caption. */
interface Starts {
  /** Positions of first words in the corpus. */
  readonly positions: Int32Array
  /** Per caption, its first start; captions that no list uses have none. */
  readonly offsets: Int32Array
  /** Per start, the number of the n-gram of the current order that begins there; 0 for none. */
  readonly ngrams: Int32Array
}

function findStarts(
  { tokens, offsets }: TokenSequences,
  lists: readonly ReferenceLists[],
  part: number,
  parts: number,
): Starts {
  const captionCount = offsets.length - 1
  const isUsed = new Uint8Array(captionCount)
  for (const list of lists) {
    const end = list.referenceOffsets[countImages(list)]
    for (let r = list.referenceOffsets[0]; r < end; r++) isUsed[list.references[r]] = 1
  }
  const positions = new Int32Array(tokens.length)
  const startOffsets = new Int32Array(captionCount + 1)
  let size = 0
  for (let caption = 0; caption < captionCount; caption++) {
    const end = isUsed[caption] === 1 ? offsets[caption + 1] : offsets[caption]
    for (let i = offsets[caption]; i < end; i++) {
      if (parts === 1 || (hashPair(tokens[i], 0) >>> 16) % parts === part) positions[size++] = i
    }
    startOffsets[caption + 1] = size
  }
  return { positions: positions.slice(0, size), offsets: startOffsets, ngrams: new Int32Array(size) }
}

/** The words that begin at each start. */
function startNgrams(
  { tokens }: TokenSequences,
  { positions, ngrams }: Starts,
  interner: PairInterner,
): void {
  let least = 0
  let greatest = -1
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i] < least) least = tokens[i]
    if (tokens[i] > greatest) greatest = tokens[i]
  }
  const numbers = new Int32Array(greatest - least + 1)
  for (let start = 0; start < positions.length; start++) {
    const word = tokens[positions[start]]
    if (numbers[word - least] === 0) numbers[word - least] = interner.intern(0, word) + 1
    ngrams[start] = numbers[word - least]
  }
}

/** Goes from the n-grams of order − 1 that begin at each start to those of `order`. */
function extendNgrams(
  { tokens, offsets }: TokenSequences,
  { positions, offsets: startOffsets, ngrams }: Starts,
  order: number,
  interner: PairInterner,
  isExtended: (ngram: number) => boolean,
): void {
  for (let caption = 0; caption + 1 < offsets.length; caption++) {
    const end = offsets[caption + 1]
    for (let start = startOffsets[caption]; start < startOffsets[caption + 1]; start++) {
      const position = positions[start] + order - 1
      const parent = ngrams[start]
      const exists = position < end && parent !== 0 && isExtended(parent - 1)
      ngrams[start] = exists ? interner.intern(parent, tokens[position]) + 1 : 0
    }
  }
}

/** Counts the images of a list that have each n-gram of the current order; `first` is the first of these. */
function countOrder(
  { references, referenceOffsets }: ReferenceLists,
  { offsets, ngrams }: Starts,
  first: number,
  counts: Int32Array,
): void {
  const lastImage = new Int32Array(counts.length - first).fill(-1)
  for (let image = 0; image + 1 < referenceOffsets.length; image++) {
    for (let r = referenceOffsets[image]; r < referenceOffsets[image + 1]; r++) {
      const caption = references[r]
      for (let start = offsets[caption]; start < offsets[caption + 1]; start++) {
        const ngram = ngrams[start] - 1
        if (ngram < 0 || lastImage[ngram - first] === image) continue
        lastImage[ngram - first] = image
        counts[ngram]++
      }
    }
  }
}

/** Whether some list has the n-gram in two images or more: only then can a longer one be, too. */
function occursTwice(counts: readonly Int32Array[], ngram: number): boolean {
  for (let list = 0; list < counts.length; list++) if (counts[list][ngram] >= 2) return true
  return false
}

/** The n-grams (pairs of parent and last word) that are selected, renumbered. Beginnings of them must be, too. */
function selectNgrams(
  pairs: Int32Array,
  counts: readonly Int32Array[],
  isSelected: (ngram: number) => boolean,
): TablePart {
  const all = pairs.length / 2
  const numbers = new Int32Array(all + 1)
  let size = 0
  for (let ngram = 0; ngram < all; ngram++) if (isSelected(ngram)) numbers[ngram + 1] = ++size
  const parents = new Int32Array(size)
  const words = new Int32Array(size)
  const selected = counts.map(() => new Int32Array(size))
  for (let ngram = 0; ngram < all; ngram++) {
    const place = numbers[ngram + 1] - 1
    if (place < 0) continue
    parents[place] = numbers[pairs[2 * ngram]]
    words[place] = pairs[2 * ngram + 1]
    for (let list = 0; list < counts.length; list++) selected[list][place] = counts[list][ngram]
  }
  return { parents, words, counts: selected }
}

function indexNgrams(parents: Int32Array, words: Int32Array): NgramTable {
  const slots = new Int32Array(powerOfTwo(2 * words.length + 1))
  const mask = slots.length - 1
  for (let ngram = 0; ngram < words.length; ngram++) {
    let slot = hashPair(parents[ngram], words[ngram]) & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = ngram + 1
  }
  return { parents, words, slots }
}

/** The number of an n-gram given by that of its beginning and its last word, 0 where the table has none. */
function findNgram({ parents, words, slots }: NgramTable, parent: number, word: number): number {
  const mask = slots.length - 1
  let slot = hashPair(parent, word) & mask
  for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
    const ngram = slots[slot] - 1
    if (parents[ngram] === parent && words[ngram] === word) return ngram + 1
  }
  return 0
}

/** The n-grams in canonical order: by order, then by the rank of the parent, then by last word. */
function sortNgrams({ parents, words }: NgramTable): Int32Array {
  const orders = new Uint8Array(words.length + 1)
  const ranks = new Int32Array(words.length + 1)
  const byOrder: number[][] = Array.from({ length: MAX_ORDER + 1 }, () => [])
  for (let ngram = 0; ngram < words.length; ngram++) {
    orders[ngram + 1] = orders[parents[ngram]] + 1
    byOrder[orders[ngram + 1]].push(ngram)
  }
  const sorted = new Int32Array(words.length)
  let rank = 0
  for (const ngrams of byOrder) {
    ngrams.sort((one, other) => ranks[parents[one]] - ranks[parents[other]] || words[one] - words[other])
    for (const ngram of ngrams) {
      sorted[rank++] = ngram
      ranks[ngram + 1] = rank
    }
  }
  return sorted
}

function enlarge(values: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length)
  larger.set(values)
  return larger
}
