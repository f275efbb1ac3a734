import type { WordNetTables } from '../../core/metrics/resources.js'
import { decodeTextIndex, encodeTextIndex } from '../io/text-index.js'

/** The words of WordNet as METEOR reads them: what the text files of a METEOR data folder contain. */
interface WordNetContent {
  /** Synset numbers by lemma, one or more each. */
  readonly synsets: ReadonlyMap<string, readonly number[]>
  /** Irregular forms by base form. */
  readonly forms: ReadonlyMap<string, readonly string[]>
}

const KIND = 0x41575832

/** Lists of a row: synset numbers, and rows of the base forms. */
const SYNSETS = 0
const BASES = 1
const LIST_COUNT = 2

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
  const rowOf = new Map(words.map((word, row) => [word, row]))
  const basesOf = (word: string) => (bases.get(word) ?? []).map((base) => rowOf.get(base) as number)
  return encodeTextIndex(
    KIND,
    LIST_COUNT,
    words.map((word) => [word, synsets.get(word) ?? [], basesOf(word)]),
  )
}

/** The tables of an encoded file, null where the bytes are not one. @param name enters signatures of metrics */
export function decodeWordNet(bytes: Uint8Array, name: string): WordNetTables | null {
  const index = decodeTextIndex(bytes, KIND)
  if (!index) return null
  const listOf = (word: string, list: number) => {
    const row = index.find(word)
    const values = row < 0 ? [] : Array.from(index.valuesOf(row, list))
    return values.length === 0 ? undefined : values
  }
  return {
    name,
    synsetsOf: (lemma) => listOf(lemma, SYNSETS),
    baseFormsOf: (form) => listOf(form, BASES)?.map(index.textOf),
  }
}
