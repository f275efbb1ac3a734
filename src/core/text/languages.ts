/**
 * Which language captions are in: by script where it decides, else by the words that captions of each language use most, and by letters
 * that few languages have. Written by hand: models of letter groups take a name or a language that they do not know for another one,
 * and a wrong language would change every figure of a file.
 */
import { FUNCTION_WORDS, OFTEN_SHOWN, OWN_LETTERS } from './language-words.js'
import { UNKNOWN_LANGUAGE } from './tokenization.js'

/** Captions that are read to find the language. */
export const LANGUAGE_SAMPLE = 2048

/** What captions show of their language. */
export interface LanguageEvidence {
  /** BCP 47; null where the captions do not show one. */
  readonly language: string | null
  /** Captions with a word of two letters, of those that were read. */
  readonly captionCount: number
  /** How many of them are like each language, the most first; others show none. */
  readonly languages: readonly { readonly language: string; readonly captionCount: number }[]
}

/**
 * The language of captions, with its share of them. It is the one whose words, weighed by how few other languages have them, occur
 * most in the script of most captions, where they are a quarter of all words. Names of several words are left aside, and another
 * language than English needs more evidence than English by a quarter.
 */
export function detectLanguage(captions: readonly string[]): LanguageEvidence {
  const sample = captions.slice(0, LANGUAGE_SAMPLE)
  const worded = sample.filter((caption) => HAS_WORD.test(caption))
  const scripts = worded.map(scriptOf)
  const byScript = new Map<Script, string[]>()
  for (const [index, script] of scripts.entries()) {
    if (script === null) continue
    const texts = byScript.get(script)
    if (texts) texts.push(worded[index])
    else byScript.set(script, [worded[index]])
  }
  const groups = [...byScript].sort(([, one], [, other]) => other.length - one.length)
  const counts = new Map<string, number>()
  let language: string | null = null
  for (const [index, [script, texts]] of groups.entries()) {
    const found = languagesIn(texts, script)
    if (index === 0) language = found.language
    for (const [name, count] of found.counts) counts.set(name, (counts.get(name) ?? 0) + count)
  }
  return {
    language,
    captionCount: worded.length,
    languages: Array.from(counts, ([name, captionCount]) => ({ language: name, captionCount })).sort(
      (one, other) => other.captionCount - one.captionCount,
    ),
  }
}

const HAS_WORD = /[\p{L}\p{M}]{2}|\p{Lo}/u

/** English name of a language; the tag where there is none. */
export function nameLanguage(language: string): string {
  if (language === UNKNOWN_LANGUAGE) return 'an unknown language'
  return new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language
}

type Script = keyof typeof LANGUAGES_OF_SCRIPT

