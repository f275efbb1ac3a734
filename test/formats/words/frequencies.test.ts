import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  encodeFrequencies,
  readBuiltInFrequencies,
  readFrequencies,
} from '../../../src/formats/words/frequencies.js'
import { projectFile } from '../../../src/project.js'
import { temporaryFolder } from '../kit.js'

const { write, failure } = temporaryFolder()

const TABLE = {
  imageCount: 300,
  ngrams: { hashes: Float64Array.of(0, 5, 2 ** 40, 2 ** 48 - 1) },
  counts: Int32Array.of(2, 300, 7, 129),
}
const TOKENS = { tokenizer: 'ptb-3.4.1', language: 'en' }
const HEADER = '{"format":"accord-frequencies","version":1,"tokenizer":"ptb-3.4.1","images":300,"ngrams":1}\n'

test('are read as they were written, compressed or not', () => {
  const bytes = encodeFrequencies(TABLE, TOKENS)
  const read = readFrequencies(write('a.frequencies', bytes))
  expect(read).toMatchObject(TABLE)
  expect(read.hash).toMatch(/^[0-9a-f]{64}$/)
  expect(readFrequencies(write('a.frequencies.gz', bytes))).toEqual(read)
})

test('the built-in ones are of 5,000 images and contain no n-gram of one image', () => {
  const { imageCount, counts, ngrams } = readBuiltInFrequencies()
  expect(imageCount).toBe(5000)
  expect(ngrams.hashes).toHaveLength(54_751)
  expect(Math.min(...counts)).toBe(2)
  expect(readFileSync(projectFile('dist/resources/english/coco.frequencies')).length).toBeLessThan(400_000)
})

describe('what is wrong with a file', () => {
  test.each([
    ['another file', '{}', /^INVALID_SHAPE x.frequencies: first line: .*found 2 other bytes$/],
    ['no JSON', 'abc\ndef', /first line: .*found 7 other bytes$/],
    [
      'another version',
      HEADER.replace('"version":1', '"version":2'),
      /first line, version: .*expected 1, found the number 2$/,
    ],
    [
      'another tokenizer',
      HEADER.replace('ptb-3.4.1', 'words'),
      /first line, tokenizer: .*found the string "words"$/,
    ],
    ['no images', HEADER.replace('300', '0'), /first line, images: .*found the number 0$/],
    [
      'too many n-grams',
      HEADER.replace('"ngrams":1', '"ngrams":9999'),
      /first line, ngrams: .*found the number 9999$/,
    ],
    ['a file that ends early', `${HEADER}\x05`, /n-gram 1 of 1/],
    ['a count above the number of images', `${HEADER}\x05\x7f\x7f`.replace('300', '100'), /n-gram 1 of 1/],
    ['bytes after the end', `${HEADER}\x05\x02\x02`, /after 1 n-grams: .*found 1 more bytes$/],
  ])('%s', (_, content, expected) => {
    expect(failure(() => readFrequencies(write('x.frequencies', content)))).toMatch(expected)
  })
})
