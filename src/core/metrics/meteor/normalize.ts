/**
 * METEOR 1.5's own normaliser for English (option `-norm`), which runs over the line of tokens that the
 * reference toolkit hands to METEOR: it separates symbols, splits words at hyphens (`t-shirt` becomes two
 * words) and before apostrophes (`man's`; a token `'s` becomes `'` and `s`), and drops or splits off dots.
 */
import type { Corpus } from '../../text/sequences.js'

/** Letters of Western European languages and Cyrillic, as in METEOR: the inside of a character class. */
const LETTERS =
  'A-Za-z\\u0160\\u017d\\u0161\\u017e\\u0178\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u017e' +
  '\\u0400-\\u04ff\\u0500-\\u0527\\ua640-\\ua66e\\ua67e-\\ua697\\u1d00-\\u1d7f'

const SYMBOL = new RegExp(`([^0-9${LETTERS} \\t\\n\\v\\f\\r.'\`,\\-\\u2018\\u2019])`, 'gu')
const COMMAS = [/([^0-9]),([^0-9])/gu, /([0-9]),([^0-9])/gu, /([^0-9]),([0-9])/gu]
const SINGLE_QUOTE = /[`\u2018\u2019]/gu
const DOUBLE_QUOTE = /[\u201c\u201d]|''/gu
const HYPHEN = new RegExp(`([0-9${LETTERS}.])-([0-9${LETTERS}])`, 'gu')
const LONE_APOSTROPHES = [
  new RegExp(`([^${LETTERS}])'([^${LETTERS}])`, 'gu'),
  new RegExp(`([^${LETTERS}0-9])'([${LETTERS}])`, 'gu'),
  new RegExp(`([${LETTERS}])'([^${LETTERS}])`, 'gu'),
]
const CONTRACTIONS = [new RegExp(`([${LETTERS}])'([${LETTERS}])`, 'gu'), /([0-9])'(s)/gu]
const LETTER = new RegExp(`[${LETTERS}]`, 'u')
const UNICODE_SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]+/gu

/** Abbreviations that keep their dot before anything, and those that keep it before a number only. */
const ABBREVIATIONS: ReadonlySet<string> = new Set(['v', 'vs', 'i.e', 'rev', 'e.g'])
const NUMERIC_ABBREVIATIONS: ReadonlySet<string> = new Set(['pp'])

/** Replaces the dots of an ellipsis while single dots are processed. */
const ELLIPSIS_DOT = '\ue000'

/** The words of a line of lower-case tokens separated by spaces. */
export function normalizeLine(line: string): string[] {
  let text = ` ${line} `.replace(SYMBOL, ' $1 ')
  text = text.replace(/\.{2,}/gu, (dots) => ` ${ELLIPSIS_DOT.repeat(dots.length)} `)
  for (const comma of COMMAS) text = text.replace(comma, '$1 , $2')
  text = text.replace(SINGLE_QUOTE, "'").replace(DOUBLE_QUOTE, ' " ')
  text = text.replaceAll('\u2013', '-').replaceAll('--', '-').replace(HYPHEN, '$1 $2')
  for (const apostrophe of LONE_APOSTROPHES) text = text.replace(apostrophe, "$1 ' $2")
  for (const contraction of CONTRACTIONS) text = text.replace(contraction, "$1 '$2")
  const words = splitAtSpaces(text)
  const separated = words.map((word, i) => separateDot(word, words[i + 1]))
  return splitAtSpaces(separated.join(' ').replaceAll(ELLIPSIS_DOT, '.').replace(UNICODE_SPACES, ' '))
}

/**
 * The corpus in METEOR's words. Most tokens are normalised alike everywhere, so each is normalised once; only a
 * token that ends in a dot, comma or quote depends on its neighbours.
 */