/** The languages of each script that are told apart. */
const LANGUAGES_OF_SCRIPT = {
  Latin: [
    ...['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'nb', 'fi', 'pl', 'cs', 'sk', 'hu', 'ro', 'tr'],
    ...['vi', 'id', 'sw', 'hr', 'sl', 'fil', 'ca', 'et', 'lv', 'lt', 'mi', 'quz'],
    ...['eu', 'is', 'sq', 'cy', 'ga', 'gl', 'af'],
  ],
  Cyrillic: ['ru', 'uk', 'bg', 'sr', 'mk', 'be', 'kk'],
  Arabic: ['ar', 'fa', 'ur'],
  Devanagari: ['hi', 'mr', 'ne'],
  Han: ['zh'],
  Kana: ['ja'],
  Hangul: ['ko'],
  Greek: ['el'],
  Hebrew: ['he'],
  Thai: ['th'],
  Lao: ['lo'],
  Khmer: ['km'],
  Myanmar: ['my'],
  Bengali: ['bn'],
  Gurmukhi: ['pa'],
  Gujarati: ['gu'],
  Odia: ['or'],
  Tamil: ['ta'],
  Telugu: ['te'],
  Kannada: ['kn'],
  Malayalam: ['ml'],
  Sinhala: ['si'],
  Georgian: ['ka'],
  Armenian: ['hy'],
  Ethiopic: ['am'],
  Thaana: ['dv'],
  Tibetan: ['bo'],
} as const satisfies Record<string, readonly string[]>

/** First and last code of the letters of scripts, in their order. */
const RANGES: readonly (readonly [script: Script, first: number, last: number])[] = [
  ['Latin', 0x41, 0x5a],
  ['Latin', 0x61, 0x7a],
  ['Latin', 0xc0, 0x24f],
  ['Latin', 0x1e00, 0x1eff],
  ['Greek', 0x370, 0x3ff],
  ['Cyrillic', 0x400, 0x52f],
  ['Armenian', 0x530, 0x58f],
  ['Hebrew', 0x5d0, 0x5ea],
  ['Arabic', 0x620, 0x6ff],
  ['Thaana', 0x780, 0x7b1],
  ['Devanagari', 0x900, 0x97f],
  ['Bengali', 0x980, 0x9ff],
  ['Gurmukhi', 0xa05, 0xa7f],
  ['Gujarati', 0xa80, 0xaff],
  ['Odia', 0xb05, 0xb7f],
  ['Tamil', 0xb80, 0xbff],
  ['Telugu', 0xc00, 0xc7f],
  ['Kannada', 0xc80, 0xcff],
  ['Malayalam', 0xd00, 0xd7f],
  ['Sinhala', 0xd80, 0xdff],
  ['Thai', 0xe00, 0xe7f],
  ['Lao', 0xe80, 0xeff],
  ['Tibetan', 0xf40, 0xfbc],
  ['Myanmar', 0x1000, 0x109f],
  ['Georgian', 0x10a0, 0x10ff],
  ['Hangul', 0x1100, 0x11ff],
  ['Ethiopic', 0x1200, 0x137f],
  ['Khmer', 0x1780, 0x17ff],
  ['Kana', 0x3040, 0x30ff],
  ['Han', 0x3400, 0x9fff],
  ['Hangul', 0xac00, 0xd7af],
]

const SCRIPTS = Object.keys(LANGUAGES_OF_SCRIPT) as Script[]

/** The number of the script of each letter of the basic plane, from 1; 0 for what is no letter. */
let scriptOfCode: Uint8Array | undefined

function codeTable(): Uint8Array {
  if (scriptOfCode === undefined) {
    scriptOfCode = new Uint8Array(1 << 16)
    for (const [script, first, last] of RANGES)
      scriptOfCode.fill(SCRIPTS.indexOf(script) + 1, first, last + 1)
  }
  return scriptOfCode
}

/** Kana are rarely less than half of Japanese, and hardly occur in Chinese. */
const JAPANESE_SHARE = 0.1

const KANA = SCRIPTS.indexOf('Kana') + 1
const HAN = SCRIPTS.indexOf('Han') + 1

/** The script of more than half of the letters, null where there is none. */
function scriptOf(caption: string): Script | null {
  const table = codeTable()
  const counts = new Uint32Array(SCRIPTS.length + 1)
  let letters = 0
  for (let i = 0; i < caption.length; i++) {
    const script = table[caption.charCodeAt(i)]
    if (script === 0) continue
    letters++
    counts[script]++
  }
  const [kana, han] = [counts[KANA], counts[HAN]]
  if (kana + han > letters / 2) return kana > JAPANESE_SHARE * (kana + han) ? 'Kana' : 'Han'
  const main = counts.findIndex((count) => count > letters / 2)
  return main < 0 ? null : SCRIPTS[main - 1]
}

/** Another language than English needs this many times the evidence of English. */
const ADVANTAGE = 1.25
/** Words of a language, and their share of all words, that captions in it have at least. */
const LEAST_WORDS = 2
const LEAST_SHARE = 0.25
/** A caption is in the language of its file if the evidence for it is at least this share of that for any other one. */
const OWN_SHARE = 0.5

/** The language of captions in one script, and how many of them are like each; of a language that has the script alone, all. */
function languagesIn(
  captions: readonly string[],
  script: Script,
): { readonly language: string | null; readonly counts: ReadonlyMap<string, number> } {
  const languages: readonly string[] = LANGUAGES_OF_SCRIPT[script]
  if (languages.length === 1)
    return { language: languages[0], counts: new Map([[languages[0], captions.length]]) }
  const evidence = captions.map(createWeigher(knowledgeOf(script)))
  const all: Evidence = {
    weights: new Float64Array(languages.length),
    hits: new Float64Array(languages.length),
    wordCount: 0,
    allCount: 0,
  }
  for (const { weights, hits, wordCount, allCount } of evidence) {
    all.wordCount += wordCount
    all.allCount += allCount
    for (let i = 0; i < languages.length; i++) {
      all.weights[i] += weights[i]
      all.hits[i] += hits[i]
    }
  }
  const main = mostLike(all, languages)
  const counts = new Map<string, number>()
  for (const own of evidence) {
    const best =
      main >= 0 && own.weights[main] > 0 && own.weights[main] >= OWN_SHARE * Math.max(...own.weights)
        ? main
        : mostLike(own, languages)
    if (best >= 0) counts.set(languages[best], (counts.get(languages[best]) ?? 0) + 1)
  }
  return { language: main < 0 ? null : languages[main], counts }
}

/** The position of the language with the most evidence, −1 where none has enough. */
function mostLike({ weights, hits, wordCount, allCount }: Evidence, languages: readonly string[]): number {
  const most = weights.indexOf(Math.max(...weights))
  const english = languages.indexOf('en')
  const best = english >= 0 && weights[most] < ADVANTAGE * weights[english] ? english : most
  const count = languages[best] === 'de' ? allCount : wordCount
  const least = Math.max(Math.min(LEAST_WORDS, count), LEAST_SHARE * count)
  return count > 0 && hits[best] >= least ? best : -1
}

/** Evidence for each of some languages: words of theirs, weighed and not. */
interface Evidence {
  readonly weights: Float64Array
  readonly hits: Float64Array
  /** Words that can be of any of the languages, without names. */
  wordCount: number
  /** All words: German writes nouns like names. */
  allCount: number
}

/** What is known of the languages of a script: which of them have a word or a letter, by their positions. */
interface Knowledge {
  readonly languages: readonly string[]
  readonly words: ReadonlyMap<string, Mark>
  readonly letters: ReadonlyMap<string, Mark>
}

interface Mark {
  readonly languages: readonly number[]
  /** 1 for a mark of one language alone, less for one of several. */
  weight: number
}

const knowledge = new Map<Script, Knowledge>()

function knowledgeOf(script: Script): Knowledge {
  let known = knowledge.get(script)
  if (known === undefined) {
    const languages: readonly string[] = LANGUAGES_OF_SCRIPT[script]
    const wordsOf = (language: string) => [
      ...(FUNCTION_WORDS[language] ?? []),
      ...(OFTEN_SHOWN[language] ?? []),
    ]
    known = {
      languages,
      words: marksOf(languages, wordsOf),
      letters: marksOf(languages, (language) => [...(OWN_LETTERS[language] ?? '')]),
    }
    knowledge.set(script, known)
  }
  return known
}

function marksOf(
  languages: readonly string[],
  list: (language: string) => readonly string[],
): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark & { readonly languages: number[] }>()
  for (const [index, language] of languages.entries()) {
    for (const text of new Set(list(language))) {
      const mark = marks.get(text)
      if (mark) mark.languages.push(index)
      else marks.set(text, { languages: [index], weight: 1 })
    }
  }
  for (const mark of marks.values())
    mark.weight = 1 - Math.log(mark.languages.length) / Math.log(languages.length + 1)
  return marks
}

