/**
 * Objects that captions mention, after CHAIR (Rohrbach et al. 2018, Object Hallucination in Image Captioning), METHODS section
 * 14: words that stand for one of several categories, compounds before their parts.
 */
import type { Corpus, TokenSequences } from '../text/sequences.js'
import { OBJECT_WORDS, OTHER_COMPOUNDS, pluralsOf, QUALIFIERS } from './object-words.js'

/** Increased whenever the same captions get other mentions. */
export const OBJECT_REVISION = 1

/** Categories by number. */
export const CATEGORIES: readonly string[] = Object.keys(OBJECT_WORDS)

/** What is found at a place: the category, null for none, and of how many tokens the words are. */
interface Found {
  readonly category: number | null
  readonly length: number
}

/** Looks for an object that begins at a token. */
export type FindObject = (tokens: readonly string[], start: number) => Found | undefined

/** Finds objects by our own words. Tokens are in lower case. */
export function createObjectFinder(): FindObject {
  const phrases = new Map<string, number | null>()
  /** The most tokens of a phrase that begins with a word. */
  const longest = new Map<string, number>()
  const add = (phrase: string, category: number | null) => {
    for (const form of [phrase, ...pluralsOf(phrase)]) {
      phrases.set(form, category)
      const [first, ...others] = form.split(' ')
      longest.set(first, Math.max(longest.get(first) ?? 0, 1 + others.length))
    }
  }
  for (const [category, words] of Object.values(OBJECT_WORDS).entries())
    for (const word of words.split(', ')) add(word, category)
  for (const [phrase, category] of Object.entries(OTHER_COMPOUNDS))
    add(phrase, category === null ? null : CATEGORIES.indexOf(category))
  const qualified = new Map(
    Object.entries(QUALIFIERS).map(([word, names]) => [
      word,
      new Set<number | null>(names.map((name) => CATEGORIES.indexOf(name))),
    ]),
  )

  function find(tokens: readonly string[], start: number): Found | undefined {
    const categories = qualified.get(tokens[start])
    if (categories && start + 1 < tokens.length) {
      const next = findPhrase(tokens, start + 1)
      if (next && categories.has(next.category)) return { ...next, length: next.length + 1 }
    }
    return findPhrase(tokens, start)
  }

  function findPhrase(tokens: readonly string[], start: number): Found | undefined {
    const most = Math.min(longest.get(tokens[start]) ?? 0, tokens.length - start)
    for (let length = most; length > 0; length--) {
      const category = phrases.get(tokens.slice(start, start + length).join(' '))
      if (category !== undefined) return { category, length }
    }
    return undefined
  }
  return find
}

/** The categories that a caption mentions, in order, each as often as it is mentioned. */
export function mentionsIn(tokens: readonly string[], find: FindObject): number[] {
  const mentions: number[] = []
  for (let i = 0; i < tokens.length; ) {
    const found = find(tokens, i)
    if (found && found.category !== null) mentions.push(found.category)
    i += found?.length ?? 1
  }
  return mentions
}

/** The mentions of all captions of a corpus, as sequences of categories. */
export function mentionSequences({ tokens, offsets, texts }: Corpus, find: FindObject): TokenSequences {
  const mentions: number[] = []
  const ends = new Int32Array(offsets.length)
  for (let caption = 0; caption + 1 < offsets.length; caption++) {
    const words = Array.from(tokens.subarray(offsets[caption], offsets[caption + 1]), (token) => texts[token])
    mentions.push(...mentionsIn(words, find))
    ends[caption + 1] = mentions.length
  }
  return { tokens: Int32Array.from(mentions), offsets: ends }
}
