import { detectLanguage, nameLanguage } from '../../core/text/languages.js'
import {
  defaultTokenizer,
  parseLanguage,
  parseTokenizer,
  primaryLanguage,
  suitsEnglishTools,
  type Tokenization,
  tokenizerOfVersion,
  versionOf,
} from '../../core/text/tokenization.js'
import { AccordError, quote } from '../../errors.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'

/** What a user says about the language of captions; what is absent is chosen by the captions. */
export interface LanguageOptions {
  /** BCP 47. Default: found in the captions, English where they do not show another. */
  readonly language?: string
  /** Default: `ptb` for English, `unicode` for other languages. */
  readonly tokenizer?: string
}

/** @throws AccordError INVALID_VALUE */
export function checkLanguage({ language, tokenizer }: LanguageOptions): void {
  if (language !== undefined) parseLanguage(language)
  if (tokenizer !== undefined) parseTokenizer(tokenizer)
}

/** How captions are tokenized. @param captions the first ones, to find the language @throws AccordError INVALID_VALUE */
export function chooseTokenization(options: LanguageOptions, captions: readonly string[]): Tokenization {
  const language =
    options.language === undefined ? (detectLanguage(captions) ?? 'en') : parseLanguage(options.language)
  const tokenizer =
    options.tokenizer === undefined ? defaultTokenizer(language) : parseTokenizer(options.tokenizer)
  return { language, tokenizer }
}

/** What to say about a choice that is not the usual one of English captions; none for that. */
export function tokenizationNotes({ language }: LanguageOptions, chosen: Tokenization): string[] {
  if (suitsEnglishTools(chosen)) return []
  const found = language === undefined ? ', found in the captions' : ''
  const other =
    language === undefined ? '--language and --tokenizer choose others' : '--tokenizer chooses another'
  return [
    `Captions in ${nameLanguage(chosen.language)} (${chosen.language}${found}); tokenizer ${versionOf(chosen.tokenizer)}: ${other}.`,
  ]
}

/** A note for captions that look like another language than those that they are compared with. */
export function otherLanguageNotes(captions: readonly string[], { language }: Tokenization): string[] {
  const found = detectLanguage(captions)
  if (found === null || found === primaryLanguage(language)) return []
  return [
    `The captions look like ${nameLanguage(found)} (${found}), the references are in ${nameLanguage(language)} (${language}).`,
  ]
}

/** Whether the captions of a dataset are in English and have the tokens of `ptb`. */
export function isForEnglishTools(dataset: Pick<Dataset, 'language' | 'tokenizer'>): boolean {
  return suitsEnglishTools(tokenizationOf(dataset))
}

/**
 * For what knows English alone.
 *
 * @param what in the plural
 * @throws AccordError LANGUAGE_NOT_SUPPORTED for captions in another language, or tokens of another tokenizer than `ptb`
 */
export function requireEnglish(
  dataset: Pick<Dataset, 'name' | 'language' | 'tokenizer'>,
  what: string,
): void {
  if (isForEnglishTools(dataset)) return
  throw new AccordError('LANGUAGE_NOT_SUPPORTED', `${what} need English captions and the tokenizer ptb`, {
    source: 'dataset',
    expected: 'a dataset in English',
    found: `${quote(dataset.name)}: ${nameLanguage(dataset.language)} (${dataset.language}), tokenizer ${dataset.tokenizer}`,
  })
}

/** Language and tokenizer of figures, as records have them. */
export function recordTokens({ language, tokenizer }: Tokenization): Pick<Dataset, 'language' | 'tokenizer'> {
  return { language, tokenizer: versionOf(tokenizer) }
}

/** How the captions of a dataset were tokenized. */
export function tokenizationOf({
  language,
  tokenizer,
}: Pick<Dataset, 'language' | 'tokenizer'>): Tokenization {
  return { language, tokenizer: tokenizerOfVersion(tokenizer) }
}

/**
 * How captions that are added to a dataset are tokenized: as its own.
 *
 * @throws AccordError NOT_APPLICABLE where this version of Node has another version of the tokenizer
 */
export function requireTokenizer(dataset: Pick<Dataset, 'name' | 'language' | 'tokenizer'>): Tokenization {
  const tokenization = tokenizationOf(dataset)
  const version = versionOf(tokenization.tokenizer)
  if (version === dataset.tokenizer) return tokenization
  throw new AccordError('NOT_APPLICABLE', 'the captions of the dataset were tokenized by another version', {
    source: 'dataset',
    expected: `${dataset.tokenizer}: a version of Node with it, or the captions imported again as another dataset`,
    found: version,
  })
}
