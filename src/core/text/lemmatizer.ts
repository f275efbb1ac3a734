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

/** Returns the lemma of a lower-case word with a Penn Treebank tag. */
export type Lemmatizer = (word: string, pennTag: string) => string

/** Endings of inflected forms and what replaces them, in the order of WordNet's morphological processor (morphy). */
export const ENDINGS: Readonly<
  Record<WordClass, readonly (readonly [ending: string, replacement: string])[]>
> = {
  n: [
    ['s', ''],
    ['ses', 's'],
    ['xes', 'x'],
    ['zes', 'z'],
    ['ches', 'ch'],
    ['shes', 'sh'],
    ['men', 'man'],
    ['ies', 'y'],
  ],
  v: [
    ['s', ''],
    ['ies', 'y'],
    ['es', 'e'],
    ['es', ''],
    ['ed', 'e'],
    ['ed', ''],
    ['ing', 'e'],
    ['ing', ''],
  ],
  a: [
    ['er', ''],
    ['est', ''],
    ['er', 'e'],
    ['est', 'e'],
  ],
  r: [],
}

/** Clitics and contracted verbs of the tokenizer, by tag where it matters. */
const CONTRACTIONS: Readonly<Record<string, string>> = {
  "'m VBP": 'be',
  "'re VBP": 'be',
  "'s VBZ": 'be',
  's VBZ': 'be',
  "'ve VB": 'have',
  "'ve VBP": 'have',
  "'d VBD": 'have',
  "'d MD": 'would',
  "'ll MD": 'will',
  'ca MD': 'can',
  'wo MD': 'will',
  'sha MD': 'shall',
  "n't RB": 'not',
}

// biome-ignore format: a table
const CLASS_OF_TAG: Readonly<Record<string, WordClass>> = {
  NN: 'n', NNS: 'n', NNP: 'n', NNPS: 'n',
  VB: 'v', VBD: 'v', VBG: 'v', VBN: 'v', VBP: 'v', VBZ: 'v',
  JJ: 'a', JJR: 'a', JJS: 'a', RB: 'r', RBR: 'r', RBS: 'r',
}

/** Tags of words that usually are their own lemma. */
const BASE_TAGS: ReadonlySet<string> = new Set(['NN', 'NNP', 'VB', 'VBP', 'JJ', 'RB'])

/** Plurals that mean something else than several of the singular. WordNet has all of them as lemmas. */
// biome-ignore format: a table
const PLURAL_LEMMAS: ReadonlySet<string> = new Set([
  'clothes', 'glasses', 'goggles', 'goods', 'overalls', 'pajamas', 'pants', 'pyjamas', 'scissors',
  'shorts', 'sunglasses', 'tights', 'tongs', 'trousers', 'tweezers', 'woods',
])

/**
 * Creates a lemmatizer that follows morphy of WordNet: irregular forms are looked up, regular endings are replaced,
 * and the result must be a lemma of the word class. Of several lemmas ("axes") the most frequent one is returned. The
 * endings of words that WordNet does not have are removed by rule ("emojis": "emoji"). Words that are not nouns,
 * verbs, adjectives or adverbs are returned as they are.
 */
export function createLemmatizer(lexicon: Lexicon): Lemmatizer {
  return (word, tag) => {
    const key = `${word} ${tag}`
    if (Object.hasOwn(CONTRACTIONS, key)) return CONTRACTIONS[key]
    if (!Object.hasOwn(CLASS_OF_TAG, tag)) return word
    const wordClass = CLASS_OF_TAG[tag]
    if (wordClass === 'n' && PLURAL_LEMMAS.has(word)) return word
    const isLemma = lexicon.countOf(word, wordClass) !== undefined
    if (isLemma && BASE_TAGS.has(tag)) return word
    const irregular = mostFrequent(lexicon, lexicon.basesOf(word, wordClass), wordClass)
    if (irregular !== undefined) return irregular
    const regular = mostFrequent(lexicon, withoutEnding(word, wordClass), wordClass)
    if (regular !== undefined) return regular
    return isLemma || BASE_TAGS.has(tag) ? word : withoutEndingByRule(word, tag)
  }
}

/** Returns the most frequent candidate that is a lemma, the first one among equals. */
function mostFrequent(
  lexicon: Lexicon,
  candidates: readonly string[],
  wordClass: WordClass,
): string | undefined {
  let best: string | undefined
  let bestCount = -1
  for (const candidate of candidates) {
    const count = lexicon.countOf(candidate, wordClass) ?? -1
    if (count > bestCount) {
      best = candidate
      bestCount = count
    }
  }
  return best
}

/** Returns what remains of a word without each ending that it has; the results need not be words. */
export function withoutEnding(word: string, wordClass: WordClass): string[] {
  return ENDINGS[wordClass]
    .filter(([ending]) => word.endsWith(ending) && word.length > ending.length + 1)
    .map(([ending, replacement]) => word.slice(0, -ending.length) + replacement)
}

/** The lemma of an inflected word that WordNet does not have. */
function withoutEndingByRule(word: string, tag: string): string {
  if (tag === 'NNS' || tag === 'NNPS' || tag === 'VBZ') return withoutS(word)
  if (tag === 'VBG' && /[aeiouy].*ing$/.test(word)) return verbOfStem(word.slice(0, -3))
  if ((tag === 'VBD' || tag === 'VBN') && /[aeiouy].*ed$/.test(word)) return verbOfStem(word.slice(0, -2))
  return word
}

function withoutS(word: string): string {
  if (!/..s$/.test(word) || /(?:ss|us|sis|xis)$/.test(word)) return word
  if (/..ies$/.test(word)) return /^[^aeiou]*ies$/.test(word) ? word.slice(0, -1) : `${word.slice(0, -3)}y`
  return /(?:ss|x|z|ch|sh)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}

/** Undoes the doubling of a consonant ("vlogg": "vlog"), or adds the silent "e" of a short verb ("vap": "vape"). */
function verbOfStem(stem: string): string {
  if (/([bdfgkmnprtv])\1$/.test(stem)) return stem.slice(0, -1)
  return /^[^aeiouy]*[aeiouy][^aeiouywx]$|[^aeiou](?:at|iz)$|[cuv]$/.test(stem) ? `${stem}e` : stem
}
