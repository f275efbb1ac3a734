/**
 * N-grams as dense integers. Every n-gram of a corpus gets an id below `distinct`, exactly: the id stands
 * for the pair of (n−1)-grams that it begins and ends with, and pairs are compared, never only their hashes.
 */
import { type Corpus, concatenate, type TokenSequences } from './sequences.js'

/** The longest n-grams that the caption metrics look at. */
export const MAX_ORDER = 4

const NO_BREAK_SPACE = '\u00a0'

/**
 * What occurs in each caption and how often: caption `c` contains `ids[i]` exactly `counts[i]` times for
 * `offsets[c] ≤ i < offsets[c + 1]`. An id stands once per caption, in order of first occurrence; ids are
 * below `distinct`.
 */
export interface NgramCounts {
  readonly ids: Int32Array
  readonly counts: Int32Array
  readonly offsets: Int32Array
  readonly distinct: number
}

/** What occurs in each caption, repeats included, in the layout of {@link TokenSequences}. */
interface Occurrences extends TokenSequences {
  readonly distinct: number
}

/** The n-grams of every caption of a corpus. */
export interface CorpusNgrams {
  /** The words that n-grams are made of; captions are those of the corpus. */
  readonly words: TokenSequences
  /** One entry per order: `[0]` are words, `[3]` are 4-grams. */
  readonly orders: readonly NgramCounts[]
}

/** N-grams with what further captions need to get the same ids: per order from 2, the ids of pairs. */
interface InternedNgrams extends CorpusNgrams {
  readonly interners: readonly PairInterner[]
}

const remembered = new WeakMap<Corpus, InternedNgrams>()

/**
 * The n-grams of every caption, for n = 1..{@link MAX_ORDER}. Computed once per corpus object and shared by
 * all who ask; those of a corpus's base are computed once for all its extensions. A token with a no-break
 * space inside ("22 3/4" of the tokenizer) makes several words, as in the reference toolkit: its BLEU and
 * CIDEr split at any blank, its ROUGE-L at plain spaces only.
 */
export function corpusNgrams(corpus: Corpus): CorpusNgrams {
  return internedNgrams(corpus)
}

function internedNgrams(corpus: Corpus): InternedNgrams {
  const known = remembered.get(corpus)
  if (known !== undefined) return known
  const { base } = corpus
  const ngrams = base === undefined ? internNgrams(corpus, []) : extendNgrams(internedNgrams(base), corpus)
  remembered.set(corpus, ngrams)
  return ngrams
}

/** The n-grams of a corpus whose first captions are those of `base`. */
function extendNgrams(base: InternedNgrams, corpus: Corpus): InternedNgrams {
  const added = internNgrams(captionsFrom(corpus, base.words.offsets.length - 1), base.interners)
  return {
    words: concatenate([base.words, added.words]),
    orders: base.orders.map((order, index) => appendCounts(order, added.orders[index])),
    interners: added.interners,
  }
}

/** @param known per order from 2, ids that pairs have already; none where empty */
function internNgrams(corpus: Corpus, known: readonly PairInterner[]): InternedNgrams {
  const words = splitTokens(corpus)
  let occurrences: Occurrences = { ...words, distinct: largest(words.tokens) + 1 }
  const orders = [countOccurrences(occurrences)]
  const interners: PairInterner[] = []
  while (orders.length < MAX_ORDER) {
    const interner = createPairInterner(occurrences.tokens.length, known[interners.length])
    interners.push(interner)
    occurrences = pairNeighbours(occurrences, 1, interner)
    orders.push(countOccurrences(occurrences))
  }
  return { words, orders, interners }
}

/** The captions from the position `first` on. */
function captionsFrom({ tokens, offsets, texts }: Corpus, first: number): Corpus {
  const start = offsets[first]
  return {
    tokens: tokens.subarray(start),
    offsets: offsets.subarray(first).map((offset) => offset - start),
    texts,
  }
}

/** The counts of some captions, then those of others whose ids mean the same. */
function appendCounts(first: NgramCounts, second: NgramCounts): NgramCounts {
  const { tokens: ids, offsets } = concatenate([
    { tokens: first.ids, offsets: first.offsets },
    { tokens: second.ids, offsets: second.offsets },
  ])
  const counts = new Int32Array(ids.length)
  counts.set(first.counts)
  counts.set(second.counts, first.counts.length)
  return { ids, counts, offsets, distinct: Math.max(first.distinct, second.distinct) }
}

