import { createHash } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { hashWordVectors, openWordVectors } from '../../../src/formats/words/word-vectors.js'
import { temporaryFolder } from '../kit.js'

const { write, failure, path } = temporaryFolder()

/** The unit vectors of words, by word; null for words without one. */
function vectorsOf(file: string | undefined, ...words: string[]) {
  const { rows, dimension, values } = openWordVectors(file).lookUp(words)
  return Object.fromEntries(
    words.map((word, index) => [
      word,
      rows[index] < 0 ? null : [...values.subarray(rows[index] * dimension, (rows[index] + 1) * dimension)],
    ]),
  )
}

/** word2vec's binary format. */
function binary(
  entries: readonly (readonly [string, readonly number[]])[],
  announced = entries.length,
): Buffer {
  const parts = entries.flatMap(([word, values]) => [
    Buffer.from(`${word} `),
    Buffer.from(Float32Array.from(values).buffer),
    Buffer.from('\n'),
  ])
  return Buffer.concat([Buffer.from(`${announced} ${entries[0][1].length}\n`), ...parts])
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

const GLOVE = 'dog 8 0\ncat 0 2\n. . 5 5\nzero 0 0\n'

describe('built-in vectors', () => {
  test('have unit length, and none for unknown words', () => {
    const { dog, goggles, xqzwv } = vectorsOf(undefined, 'dog', 'goggles', 'xqzwv')
    for (const vector of [dog, goggles]) {
      expect(vector).toHaveLength(100)
      expect(Math.hypot(...(vector as number[]))).toBeCloseTo(1, 12)
    }
    expect(xqzwv).toBeNull()
    // GloVe: the 0.418 …: dog 0.30817 0.30938 0.52803
    const [first, second, third] = dog as number[]
    expect(second / first).toBeCloseTo(0.30938 / 0.30817, 6)
    expect(third / first).toBeCloseTo(0.52803 / 0.30817, 6)
  })
})

describe('files', () => {
  test.each([
    ['glove.txt', GLOVE],
    ['fast.vec', `4 2\n${GLOVE}`],
    ['glove.txt.gz', GLOVE],
    [
      'vectors.bin',
      binary([
        ['dog', [8, 0]],
        ['cat', [0, 2]],
        ['zero', [0, 0]],
      ]),
    ],
  ])('%s', (name, content) => {
    const file = write(name, content)
    expect(vectorsOf(file, 'cat', 'bird', 'dog')).toEqual({ cat: [0, 1], bird: null, dog: [1, 0] })
    if (!name.endsWith('.gz')) expect(hashWordVectors(file)).toBe(sha256(content))
  })

  test('are read again only for words that were not looked up', () => {
    const file = write('once.txt', GLOVE)
    const vectors = openWordVectors(file)
    const first = vectors.lookUp(['dog', 'bird'])
    rmSync(file)
    expect(vectors.lookUp(['bird', 'dog'])).toEqual({ ...first, rows: Int32Array.of(-1, 0) })
    expect(() => vectors.lookUp(['cat'])).toThrow('file not found')
  })

  test('are streamed: the vectors of other words are not retained', () => {
    const file = path('large.bin')
    const [wordCount, dimension] = [7500, 10_000]
    const recordBytes = 8 + 4 * dimension
    const descriptor = openSync(file, 'w')
    const header = `${wordCount} ${dimension}\n`
    writeSync(descriptor, header)
    // The values of all words but the last are holes of the file, 300 MB together.
    for (let index = 0; index < wordCount; index++) {
      const word = `w${String(index).padStart(6, '0')} `
      writeSync(descriptor, word, header.length + index * recordBytes)
    }
    const values = Buffer.from(Float32Array.from({ length: dimension }, () => 1).buffer)
    writeSync(descriptor, values, 0, values.length, header.length + wordCount * recordBytes - values.length)
    closeSync(descriptor)
    const before = process.memoryUsage().rss
    const { w007499 } = vectorsOf(file, 'w007499', 'dog')
    expect(w007499).toHaveLength(dimension)
    expect(process.memoryUsage().rss - before).toBeLessThan(100e6)
    rmSync(file)
  })
})

describe('invalid files', () => {
  test.each([
    [
      'rows of another dimension',
      'a.txt',
      'dog 1 2\ncat 1 2 3\n',
      'INVALID_SHAPE a.txt: line 2: wrong shape: expected a word and 2 values, found 3',
    ],
    [
      'a truncated row',
      'b.txt',
      'dog 1 2\ncat 1',
      'INVALID_SHAPE b.txt: line 2: wrong shape: expected a word and 2 values, found 1',
    ],
    [
      'a truncated file of fastText',
      'c.vec',
      '3 2\ndog 1 2\ncat 1 2\n',
      'INVALID_SHAPE c.vec: the file is truncated: expected 3 words, found 2',
    ],
    [
      'a truncated binary file',
      'd.bin',
      binary([
        ['dog', [1, 2]],
        ['cat', [1, 2]],
      ]).subarray(0, 25),
      'INVALID_SHAPE d.bin: the file is truncated: expected 2 words, found 1',
    ],
    [
      'a word that is repeated',
      'e.txt',
      'dog 1 2\ndog 2 1\n',
      'DUPLICATE_ID e.txt: line 2: duplicate word: expected each word once, found "dog" again',
    ],
    [
      'a word that is repeated, binary',
      'f.bin',
      binary([
        ['dog', [1, 2]],
        ['dog', [1, 2]],
      ]),
      'DUPLICATE_ID f.bin: word 2: duplicate word: expected each word once, found "dog" again',
    ],
    [
      'a value that is not a number',
      'g.txt',
      'cat 1 2\ndog 1 x\n',
      'INVALID_VALUE g.txt: line 2, value 2 of "dog": invalid vector: expected a finite number, found "x"',
    ],
    [
      'a value that is not finite, binary',
      'h.bin',
      binary([['dog', [1, Number.NaN]]]),
      'INVALID_VALUE h.bin: word 1, value 2 of "dog": invalid vector: expected a finite number, found NaN',
    ],
    [
      'an empty file',
      'i.txt',
      '',
      'INVALID_SHAPE i.txt: wrong shape: expected at least one word, found none',
    ],
    [
      'a binary file without a header',
      'j.bin',
      'dog 1 2\n',
      'INVALID_SHAPE j.bin: line 1: wrong shape: expected the numbers of words and of dimensions, found others',
    ],
    [
      'one dimension',
      'k.txt',
      'dog 1\n',
      'INVALID_SHAPE k.txt: line 1: wrong shape: expected word vectors of 2 to 10000 dimensions, found 1',
    ],
  ])('%s', (_what, name, content, expected) => {
    const file = write(name, content)
    expect(failure(() => vectorsOf(file, 'dog', 'cat'))).toBe(expected)
  })

  test('a file that does not exist', () => {
    expect(failure(() => openWordVectors(path('missing.txt')))).toBe(
      'FILE_NOT_FOUND missing.txt: file not found',
    )
  })
})
