import type { PartOfSpeech } from '../../shared/choices.js'
import { requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import { listVocabulary } from '../../store/words.js'
import { requireEnglish } from '../shared/tokens.js'

/** Words of a vocabulary. */
export interface WordChoice {
  /** Default: all. */
  readonly partOfSpeech?: readonly PartOfSpeech[] | null
  /**
   * Name of another dataset: only words that its vocabulary has too. Such words are chosen without the captions that are
   * measured, unlike those with a PHR, which are chosen by human recall on the same images.
   */
  readonly vocabularyOf?: string | null
}

/** Words and references that figures are computed from. */
export interface VocabularyOptions extends WordChoice {
  /** k. Default: K − 1. */
  readonly references?: number | null
}

/**
 * Words of the vocabulary in vocabulary order.
 *
 * @throws AccordError UNKNOWN_DATASET; LANGUAGE_NOT_SUPPORTED for parts of speech where no word has one: Accord finds those of
 *   English words, and a vocabulary file may state others
 */
export async function readVocabularyWords(
  session: Session,
  dataset: Dataset,
  { partOfSpeech, vocabularyOf }: WordChoice = {},
): Promise<Word[]> {
  const words = await listVocabulary(session, dataset)
  if (partOfSpeech != null && words.every((word) => word.partOfSpeech === 'OTHER')) {
    requireEnglish(dataset, 'parts of speech')
  }
  const others = vocabularyOf == null ? null : await vocabularyTexts(session, vocabularyOf)
  return words.filter(
    (word) =>
      (partOfSpeech == null || partOfSpeech.includes(word.partOfSpeech)) &&
      (others === null || others.has(word.text)),
  )
}

async function vocabularyTexts(session: Session, dataset: string): Promise<Set<string>> {
  const words = await listVocabulary(session, await requireDataset(session, dataset))
  return new Set(words.map(({ text }) => text))
}
