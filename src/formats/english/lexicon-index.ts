import type { Lexicon, WordClass } from '../../core/text/lexicon.js'
import { decodeTextIndex, encodeTextIndex } from '../io/text-index.js'

/** What WordNet says of a word: its lemmas with their frequency, and the lemmas of an irregular form. */
interface LexiconEntry {
  readonly counts: readonly (readonly [wordClass: WordClass, count: number])[]
  readonly bases: readonly (readonly [wordClass: WordClass, base: string])[]
}

const KIND = 0x4c455831

/** Lists of a row: pairs of a class and a count, and pairs of a class and the row of a base. */
const COUNTS = 0
const BASES = 1
const LIST_COUNT = 2

const CLASSES: readonly WordClass[] = ['n', 'v', 'a', 'r']

/** Encodes a lexicon as a file that is searched without being parsed first. */
export function encodeLexicon(entries: ReadonlyMap<string, LexiconEntry>): Uint8Array {
  const bases = [...entries.values()].flatMap((entry) => entry.bases.map(([, base]) => base))
  const words = [...new Set([...entries.keys(), ...bases])]
  const rowOf = new Map(words.map((word, row) => [word, row]))
  return encodeTextIndex(
    KIND,
    LIST_COUNT,
    words.map((word) => {
      const { counts = [], bases = [] } = entries.get(word) ?? {}
      const classOf = CLASSES.indexOf.bind(CLASSES)
      return [
        word,
        counts.flatMap(([wordClass, count]) => [classOf(wordClass), count]),
        bases.flatMap(([wordClass, base]) => [classOf(wordClass), rowOf.get(base) as number]),
      ]
    }),
  )
}

/** Returns the lexicon of an encoded file, null if the bytes are not one. */
export function decodeLexicon(bytes: Uint8Array): Lexicon | null {
  const index = decodeTextIndex(bytes, KIND)
  if (!index) return null
  const valuesOf = (word: string, list: number, wordClass: WordClass) => {
    const row = index.find(word)
    if (row < 0) return []
    const pairs = index.valuesOf(row, list)
    const values: number[] = []
    for (let i = 0; i < pairs.length; i += 2) if (CLASSES[pairs[i]] === wordClass) values.push(pairs[i + 1])
    return values
  }
  return {
    countOf: (word, wordClass) => valuesOf(word, COUNTS, wordClass)[0],
    basesOf: (form, wordClass) => valuesOf(form, BASES, wordClass).map(index.textOf),
  }
}
