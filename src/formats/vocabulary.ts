import { isUtf8 } from 'node:buffer'
import { CsvError, type Info, parse } from 'csv-parse/sync'
import { quote } from '../errors.js'
import type { PartOfSpeech } from '../text/part-of-speech.js'
import { readWhole } from './files.js'
import { locateElement, locateLine, storableText, wrongShape, wrongValue } from './values.js'

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
export function readVocabulary(file: string): VocabularyWord[] {
  const [header, ...records] = parseCsv(file)
  const names = header?.record ?? []
  const wordColumn = names.indexOf('word')
  const tagColumn = names.indexOf('part_of_speech')
  if (wordColumn < 0 || tagColumn < 0) {
    const found = names.length === 0 ? 'an empty file' : quote(names.join(','))
    throw wrongShape(locateLine(file, 1)(), 'the header word,part_of_speech', found)
  }
  if (records.length === 0) throw wrongShape({ source: file }, 'at least one word', 'only a header')

  const lines = new Map<string, number>()
  return records.map(({ record, info: { lines: line } }) => {
    const at = locateLine(file, line)
    if (record.length !== names.length) {
      throw wrongShape(at(), `${names.length} fields`, `${record.length}: ${quote(record.join(','))}`)
    }
    const word = storableText(record[wordColumn].toLowerCase(), () => at('word'))
    if (word === '') throw wrongValue('INVALID_VALUE', 'empty word', at('word'), 'a word', '""')
    const first = lines.get(word)
    if (first !== undefined) {
      const found = `${quote(word)}, first used on line ${first}`
      throw wrongValue('DUPLICATE_ID', 'duplicate word', at('word'), 'unique words', found)
    }
    lines.set(word, line)
    const tag = record[tagColumn].toUpperCase()
    if (!isPartOfSpeech(tag)) {
      const expected = `one of ${[...PARTS_OF_SPEECH].join(', ')}`
      throw wrongValue(
        'INVALID_VALUE',
        'unknown part of speech',
        at('part_of_speech'),
        expected,
        quote(record[tagColumn]),
      )
    }
    return { word, partOfSpeech: tag }
  })
}

/**
 * Checks a vocabulary from an argument instead of a file; places are `vocabulary[3].word`.
 *
 * @returns the words in lower case and without surrounding whitespace
 * @throws AccordError as {@link readVocabulary}
 */
export function submittedVocabulary(words: readonly VocabularyWord[]): VocabularyWord[] {
  if (words.length === 0) throw wrongShape({ place: 'vocabulary' }, 'at least one word', 'none')
  const known = new Map<string, number>()
  return words.map(({ word: given, partOfSpeech }, index) => {
    const at = () => locateElement(undefined, 'vocabulary', index)('word')
    const word = storableText(given.trim().toLowerCase(), at)
    if (word === '') throw wrongValue('INVALID_VALUE', 'empty word', at(), 'a word', quote(given))
    const first = known.get(word)
    if (first !== undefined) {
      const found = `${quote(word)}, first used at vocabulary[${first}]`
      throw wrongValue('DUPLICATE_ID', 'duplicate word', at(), 'unique words', found)
    }
    known.set(word, index)
    return { word, partOfSpeech }
  })
}

interface CsvRecord {
  readonly record: readonly string[]
  /** `lines` is the line number of the end of the record. */
  readonly info: Info
}

function parseCsv(file: string): CsvRecord[] {
  const bytes = readWhole(file)
  if (!isUtf8(bytes))
    throw wrongValue('INVALID_VALUE', 'not UTF-8', { source: file }, 'UTF-8 text', 'other bytes')
  try {
    const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true, trim: true }
    // The library's types do not reflect the option `info`, which wraps each record in an object.
    return parse(bytes, options) as unknown as CsvRecord[]
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const closed = error.code !== 'CSV_QUOTE_NOT_CLOSED'
    const found = closed
      ? 'a quotation mark inside an unquoted field'
      : 'the end of the file inside a quoted field'
    throw wrongShape(locateLine(file, Number(error.lines))(), 'CSV', found)
  }
}

function isPartOfSpeech(tag: string): tag is PartOfSpeech {
  return PARTS_OF_SPEECH.has(tag)
}
