/** Tables of document frequencies of several lists over the same n-grams: their merge, and their form as bytes. */
import { AccordError } from '../../errors.js'
import { MAX_ORDER } from '../text/ngrams.js'
import { type DocumentFrequencies, omitRare } from './document-frequencies.js'

/** Document frequencies of each of several lists; all have the same n-grams. */
export type FrequencyTables = readonly DocumentFrequencies[]

/** Adds up tables of disjoint sets of images. */
interface TableMerger {
  add(tables: FrequencyTables): void
  /** The document frequencies of all images together, without n-grams of at most one image. */
  merged(): FrequencyTables
}

/** Tables of similar size are merged first: each n-gram is copied a logarithmic number of times. */
export function createTableMerger(): TableMerger {
  const waiting: FrequencyTables[] = []
  const sizeOf = ([{ counts }]: FrequencyTables) => counts.length
  function mergeLast(): void {
    const last = waiting.pop() as FrequencyTables
    waiting.push(addTables(waiting.pop() as FrequencyTables, last))
  }
  return {
    add(tables) {
      waiting.push(tables)
      while (
        waiting.length > 1 &&
        sizeOf(waiting[waiting.length - 2]) < 2 * sizeOf(waiting[waiting.length - 1])
      )
        mergeLast()
    },
    merged() {
      while (waiting.length > 1) mergeLast()
      return waiting.length === 0 ? [] : omitRare(waiting[0])
    },
  }
}

/** The counts of both. */
function addTables(one: FrequencyTables, other: FrequencyTables): FrequencyTables {
  const [left, right] = [one[0].ngrams, other[0].ngrams]
  const most = left.words.length + right.words.length
  const words = new Int32Array(most)
  const children = new Int32Array(most + 2)
  /** Per n-gram number its number in either table, −1 where it has none. */
  const inLeft = new Int32Array(most + 1)
  const inRight = new Int32Array(most + 1)
  let size = 0
  for (let number = 0; number <= size; number++) {
    children[number] = size
    let i = inLeft[number] < 0 ? 0 : left.children[inLeft[number]]
    let j = inRight[number] < 0 ? 0 : right.children[inRight[number]]
    const iEnd = inLeft[number] < 0 ? 0 : left.children[inLeft[number] + 1]
    const jEnd = inRight[number] < 0 ? 0 : right.children[inRight[number] + 1]
    while (i < iEnd || j < jEnd) {
      const isLeft = j === jEnd || (i < iEnd && left.words[i] <= right.words[j])
      const isRight = i === iEnd || (j < jEnd && right.words[j] <= left.words[i])
      words[size++] = isLeft ? left.words[i] : right.words[j]
      inLeft[size] = isLeft ? ++i : -1
      inRight[size] = isRight ? ++j : -1
    }
  }
  children[size + 1] = size
  const ngrams = { words: words.slice(0, size), children: children.slice(0, size + 2) }
  return one.map(({ imageCount, counts }, list) => {
    const added = new Int32Array(size)
    const others = other[list].counts
    for (let number = 1; number <= size; number++) {
      added[number - 1] =
        (inLeft[number] < 0 ? 0 : counts[inLeft[number] - 1]) +
        (inRight[number] < 0 ? 0 : others[inRight[number] - 1])
    }
    return { imageCount: imageCount + other[list].imageCount, ngrams, counts: added }
  })
}

/** The tables of all parts of the same lists. */
export function joinParts(parts: readonly FrequencyTables[]): FrequencyTables {
  return parts.reduce(addTables).map((table, list) => ({ ...table, imageCount: parts[0][list].imageCount }))
}

const MAGIC = 0x32464441

/**
 * Tables as bytes, three to four for each n-gram of a list. After 'ADF2', all numbers have variable length (LEB128): the
 * numbers of lists and of n-grams; per list its number of images; then, for the empty n-gram and each n-gram of an order
 * below {@link MAX_ORDER}, the number of n-grams that continue it, and for each of them its last word, as difference from
 * the one before, and its count in each list. Equal tables have equal bytes.
 */
export function encodeTables(tables: FrequencyTables): Uint8Array {
  const { words, children } = tables[0].ngrams
  const counts = tables.map((table) => table.counts)
  let bytes = new Uint8Array(words.length * (3 + tables.length) + 64)
  let end = 4
  const write = (number: number) => {
    let rest = number
    for (; rest > 127; rest >>>= 7) bytes[end++] = (rest & 127) | 128
    bytes[end++] = rest
  }
  new DataView(bytes.buffer).setInt32(0, MAGIC, true)
  write(tables.length)
  write(words.length)
  for (const { imageCount } of tables) write(imageCount)
  for (let parent = 0, parents = countParents(children); parent < parents; parent++) {
    const needed = end + MAX_BYTES * (1 + (1 + counts.length) * (children[parent + 1] - children[parent]))
    if (needed > bytes.length) bytes = enlarge(bytes, Math.max(needed, 2 * bytes.length))
    write(children[parent + 1] - children[parent])
    for (let ngram = children[parent]; ngram < children[parent + 1]; ngram++) {
      write(ngram === children[parent] ? toUnsigned(words[ngram]) : words[ngram] - words[ngram - 1])
      for (let list = 0; list < counts.length; list++) write(counts[list][ngram])
    }
  }
  return bytes.slice(0, end)
}

/** @throws AccordError INVALID_SHAPE if the bytes are not tables */
export function decodeTables(bytes: Uint8Array): FrequencyTables {
  let start = 4
  const read = () => {
    let number = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[start++]
      number |= (byte & 127) << shift
      if (!(byte & 128)) return number
    }
  }
  if (bytes.length < start || new DataView(bytes.buffer, bytes.byteOffset).getInt32(0, true) !== MAGIC)
    throw invalid(bytes)
  const listCount = read()
  const size = read()
  if (size > bytes.length) throw invalid(bytes)
  const imageCounts = Array.from({ length: listCount }, read)
  const words = new Int32Array(size)
  const children = new Int32Array(size + 2).fill(size)
  const counts = imageCounts.map(() => new Int32Array(size))
  let end = 0
  let parents = 1
  for (let order = 1, parent = 0; order <= MAX_ORDER; order++) {
    for (; parent < parents; parent++) {
      children[parent] = end
      const first = end
      for (let count = read(); count > 0 && end < size; count--) {
        words[end] = end === first ? toSigned(read()) : words[end - 1] + read()
        for (let list = 0; list < listCount; list++) counts[list][end] = read()
        end++
      }
    }
    parents = end + 1
  }
  if (end !== size || start !== bytes.length) throw invalid(bytes)
  const ngrams = { words, children }
  return imageCounts.map((imageCount, list) => ({ imageCount, ngrams, counts: counts[list] }))
}

/** Maximum length of a number. */
const MAX_BYTES = 5

/** Number of n-grams of orders below the highest one, with the empty one. */
function countParents(children: Int32Array): number {
  let parents = 1
  for (let order = 1; order < MAX_ORDER; order++) parents = children[parents] + 1
  return parents
}

/** Signed numbers as unsigned ones, those near 0 as small ones. */
function toUnsigned(number: number): number {
  return ((number << 1) ^ (number >> 31)) >>> 0
}

function toSigned(number: number): number {
  return (number >>> 1) ^ -(number & 1)
}

function enlarge(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(length)
  larger.set(bytes)
  return larger
}

function invalid({ length }: Uint8Array): AccordError {
  return new AccordError('INVALID_SHAPE', 'not tables of document frequencies', {
    expected: 'bytes of ADF2',
    found: `${length} other bytes`,
  })
}
