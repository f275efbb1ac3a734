import { describe, expect, it } from 'vitest'
import { readObjectWords } from '../../../src/formats/words/object-words-file.js'
import { temporaryFolder } from '../kit.js'

const { write, failure } = temporaryFolder()
const read = (rows: string) => readObjectWords(write('words.csv', `object,words\n${rows}`))

describe('words of objects', () => {
  it('are kept with the spaces beside bars, by their objects; empty rows are left out', () => {
    const { words } = read('dog,dog|puppy | Old Dog\n,\ncup,cup||\n')
    expect([...words]).toEqual([
      ['dog', ['dog', 'puppy ', ' Old Dog']],
      ['cup', ['cup']],
    ])
  })

  it('have a hash of their own', () => {
    const [one, same, other] = ['dog,dog|puppy\n', ',\ndog,dog|puppy\n', 'dog,puppy|dog\n'].map(read)
    expect(one.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(same.hash).toBe(one.hash)
    expect(other.hash).not.toBe(one.hash)
  })

  it.each([
    [
      'dog,dog\ncat, |\n',
      'INVALID_VALUE words.csv: line 3, words: incomplete row: expected an object and its words, found no words',
    ],
    [
      ',dog\n',
      'INVALID_VALUE words.csv: line 2, object: incomplete row: expected an object and its words, found no object',
    ],
    [
      'dog,dog\ndog,puppy\n',
      'DUPLICATE_ID words.csv: line 3, object: duplicate object: expected one row of an object, found "dog"',
    ],
    [',\n', 'INVALID_VALUE words.csv: no objects: expected rows with an object and its words, found none'],
  ])('of %j are one error', (rows, message) => {
    expect(failure(() => read(rows))).toBe(message)
  })
})
