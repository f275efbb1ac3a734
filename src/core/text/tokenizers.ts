import { hasElision, type Tokenization } from './tokenization.js'
import { tokenize } from './tokenizer.js'

/** The tokens of a caption, in order. */
export function createTokenizer({ language, tokenizer }: Tokenization): (caption: string) => string[] {
  const inLowerCase = (caption: string) => caption.toLocaleLowerCase(language)
  switch (tokenizer) {
    case 'ptb':
      return tokenize
    case '13a':
      return (caption) => splitMteval(inLowerCase(caption))
    case 'character':
      return (caption) => splitCharacters(inLowerCase(caption))
    case 'none':
      return (caption) => caption.split(/\s+/u).filter(Boolean)
    case 'unicode':
      return createWordSplitter(language)
  }
}

const HAS_LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/** An apostrophe, and what is written for one: METEOR 1.5 takes these for the same. */
const APOSTROPHE = /['’‘`]/

/** Parts of captions whose words are kept, and their length in UTF-16 code units. */
const MAX_KEPT = 50_000
const MAX_KEPT_LENGTH = 24

/**
 * Words by Unicode's rules. Composed and decomposed characters give the same words (NFC). Words never contain a space, so
 * that those between spaces are found once.
 */
function createWordSplitter(language: string): (caption: string) => string[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' })
  const kept = new Map<string, readonly string[]>()
  const separator = hasElision(language) ? APOSTROPHE : null
  const segment = (text: string) =>
    Array.from(segmenter.segment(text), (part) => part.segment)
      .flatMap((part) => (separator === null ? part : part.split(separator)))
      .filter((part) => HAS_LETTER_OR_DIGIT.test(part))
  const wordsOf = (text: string): readonly string[] => {
    if (text.length > MAX_KEPT_LENGTH) return segment(text)
    let words = kept.get(text)
    if (words === undefined) {
      words = segment(text)
      if (kept.size < MAX_KEPT) kept.set(text, words)
    }
    return words
  }
  return (caption) => caption.normalize('NFC').toLocaleLowerCase(language).split(' ').flatMap(wordsOf)
}

/**
 * Tokens as sacrebleu's tokenizers `13a` and `zh` cut them (Post 2018: A Call for Clarity in Reporting BLEU Scores). Punctuation
 * is kept. Neither changes the case of letters.
 */

const ENTITIES: readonly (readonly [string, string])[] = [
  ['&quot;', '"'],
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
]

/** ASCII punctuation apart from the apostrophe, hyphen, comma and period. */
const SYMBOL = /[ -&(-+:-@/[-`{-~]/g

/** What Python counts as white space. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: separators of files and records among it
const WHITE_SPACE = /[\p{White_Space}\x1c-\x1f]+/u

/** mteval-v13a. */
export function splitMteval(text: string): string[] {
  let line = text.replaceAll('<skipped>', '').replaceAll('-\n', '').replaceAll('\n', ' ')
  for (const [entity, character] of ENTITIES) line = line.replaceAll(entity, character)
  return splitWestern(` ${line} `)
}

/** Symbols, commas and periods outside numbers, and hyphens after digits are tokens. */
function splitWestern(line: string): string[] {
  return line
    .replace(SYMBOL, ' $& ')
    .replace(/([^0-9])([.,])/gu, '$1 $2 ')
    .replace(/([.,])([^0-9])/gu, ' $1 $2')
    .replace(/([0-9])(-)/g, '$1 $2 ')
    .split(WHITE_SPACE)
    .filter(Boolean)
}

/**
 * Chinese, Japanese and Korean characters, and their punctuation, one by one; the rest by the rules of `13a`. Chinese text is
 * cut as by sacrebleu's `zh`, which does not separate kana and Hangul, nor ideographs beyond the basic plane, although its
 * tables mean to; typographic quotes, dashes and arrows are separated by both.
 */
export function splitCharacters(text: string): string[] {
  return splitWestern(text.trim().replace(CHARACTER, ' $& '))
}

const CHARACTER = new RegExp(
  `[${[
    '\\u2001-\\u2a6d', // typographic punctuation, symbols
    '\\u2e80-\\u2fff', // radicals, structure
    '\\u3000-\\u303f', // punctuation
    '\\u3040-\\u30ff\\u31f0-\\u31ff', // kana
    '\\u3100-\\u312f\\u31a0-\\u31bf', // phonetic symbols
    '\\u3130-\\u318f\\uac00-\\ud7af\\u1100-\\u11ff', // Hangul
    '\\u31c0-\\u31ef\\u3200-\\u33ff', // strokes, enclosed
    '\\u3400-\\u4db5\\u4e00-\\u9fff', // ideographs
    '\\uf900-\\ufa2d\\ufa30-\\ufa6a\\ufa70-\\ufad9', // compatibility
    '\\ufe10-\\ufe1f\\ufe30-\\ufe4f\\uff00-\\uffef', // vertical, full width
    '\\u{20000}-\\u{2fa1f}', // supplementary ideographs
  ].join('')}]`,
  'gu',
)
