/** WordNet's classes of words: noun, verb, adjective, adverb. */
export type WordClass = 'n' | 'v' | 'a' | 'r'

/** The words of WordNet, in lower case. */
export interface Lexicon {
  /**
   * How often a word occurs as a lemma of a class in the sense-tagged corpora of WordNet: 0 for a lemma that does
   * not occur there, undefined if the word is not a lemma of the class.
   */
  countOf(word: string, wordClass: WordClass): number | undefined
  /** The lemmas of an irregular form, such as "geese" or "saw". Empty if the word is not one. */
  basesOf(form: string, wordClass: WordClass): readonly string[]
}
