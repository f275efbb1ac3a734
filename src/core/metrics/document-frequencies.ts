/**
 * Document frequencies of n-grams, n = 1..4: in how many images' references each n-gram occurs (Vedantam,
 * Zitnick, Parikh 2015, section 4). Tables of disjoint sets of images can be merged, and are valid in every
 * process that uses the same table of tokens: n-grams consist of the keys of {@link wordKeys}.
 */
import { type CorpusNgrams, hashPair, MAX_ORDER, wordKeys } from '../text/ngrams.js'
import type { Corpus, TokenSequences } from '../text/sequences.js'
import { countImages, type ReferenceLists } from './reference-lists.js'

/**
 * A set of n-grams that contains every beginning of its n-grams, sorted by order, beginning and last word. Plain typed
 * arrays, so that it can be sent between threads. The n-gram at position `g` has the number g + 1; number 0 is the
 * empty n-gram.
 */
export interface NgramTable {
  /** The key of the last word. */
  readonly words: Int32Array
  /**
   * The n-grams that continue number `n` by one word are those at positions `children[n]` … `children[n + 1] − 1`, by
   * ascending last word.
   */
  readonly children: Int32Array
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
 * n-grams. N-grams of at most one image in every list weigh the same whether they are listed or not, and are left out
 * unless the table is partial.
 *
 * @throws AccordError NOT_APPLICABLE for an image without references
 */
export function countDocumentFrequencies(
  corpus: Corpus,
  lists: readonly ReferenceLists[],
  options: TableOptions = {},
): DocumentFrequencies[] {
  return countPart(wordKeys(corpus), lists, { ...options, part: 0, parts: 1 })
}

interface PartOptions extends TableOptions {
  /** Which n-grams are counted: those whose first word belongs to part `part` of `parts`. */
  readonly part: number
  readonly parts: number
}

/**
 * Counts the n-grams of one part: the work of {@link countDocumentFrequencies}, for several threads.
 * {@link joinParts} makes one table of the parts.
 */
export function countPart(
  words: TokenSequences,
  lists: readonly ReferenceLists[],
  { partial = false, part, parts }: PartOptions,
): DocumentFrequencies[] {
  const text = writeText(words, lists)
  const isCounted = (word: number) => parts === 1 || (hashPair(word + text.base, 0) >>> 16) % parts === part
  let level = emptyNgram(text, isCounted)
  const levels: Level[] = []
  for (let order = 0; order < MAX_ORDER; order++) {
    const { counts } = level
    level = extendNgrams(text, level, order, (ngram) => partial || order === 0 || occursTwice(counts, ngram))
    levels.push(level)
  }
  const tables = joinLevels(levels, lists)
  return partial ? tables : omitRare(tables)
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

/** The number of an n-gram given by that of its beginning and its last word, 0 where the table has none. */
function findNgram({ words, children }: NgramTable, parent: number, word: number): number {
  let low = children[parent]
  let high = children[parent + 1]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (words[middle] < word) low = middle + 1
    else high = middle
  }
  return low < children[parent + 1] && words[low] === word ? low + 1 : 0
}

/** The references of lists, image by image. */
interface Text {
  /** The words of each reference, and 0 after the last one; a word has the key `words[i] + base`. */
  readonly words: Int32Array
  readonly base: number
  readonly greatest: number
  /** Per word, the reference that it belongs to. */
  readonly referenceOf: Int32Array
  readonly references: References
}

/** The captions that are references of an image in some list, image by image. */
interface References {
  readonly captions: Int32Array
  readonly images: Int32Array
  /** The lists that have the reference, as bits of `wordsPerMask` numbers for each. */
  readonly masks: Int32Array
  readonly wordsPerMask: number
  readonly listCount: number
}

function writeText({ tokens, offsets }: TokenSequences, lists: readonly ReferenceLists[]): Text {
  const references = joinLists(lists, offsets.length - 1)
  const { captions } = references
  let length = captions.length
  let least = Number.POSITIVE_INFINITY
  let greatest = 0
  for (let reference = 0; reference < captions.length; reference++) {
    const end = offsets[captions[reference] + 1]
    length += end - offsets[captions[reference]]
    for (let i = offsets[captions[reference]]; i < end; i++) {
      if (tokens[i] < least) least = tokens[i]
      if (tokens[i] > greatest) greatest = tokens[i]
    }
  }
  const base = Math.min(least, 1) - 1
  const words = new Int32Array(length)
  const referenceOf = new Int32Array(length)
  let place = 0
  for (let reference = 0; reference < captions.length; reference++) {
    const end = offsets[captions[reference] + 1]
    for (let i = offsets[captions[reference]]; i < end; i++) {
      referenceOf[place] = reference
      words[place++] = tokens[i] - base
    }
    place++
  }
  return { words, base, greatest: greatest - base, referenceOf, references }
}

function joinLists(lists: readonly ReferenceLists[], captionCount: number): References {
  const imageCounts = lists.map(countImages)
  const size = lists.reduce((sum, { references }) => sum + references.length, 0)
  const captions = new Int32Array(size)
  const images = new Int32Array(size)
  const wordsPerMask = Math.ceil(lists.length / 32)
  const masks = new Int32Array(size * wordsPerMask)
  /** Per caption, the number of its last reference. */
  const last = new Int32Array(captionCount)
  let count = 0
  for (let image = 0; image < Math.max(0, ...imageCounts); image++) {
    const first = count
    for (let list = 0; list < lists.length; list++) {
      if (image >= imageCounts[list]) continue
      const { references, referenceOffsets } = lists[list]
      for (let r = referenceOffsets[image]; r < referenceOffsets[image + 1]; r++) {
        const caption = references[r]
        if (last[caption] <= first) {
          captions[count] = caption
          images[count] = image
          last[caption] = ++count
        }
        masks[(last[caption] - 1) * wordsPerMask + (list >>> 5)] |= 1 << (list & 31)
      }
    }
  }
  return { captions: captions.subarray(0, count), images, masks, wordsPerMask, listCount: lists.length }
}

/** The n-grams of one order of a text, sorted by beginning and last word. */
interface Level {
  /** Where they occur: n-gram `g` begins at `places[i]` for `starts[g] ≤ i < starts[g + 1]`, ascending. */
  readonly places: Int32Array
  /** Per place, the reference that it belongs to: beside it, where it is in the cache. */
  readonly references: Int32Array
  readonly starts: Int32Array
  /** Keys of last words. */
  readonly words: Int32Array
  /** The n-grams that continue n-gram `p` of the order below are `children[p]` … `children[p + 1] − 1`. */
  readonly children: Int32Array
  /** Per list, in how many images each n-gram occurs. */
  readonly counts: readonly Int32Array[]
}

/** The empty n-gram at the beginning of each counted word. */
function emptyNgram({ words, referenceOf }: Text, isCounted: (word: number) => boolean): Level {
  const places = new Int32Array(words.length)
  const references = new Int32Array(words.length)
  let size = 0
  for (let place = 0; place < words.length; place++) {
    if (!isCounted(words[place])) continue
    references[size] = referenceOf[place]
    places[size++] = place
  }
  return {
    places: places.subarray(0, size),
    references: references.subarray(0, size),
    starts: Int32Array.of(0, size),
    words: new Int32Array(1),
    children: new Int32Array(0),
    counts: [],
  }
}

/** Occurrences of an n-gram that are sorted by insertion. */
const FEW = 24

/** The n-grams that continue those of `order` by one word: their occurrences are sorted by that word. */
function extendNgrams(
  text: Text,
  { places, references, starts, words: { length } }: Level,
  order: number,
  isExtended: (ngram: number) => boolean,
): Level {
  const { words, base } = text
  const sorted = new Int32Array(places.length)
  const sortedReferences = new Int32Array(places.length)
  const longerStarts = new Int32Array(places.length + 1)
  const lastWords = new Int32Array(places.length)
  const children = new Int32Array(length + 1)
  /** The next word at each occurrence of an n-gram. */
  const following = new Int32Array(places.length)
  /** Per word its number of occurrences, then the position of the next one; 0 between n-grams. */
  const next = new Int32Array(text.greatest + 1)
  const found = new Int32Array(text.greatest + 1)
  let size = 0
  let end = 0
  for (let ngram = 0; ngram < length; ngram++) {
    children[ngram] = size
    if (!isExtended(ngram)) continue
    const start = starts[ngram]
    const count = starts[ngram + 1] - start
    if (count <= FEW) {
      let last = end
      for (let i = start; i < start + count; i++) {
        const word = words[places[i] + order]
        if (word === 0) continue
        let position = last++
        for (; position > end && following[position - 1] > word; position--) {
          following[position] = following[position - 1]
          sorted[position] = sorted[position - 1]
          sortedReferences[position] = sortedReferences[position - 1]
        }
        following[position] = word
        sorted[position] = places[i]
        sortedReferences[position] = references[i]
      }
      for (let previous = 0; end < last; end++) {
        if (following[end] === previous) continue
        previous = following[end]
        lastWords[size] = previous + base
        longerStarts[size++] = end
      }
    } else {
      let distinct = 0
      for (let i = 0; i < count; i++) {
        const word = words[places[start + i] + order]
        following[i] = word
        if (word !== 0 && next[word]++ === 0) found[distinct++] = word
      }
      found.subarray(0, distinct).sort()
      for (let i = 0; i < distinct; i++) {
        const word = found[i]
        lastWords[size] = word + base
        longerStarts[size] = end
        end += next[word]
        next[word] = longerStarts[size++]
      }
      for (let i = 0; i < count; i++) {
        if (following[i] === 0) continue
        const position = next[following[i]]++
        sorted[position] = places[start + i]
        sortedReferences[position] = references[start + i]
      }
      for (let i = 0; i < distinct; i++) next[found[i]] = 0
    }
  }
  children[length] = size
  longerStarts[size] = end
  const longer = {
    places: sorted.subarray(0, end),
    references: sortedReferences.subarray(0, end),
    starts: longerStarts.slice(0, size + 1),
    words: lastWords.slice(0, size),
    children,
  }
  return { ...longer, counts: countImagesWith(text.references, longer) }
}

/** Per list, in how many images each n-gram occurs. */
function countImagesWith(
  { images, masks, wordsPerMask, listCount }: References,
  { references, starts, words }: Pick<Level, 'references' | 'starts' | 'words'>,
): Int32Array[] {
  const counts = Array.from({ length: listCount }, () => new Int32Array(words.length))
  const mask = new Int32Array(wordsPerMask)
  for (let ngram = 0; ngram < words.length; ngram++) {
    const end = starts[ngram + 1]
    for (let i = starts[ngram]; i < end; i++) {
      const reference = references[i]
      for (let word = 0; word < wordsPerMask; word++) mask[word] |= masks[reference * wordsPerMask + word]
      if (i + 1 < end && images[references[i + 1]] === images[reference]) continue
      for (let word = 0; word < wordsPerMask; word++) {
        for (; mask[word] !== 0; mask[word] &= mask[word] - 1)
          counts[32 * word + 31 - Math.clz32(mask[word] & -mask[word])][ngram]++
      }
    }
  }
  return counts
}

/** Whether some list has the n-gram in two images or more: only then can a longer one be, too. */
function occursTwice(counts: readonly Int32Array[], ngram: number): boolean {
  for (let list = 0; list < counts.length; list++) if (counts[list][ngram] >= 2) return true
  return false
}

/** One table per list. */
function joinLevels(levels: readonly Level[], lists: readonly ReferenceLists[]): DocumentFrequencies[] {
  const size = levels.reduce((sum, { words }) => sum + words.length, 0)
  const words = new Int32Array(size)
  const children = new Int32Array(size + 2).fill(size)
  const counts = lists.map(() => new Int32Array(size))
  let parents = 0
  let start = 0
  for (const level of levels) {
    for (let parent = 0; parent + 1 < level.children.length; parent++)
      children[parents + parent] = start + level.children[parent]
    words.set(level.words, start)
    counts.forEach((all, list) => {
      all.set(level.counts[list], start)
    })
    parents += level.children.length - 1
    start += level.words.length
  }
  return lists.map((list, index) => ({
    imageCount: countImages(list),
    ngrams: { words, children },
    counts: counts[index],
  }))
}

/** Without the n-grams that occur in at most one image of every list. */
export function omitRare(tables: readonly DocumentFrequencies[]): DocumentFrequencies[] {
  const [{ ngrams }] = tables
  const counts = tables.map((table) => table.counts)
  const all = ngrams.words.length
  /** Per position, the number of n-grams before it that remain. */
  const places = new Int32Array(all + 1)
  for (let ngram = 0; ngram < all; ngram++)
    places[ngram + 1] = places[ngram] + (occursTwice(counts, ngram) ? 1 : 0)
  const size = places[all]
  const remains = (ngram: number) => places[ngram + 1] > places[ngram]
  const select = (values: Int32Array) => {
    const selected = new Int32Array(size)
    for (let ngram = 0; ngram < all; ngram++) if (remains(ngram)) selected[places[ngram]] = values[ngram]
    return selected
  }
  const children = new Int32Array(size + 2).fill(size)
  children[0] = 0
  for (let ngram = 0; ngram < all; ngram++)
    if (remains(ngram)) children[places[ngram] + 1] = places[ngrams.children[ngram + 1]]
  const remaining = { words: select(ngrams.words), children }
  return tables.map((table) => ({ ...table, ngrams: remaining, counts: select(table.counts) }))
}