/** The skip bigrams of every caption: ordered pairs of words at most `distance` positions apart (1: bigrams). */
export function skipBigramCounts(corpus: TokenSequences, distance: number): NgramCounts {
  const pairs = createPairInterner(corpus.tokens.length * distance)
  return countOccurrences(pairNeighbours(corpus, distance, pairs))
}

/** Adds `counts` of a caption to `table`, an array over ids; {@link clearCounts} takes them out again. */
export function spreadCounts(
  { ids, counts, offsets }: NgramCounts,
  caption: number,
  table: Int32Array,
): void {
  for (let i = offsets[caption]; i < offsets[caption + 1]; i++) table[ids[i]] = counts[i]
}

/** Sets the entries of `table` that belong to a caption's n-grams to 0. */
export function clearCounts({ ids, offsets }: NgramCounts, caption: number, table: Int32Array): void {
  for (let i = offsets[caption]; i < offsets[caption + 1]; i++) table[ids[i]] = 0
}

/** How many n-grams a caption has in common with `table`, each counted as often as both have it. */
export function clippedMatches(
  { ids, counts, offsets }: NgramCounts,
  caption: number,
  table: Int32Array,
): number {
  let matches = 0
  for (let i = offsets[caption]; i < offsets[caption + 1]; i++) matches += Math.min(table[ids[i]], counts[i])
  return matches
}

/** The captions with every token that has a no-break space inside replaced by its parts. */
function splitTokens({ tokens, offsets, texts }: Corpus): TokenSequences {
  const partsOf = splitTexts(texts)
  if (partsOf.size === 0) return { tokens, offsets }
  const isCompound = new Uint8Array(texts.length)
  for (const token of partsOf.keys()) isCompound[token] = 1
  let length = tokens.length
  for (const token of tokens) if (isCompound[token]) length += partsOf.get(token)!.length - 1
  const words = new Int32Array(length)
  const wordOffsets = new Int32Array(offsets.length)
  let end = 0
  for (let caption = 0; caption + 1 < offsets.length; caption++) {
    for (let i = offsets[caption]; i < offsets[caption + 1]; i++) {
      if (isCompound[tokens[i]]) for (const part of partsOf.get(tokens[i])!) words[end++] = part
      else words[end++] = tokens[i]
    }
    wordOffsets[caption + 1] = end
  }
  return { tokens: words, offsets: wordOffsets }
}

const rememberedSplits = new WeakMap<readonly string[], ReadonlyMap<number, readonly number[]>>()

/**
 * For every text with a no-break space inside the ids of its parts; parts that are no text yet get new ids.
 * Computed once per list of texts.
 */
function splitTexts(texts: readonly string[]): ReadonlyMap<number, readonly number[]> {
  const known = rememberedSplits.get(texts)
  if (known !== undefined) return known
  const splits = computeSplits(texts)
  rememberedSplits.set(texts, splits)
  return splits
}

function computeSplits(texts: readonly string[]): ReadonlyMap<number, readonly number[]> {
  const compounds = texts.flatMap((text, token) => (text.includes(NO_BREAK_SPACE) ? [token] : []))
  if (compounds.length === 0) return new Map()
  const ids = new Map(texts.map((text, token) => [text, token]))
  let nextId = texts.length
  const idOf = (text: string): number => {
    const id = ids.get(text) ?? nextId++
    ids.set(text, id)
    return id
  }
  const partsOf = (token: number) => texts[token].split(NO_BREAK_SPACE).filter((part) => part !== '')
  return new Map(compounds.map((token) => [token, partsOf(token).map(idOf)]))
}

/** The pairs (element, one of the next `distance` elements) of every sequence. */
function pairNeighbours(
  { tokens, offsets }: TokenSequences,
  distance: number,
  interner: PairInterner,
): Occurrences {
  const pairOffsets = pairCounts(offsets, distance)
  const pairs = new Int32Array(pairOffsets[pairOffsets.length - 1])
  let written = 0
  for (let sequence = 0; sequence + 1 < offsets.length; sequence++) {
    const end = offsets[sequence + 1]
    for (let first = offsets[sequence]; first < end; first++) {
      const last = Math.min(first + distance, end - 1)
      for (let second = first + 1; second <= last; second++) {
        pairs[written++] = interner.intern(tokens[first], tokens[second])
      }
    }
  }
  return { tokens: pairs, offsets: pairOffsets, distinct: interner.size() }
}

