import { AccordError } from '../../errors.js'
import { type InputFile, nameOf } from '../../formats/io/files.js'
import { readVocabulary } from '../../formats/words/vocabulary.js'
import { readWordIds, replaceVocabulary } from '../../store/words.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { MAX_NAMED } from '../systems/import-results.js'
import { type FileSource, type ImportContext, importJob } from '../uploads/import-job.js'

export interface ImportVocabularyInput<File = FileSource> {
  readonly datasetId: number
  /** CSV of words with their parts of speech. */
  readonly file: File
}

export interface ImportVocabularyReport {
  /** Number of words of the new vocabulary. */
  readonly wordCount: number
  /** Number of words that no caption of the dataset uses, which are excluded. */
  readonly unknownWordCount: number
  /** The first of them. */
  readonly unknownWords: readonly string[]
}

/**
 * Replaces the vocabulary of a dataset: its words are reported in the order of the file, with its parts of speech.
 *
 * @throws AccordError errors of the reader; UNKNOWN_WORD if no caption uses any of the words
 */
export async function importVocabulary<Ending>(
  { database, progress, finishWith }: ImportContext<ImportVocabularyReport, Ending>,
  { datasetId, file }: ImportVocabularyInput<InputFile>,
): Promise<Ending> {
  progress(0, 'reading')
  const vocabulary = readVocabulary(file)
  const dataset = await requireDatasetById(database, datasetId)
  return finishWith(async (session) => {
    const ids = await readWordIds(session, dataset.id)
    const words = vocabulary.flatMap(({ word, partOfSpeech }) => {
      const id = ids.get(word)
      return id === undefined ? [] : [{ id, text: word, partOfSpeech }]
    })
    if (words.length === 0) {
      throw new AccordError('UNKNOWN_WORD', 'no caption of the dataset uses any of the words', {
        source: nameOf(file),
        expected: 'words of the captions',
      })
    }
    progress(0.5, 'writing')
    await replaceVocabulary(session, dataset.id, words)
    progress(1, 'done')
    const unknownWords = vocabulary.flatMap(({ word }) => (ids.has(word) ? [] : [word]))
    return {
      wordCount: words.length,
      unknownWordCount: unknownWords.length,
      unknownWords: unknownWords.slice(0, MAX_NAMED),
    }
  })
}

/** Replaces the vocabulary of a dataset by a file. Fails as {@link importVocabulary}. */
export const importVocabularyJob = importJob<ImportVocabularyInput, ImportVocabularyReport>(importVocabulary)
