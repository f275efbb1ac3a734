import { stem } from 'porter2'
import type { WordNetTables } from './resources.js'
import { synsetsOfWord } from './synonyms.js'

/** Per word, other words: those of word `w` are `items[offsets[w]] … items[offsets[w + 1] - 1]`. */
export interface WordLists {
  readonly items: Int32Array
  readonly offsets: Int32Array
}

/** For every word, the other words with the same stem (Snowball English). */
export function wordsOfSameStem(texts: readonly string[]): WordLists {
  const stemIds = new Map<string, number>()
  const stems = texts.map((text) => {
    const key = stem(text)
    const known = stemIds.get(key)
    if (known !== undefined) return [known]
    stemIds.set(key, stemIds.size)
    return [stemIds.size - 1]
  })
  return wordsSharing(stems)
}

/** For every word, the other words that share a WordNet synset with it. */
export function wordsOfSameSynset(texts: readonly string[], wordNet: WordNetTables): WordLists {
  return wordsSharing(texts.map((text) => synsetsOfWord(text, wordNet)))
}

/** For every word, the other words that have one of its keys. */
function wordsSharing(keysOf: readonly (readonly number[])[]): WordLists {
  const wordsOf = new Map<number, number[]>()
  keysOf.forEach((keys, word) => {
    for (const key of keys) {
      const words = wordsOf.get(key)
      if (words === undefined) wordsOf.set(key, [word])
      else words.push(word)
    }
  })
  const items: number[] = []
  const offsets = new Int32Array(keysOf.length + 1)
  const seenBy = new Int32Array(keysOf.length).fill(-1)
  keysOf.forEach((keys, word) => {
    seenBy[word] = word
    for (const key of keys) {
      for (const other of wordsOf.get(key)!) {
        if (seenBy[other] === word) continue
        seenBy[other] = word
        items.push(other)
      }
    }
    offsets[word + 1] = items.length
  })
  return { items: Int32Array.from(items), offsets }
}
