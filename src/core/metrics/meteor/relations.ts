import { stem } from 'porter2'
import { ENDINGS } from '../../text/lemmatizer.js'
import type { WordNetTables } from '../resources.js'

/** Per word, other words: those of word `w` are `items[offsets[w]] … items[offsets[w + 1] - 1]`. */
export interface WordLists {
  readonly items: Int32Array
  readonly offsets: Int32Array
}

/** For every word, the other words with the same stem (Snowball English). */
export function wordsOfSameStem(
  texts: readonly string[],
  stemOf: (word: string) => string = stem,
): WordLists {
  const ids = new Map<string, number>()
  const items = new Int32Array(texts.length)
  const offsets = new Int32Array(texts.length + 1)
  for (let word = 0; word < texts.length; word++) {
    items[word] = idOf(stemOf(texts[word]), ids)
    offsets[word + 1] = word + 1
  }
  return wordsSharing({ items, offsets })
}

/** For every word, the other words that share a WordNet synset with it. */
export function wordsOfSameSynset(
  texts: readonly string[],
  synsetsOf: (word: string) => readonly number[],
): WordLists {
  const ids = new Map<number, number>()
  const items: number[] = []
  const offsets = new Int32Array(texts.length + 1)
  for (let word = 0; word < texts.length; word++) {
    for (const synset of synsetsOf(texts[word])) items.push(idOf(synset, ids))
    offsets[word + 1] = items.length
  }
  return wordsSharing({ items: Int32Array.from(items), offsets })
}

function idOf<Key>(key: Key, ids: Map<Key, number>): number {
  const known = ids.get(key)
  if (known !== undefined) return known
  ids.set(key, ids.size)
  return ids.size - 1
}

/** For every word, the other words that have one of its keys. Keys are small integers. */
function wordsSharing(keys: WordLists): WordLists {
  const wordCount = keys.offsets.length - 1
  const words = invert(keys)
  const items: number[] = []
  const offsets = new Int32Array(wordCount + 1)
  const seenBy = new Int32Array(wordCount).fill(-1)
  for (let word = 0; word < wordCount; word++) {
    seenBy[word] = word
    for (let k = keys.offsets[word]; k < keys.offsets[word + 1]; k++) {
      const key = keys.items[k]
      for (let w = words.offsets[key]; w < words.offsets[key + 1]; w++) {
        const other = words.items[w]
        if (seenBy[other] === word) continue
        seenBy[other] = word
        items.push(other)
      }
    }
    offsets[word + 1] = items.length
  }
  return { items: Int32Array.from(items), offsets }
}

/** Per key, the words that have it. */
function invert({ items, offsets }: WordLists): WordLists {
  let keyCount = 0
  for (const key of items) keyCount = Math.max(keyCount, key + 1)
  const ends = new Int32Array(keyCount + 1)
  for (const key of items) ends[key + 1]++
  for (let key = 0; key < keyCount; key++) ends[key + 1] += ends[key]
  const next = ends.slice()
  const words = new Int32Array(items.length)
  for (let word = 0; word + 1 < offsets.length; word++) {
    for (let k = offsets[word]; k < offsets[word + 1]; k++) words[next[items[k]]++] = word
  }
  return { items: words, offsets: ends }
}

/** Doubles the length of all columns of a table. */
export function doubleColumns(table: Record<string, Int32Array | Float64Array>): void {
  for (const [name, column] of Object.entries(table)) {
    const length = 2 * column.length
    table[name] = column instanceof Int32Array ? new Int32Array(length) : new Float64Array(length)
    table[name].set(column)
  }
}

/** What WordNet's morphology takes off, and puts in its place: first of nouns. The first that leads to a lemma counts. */
const DETACHMENTS = [...ENDINGS.n, ...ENDINGS.v, ...ENDINGS.a]

/**
 * The synsets of a word as METEOR's synonym module sees them: those of the word itself and those of its base
 * forms, which come from the list of irregular forms or else from WordNet's rules of detachment.
 */
export function synsetsOfWord(word: string, wordNet: WordNetTables): readonly number[] {
  const own = wordNet.synsetsOf(word) ?? []
  const bases = wordNet.baseFormsOf(word) ?? detach(word, wordNet)
  return bases.length === 0 ? own : [...own, ...bases.flatMap((base) => wordNet.synsetsOf(base) ?? [])]
}

function detach(word: string, wordNet: WordNetTables): readonly string[] {
  if (word.length <= 2 || word.endsWith('ss')) return []
  for (const [ending, replacement] of DETACHMENTS) {
    if (!word.endsWith(ending)) continue
    const base = word.slice(0, word.length - ending.length) + replacement
    if (wordNet.synsetsOf(base) !== undefined) return [base]
  }
  return []
}
