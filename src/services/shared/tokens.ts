import { nameLanguage } from '../../core/text/languages.js'
import {
  suitsEnglishTools,
  type Tokenization,
  tokenizerOfVersion,
  versionOf,
} from '../../core/text/tokenization.js'
import { AccordError, quote } from '../../errors.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'

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
  const version = versionOf(tokenization)
  if (version === dataset.tokenizer) return tokenization
  throw new AccordError('NOT_APPLICABLE', 'the captions of the dataset were tokenized by another version', {
    source: 'dataset',
    expected: `${dataset.tokenizer}: a version of Node with it, or the captions imported again as another dataset`,
    found: version,
  })
}
