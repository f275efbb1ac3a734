import { ENDINGS } from '../../text/lemmatizer.js'
import type { WordNetTables } from '../resources.js'

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