/** Single letters are names and counters as well; and `'s` is English, `l'` French. */
const WORD = /[\p{L}\p{M}\u200c]+/gu
const ASCII_WORD = /[A-Za-z]+/g
const NOT_ASCII = /[^\0-\x7f]/
const CAPITAL = /^\p{Lu}/u
/** A caption of at most as many words, all with a capital letter, can be a name as a whole. */
const NAME_WORDS = 3
/** The weight of an unknown word by its letters; that of a known word is 1. */
const LETTER_WEIGHT = 0.5

/** What a word says of its language: marks with their weights. */
type WordMarks = readonly (readonly [mark: Mark, weight: number])[]

function createWeigher({ languages, words, letters }: Knowledge): (caption: string) => Evidence {
  const german = languages.indexOf('de')
  const known = new Map<string, WordMarks>()

  function marksOfWord(word: string): WordMarks {
    const mark = words.get(word)
    if (mark !== undefined) return [[mark, 1]]
    const own = [...new Set(word)].flatMap((letter) => letters.get(letter) ?? [])
    return own.map((letter) => [letter, LETTER_WEIGHT / own.length])
  }

  return (caption) => {
    const weights = new Float64Array(languages.length)
    const hits = new Float64Array(languages.length)
    const isAscii = !NOT_ASCII.test(caption)
    const all = (isAscii ? caption.match(ASCII_WORD) : caption.normalize('NFC').match(WORD)) ?? []
    const areNames = namesOf(all)
    let wordCount = 0
    let allCount = 0
    for (let i = 0; i < all.length; i++) {
      if (all[i].length < 2) continue
      let marks = known.get(all[i])
      if (marks === undefined) {
        marks = marksOfWord(all[i].toLowerCase())
        known.set(all[i], marks)
      }
      allCount++
      if (!areNames[i]) wordCount++
      for (const [mark, weight] of marks) {
        for (const index of mark.languages) {
          if (areNames[i] && index !== german) continue
          weights[index] += weight * mark.weight
          hits[index] += weight
        }
      }
    }
    return { weights, hits, wordCount, allCount }
  }
}

/** Which words stand in a row of several with capital letters, as in Las Vegas; in a long caption of such words, none. */
function namesOf(words: readonly string[]): boolean[] {
  const areCapital = words.map((word) => word.length > 1 && CAPITAL.test(word))
  const isTitle =
    words.length > NAME_WORDS && words.every((word, index) => areCapital[index] || word.length === 1)
  return areCapital.map((isCapital, index) => {
    const isBeside = areCapital[index - 1] === true || areCapital[index + 1] === true
    return isCapital && isBeside && !isTitle
  })
}
