import type { WordNetTables } from '../metrics/meteor/resources.js'

/** The words of WordNet as METEOR reads them: what the text files of a METEOR data folder contain. */
export interface WordNetContent {
  /** Synset numbers by lemma, one or more each. */
  readonly synsets: ReadonlyMap<string, readonly number[]>
  /** Irregular forms by base form. */
  readonly forms: ReadonlyMap<string, readonly string[]>
}

const MAGIC = 0x41575831

/** Numbers before the first array: magic number, slots, words, values, and bytes of text. */
const HEADER_LENGTH = 5

/** The arrays of an index, one after the other in the file, in the byte order of the machine that built it. */
interface Index {
  /** A hash table with open addressing: the number of a word + 1, 0 for a free slot. */
  readonly slots: Int32Array
  /** Per word, where its text ends; the first entry is 0. */
  readonly textEnds: Int32Array
  /** Per word two lists of values, where they end: synset numbers, and numbers of base forms. The first entry is 0. */
  readonly valueEnds: Int32Array
  readonly values: Int32Array
  /** The texts of all words, one byte per character. */
  readonly text: Uint8Array
}

/**
 * A file from which words are looked up without parsing it first.
 *
 * @throws RangeError for a word with other characters than ASCII
 */
export function encodeWordNet({ synsets, forms }: WordNetContent): Uint8Array {
  const bases = new Map<string, string[]>()
  for (const [base, formsOfBase] of forms) {
    for (const form of formsOfBase) bases.set(form, [...(bases.get(form) ?? []), base])
  }
  const words = [...new Set([...synsets.keys(), ...forms.keys(), ...bases.keys()])]
  const numbers = new Map(words.map((word, number) => [word, number]))
  const lists = words.flatMap((word) => [
    synsets.get(word) ?? [],
    (bases.get(word) ?? []).map((base) => numbers.get(base) as number),
  ])
  const index: Index = {
    slots: hashWords(words),
    textEnds: endsOf(words),
    valueEnds: endsOf(lists),
    values: Int32Array.from(lists.flat()),
    text: Uint8Array.from(Buffer.from(words.join(''), 'utf8')),
  }
  const { slots, textEnds, valueEnds, values, text } = index
  if (text.length !== textEnds[words.length]) throw new RangeError('expected words of ASCII characters')
  const header = Int32Array.of(MAGIC, slots.length, words.length, values.length, text.length)
  return Buffer.concat(
    [header, slots, textEnds, valueEnds, values, text].map(({ buffer }) => new Uint8Array(buffer)),
  )
}

/** The tables of an encoded file, null where the bytes are not one. @param name enters signatures of metrics */
export function decodeWordNet(bytes: Uint8Array, name: string): WordNetTables | null {
  const index = readIndex(bytes)
  if (!index) return null
  const { values, valueEnds, text, textEnds } = index
  const listOf = (word: string, list: number) => {
    const number = findWord(index, word)
    if (number < 0) return undefined
    const found: number[] = []
    for (let i = valueEnds[2 * number + list]; i < valueEnds[2 * number + list + 1]; i++)
      found.push(values[i])
    return found.length === 0 ? undefined : found
  }
  const textOf = (number: number) =>
    String.fromCharCode(...text.subarray(textEnds[number], textEnds[number + 1]))
  return {
    name,
    synsetsOf: (lemma) => listOf(lemma, 0),
    baseFormsOf: (form) => listOf(form, 1)?.map(textOf),
  }
}

function readIndex(bytes: Uint8Array): Index | null {
  if (bytes.length < 4 * HEADER_LENGTH) return null
  const [magic, slotCount, wordCount, valueCount, textLength] = new Int32Array(
    bytes.buffer,
    bytes.byteOffset,
    HEADER_LENGTH,
  )
  const lengths = [slotCount, wordCount + 1, 2 * wordCount + 1, valueCount]
  const textStart = 4 * lengths.reduce((sum, length) => sum + length, HEADER_LENGTH)
  if (magic !== MAGIC || bytes.length !== textStart + textLength) return null
  let start = bytes.byteOffset + 4 * HEADER_LENGTH
  const [slots, textEnds, valueEnds, values] = lengths.map((length) => {
    const array = new Int32Array(bytes.buffer, start, length)
    start += array.byteLength
    return array
  })
  return { slots, textEnds, valueEnds, values, text: bytes.subarray(textStart) }
}

/** The number of a word, −1 where the index does not have it. */
function findWord({ slots, text, textEnds }: Index, word: string): number {
  const mask = slots.length - 1
  let slot = hashWord(word) & mask
  for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
    const number = slots[slot] - 1
    if (isAt(word, text, textEnds[number], textEnds[number + 1])) return number
  }
  return -1
}

function isAt(word: string, text: Uint8Array, start: number, end: number): boolean {
  if (end - start !== word.length) return false
  for (let i = 0; i < word.length; i++) if (text[start + i] !== word.charCodeAt(i)) return false
  return true
}

function hashWords(words: readonly string[]): Int32Array {
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * words.length + 1)))
  const mask = slots.length - 1
  words.forEach((word, number) => {
    let slot = hashWord(word) & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = number + 1
  })
  return slots
}

/** FNV-1a over the characters of a word. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193)
  return hash ^ (hash >>> 15)
}

function endsOf(lists: readonly { readonly length: number }[]): Int32Array {
  const ends = new Int32Array(lists.length + 1)
  lists.forEach(({ length }, index) => {
    ends[index + 1] = ends[index] + length
  })
  return ends
}
