import { quote } from '../../errors.js'
import type { PartOfSpeech } from '../../shared/choices.js'
import { readCsv } from '../io/csv.js'
import type { InputFile } from '../io/files.js'
import { invalidValue, storableText, wrongValue } from '../io/values.js'

/** A word of a vocabulary. */
export interface VocabularyWord {
  readonly word: string
  readonly partOfSpeech: PartOfSpeech
}

const PARTS_OF_SPEECH = new Set<string>([
  'NN',
  'VB',
  'JJ',
  'DT',
  'PRP',
  'IN',
  'OTHER',
] satisfies PartOfSpeech[])

/**
 * Reads a vocabulary from a CSV file with a header. The columns `word` and `part_of_speech` are required; other
 * columns are ignored. Parts of speech are NN, VB, JJ, DT, PRP, IN and OTHER (case-insensitive). Words are returned
 * in the order of the file, in lower case and without surrounding whitespace.
 *
 * @throws AccordError FILE_NOT_FOUND; INVALID_SHAPE for invalid CSV, a missing column or a file without words;
 *   INVALID_VALUE for an empty word, a word with the character U+0000, or an unknown part of speech; DUPLICATE_ID for a
 *   duplicate word; with the line
 */
export function readVocabulary(file: InputFile): VocabularyWord[] {
  const lines = new Map<string, number>()
  return readCsv(file, ['word', 'part_of_speech'], ({ at, line, value }) => {
    const word = storableText(value('word').toLowerCase(), () => at('word'))
    if (word === '') throw invalidValue('empty word', at('word'), 'a word', '""')
    const first = lines.get(word)
    if (first !== undefined) {
      const found = `${quote(word)}, first used on line ${first}`
      throw wrongValue('DUPLICATE_ID', 'duplicate word', at('word'), 'unique words', found)
    }
    lines.set(word, line)
    const tag = value('part_of_speech').toUpperCase()
    if (!isPartOfSpeech(tag)) {
      const expected = `one of ${[...PARTS_OF_SPEECH].join(', ')}`
      throw invalidValue(
        'unknown part of speech',
        at('part_of_speech'),
        expected,
        quote(value('part_of_speech')),
      )
    }
    return { word, partOfSpeech: tag }
  })
}

function isPartOfSpeech(tag: string): tag is PartOfSpeech {
  return PARTS_OF_SPEECH.has(tag)
}
