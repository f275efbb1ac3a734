import type { HashedFrequencies } from '../../core/metrics/hashed-frequencies.js'
import {
  type DocumentFrequencySource,
  ENOUGH_DOCUMENTS,
  type ProvenanceRecord,
} from '../../core/metrics/provenance.js'
import { nameLanguage } from '../../core/text/languages.js'
import { primaryLanguage } from '../../core/text/tokenization.js'
import { AccordError } from '../../errors.js'
import {
  BUILT_IN_FREQUENCIES,
  type CountedTokens,
  type FrequencyFile,
  isFrequencyFile,
  readBuiltInFrequencies,
  readFrequencies,
} from '../../formats/words/frequencies.js'
import { counted } from '../../shared/numbers.js'
import { isForEnglishTools } from '../shared/tokens.js'

/** Document frequencies that are not counted in a dataset. */
export interface FixedDocuments {
  readonly table: HashedFrequencies
  readonly record: DocumentFrequencySource
  /** Of the captions that they were counted in. */
  readonly counted: CountedTokens
}

/**
 * Document frequencies, and captions of training, are of captions in the same language that were tokenized alike.
 *
 * @param source what was counted
 * @throws AccordError LANGUAGE_NOT_SUPPORTED; NOT_APPLICABLE for another tokenizer
 */
export function requireSameTokens(
  counted: CountedTokens,
  measured: CountedTokens,
  source: 'document frequencies' | 'training dataset' = 'document frequencies',
): void {
  const describe = ({ language, tokenizer }: CountedTokens) =>
    `captions in ${nameLanguage(language)} (${language}), tokenizer ${tokenizer}`
  const expected = `${source} of ${describe(measured)}`
  const found = describe(counted)
  const detail = { source, expected, found }
  if (primaryLanguage(counted.language) !== primaryLanguage(measured.language))
    throw new AccordError('LANGUAGE_NOT_SUPPORTED', `${source} of another language`, detail)
  if (counted.tokenizer !== measured.tokenizer)
    throw new AccordError('NOT_APPLICABLE', `${source} of other tokens`, detail)
}

/** Metrics whose scores with document frequencies of the measured images have no interval, but with the built-in ones have one. */
const BESIDE_BUILT_IN: readonly string[] = ['CIDEr', 'CIDEr-D', 'SPIDEr']

/**
 * Those of the metrics that are also computed with the built-in document frequencies: the score that the reference toolkit prints
 * has no interval, the other one has.
 *
 * @param isOwn whether document frequencies are those of the measured images
 */
export function metricsBesideBuiltIn(
  metrics: readonly string[],
  isOwn: boolean,
  tokens: CountedTokens,
): string[] {
  return isOwn && isForEnglishTools(tokens) ? metrics.filter((name) => BESIDE_BUILT_IN.includes(name)) : []
}

/** Those that a name stands for without a database: the built-in ones or those of a file; null for the name of a dataset. */
export function namedDocuments(name: string): FixedDocuments | null {
  if (name === BUILT_IN_FREQUENCIES) return builtInDocuments()
  return isFrequencyFile(name) ? fixDocuments(readFrequencies(name), 'file') : null
}

export function builtInDocuments(): FixedDocuments {
  return fixDocuments(readBuiltInFrequencies(), 'coco')
}

export function fixDocuments(table: FrequencyFile, source: 'coco' | 'file'): FixedDocuments {
  return { table, record: { hash: table.hash, imageCount: table.imageCount, source }, counted: table }
}

/** What to know when reading a difference of scores. @param imageCount of the document frequencies; null without them */
export function differenceFrequencyNotes(imageCount: number | null): string[] {
  if (imageCount === null || imageCount >= ENOUGH_DOCUMENTS) return []
  return [
    `Document frequencies of ${counted(imageCount, 'image')}: the scores are higher than with many. Both sides have the same ones, so that the difference hardly depends on it, and its interval covers the difference of many images.`,
  ]
}

/** What to know when reading scores. @param records of how they were made */
export function frequencyNotes(
  records: readonly Pick<ProvenanceRecord, 'documentFrequencies' | 'language'>[],
): string[] {
  const counts = records.flatMap(({ documentFrequencies: df }) => df?.imageCount ?? [])
  const isEnglish = records.every(({ language }) => primaryLanguage(language) === 'en')
  const few = [...new Set(counts)].filter((count) => count < ENOUGH_DOCUMENTS)
  return few.map(
    (count) =>
      `Document frequencies of ${counted(count, 'image')}: CIDEr, CIDEr-D and SPIDEr are higher than with many (on COCO` +
      ' CIDEr-D by 20 % with 10 images, 14 % with 100, 4 % with 1,000).' +
      (isEnglish ? ' The built-in document frequencies `coco` were counted on 5,000 images.' : ''),
  )
}
