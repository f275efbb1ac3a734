/**
 * Objects that captions mention, after CHAIR (Rohrbach et al. 2018, Object Hallucination in Image Captioning), METHODS section
 * 14: words that stand for one of several objects, compounds before their parts.
 */
import { sequence } from '../text/sequences.js'
import type { ObjectVocabulary } from './object-vocabulary.js'
import { OBJECT_WORDS, type ObjectWords, OTHER_COMPOUNDS, pluralsOf, QUALIFIERS } from './object-words.js'
import { createPublishedFinder } from './published-chair.js'

/** Increased whenever the same captions get other mentions. */
export const OBJECT_REVISION = 1

/** What is found at a place: the number of the object, null for none, and of how many tokens the words are. */
interface Found {
  readonly object: number | null
  readonly length: number
}

/** Looks for an object that begins at a token. */
type FindObject = (tokens: readonly string[], start: number) => Found | undefined

/** Finds objects, numbered in the order of the words. Tokens are in lower case. */
function createObjectFinder(objectWords: ObjectWords): FindObject {
  const phrases = new Map<string, number | null>()
  /** The most tokens of a phrase that begins with a word. */
  const longest = new Map<string, number>()
  const names = [...objectWords.keys()]
  const add = (phrase: string, object: number | null) => {
    for (const form of [phrase, ...pluralsOf(phrase)]) {
      phrases.set(form, object)
      const [first, ...others] = form.split(' ')
      longest.set(first, Math.max(longest.get(first) ?? 0, 1 + others.length))
    }
  }
  for (const [phrase, name] of Object.entries(OTHER_COMPOUNDS))
    if (name === null || objectWords.has(name)) add(phrase, name === null ? null : names.indexOf(name))
  for (const [object, words] of [...objectWords.values()].entries())
    for (const word of words) add(word.trim().toLowerCase(), object)
  const qualified = new Map(
    Object.entries(QUALIFIERS).map(([word, animals]) => [
      word,
      new Set<number | null>(animals.map((name) => names.indexOf(name))),
    ]),
  )

  function find(tokens: readonly string[], start: number): Found | undefined {
    const objects = qualified.get(tokens[start])
    if (objects && start + 1 < tokens.length) {
      const next = findPhrase(tokens, start + 1)
      if (next && objects.has(next.object)) return { ...next, length: next.length + 1 }
    }
    return findPhrase(tokens, start)
  }

  function findPhrase(tokens: readonly string[], start: number): Found | undefined {
    const most = Math.min(longest.get(tokens[start]) ?? 0, tokens.length - start)
    for (let length = most; length > 0; length--) {
      const object = phrases.get(tokens.slice(start, start + length).join(' '))
      if (object !== undefined) return { object, length }
    }
    return undefined
  }
  return find
}

/** The objects that a caption mentions, in order, each as often as it is mentioned. */
function mentionsIn(tokens: readonly string[], find: FindObject): number[] {
  const mentions: number[] = []
  for (let i = 0; i < tokens.length; ) {
    const found = find(tokens, i)
    if (found && found.object !== null) mentions.push(found.object)
    i += found?.length ?? 1
  }
  return mentions
}

/** Words of objects of a file. */
export interface GivenWords {
  readonly words: ObjectWords
  /** Enters signatures. */
  readonly hash: string
}

/** Objects by words, ours by default, and our plurals; `coco80` if the words are ours. */
export function createWordVocabulary(given?: GivenWords): ObjectVocabulary {
  const words = given?.words ?? OBJECT_WORDS
  const find = createObjectFinder(words)
  return {
    parameters: { objects: 'coco80', words: nameWords(given) },
    text: 'tokens',
    mentionsOf(corpus, caption) {
      return mentionsIn(
        Array.from(sequence(corpus, caption), (token) => corpus.texts[token]),
        find,
      )
    },
    ...namesOf(words, (name) => {
      const tokens = name.split(' ')
      const found = find(tokens, 0)
      return found?.length === tokens.length ? found.object : null
    }),
  }
}

/** Objects as the published program of CHAIR finds them. */
export function createPublishedVocabulary(given: GivenWords): ObjectVocabulary {
  const find = createPublishedFinder(given.words)
  const names = namesOf(given.words, () => null)
  return {
    parameters: { objects: 'coco80', words: nameWords(given), mode: 'CHAIR-compatible' },
    text: 'raw',
    mentionsOf({ written }, caption) {
      if (written === undefined) throw new Error('CHAIR-compatible reads captions as they are written.')
      return find(written[caption]).flatMap(({ object }) => names.objectsNamed(object))
    },
    ...names,
  }
}

/** @param find the object of another name than its own, null for none */
function namesOf(words: ObjectWords, find: (name: string) => number | null) {
  const names = [...words.keys()]
  const numberOf = new Map(names.map((name, object) => [name, object]))
  return {
    objectsNamed(name: string): readonly number[] {
      const object = numberOf.get(name) ?? find(name.toLowerCase())
      return object === null ? [] : [object]
    },
    nameOf: (object: number) => names[object],
    groupsOf: () => (object: number) => object,
  }
}

/** Names our words in signatures. */
export const OWN_WORDS = 'own'

function nameWords(given: GivenWords | undefined): string {
  return given === undefined ? OWN_WORDS : `file-${given.hash.slice(0, 8)}`
}
