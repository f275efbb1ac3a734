import { type Lexicon, type WordClass, withoutEnding } from './lemmatizer.js'

/**
 * Features of the tagger. Each depends on one word, on the preceding tags, or on a tag and classes of words, so
 * that the tagger can add up the weights of a word once and reuse the sum.
 */

/** Tag of the two positions before a sentence. */
export const START = 'START'

/** A word, or the absence of one before or after the sentence. */
export interface WordShape {
  readonly word: string
  /** The tags that the lexicon and the ending of the word allow, such as "NNS.VBZ". */
  readonly tagClass: string
  /** `tagClass` and the word class that is the most frequent one in the corpora of WordNet. */
  readonly fineClass: string
}

export const OUTSIDE: WordShape = { word: '', tagClass: 'OUTSIDE', fineClass: 'OUTSIDE' }

export function shapeOf(word: string, lexicon: Lexicon): WordShape {
  const last = word.slice(word.lastIndexOf('-') + 1)
  const tags = lexicalTags(word, lexicon)
  if (tags.size > 0) return shape(word, tags, '')
  if (/[0-9]/.test(word)) return shape(word, new Map([['DIGIT', 0]]), '')
  if (!/\p{L}/u.test(word)) return shape(word, new Map([['SYMBOL', 0]]), '')
  if (last !== word && last !== '') return shape(word, lexicalTags(last, lexicon), '-')
  return shape(word, new Map(), '?')
}

function shape(word: string, tags: ReadonlyMap<string, number>, prefix: string): WordShape {
  const tagClass = prefix + [...tags.keys()].join('.')
  let best = ''
  let bestCount = 0
  let total = 0
  for (const [tag, count] of tags) {
    total += count
    if (count > bestCount) {
      best = tag
      bestCount = count
    }
  }
  const strength = bestCount * 10 > total * 9 ? '!' : ''
  return { word, tagClass, fineClass: `${tagClass}:${best}${strength}` }
}

/** Inflections by class and ending, in the order in which tag classes name them. */
const INFLECTIONS: readonly (readonly [wordClass: WordClass, ending: RegExp, tag: string])[] = [
  ['n', /s$/, 'NNS'],
  ['v', /s$/, 'VBZ'],
  ['v', /ed$/, 'VBN'],
  ['v', /ing$/, 'VBG'],
  ['a', /er$/, 'JJR'],
  ['a', /est$/, 'JJS'],
]

/** Tags of irregular forms that do not have the usual endings ("men", "sat"). */
const IRREGULAR: Readonly<Record<WordClass, string>> = { n: 'NNS', v: 'VBN', a: 'JJR', r: 'RBR' }

const LEMMA_TAGS: readonly (readonly [wordClass: WordClass, tag: string])[] = [
  ['n', 'NN'],
  ['v', 'VB'],
  ['a', 'JJ'],
  ['r', 'RB'],
]

/** Returns the tags that a word can have according to WordNet, with the frequency of its lemma. */
export function lexicalTags(word: string, lexicon: Lexicon): Map<string, number> {
  const tags = new Map<string, number>()
  for (const [wordClass, tag] of LEMMA_TAGS) {
    const count = lexicon.countOf(word, wordClass)
    if (count !== undefined) tags.set(tag, count)
  }
  for (const [wordClass, tag] of LEMMA_TAGS) {
    const irregular = lexicon.basesOf(word, wordClass)
    const bases = irregular.length > 0 ? irregular : withoutEnding(word, wordClass)
    const counts = bases
      .map((base) => lexicon.countOf(base, wordClass))
      .filter((count) => count !== undefined)
    if (counts.length === 0 || (tag === 'NN' && /ss$/.test(word))) continue
    const inflection = INFLECTIONS.find(([of, ending]) => of === wordClass && ending.test(word))
    tags.set(inflection?.[2] ?? IRREGULAR[wordClass], Math.max(...counts))
  }
  return tags
}

/** A feature and its value, such as the word or its last three letters. */
export type Feature = readonly [template: string, value: string]

/** The feature that the model has if the word is known from training. */
export function wordFeature({ word }: WordShape): Feature {
  return ['0w', word]
}

/** Distance from the word that is tagged: 0 for the word itself, -1 for the one before it. */
export type Distance = -2 | -1 | 0 | 1 | 2

/** Features of the class of a word. They are the same for all words with the same `fineClass`. */
export function classFeatures(distance: Distance, { tagClass, fineClass }: WordShape): Feature[] {
  const features: Feature[] = [[`${distance}c`, tagClass]]
  if (Math.abs(distance) < 2) features.push([`${distance}d`, fineClass])
  if (distance === 0) features.push(['bias', ''])
  return features
}

/** Features of a word and its ending. */
export function wordFeatures(distance: Distance, shape: WordShape): Feature[] {
  const { word } = shape
  if (distance !== 0) {
    const features: Feature[] = [[`${distance}w`, word]]
    if (Math.abs(distance) === 1) features.push([`${distance}s`, word.slice(-3)])
    return features
  }
  const features = [wordFeature(shape)]
  for (let length = 1; length <= 4 && length < word.length; length++)
    features.push(['s', word.slice(-length)])
  if (/.-./.test(word)) features.push(['hyphen', ''])
  return features
}

/** The feature of the preceding tag and the word that is tagged. */
export function previousTagFeature(previous: string, { word }: WordShape): Feature {
  return [`tw ${previous}`, word]
}

/** Features of the two preceding tags. */
export function tagPairFeatures(previous: string, beforePrevious: string): Feature[] {
  return [
    ['t', previous],
    ['t2', beforePrevious],
    [`tt ${previous}`, beforePrevious],
  ]
}

/** Features of the classes of the word that is tagged and the next one. */
export function classPairFeatures(current: WordShape, next: WordShape): Feature[] {
  return [[`cc ${current.tagClass}`, next.tagClass]]
}

/** Features of the preceding tag and those classes. */
export function tagAndClassFeatures(previous: string, current: WordShape, next: WordShape): Feature[] {
  return [
    [`tc ${previous}`, current.tagClass],
    [`tn ${previous}`, next.tagClass],
    [`tcc ${previous} ${current.tagClass}`, next.tagClass],
  ]
}
