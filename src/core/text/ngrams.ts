import type { Corpus, TokenSequences } from './sequences.js'

/** The longest n-grams that the caption metrics use. */
export const MAX_ORDER = 4

const NO_BREAK_SPACE = '\u00a0'

/**
 * What occurs in each caption and how often: caption `c` contains `ids[i]` exactly `counts[i]` times for
 * `offsets[c] ≤ i < offsets[c + 1]`. An id occurs once per caption, in order of first occurrence; ids are
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
  /** The words that n-grams are made of, numbered from 0; captions are those of the corpus. */
  readonly words: TokenSequences
  /** Per word its key, see {@link wordKeys}. */
  readonly keys: Int32Array
  /** One entry per order: `[0]` are words, `[3]` are 4-grams. */
  readonly orders: readonly NgramCounts[]
  /**
   * Per order from 2, what n-grams are made of: n-gram `g` of order n is the (n − 1)-gram `pairs[n − 2][2g]`
   * followed by the last word of the (n − 1)-gram `pairs[n − 2][2g + 1]`.
   */
  readonly pairs: readonly Int32Array[]
}

const cachedNgrams = new WeakMap<Corpus, CorpusNgrams>()

/**
 * The n-grams of every caption, for n = 1..{@link MAX_ORDER}. Computed once per corpus object and shared by all
 * families of metrics.
 */
export function corpusNgrams(corpus: Corpus): CorpusNgrams {
  let ngrams = cachedNgrams.get(corpus)
  if (ngrams === undefined) {
    ngrams = internNgrams(corpus)
    cachedNgrams.set(corpus, ngrams)
  }
  return ngrams
}

function internNgrams(corpus: Corpus): CorpusNgrams {
  const { words, keys } = numberWords(wordKeys(corpus))
  return { words, keys, ...countOrders({ ...words, distinct: keys.length }, MAX_ORDER) }
}

/** The n-grams of every sequence, for n = 1..`longest`: one entry per n. */
export function countNgrams(sequences: TokenSequences, longest: number): readonly NgramCounts[] {
  const { words, keys } = numberWords(sequences)
  return countOrders({ ...words, distinct: keys.length }, longest).orders
}

function countOrders(units: Occurrences, longest: number): Pick<CorpusNgrams, 'orders' | 'pairs'> {
  let occurrences = units
  const orders = [countOccurrences(occurrences)]
  const pairs: Int32Array[] = []
  while (orders.length < longest) {
    const interner = createPairInterner(occurrences.tokens.length)
    occurrences = pairNeighbours(occurrences, interner)
    orders.push(countOccurrences(occurrences))
    pairs.push(interner.pairs())
  }
  return { orders, pairs }
}

/** Adds `counts` of a caption to `table`, an array over ids; {@link clearCounts} takes them out again. */
export function spreadCounts(
  { ids, counts, offsets }: NgramCounts,
  caption: number,
  table: Int32Array,
): void {
  for (let i = offsets[caption]; i < offsets[caption + 1]; i++) table[ids[i]] = counts[i]
}

/** Which of some captions have an n-gram: n-gram `g` occurs in `captions[i]` for `offsets[g] ≤ i < offsets[g + 1]`. */
export interface NgramPostings {
  /** Positions in the list of captions. */
  readonly captions: Int32Array
  readonly counts: Int32Array
  readonly offsets: Int32Array
}

