import {
  BEFORE_NUMBER,
  COMPOUND_ACRONYMS,
  FILE_EXTENSIONS,
  NEVER_SENTENCE_FINAL,
  OFTEN_SENTENCE_FINAL,
  SENTENCE_STARTERS,
} from './abbreviations.js'
import { firstCharacters } from './first-characters.js'

/**
 * A rule of Penn Treebank tokenization. The rules are those of Stanford CoreNLP 3.4.1's PTBTokenizer with default
 * options. At each position the rule with the longest match (including context) is applied, and the first one
 * in the list if there are several. The order of the rules therefore matters, and every pattern must match the
 * longest possible text.
 */
interface Rule {
  /** Matches a character with which a match can begin. Null: any. */
  readonly first: RegExp | null
  /** Sticky. Group 1 is the token and the rest is context. Without a group, the whole match is the token. */
  readonly pattern: RegExp
  /** Converts the matched text to the token. If the result is empty, the text is skipped. */
  readonly write?: (matched: string) => string
  /**
   * For patterns that may scan far ahead: matches the text that a failed match has scanned. The rule cannot match
   * at a later position inside that text either, so it is skipped there. This keeps the time linear.
   */
  readonly scanned?: RegExp
}

/** A token and the position after it. `token` is empty if the text is skipped. */
export interface Match {
  readonly token: string
  readonly end: number
}

/** Maximum length of a declaration (`<!…>`). Keeps the time linear for unclosed declarations. */
const MAX_DECLARATION_LENGTH = 500

// Characters. `L` and `D` are letters and digits without marks; LETTER is a letter of a word.
const L = String.raw`\p{L}`
const D = String.raw`\p{Nd}`
const SPACE = String.raw`[ \t\u00A0\u2000-\u200A\u3000]`
const SPACE_OR_BREAK = String.raw`[ \t\u00A0\u2000-\u200A\u3000\n\u0085]`
const VARIATION_SELECTORS = String.raw`\uFE00-\uFE0F\u{E0100}-\u{E01EF}`
const LETTER_LIKE_SIGNS = String.raw`\u00AD\u02C2-\u02C5\u02D2-\u02DF\u02E5-\u02FF\u0375\u0384\u0385\u03F6\u055A-\u055F\u06DD\u06DE\u06E9\u06FD\u06FE\u070F`
const LETTER_OR_MARK = String.raw`(?![\u0614${VARIATION_SELECTORS}])[\p{L}\p{Mn}\p{Mc}${LETTER_LIKE_SIGNS}]`
const LETTER = `(?:${LETTER_OR_MARK}|&[aeiouAEIOU](?:${anyCase('acute|grave|uml')});)`
const LETTER_OR_DIGIT = `(?:${LETTER}|${D})`
const HYPHEN = String.raw`[\-_\u058A\u2010\u2011]`
const APOSTROPHE = String.raw`(?:['\u0092\u2019]|${anyCase('&apos;')})`
const APOSTROPHE_OR_BACKTICK = `(?:${APOSTROPHE}|[\`\\u0091\\u2018\\u201B])`
const AMPERSAND = `(?:&|${anyCase('&amp;')})`

// Words.
const WORD = `${LETTER}${LETTER_OR_DIGIT}*(?:[.!?]${LETTER}${LETTER_OR_DIGIT}*)*`
const ARTICLE = `(?:[dDoOlL]${APOSTROPHE_OR_BACKTICK}[${L}${D}])?`
const COMPOUND = `${ARTICLE}[${L}${D}]+(?:${HYPHEN}${ARTICLE}[${L}${D}]+)*`
const COMPANY = `[A-Z]+(?:(?:\\+|${AMPERSAND})[A-Z]+)+`
const HYPHENATED_START = String.raw`[A-Za-z0-9][A-Za-z0-9.,\u00AD]*`
const HYPHENATED = String.raw`${HYPHENATED_START}(?:-(?:[A-Za-z](?:\.[A-Za-z])+\.|[A-Za-z0-9\u00AD]+))+`
const SLASHED_PART = '[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}'
const SLASHED = String.raw`${SLASHED_PART}(?:\\?/${SLASHED_PART}){1,2}`
const CLITIC = `${APOSTROPHE}(?:[msdMSD]|${anyCase('re|ve|ll')})`
const NEGATION = `[nN]${APOSTROPHE_OR_BACKTICK}[tT]`
const FILE_STEM = `${LETTER_OR_DIGIT}+(?:\\.${LETTER_OR_DIGIT}+)*`

