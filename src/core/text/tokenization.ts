/**
 * How captions become tokens: their language and the name of a tokenizer. Both are part of every figure's record. The tokenizers
 * themselves are loaded where text is cut (tokenizers.ts).
 *
 * - `ptb`: Penn Treebank tokens without punctuation, for English (tokenizer.ts).
 * - `13a`: mteval-v13a, as sacrebleu has it; punctuation is a token (tokenizers.ts).
 * - `unicode`: the words of `Intl.Segmenter`, by Unicode's rules, and by dictionary for Chinese, Japanese, Thai, Khmer, Lao and
 *   Burmese; what has no letter or digit is dropped.
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

export const ENGLISH: Tokenization = { language: 'en', tokenizer: 'ptb' }

/** Name and version of the Penn Treebank tokenizer in signatures. */
const PTB = 'ptb-3.4.1'

/** The language without region, script and variants: `zh` of `zh-Hant-TW`. */
export function primaryLanguage(language: string): string {
  return language.split('-', 1)[0]
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

/** Canonical form of a BCP 47 tag. @throws AccordError INVALID_VALUE */
export function parseLanguage(tag: string, source = 'language'): string {
  const expected = 'a BCP 47 tag such as en, de, zh-Hant'
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? refuse()
  } catch {
    return refuse()
  }
  function refuse(): never {
    throw new AccordError('INVALID_VALUE', 'no language', { source, expected, found: quote(tag) })
  }
}

/** @throws AccordError INVALID_VALUE */
export function parseTokenizer(name: string, source = 'tokenizer'): TokenizerName {
  const known = TOKENIZERS.find((tokenizer) => tokenizer === name)
  if (known === undefined)
    throw unknownName('INVALID_VALUE', 'unknown tokenizer', { source, known: TOKENIZERS, found: name })
  return known
}

/** The tokenizer with its version, as records and signatures name it: `unicode` depends on the dictionaries of ICU. */
export function versionOf(tokenizer: TokenizerName): string {
  if (tokenizer === 'ptb') return PTB
  return tokenizer === 'unicode' ? `unicode-icu${process.versions.icu}` : tokenizer
}

/** The tokenizer of {@link versionOf}. */
export function tokenizerOfVersion(version: string): TokenizerName {
  return parseTokenizer(version.replace(/-.*$/, ''))
}

/** Whether a value is a tokenizer with its version, which may be another one than that of this version of Node. */
export function isTokenizerVersion(value: unknown): value is string {
  return typeof value === 'string' && TOKENIZERS.some((name) => name === value.replace(/-.*$/, ''))
}