/** Inverts the counts of some captions. */
export function invertCounts(
  { ids, counts, offsets, distinct }: NgramCounts,
  captions: Int32Array,
): NgramPostings {
  const ends = new Int32Array(distinct + 1)
  for (const caption of captions)
    for (let i = offsets[caption]; i < offsets[caption + 1]; i++) ends[ids[i] + 1]++
  for (let id = 0; id < distinct; id++) ends[id + 1] += ends[id]
  const next = ends.slice()
  const inverted = {
    captions: new Int32Array(ends[distinct]),
    counts: new Int32Array(ends[distinct]),
    offsets: ends,
  }
  for (let position = 0; position < captions.length; position++) {
    for (let i = offsets[captions[position]]; i < offsets[captions[position] + 1]; i++) {
      const place = next[ids[i]]++
      inverted.captions[place] = position
      inverted.counts[place] = counts[i]
    }
  }
  return inverted
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

/**
 * The captions in words, each given by a key that is the same for all corpora over one table of tokens, also
 * when the table has become longer. A token with a no-break space inside ("22 3/4" of the tokenizer) makes
 * several words, as in the reference toolkit: its BLEU and CIDEr split at any blank, its ROUGE-L at plain
 * spaces only. The key of a word is the first token with its text; the key of a word that is a part of a token
 * before that is negative.
 */
export function wordKeys({ tokens, offsets, texts }: Corpus): TokenSequences {
  const { keysOf } = splitTexts(texts)
  if (keysOf.size === 0) return { tokens, offsets }
  const isSplit = new Uint8Array(texts.length)
  let length = tokens.length
  for (const token of keysOf.keys()) isSplit[token] = 1
  for (let i = 0; i < tokens.length; i++) if (isSplit[tokens[i]]) length += keysOf.get(tokens[i])!.length - 1
  const words = new Int32Array(length)
  const wordOffsets = new Int32Array(offsets.length)
  let end = 0
  for (let caption = 0; caption + 1 < offsets.length; caption++) {
    for (let i = offsets[caption]; i < offsets[caption + 1]; i++) {
      if (isSplit[tokens[i]]) for (const key of keysOf.get(tokens[i])!) words[end++] = key
      else words[end++] = tokens[i]
    }
    wordOffsets[caption + 1] = end
  }
  return { tokens: words, offsets: wordOffsets }
}

/** The text of a word by its key. */
export function wordText(texts: readonly string[], key: number): string {
  return key < 0 ? splitTexts(texts).parts[-1 - key] : texts[key]
}

/** Tokens that are not words. */
interface Splits {
  /** The keys of the words of each token whose words are not the token itself. */
  readonly keysOf: ReadonlyMap<number, readonly number[]>
  /** The texts of the words with the keys −1, −2, … */
  readonly parts: readonly string[]
}

const cachedSplits = new WeakMap<readonly string[], Splits>()

/** Computed once per list of texts. */
function splitTexts(texts: readonly string[]): Splits {
  let splits = cachedSplits.get(texts)
  if (splits === undefined) {
    splits = computeSplits(texts)
    cachedSplits.set(texts, splits)
  }
  return splits
}

/** Looks at tokens in order, so that tokens that are added later do not change the keys of earlier ones. */
function computeSplits(texts: readonly string[]): Splits {
  const compounds: number[] = []
  for (let token = 0; token < texts.length; token++) {
    if (texts[token].includes(NO_BREAK_SPACE)) compounds.push(token)
  }
  const splits = new Map<number, readonly number[]>()
  if (compounds.length === 0) return { keysOf: splits, parts: [] }
  const tokenOf = new Map<string, number>()
  for (let token = texts.length - 1; token >= 0; token--) tokenOf.set(texts[token], token)
  const partKeys = new Map<string, number>()
  for (const compound of compounds) {
    const parts = texts[compound].split(NO_BREAK_SPACE).filter((part) => part !== '')
    splits.set(
      compound,
      parts.map((part) => {
        const token = tokenOf.get(part)
        if (token !== undefined && token < compound) return partKeys.get(part) ?? token
        const key = partKeys.get(part) ?? -1 - partKeys.size
        partKeys.set(part, key)
        if (token !== undefined) splits.set(token, [key])
        return key
      }),
    )
  }
  return { keysOf: splits, parts: [...partKeys.keys()] }
}

/** Numbers the words of captions from 0 in order of first occurrence. */
function numberWords({ tokens: keys, offsets }: TokenSequences): { words: TokenSequences; keys: Int32Array } {
  let least = 0
  let greatest = -1
  for (let i = 0; i < keys.length; i++) {
    if (keys[i] < least) least = keys[i]
    if (keys[i] > greatest) greatest = keys[i]
  }
  /** Number + 1 of a key, 0 where it has none. */
  const numbers = new Int32Array(greatest - least + 1)
  const tokens = new Int32Array(keys.length)
  const keysOfWords: number[] = []
  for (let i = 0; i < keys.length; i++) {
    const place = keys[i] - least
    if (numbers[place] === 0) numbers[place] = keysOfWords.push(keys[i])
    tokens[i] = numbers[place] - 1
  }
  return { words: { tokens, offsets }, keys: Int32Array.from(keysOfWords) }
}

/** The pairs (element, next element) of every sequence. */
function pairNeighbours({ tokens, offsets, distinct }: Occurrences, interner: PairInterner): Occurrences {
  const isRepeated = findRepeated(tokens, distinct)
  const pairOffsets = new Int32Array(offsets.length)
  for (let sequence = 0; sequence + 1 < offsets.length; sequence++) {
    const length = offsets[sequence + 1] - offsets[sequence]
    pairOffsets[sequence + 1] = pairOffsets[sequence] + Math.max(0, length - 1)
  }
  const pairs = new Int32Array(pairOffsets[pairOffsets.length - 1])
  for (let sequence = 0; sequence + 1 < offsets.length; sequence++) {
    const end = pairOffsets[sequence + 1]
    let first = offsets[sequence]
    for (let pair = pairOffsets[sequence]; pair < end; pair++, first++) {
      pairs[pair] = numberPair(tokens[first], tokens[first + 1], isRepeated, interner)
    }
  }
  return { tokens: pairs, offsets: pairOffsets, distinct: interner.size() }
}

/** A pair with an element that occurs once is new: it need not be searched. */
function numberPair(left: number, right: number, isRepeated: Uint8Array, interner: PairInterner): number {
  const canBeKnown = isRepeated[left] === 1 && isRepeated[right] === 1
  return canBeKnown ? interner.intern(left, right) : interner.append(left, right)
}

/** Per id 1 where it occurs more than once. */
function findRepeated(ids: Int32Array, distinct: number): Uint8Array {
  const isKnown = new Uint8Array(distinct)
  const isRepeated = new Uint8Array(distinct)
  for (let i = 0; i < ids.length; i++) {
    isRepeated[ids[i]] = isKnown[ids[i]]
    isKnown[ids[i]] = 1
  }
  return isRepeated
}

interface PairInterner {
  /** The id of a pair: a new one when it is seen for the first time. */
  intern(left: number, right: number): number
  /** A new id for a pair that is seen for the first and last time. */
  append(left: number, right: number): number
  size(): number
  /** All pairs by id, left and right alternating. */
  pairs(): Int32Array
}

/**
 * Ids from 0 for pairs: a hash table of ids with open addressing, at most half full.
 *
 * @param expected an estimate of the number of occurrences of pairs
 */
function createPairInterner(expected: number): PairInterner {
  let table = new Int32Array(powerOfTwo(expected / 2))
  let tableSize = 0
  /** Left and right of each pair, side by side: one memory access compares both. */
  let pairs = new Int32Array(table.length)
  let size = 0

  function slotOf(left: number, right: number): number {
    const mask = table.length - 1
    let slot = hashPair(left, right) & mask
    while (table[slot] !== 0) {
      const pair = 2 * (table[slot] - 1)
      if (pairs[pair] === left && pairs[pair + 1] === right) return slot
      slot = (slot + 1) & mask
    }
    return slot
  }

  function grow(): void {
    const smaller = table
    table = new Int32Array(table.length * 2)
    for (let slot = 0; slot < smaller.length; slot++) {
      const entry = smaller[slot]
      if (entry !== 0) table[slotOf(pairs[2 * entry - 2], pairs[2 * entry - 1])] = entry
    }
  }

  function append(left: number, right: number): number {
    if (2 * size === pairs.length) {
      const smaller = pairs
      pairs = new Int32Array(smaller.length * 2)
      pairs.set(smaller)
    }
    pairs[2 * size] = left
    pairs[2 * size + 1] = right
    return size++
  }

  function intern(left: number, right: number): number {
    const slot = slotOf(left, right)
    if (table[slot] !== 0) return table[slot] - 1
    const id = append(left, right)
    table[slot] = id + 1
    if (++tableSize * 2 > table.length) grow()
    return id
  }

  return { intern, append, size: () => size, pairs: () => pairs.slice(0, 2 * size) }
}

/** A hash of a pair of whole numbers; its low bits index tables. */
export function hashPair(left: number, right: number): number {
  let hash = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)
  hash ^= hash >>> 15
  return Math.imul(hash, 0x2c1b3c6d)
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
