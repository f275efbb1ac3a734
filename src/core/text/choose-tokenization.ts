import { counted, grouped } from '../../shared/numbers.js'
import { detectLanguage, type LanguageEvidence, nameLanguage } from './languages.js'
import {
  defaultTokenizer,
  ENGLISH,
  parseLanguage,
  parseTokenizer,
  primaryLanguage,
  suitsEnglishTools,
  type Tokenization,
  UNKNOWN_LANGUAGE,
  versionOf,
} from './tokenization.js'

/** What a user says about the language of captions; what is absent is chosen by the captions. */
export interface LanguageOptions {
  /** BCP 47. Default: found in the captions, unknown where they do not show one. */
  readonly language?: string
  /** Default: `ptb` for English, `unicode` for other languages. */
  readonly tokenizer?: string
}

/** @throws AccordError INVALID_VALUE */
export function checkLanguage({ language, tokenizer }: LanguageOptions): void {
  if (language !== undefined) parseLanguage(language)
  if (tokenizer !== undefined) parseTokenizer(tokenizer)
}

/** How captions are tokenized, with what to say about it. */
export interface ChosenTokenization extends Tokenization {
  readonly notes: readonly string[]
}

/**
 * How captions are tokenized: in the language that is said, or that they show. Captions that show none are in an unknown one, unless
 * they have no words.
 *
 * @param captions the first ones, to find the language
 * @throws AccordError INVALID_VALUE
 */
export function chooseTokenization(
  options: LanguageOptions,
  captions: readonly string[],
): ChosenTokenization {
  const evidence = options.language === undefined ? detectLanguage(captions) : null
  const language =
    options.language !== undefined
      ? parseLanguage(options.language)
      : evidence === null || evidence.captionCount === 0
        ? ENGLISH.language
        : (evidence.language ?? UNKNOWN_LANGUAGE)
  const tokenizer =
    options.tokenizer === undefined ? defaultTokenizer(language) : parseTokenizer(options.tokenizer)
  return { language, tokenizer, notes: tokenizationNotes({ language, tokenizer }, evidence) }
}

/** Another language has at least this share of captions that are called mixed. */
const LEAST_SHARE = 0.05

/** What to say about a choice; of the usual one of English captions, only that there are others among them. */
function tokenizationNotes(chosen: Tokenization, evidence: LanguageEvidence | null): string[] {
  const { captionCount = 0, languages = [] } = evidence ?? {}
  const cut = `tokenizer ${versionOf(chosen)}`
  const own = languages.find(({ language }) => language === chosen.language)?.captionCount ?? 0
  const notes: string[] = []
  const seen = languages.reduce((sum, language) => sum + language.captionCount, 0)
  if (chosen.language === UNKNOWN_LANGUAGE && evidence !== null)
    notes.push(
      `The language of the captions is unknown: ${seen > captionCount / 2 ? 'they are in several' : 'they do not show one'}. ${capitalized(cut)}. --language names it; metrics for English need --language en.`,
    )
  else if (!suitsEnglishTools(chosen)) {
    const found = evidence === null ? '' : `, found in ${grouped(own)} of ${counted(captionCount, 'caption')}`
    const other =
      evidence === null ? '--tokenizer chooses another' : '--language and --tokenizer choose others'
    notes.push(`Captions in ${nameLanguage(chosen.language)} (${chosen.language}${found}); ${cut}: ${other}.`)
  }
  const others = languages.filter(
    (other) =>
      other.language !== chosen.language &&
      other.captionCount >= LEAST_SHARE * captionCount &&
      other.captionCount > 1,
  )
  if (others.length > 0 && (own > 0 || others.length > 1)) {
    const like = ({ language, captionCount: count }: (typeof languages)[number]) =>
      `${grouped(count)} like ${nameLanguage(language)} (${language})`
    const list = languages.filter((one) => one.language === chosen.language || others.includes(one)).map(like)
    notes.push(`Mixed languages: of ${counted(captionCount, 'caption')}, ${list.join(', ')}.`)
  }
  return notes
}

/**
 * A note for captions of which more than half have one token, or none: identical ones too have no longer n-grams then.
 *
 * @param shortCount how many of them have
 */
export function unfitTokensNotes(
  shortCount: number,
  captionCount: number,
  tokenization: Tokenization,
): string[] {
  if (shortCount <= captionCount / 2) return []
  return [
    `The tokenizer ${versionOf(tokenization)} makes one token, or none, of ${grouped(shortCount)} of ${counted(captionCount, 'caption')}: BLEU-2 to BLEU-4 are near 0 even for identical ones. --tokenizer chooses another.`,
  ]
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** A note for captions that look like another language than those that they are compared with. */
export function otherLanguageNotes(captions: readonly string[], { language }: Tokenization): string[] {
  const { language: found } = detectLanguage(captions)
  if (found === null || language === UNKNOWN_LANGUAGE || found === primaryLanguage(language)) return []
  return [
    `The captions look like ${nameLanguage(found)} (${found}), the references are in ${nameLanguage(language)} (${language}).`,
  ]
}
