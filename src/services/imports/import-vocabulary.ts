import { AccordError } from '../../errors.js'
import { submittedVocabulary, type VocabularyWord } from '../../formats/words/vocabulary.js'
import type { Progress } from '../../progress.js'
import type { Session } from '../../store/engine/session.js'
import type { Dataset } from '../../store/schema/entities.js'
import { readWordIds, replaceVocabulary } from '../../store/words.js'

export interface ImportVocabularyReport {
  /** Number of words of the new vocabulary. */
  readonly wordCount: number
  /** Words that no caption of the dataset uses, in the order of submission. They are excluded. */
  readonly unknownWords: readonly string[]
}

/**
 * Replaces the vocabulary of a dataset: its words are reported in the order of submission, with the given parts of speech.
 * Call it in a transaction.
 *
 * @throws AccordError INVALID_SHAPE, INVALID_VALUE and DUPLICATE_ID for invalid words; UNKNOWN_WORD if no caption uses any
 * of them
 */
export async function importVocabulary(
  session: Session,
  dataset: Dataset,
  submitted: readonly VocabularyWord[],
  progress: Progress,
): Promise<ImportVocabularyReport> {
  progress(0, 'reading')
  const vocabulary = submittedVocabulary(submitted)
  const ids = await readWordIds(session, dataset.id)
  const words = vocabulary.flatMap(({ word, partOfSpeech }) => {
    const id = ids.get(word)
    return id === undefined ? [] : [{ id, text: word, partOfSpeech }]
  })
  if (words.length === 0) {
    throw new AccordError('UNKNOWN_WORD', 'no caption of the dataset uses any of the words', {
      place: 'vocabulary',
      expected: 'words of the captions',
    })
  }
  progress(0.5, 'writing')
  await replaceVocabulary(session, dataset.id, words)
  progress(1, 'done')
  const unknownWords = vocabulary.flatMap(({ word }) => (ids.has(word) ? [] : [word]))
  return { wordCount: words.length, unknownWords }
}
