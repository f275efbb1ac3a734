import { describe, expect, it } from 'vitest'
import { readVocabulary } from '../../../src/formats/words/vocabulary.js'
import { temporaryFolder } from '../kit.js'

const { write, path, failure } = temporaryFolder()

describe('readVocabulary', () => {
  it('reads words and parts of speech in order', () => {
    const file = write(
      'plain.csv',
      'word,part_of_speech\nA,DT\ndog,NN\nsit,vb\nRed,Jj\nIt,PRP\non,IN\nthere,other\n\n"""",OTHER\n',
    )
    expect(readVocabulary(file)).toEqual([
      { word: 'a', partOfSpeech: 'DT' },
      { word: 'dog', partOfSpeech: 'NN' },
      { word: 'sit', partOfSpeech: 'VB' },
      { word: 'red', partOfSpeech: 'JJ' },
      { word: 'it', partOfSpeech: 'PRP' },
      { word: 'on', partOfSpeech: 'IN' },
      { word: 'there', partOfSpeech: 'OTHER' },
      { word: '"', partOfSpeech: 'OTHER' },
    ])
  })

  it('reads reordered and additional columns, a byte order mark, carriage returns and spaces', () => {
    const file = write('other.csv', '\ufeffpart_of_speech,count,word\r\nNN,4,dog\r\n IN,7, on \r\n')
    expect(readVocabulary(file)).toEqual([
      { word: 'dog', partOfSpeech: 'NN' },
      { word: 'on', partOfSpeech: 'IN' },
    ])
  })

  const header = 'word,part_of_speech\n'
  it.each<[string, string | Buffer, string]>([
    [
      'empty.csv',
      '',
      'INVALID_SHAPE empty.csv: line 1: wrong shape: expected the header word,part_of_speech, found an empty file',
    ],
    [
      'no-header.csv',
      'dog,NN\n',
      'INVALID_SHAPE no-header.csv: line 1: wrong shape: expected the header word,part_of_speech, found "dog,NN"',
    ],
    [
      'one-column.csv',
      'word\ndog\n',
      'INVALID_SHAPE one-column.csv: line 1: wrong shape: expected the header word,part_of_speech, found "word"',
    ],
    [
      'only-header.csv',
      header,
      'INVALID_SHAPE only-header.csv: wrong shape: expected at least one row, found only a header',
    ],
    [
      'tag.csv',
      `${header}dog,NN\nruns,VBZ\n`,
      'INVALID_VALUE tag.csv: line 3, part_of_speech: unknown part of speech: expected one of NN, VB, JJ, DT, PRP, IN, OTHER, found "VBZ"',
    ],
    [
      'no-tag.csv',
      `${header}dog,\n`,
      'INVALID_VALUE no-tag.csv: line 2, part_of_speech: unknown part of speech: expected one of NN, VB, JJ, DT, PRP, IN, OTHER, found ""',
    ],
    [
      'no-word.csv',
      `${header} ,NN\n`,
      'INVALID_VALUE no-word.csv: line 2, word: empty word: expected a word, found ""',
    ],
    [
      'twice.csv',
      `${header}dog,NN\n\ncat,NN\ndog,VB\n`,
      'DUPLICATE_ID twice.csv: line 5, word: duplicate word: expected unique words, found "dog", first used on line 2',
    ],
    [
      'fields.csv',
      `${header}dog,NN\nhot,dog,NN\n`,
      'INVALID_SHAPE fields.csv: line 3: wrong shape: expected 2 fields, found 3: "hot,dog,NN"',
    ],
    [
      'quote.csv',
      `${header}"dog,NN\ncat,NN\n`,
      'INVALID_SHAPE quote.csv: line 3: wrong shape: expected CSV, found the end of the file inside a quoted field',
    ],
    [
      'inner-quote.csv',
      `${header}"do"g,NN\n`,
      'INVALID_SHAPE inner-quote.csv: line 2: wrong shape: expected CSV, found text after the quotation mark that ends a field',
    ],
    [
      'latin1.csv',
      Buffer.from(`${header}caf\u00e9,NN\n`, 'latin1'),
      'INVALID_VALUE latin1.csv: line 2: not UTF-8: expected UTF-8 text (if it is cp1252: iconv -f cp1252 -t utf-8 FILE > NEW), found other bytes',
    ],
  ])('%s', (name, content, message) => {
    const file = write(name, content)
    expect(failure(() => readVocabulary(file))).toBe(message)
  })

  it('a missing file and a folder', () => {
    expect(failure(() => readVocabulary(path('absent.csv')))).toBe(
      'FILE_NOT_FOUND absent.csv: file not found',
    )
    expect(failure(() => readVocabulary(path('')))).toMatch(
      /^FILE_NOT_FOUND .*not a file: expected a file, found a folder$/,
    )
  })
})