export function normalizeCorpus({ tokens, offsets, texts }: Corpus): Corpus {
  const lexicon = createLexicon()
  const wordsOfTokens = expansionsOf(texts)
  /** Per token that occurs, its words; null where these depend on its neighbours. */
  const expansions: (readonly number[] | null | undefined)[] = new Array(texts.length)
  /** Per token that is known to be one word, this word + 1; 0 for others. */
  const singleWords = new Int32Array(texts.length)
  let words = new Int32Array(tokens.length + 256)
  let size = 0
  const makeRoom = (count: number) => {
    if (size + count <= words.length) return
    const larger = new Int32Array(2 * (size + count))
    larger.set(words)
    words = larger
  }
  const add = (ids: readonly number[]) => {
    makeRoom(ids.length)
    for (let i = 0; i < ids.length; i++) words[size++] = ids[i]
  }
  const wordOffsets = new Int32Array(offsets.length)
  for (let caption = 0; caption + 1 < offsets.length; caption++) {
    for (let i = offsets[caption]; i < offsets[caption + 1]; i++) {
      const single = singleWords[tokens[i]]
      if (single !== 0) {
        makeRoom(1)
        words[size++] = single - 1
        continue
      }
      let expansion = expansions[tokens[i]]
      if (expansion === undefined) {
        expansion = wordsOfTokens(tokens[i])?.map(lexicon.idOf) ?? null
        expansions[tokens[i]] = expansion
        if (expansion?.length === 1) singleWords[tokens[i]] = expansion[0] + 1
      }
      if (expansion === null) {
        size = wordOffsets[caption]
        const line = Array.from(
          tokens.subarray(offsets[caption], offsets[caption + 1]),
          (token) => texts[token],
        )
        add(normalizeLine(line.join(' ')).map(lexicon.idOf))
        break
      }
      add(expansion)
    }
    wordOffsets[caption + 1] = size
  }
  return { tokens: words.slice(0, size), offsets: wordOffsets, texts: lexicon.texts }
}

const cachedExpansions = new WeakMap<readonly string[], (readonly string[] | null | undefined)[]>()

/** The words of each token, null where they depend on its neighbours; computed once per list of texts. */
function expansionsOf(texts: readonly string[]): (token: number) => readonly string[] | null {
  let expansions = cachedExpansions.get(texts)
  if (expansions === undefined) {
    expansions = new Array(texts.length)
    cachedExpansions.set(texts, expansions)
  }
  const known = expansions
  return (token) => {
    let words = known[token]
    if (words === undefined) {
      words = dependsOnNeighbours(texts[token]) ? null : wordsOfToken(texts[token])
      known[token] = words
    }
    return words
  }
}

function wordsOfToken(token: string): string[] {
  return /^[a-z0-9]+$/.test(token) ? [token] : normalizeLine(token)
}

function dependsOnNeighbours(token: string): boolean {
  return /[.,'`\u2018\u2019]$/u.test(token)
}

/** Splits a final dot off a word, unless the word is an abbreviation or a lower-case word follows. */
function separateDot(word: string, next: string | undefined): string {
  if (word.length < 2 || !word.endsWith('.')) return word
  const stem = word.slice(0, -1)
  if (stem.includes('.') && LETTER.test(stem)) return word.replaceAll('.', '')
  if (ABBREVIATIONS.has(stem)) return word
  if (next !== undefined && /^[a-z]/.test(next)) return word
  if (next !== undefined && NUMERIC_ABBREVIATIONS.has(stem) && /^[0-9]/.test(next)) return word
  return `${stem} .`
}

function splitAtSpaces(text: string): string[] {
  return text.split(/[ \t\n\f\r]+/).filter((word) => word !== '')
}

function createLexicon() {
  const ids = new Map<string, number>()
  const texts: string[] = []
  return {
    texts,
    idOf(text: string): number {
      const known = ids.get(text)
      if (known !== undefined) return known
      ids.set(text, texts.length)
      return texts.push(text) - 1
    },
  }
}

/**
 * English function words of METEOR 1.5 (Denkowski and Lavie 2014, section 2: words whose relative frequency
 * in large monolingual text is above 10⁻³), as published with it, punctuation included.
 */
export const ENGLISH_FUNCTION_WORDS: ReadonlySet<string> = new Set(
  [
    'the , . to of and a in that for " is on \'s it with was as said at he by be from have has are his but an',
    'this not i will \u2019 they ) -rrb- ( -lrb- who their had we which were been more or s its would about',
    'new one after you : also up when there than $ all out her people she year two - can if last first',
    "\u201c over other \u201d into some what so -- no time years could ? 't \u2014 '",
  ].flatMap((line) => line.split(' ')),
)