// Abbreviations.
const OFTEN_FINAL = `(?:${anyCase(OFTEN_SENTENCE_FINAL.join('|'))})`
const NEVER_FINAL = `(?:${anyCase([...COMPOUND_ACRONYMS, ...NEVER_SENTENCE_FINAL].join('|'))})`
const COMPOUND_ACRONYM = `(?:${anyCase(COMPOUND_ACRONYMS.join('|'))})`
const DOTTED_ACRONYM = String.raw`[A-Za-z](?:\.[A-Za-z])+`

// Markup.
const TAG_NAME = String.raw`[A-Za-z][A-Za-z0-9_:.\-]*`
const TAG_ATTRIBUTE = ` +${TAG_NAME}(?: *= *(?:'[^']*'|"[^"]*"))?`
const TAG = [
  `<(?:[!?][A-Za-z\\-][^>\\r\\n]{0,${MAX_DECLARATION_LENGTH}}>`,
  `${TAG_NAME}(?:${TAG_ATTRIBUTE})* *(?:/ *)?>`,
  `/${TAG_NAME} *>)`,
].join('|')

// Context of a sentence end.
const SENTENCE_END = String.raw`${SPACE_OR_BREAK}(?:${SPACE_OR_BREAK}|\p{Lu}|${TAG})`
const NEW_SENTENCE = `${SPACE_OR_BREAK}+(?:${anyCase(SENTENCE_STARTERS.join('|'))}|${TAG})${SPACE_OR_BREAK}`

// Addresses.
const ADDRESS_CHARACTER = String.raw`[^ \t\n\f\r"<>|()\u00A0{}]`
const ADDRESS_LABEL = String.raw`[^ \t\n\f\r"<>|(){}.\u00A0]+`
const ADDRESS_START = `(?:${anyCase('&lt;')}|<)?[a-zA-Z0-9]${ADDRESS_CHARACTER}*`
const SITE_LABEL = String.raw`[^ \t\n\f\r"<>|.!?(){},]+`
const DOMAIN_LABEL = '[^ \\t\\n\\f\\r"`\'<>|.!?(){},-_$]+'
const SITE_PATH = String.raw`/[^ \t\n\f\r"<>|()]+[^ \t\n\f\r"<>|.!?(){},\-]`
const WWW = String.raw`[wW]{3}\.`

// Numbers.
const NUMBER = String.raw`[\-+]?(?:${D}*(?:[.:,\u00AD\u066B\u066C]${D}+)+|${D}+)`
const FRACTION = String.raw`(?:${D}{1,4}[\- \u00A0])?${D}{1,4}(?:\\?/|\u2044)${D}{1,4}`
const DATE = String.raw`${D}{1,2}[\-/]${D}{1,2}[\-/]${D}{2,4}`
const PHONE_PREFIX = String.raw`(?:\([0-9]{2,3}\)[ \u00A0]?|(?:\+\+?)?(?:[0-9]{2,4}[\- \u00A0])?[0-9]{2,4}[\- \u00A0])`
const PHONE = String.raw`${PHONE_PREFIX}[0-9]{3,4}[\- \u00A0]?[0-9]{3,5}`
const DOTTED_PHONE = String.raw`(?:(?:\+\+?)?[0-9]{2,4}\.)?[0-9]{2,4}\.[0-9]{3,4}\.[0-9]{3,5}`

// Symbols. MARKS are punctuation characters that form a token; other unknown punctuation is deleted.
const MARKS = String.raw`\u00A1\u00A7\u00B6\u00B7\u00BF\u037E\u0387\u0589\u05BE\u05C0\u05C3\u05C6\u05F3\u05F4\u0600-\u0603\u0609\u060A\u060C\u0614\u061B\u061E\u061F\u066A\u066D\u06D4\u0700-\u070D\u07F7\u07F8\u0964\u0965\u0E4F\u2016\u2017\u2020-\u2023\u2030-\u2038\u203B\u203E-\u2042\u207D\u207E\u208D\u208E\u2308-\u230B\u2329\u232A\u2768-\u2775\u27C5\u27C6\u27E6-\u27EF\u2983-\u2998\u29D8-\u29DB\u29FC\u29FD\u3002\u30FB\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65`
const SYMBOL = String.raw`(?![\uFFFC\uFFFD])(?:[%&\\\p{S}\p{No}\p{Nl}]|[${MARKS}])`
const PICTOGRAPH = String.raw`\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?`
const EMOJI = String.raw`\p{Regional_Indicator}{2}|${PICTOGRAPH}(?:\u200D${PICTOGRAPH})*`

