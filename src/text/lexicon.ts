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

/**
 * Parses the file that scripts/build-english-data.js writes: lines of a word and its items, which are `n3` for a
 * lemma with 3 occurrences and `v>see` for an irregular form. A line is split when its word is looked up, because most
 * words never are.
 */
export function parseLexicon(text: string): Lexicon {
  const lines = new Map<string, string>()
  for (let start = 0; start < text.length; ) {
    const space = text.indexOf(' ', start)
    const end = text.indexOf('\n', space)
    lines.set(text.slice(start, space), text.slice(space + 1, end))
    start = end + 1
  }
  const itemsOf = (word: string) => lines.get(word)?.split(' ') ?? []
  return {
    countOf(word, wordClass) {
      const item = itemsOf(word).find((item) => item[0] === wordClass && item[1] !== '>')
      return item === undefined ? undefined : Number(item.slice(1))
    },
    basesOf(form, wordClass) {
      return itemsOf(form)
        .filter((item) => item.startsWith(`${wordClass}>`))
        .map((item) => item.slice(2))
    },
  }
}
