import {
  BEFORE_NUMBER,
  COMPOUND_ACRONYMS,
  FILE_EXTENSIONS,
  NEVER_SENTENCE_FINAL,
  OFTEN_SENTENCE_FINAL,
  SENTENCE_STARTERS,
} from './abbreviations.js'

/**
 * The rules of Penn Treebank tokenization as Stanford CoreNLP 3.4.1's PTBTokenizer has them with its default
 * options. At each position the rule with the longest match wins, its context included; among equals, the
 * one listed first. So the order below matters, and so does it that a pattern's match is its longest one.
 */
interface Rule {
  /** Sticky. Group 1 is the token and the rest its context; without a group, everything is the token. */
  readonly pattern: RegExp
  /** How the token is written; nothing is written where this gives the empty string. */
  readonly write?: (matched: string) => string
  /**
   * How far the pattern looks for what it needs, where that can be far: if it found nothing, it will find
   * nothing from a later position within this reach either. That keeps long captions linear.
   */
  readonly reach?: RegExp
}

/** A token and the position behind it. `token` is empty where the text is passed over. */
export interface Match {
  readonly token: string
  readonly end: number
}

/** Upper bound of a tag's declaration (`<!…>`), so that unclosed ones cannot cost more than linear time. */
const LONGEST_DECLARATION = 500

// Characters. `L` and `D` are plain letters and digits; LETTER is what words are made of.
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
  `<(?:[!?][A-Za-z\\-][^>\\r\\n]{0,${LONGEST_DECLARATION}}>`,
  `${TAG_NAME}(?:${TAG_ATTRIBUTE})* *(?:/ *)?>`,
  `/${TAG_NAME} *>)`,
].join('|')

// Contexts of a sentence end.
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

// Symbols. The marks are the punctuation that is a token of its own; other unknown punctuation is no token.
const MARKS = String.raw`\u00A1\u00A7\u00B6\u00B7\u00BF\u037E\u0387\u0589\u05BE\u05C0\u05C3\u05C6\u05F3\u05F4\u0600-\u0603\u0609\u060A\u060C\u0614\u061B\u061E\u061F\u066A\u066D\u06D4\u0700-\u070D\u07F7\u07F8\u0964\u0965\u0E4F\u2016\u2017\u2020-\u2023\u2030-\u2038\u203B\u203E-\u2042\u207D\u207E\u208D\u208E\u2308-\u230B\u2329\u232A\u2768-\u2775\u27C5\u27C6\u27E6-\u27EF\u2983-\u2998\u29D8-\u29DB\u29FC\u29FD\u3002\u30FB\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65`
const SYMBOL = String.raw`(?![\uFFFC\uFFFD])(?:[%&\\\p{S}\p{No}\p{Nl}]|[${MARKS}])`
const PICTOGRAPH = String.raw`\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?`
const EMOJI = String.raw`\p{Regional_Indicator}{2}|${PICTOGRAPH}(?:\u200D${PICTOGRAPH})*`

const RULES: readonly Rule[] = [
  // Names of programming languages and keys, and words that are two.
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
  // Words, with the clitic split off.
  rule(`(${WORD})${CLITIC}`, withoutSoftHyphens),
  rule(`([A-Za-z\\u00AD]*[A-MO-Za-mo-z]\\u00AD*)${NEGATION}`, withoutSoftHyphens),
  rule(WORD, withoutSoftHyphens),
  // Words with an apostrophe inside or at an end.
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
  // Numbers and what is made of them.
  rule(DATE),
  rule(NUMBER, withoutSoftHyphens),
  rule(String.raw`[\u207A\u207B\u208A\u208B]?(?:[\u2070\u00B9\u00B2\u00B3\u2074-\u2079]+|[\u2080-\u2089]+)`),
  rule(FRACTION, joinSpaces),
  rule(String.raw`[\u00BC-\u00BE\u2153-\u215E]`, asciiFraction),
  // Words spelled with signs.
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
  // Abbreviations and acronyms, and the period that also ends the sentence.
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
  rule(`("|${anyCase('&quot;')})[A-Za-z0-9$]`, () => '``'),
  rule(`"|${anyCase('&quot;')}`, () => "''"),
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
  // Apostrophes and quotes that are left.
  rule(String.raw`(')[A-Za-z][^ \t\n\r\u00A0]`, () => '`'),
  rule(CLITIC, closingQuotes),
  rule(NEGATION, closingQuotes),
  rule(
    String.raw`''|[${'`'}\u2018\u2019\u201A-\u201F\u0091-\u0094\u2039\u203A\u00AB\u00BB]{1,2}|${APOSTROPHE}`,
    closingQuotes,
  ),
  // Symbols, and what is passed over.
  rule('<<|>>'),
  rule(EMOJI, (matched) => matched.replaceAll('\uFE0F', '')),
  rule(SYMBOL),
  rule(`${SPACE}+|${anyCase('&nbsp;')}`, () => ''),
  rule('[^]', () => ''),
]

/**
 * Finds the tokens of one text by the rules. The text should end in the line that follows it (or in what
 * stands for it), because some rules look at how the next sentence begins. The function returned takes a
 * position in the text and gives the token that begins there; positions must not decrease.
 */
export function createScanner(text: string): (position: number) => Match {
  const barrenUntil = new Int32Array(RULES.length)
  return (position) => {
    let longest = 0
    let best: RegExpExecArray | undefined
    let bestRule: Rule | undefined
    for (let index = 0; index < RULES.length; index++) {
      if (position < barrenUntil[index]) continue
      const candidate = RULES[index]
      const match = execAt(candidate.pattern, text, position)
      if (match === null) {
        if (candidate.reach !== undefined) barrenUntil[index] = endOf(candidate.reach, text, position)
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

function execAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(text)
}

function endOf(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position
  return pattern.test(text) ? pattern.lastIndex : position
}

function rule(source: string, write?: (matched: string) => string, reach?: string): Rule {
  return {
    pattern: new RegExp(source, 'uy'),
    ...(write && { write }),
    ...(reach !== undefined && { reach: new RegExp(reach, 'uy') }),
  }
}

/** Makes a pattern of literal words match in any case, except for letters in brackets. */
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

/** Tokens are separated by spaces, so those inside a token become no-break spaces. */
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