const RULES: readonly Rule[] = [
  // Names of programming languages and keys, and words that are split into two tokens.
  rule(String.raw`[cC]\+\+`),
  rule('[cCfF]#'),
  rule(`(${anyCase('can')})${anyCase('not')}`),
  rule(`('[tT])${anyCase('was')}`),
  rule(`('[tT])${anyCase('is')}`),
  rule(`(${anyCase('gon')})${anyCase('na')}`),
  rule(`(${anyCase('got')})${anyCase('ta')}`),
  rule(`(${anyCase('lem|gim')})${anyCase('me')}`),
  rule(`(${anyCase('wan')})${anyCase('na')}`),
  // Markup and character entities.
  rule(TAG, joinSpaces),
  rule(`&(?:${anyCase('md|mdash|ndash')});|[\\u0096\\u0097\\u2013-\\u2015]`, () => '--'),
  rule(anyCase('&amp;'), plainAmpersand),
  rule(`&(?:${anyCase('ht|tl|ur|lr|qc|ql|qr|odq|cdq')}|#[0-9]+);`),
  // Words, with clitics split off.
  rule(`(${WORD})${CLITIC}`, withoutSoftHyphens),
  rule(`([A-Za-z\\u00AD]*[A-MO-Za-mo-z]\\u00AD*)${NEGATION}`, withoutSoftHyphens),
  rule(WORD, withoutSoftHyphens),
  // Words that contain, start with or end with an apostrophe.
  rule(
    [
      `${APOSTROPHE}[nN]${APOSTROPHE}?`,
      `[lLdDjJ]${APOSTROPHE}`,
      `(?:${anyCase('dunkin|somethin|ol')})${APOSTROPHE}`,
      `${APOSTROPHE}(?:[2-9]0[sS]|${anyCase('em|till?|cause')})`,
      `[oO]${APOSTROPHE_OR_BACKTICK}[oO]`,
      anyCase("cont'd\\.?|nor'easter|c'mon|e'er|s'mores|ev'ry|li'l|nat'l"),
    ].join('|'),
  ),
  rule(`[A-HJ-XZn]${APOSTROPHE_OR_BACKTICK}${L}{2,}`),
  rule(`${L}+[aeiouyAEIOUY]${APOSTROPHE_OR_BACKTICK}[aeiouA-Z]${L}*`),
  rule(`([yY]${APOSTROPHE})${L}`),
  // Addresses.
  rule(String.raw`${anyCase('https?')}://[^ \t\n\f\r"<>|(){}]+[^ \t\n\f\r"<>|.!?(){},\-]`),
  rule(
    `${WWW}(?:(?:${SITE_LABEL}\\.)+?[a-zA-Z]{2,4}${SITE_PATH}|(?:${SITE_LABEL}\\.)+[a-zA-Z]{2,4})`,
    undefined,
    `${WWW}(?:${SITE_LABEL}\\.)*(?:${SITE_LABEL})?`,
  ),
  rule(
    `(?:${DOMAIN_LABEL}\\.)+(?:${anyCase('com|net|org|edu')})(?:${SITE_PATH})?`,
    undefined,
    `${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})*`,
  ),
  rule(
    `${ADDRESS_START}@(?:${ADDRESS_LABEL}\\.)*${ADDRESS_LABEL}(?:${anyCase('&gt;')}|>)?`,
    undefined,
    ADDRESS_START,
  ),
  rule('@[a-zA-Z_][a-zA-Z_0-9]*'),
  rule(`#${LETTER}+`),
  // Clitics.
  rule(`(${CLITIC})[^A-Za-z]`, closingQuotes),
  rule(`(${NEGATION})[^A-Za-z]`, closingQuotes),
  // Numbers, dates and fractions.
  rule(DATE),
  rule(NUMBER, withoutSoftHyphens),
  rule(String.raw`[\u207A\u207B\u208A\u208B]?(?:[\u2070\u00B9\u00B2\u00B3\u2074-\u2079]+|[\u2080-\u2089]+)`),
  rule(FRACTION, joinSpaces),
  rule(String.raw`[\u00BC-\u00BE\u2153-\u215E]`, asciiFraction),
  // Words that contain signs.
  rule(
    [
      `-(?:${anyCase('rrb|lrb|rcb|lcb|rsb|lsb')})-`,
      `${anyCase('c\\.d\\.s|pro-|anti-')}`,
      `[sS]${AMPERSAND}(?:[pP]-500|[lL][sS])`,
      `${anyCase('cap')}${APOSTROPHE}[nN]`,
      `[cC]${APOSTROPHE}${anyCase('est')}`,
    ].join('|'),
    plainAmpersand,
  ),
  rule(SLASHED),
  rule('[A-Z]*\\$|#'),
  rule(
    String.raw`[\u00A2-\u00A5\u0080\u20A0\u20AC\u060B\u0E3F\u20A4\uFFE0\uFFE1\uFFE5\uFFE6]`,
    asciiCurrency,
  ),
  // Abbreviations and acronyms, and periods that also end the sentence.
  rule(`(${COMPOUND_ACRONYM}|${DOTTED_ACRONYM})\\.${NEW_SENTENCE}`, withPeriod),
  rule(`([A-Za-z])\\.${NEW_SENTENCE}`),
  rule(`((?:${anyCase(BEFORE_NUMBER.join('|'))})\\.)${SPACE_OR_BREAK}?${D}`),
  rule(`((?:[pP][tT][eyEY]|[cC][oO])\\.)${SPACE}(?:${anyCase('ltd|lim')})`),
  rule(`(${OFTEN_FINAL})\\.${SENTENCE_END}`, withPeriod),
  rule(`(${OFTEN_FINAL}\\.)[^][^]`),
  rule(`(?:${NEVER_FINAL}|${DOTTED_ACRONYM}|[A-Za-z])\\.`),
  rule(`(${COMPOUND_ACRONYM}|[A-Za-z](?:\\.[A-Za-z])*)${SPACE_OR_BREAK}`),
  rule(`(${APOSTROPHE}[0-9]{2})${SPACE_OR_BREAK}`),
  rule(
    `(${FILE_STEM}\\.(?:${anyCase(FILE_EXTENSIONS.join('|'))}))(?:${SPACE_OR_BREAK}|[.?!,])`,
    undefined,
    FILE_STEM,
  ),
  rule(`(${WORD}\\.)[,;:\\u3001]`, withoutSoftHyphens),
  rule(PHONE, (matched) => escapeParentheses(joinSpaces(matched))),
  rule(DOTTED_PHONE),
  // Quotes, comparison, emoticons.
  // In capitals `&QUOT;` is a token of its own, like `&APOS;`: CoreNLP recognizes it in any case, replaces it in lower case.
  rule(`("|${anyCase('&quot;')})[A-Za-z0-9$]`, (quote) => quote.replace(/"|&quot;/, '``')),
  rule(`"|${anyCase('&quot;')}`, (quote) => quote.replace(/"|&quot;/, "''")),
  rule(`<|${anyCase('&lt;')}`, () => '<'),
  rule(`>|${anyCase('&gt;')}`, () => '>'),
  rule(String.raw`([<>]?[:;=][\-oO*']?[()DPdpO\\{@|[\]])[^A-Za-z0-9]`, escapeParentheses),
  rule(
    String.raw`[\-^x=~<>']_[\-^x=~<>']|\([\-^x=~<>'][_.]?[\-^x=~<>']\)|\([\^x=~<>']-[\^x=~<>'${'`'}]\)`,
    escapeParentheses,
  ),
  // Brackets, dashes, dots, punctuation.
  rule(String.raw`[()[\]{}]`, (matched) => BRACKETS[matched]),
  rule('-+', (matched) => (matched.length === 3 || matched.length === 4 ? '--' : matched)),
  rule(String.raw`\.{3,5}|(?:\.[ \u00A0]){2,4}\.|[\u0085\u2026]`, () => '...'),
  rule('@+|#+|_+'),
  rule(String.raw`\*+|(?:\\\*){1,3}`),
  rule(String.raw`[,;:\u3001]`),
  rule('[?!]+'),
  rule('[.=/]'),
  // Compounds.
  rule(`(${HYPHENATED}\\.)[,;:\\u3001]`, withoutSoftHyphens, HYPHENATED_START),
  rule(HYPHENATED, withoutSoftHyphens, HYPHENATED_START),
  rule(`(${COMPOUND}\\.)[,;:\\u3001]`),
  rule(COMPOUND),
  rule(`(${COMPANY}\\.)[,;:\\u3001]`, plainAmpersand),
  rule(COMPANY, plainAmpersand),
  // Remaining apostrophes and quotes.
  rule(String.raw`(')[A-Za-z][^ \t\n\r\u00A0]`, () => '`'),
  rule(CLITIC, closingQuotes),
  rule(NEGATION, closingQuotes),
  rule(
    String.raw`''|[${'`'}\u2018\u2019\u201A-\u201F\u0091-\u0094\u2039\u203A\u00AB\u00BB]{1,2}|${APOSTROPHE}`,
    closingQuotes,
  ),
  // Symbols, and skipped text.
  rule('<<|>>'),
  rule(EMOJI, (matched) => matched.replaceAll('\uFE0F', '')),
  rule(SYMBOL),
  rule(`${SPACE}+|${anyCase('&nbsp;')}`, () => ''),
  rule('[^]', () => ''),
]

/**
 * Creates a scanner that applies the rules to one text. The text must end with the start of the next line (or a
 * substitute for it), because some rules look at the beginning of the next sentence. The returned function takes
 * a position in the text and returns the token that starts there. Positions must not decrease between calls.
 */
export function createScanner(text: string): (position: number) => Match {
  const noMatchBefore = new Int32Array(RULES.length)
  return (position) => {
    let longest = 0
    let best: RegExpExecArray | undefined
    let bestRule: Rule | undefined
    for (const index of rulesAt(text, position)) {
      if (position < noMatchBefore[index]) continue
      const candidate = RULES[index]
      const match = execAt(candidate.pattern, text, position)
      if (match === null) {
        if (candidate.scanned !== undefined) noMatchBefore[index] = endOf(candidate.scanned, text, position)
      } else if (match[0].length > longest) {
        longest = match[0].length
        best = match
        bestRule = candidate
      }
    }
    const matched = best![1] ?? best![0]
    return { token: bestRule!.write?.(matched) ?? matched, end: position + matched.length }
  }
}

/** Characters up to this one have lists of rules: up to CJK punctuation. Others are tried with all rules. */
const LAST_LISTED = 0x303f
const ALL_RULES = RULES.map((_, index) => index)
const rulesOf: (readonly number[])[] = []

/** The rules that can match at a position. */
function rulesAt(text: string, position: number): readonly number[] {
  const code = text.charCodeAt(position)
  if (code > LAST_LISTED) return ALL_RULES
  rulesOf[code] ??= ALL_RULES.filter((index) => RULES[index].first?.test(text[position]) ?? true)
  return rulesOf[code]
}

function execAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(text)
}

function endOf(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position
  return pattern.test(text) ? pattern.lastIndex : position
}

function rule(source: string, write?: (matched: string) => string, scanned?: string): Rule {
  return {
    first: firstCharacters(source),
    pattern: new RegExp(source, 'uy'),
    ...(write && { write }),
    ...(scanned !== undefined && { scanned: new RegExp(scanned, 'uy') }),
  }
}

/** Makes a pattern of literal words case-insensitive, except for letters in brackets. */
function anyCase(pattern: string): string {
  return pattern.replace(/\[[^\]]*\]|[a-z]/gi, (part) =>
    part.length > 1 ? part : `[${part.toLowerCase()}${part.toUpperCase()}]`,
  )
}

const BRACKETS: Readonly<Record<string, string>> = {
  '(': '-LRB-',
  ')': '-RRB-',
  '[': '-LSB-',
  ']': '-RSB-',
  '{': '-LCB-',
  '}': '-RCB-',
}

function escapeParentheses(text: string): string {
  return text.replace(/[()]/g, (parenthesis) => BRACKETS[parenthesis])
}

/** Tokens are separated by spaces, so spaces inside a token are replaced by no-break spaces. */
function joinSpaces(text: string): string {
  return text.replaceAll(' ', '\u00A0')
}

function plainAmpersand(text: string): string {
  return text.replace(/&amp;/gi, '&')
}

function withPeriod(text: string): string {
  return `${text}.`
}

function withoutSoftHyphens(text: string): string {
  return text.replaceAll('\u00AD', '') || '-'
}

function closingQuotes(text: string): string {
  return text
    .replace(/&apos;|[\u0092\u2019\u203A]/g, "'")
    .replace(/[\u0091\u2018\u201B\u2039]/g, '`')
    .replace(/[\u0093\u201C\u00AB]/g, '``')
    .replace(/[\u0094\u201D\u00BB]/g, "''")
}

const ASCII_FRACTIONS: Readonly<Record<string, string>> = {
  '\u00BC': '1/4',
  '\u00BD': '1/2',
  '\u00BE': '3/4',
  '\u2153': '1/3',
  '\u2154': '2/3',
}

function asciiFraction(sign: string): string {
  return ASCII_FRACTIONS[sign] ?? sign
}

const ASCII_CURRENCIES: Readonly<Record<string, string>> = {
  '\u00A2': 'cents',
  '\u00A3': '#',
  '\u0080': '$',
  '\u00A4': '$',
  '\u20A0': '$',
  '\u20AC': '$',
}

function asciiCurrency(sign: string): string {
  return ASCII_CURRENCIES[sign] ?? sign
}
