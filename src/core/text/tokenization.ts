/**
 * How captions become tokens: their language and the name of a tokenizer. Both are part of every figure's record. The tokenizers
 * themselves are loaded where text is cut (tokenizers.ts).
 *
 * - `ptb`: Penn Treebank tokens without punctuation, for English (tokenizer.ts).
 * - `13a`: mteval-v13a, as sacrebleu has it; punctuation is a token (tokenizers.ts).
 * - `unicode`: the words of `Intl.Segmenter`, by Unicode's rules, and by dictionary for Chinese, Japanese, Thai, Khmer, Lao and
 *   Burmese; what has no letter or digit is dropped. In French, Italian and Catalan, apostrophes end words, as in METEOR 1.5
 *   (`l'homme` is `l` and `homme`).
 * - `character`: each Chinese, Japanese or Korean character is a token, the rest is cut as by `13a` (tokenizers.ts).
 * - `none`: what white space separates, as it is given: for captions that another program has segmented.
 *
 * All but `none` write tokens in lower case, by the rules of the language.
 */

import { AccordError, quote, unknownName } from '../../errors.js'
import { TOKENIZERS, type TokenizerName } from '../../shared/choices.js'

export interface Tokenization {
  /** BCP 47, canonical: `de`, `zh-Hant`. */
  readonly language: string
  readonly tokenizer: TokenizerName
}

/** Captions, and how METEOR takes them. */
export interface MeasuredLanguage extends Tokenization {
  /** The language whose parameters, stems and synonyms METEOR has. Default: that of the captions. */
  readonly meteorLanguage?: string
}

/** The language of captions that show none (BCP 47). */
export const UNKNOWN_LANGUAGE = 'und'

export const ENGLISH: Tokenization = { language: 'en', tokenizer: 'ptb' }

/** Name and version of the Penn Treebank tokenizer in signatures. */
const PTB = 'ptb-3.4.1'

/** The language without region, script and variants: `zh` of `zh-Hant-TW`. */
export function primaryLanguage(language: string): string {
  return language.split('-', 1)[0]
}

/** Whether articles and other short words lose their vowel before a vowel, joined to the next word by an apostrophe: `l'homme`. */
export function hasElision(language: string): boolean {
  return ['fr', 'it', 'ca'].includes(primaryLanguage(language))
}

export function isEnglish({ language }: Pick<Tokenization, 'language'>): boolean {
  return primaryLanguage(language) === 'en'
}

/** Whether captions are as the tools for English expect them: SPICE, parts of speech, built-in vectors and frequencies. */
export function suitsEnglishTools(tokenization: Tokenization): boolean {
  return isEnglish(tokenization) && tokenization.tokenizer === 'ptb'
}

export function defaultTokenizer(language: string): TokenizerName {
  return isEnglish({ language }) ? 'ptb' : 'unicode'
}

/** Languages of three letters whose English names are known; those of two letters all are. */
const THREE_LETTERS =
  'ast bho ceb chr ckb dsb fil fur gsw haw hil hmn hsb ilo kok mai mni nds pap sah sat scn sco vec war yue'

/** Variants that have a name of their own, such as British English. */
const NAMED_VARIANTS =
  'de-AT de-CH en-AU en-CA en-GB en-US es-ES es-MX fr-CA fr-CH nl-BE pt-BR pt-PT zh-Hans zh-Hant'

/** Names beside those of Unicode. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  bengali: 'bn',
  castilian: 'es',
  farsi: 'fa',
  mandarin: 'zh',
  oriya: 'or',
  sinhalese: 'si',
  tagalog: 'fil',
}

/** Has a name for each language, and no name for what is none. */
const NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** The tags of languages by their English names in lower case. */
let tagOfName: ReadonlyMap<string, string> | undefined

function languageOfName(name: string): string | undefined {
  tagOfName ??= readNames()
  return tagOfName.get(
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_]+/g, ' '),
  )
}

function readNames(): Map<string, string> {
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const twoLetters = letters.flatMap((first) => letters.map((second) => first + second))
  const tags = [...twoLetters, ...THREE_LETTERS.split(' '), ...NAMED_VARIANTS.split(' ')]
  const names = new Map(Object.entries(OTHER_NAMES))
  for (const tag of tags) {
    const name = NAMES.of(tag)
    if (name !== undefined) names.set(name.toLowerCase(), Intl.getCanonicalLocales(tag)[0])
  }
  return names
}

/** Tags that have a name and are no language: several, and none. */
const NO_LANGUAGES = ['mul', 'zxx']

/** Whether a canonical tag is of a language: one that has a name, or a private one, for languages without. */
function isLanguage(tag: string): boolean {
  const language = primaryLanguage(tag)
  if (/^q[a-t][a-z]$/.test(language)) return true
  return NAMES.of(language) !== undefined && !NO_LANGUAGES.includes(language)
}

/**
 * Canonical form of a BCP 47 tag, or of the English name of a language, in any case.
 *
 * @throws AccordError INVALID_VALUE for what is no language
 */
export function parseLanguage(text: string, source = 'language'): string {
  const language = languageOfName(text) ?? canonicalTag(text)
  if (language !== undefined && isLanguage(language)) return language
  throw new AccordError('INVALID_VALUE', 'no language', {
    source,
    expected:
      'a BCP 47 tag such as en, de, zh-Hant, the English name of a language, or qaa to qtz for one without a tag',
    found: quote(text),
  })
}

function canonicalTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}

/** @throws AccordError INVALID_VALUE */
export function parseTokenizer(name: string, source = 'tokenizer'): TokenizerName {
  const known = TOKENIZERS.find((tokenizer) => tokenizer === name)
  if (known === undefined)
    throw unknownName('INVALID_VALUE', 'unknown tokenizer', { source, known: TOKENIZERS, found: name })
  return known
}

/**
 * The tokenizer with its version, as records and signatures name it: `unicode` depends on the dictionaries of ICU, and cuts at elisions
 * in some languages.
 */
export function versionOf({ language, tokenizer }: Tokenization): string {
  if (tokenizer === 'ptb') return PTB
  if (tokenizer !== 'unicode') return tokenizer
  return `unicode-icu${process.versions.icu}${hasElision(language) ? '-elision' : ''}`
}

/** Language and tokenizer of figures, as records have them. */
export function recordTokens(tokenization: Tokenization): { language: string; tokenizer: string } {
  return { language: tokenization.language, tokenizer: versionOf(tokenization) }
}

/** The tokenizer of {@link versionOf}. */
export function tokenizerOfVersion(version: string): TokenizerName {
  return parseTokenizer(version.replace(/-.*$/, ''))
}

/** Whether a value is a tokenizer with its version, which may be another one than that of this version of Node. */
export function isTokenizerVersion(value: unknown): value is string {
  return typeof value === 'string' && TOKENIZERS.some((name) => name === value.replace(/-.*$/, ''))
}