/** Offsets of the pairs that sequences of these lengths have. */
function pairCounts(offsets: Int32Array, distance: number): Int32Array {
  const result = new Int32Array(offsets.length)
  for (let sequence = 0; sequence + 1 < offsets.length; sequence++) {
    const length = offsets[sequence + 1] - offsets[sequence]
    const reach = Math.min(distance, Math.max(0, length - 1))
    result[sequence + 1] = result[sequence] + reach * length - (reach * (reach + 1)) / 2
  }
  return result
}

interface PairInterner {
  /** The id of a pair: a new one when it is met for the first time. */
  intern(left: number, right: number): number
  /** The id of a pair, −1 where it was never met. */
  find(left: number, right: number): number
  size(): number
}

/**
 * Ids from 0 for pairs: a hash table of ids with open addressing, at most half full.
 *
 * @param expected about how many pairs there will be
 * @param known pairs that have ids already; it stays as it is, and new ids follow its own
 */
function createPairInterner(expected: number, known?: PairInterner): PairInterner {
  const firstId = known === undefined ? 0 : known.size()
  let table = new Int32Array(powerOfTwo(expected / 4))
  /** Left and right of each new pair, side by side: one look at memory compares both. */
  let pairs = new Int32Array(table.length + 2)
  let size = 0

  function slotOf(left: number, right: number): number {
    const mask = table.length - 1
    let hash = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)
    hash ^= hash >>> 15
    let slot = Math.imul(hash, 0x2c1b3c6d) & mask
    while (table[slot] !== 0) {
      const pair = 2 * (table[slot] - 1)
      if (pairs[pair] === left && pairs[pair + 1] === right) return slot
      slot = (slot + 1) & mask
    }
    return slot
  }

  function grow(): void {
    const smaller = pairs
    table = new Int32Array(table.length * 2)
    pairs = new Int32Array(table.length + 2)
    pairs.set(smaller)
    for (let entry = 1; entry <= size; entry++) {
      table[slotOf(pairs[2 * entry - 2], pairs[2 * entry - 1])] = entry
    }
  }

  function find(left: number, right: number): number {
    const id = known === undefined ? -1 : known.find(left, right)
    if (id >= 0) return id
    const entry = table[slotOf(left, right)]
    return entry === 0 ? -1 : firstId + entry - 1
  }

  function intern(left: number, right: number): number {
    const id = known === undefined ? -1 : known.find(left, right)
    if (id >= 0) return id
    const slot = slotOf(left, right)
    if (table[slot] === 0) {
      pairs[2 * size] = left
      pairs[2 * size + 1] = right
      table[slot] = ++size
      if (size * 2 > table.length) grow()
      return firstId + size - 1
    }
    return firstId + table[slot] - 1
  }

  return { intern, find, size: () => firstId + size }
}

function countOccurrences({ tokens, offsets, distinct }: Occurrences): NgramCounts {
  const ids = new Int32Array(tokens.length)
  const counts = new Int32Array(tokens.length)
  const countOffsets = new Int32Array(offsets.length)
  const places = new Int32Array(distinct)
  let end = 0
  for (let sequence = 0; sequence + 1 < offsets.length; sequence++) {
    const start = end
    for (let i = offsets[sequence]; i < offsets[sequence + 1]; i++) {
      const id = tokens[i]
      const place = places[id]
      if (place >= start && place < end && ids[place] === id) {
        counts[place]++
      } else {
        places[id] = end
        ids[end] = id
        counts[end++] = 1
      }
    }
    countOffsets[sequence + 1] = end
  }
  return { ids: ids.subarray(0, end), counts: counts.subarray(0, end), offsets: countOffsets, distinct }
}

/** The smallest power of two that is at least `size`, and at least 16. */
function powerOfTwo(size: number): number {
  return 2 ** Math.max(4, Math.ceil(Math.log2(size)))
}

function largest(tokens: Int32Array): number {
  let result = -1
  for (let i = 0; i < tokens.length; i++) if (tokens[i] > result) result = tokens[i]
  return result
}
