import type { PartOfSpeech } from '../../core/text/part-of-speech.js'
import type { Dataset, Word } from '../../store/schema/entities.js'
import { listWords } from '../../store/words.js'
import type { Accord } from '../accord.js'

/** Words and references that figures are computed from. */
export interface VocabularyOptions {
  /** k. Default: K − 1. */
  readonly references?: number | null
  /** Default: all. */
  readonly partOfSpeech?: readonly PartOfSpeech[] | null
}

/** Words of the vocabulary in vocabulary order. @param partOfSpeech default: all */
export function readVocabularyWords(
  { database }: Accord,
  { id }: Dataset,
  partOfSpeech?: readonly PartOfSpeech[] | null,
): Promise<Word[]> {
  return listWords(database, id, { isInVocabulary: true, partOfSpeech })
}
