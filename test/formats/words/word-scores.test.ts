import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  collectScores,
  readMatrixScores,
  readWordScores,
  splitWords,
  type WordScores,
} from '../../../src/formats/words/word-scores.js'
import { npy, temporaryFolder } from '../kit.js'

const { write, path, failure } = temporaryFolder()
const images = new Set(['1', '2', '3'])
const words = ['dog', 'cat']

/** All scores as [word, image, score]. */
const triples = (scores: WordScores) =>
  columnsOf(scores).flatMap(({ word, images: positions, scores: values }) =>
    Array.from(positions, (position, i) => [scores.words[word], scores.imageIds[position], values[i]]),
  )

/** All columns by word. */
const columnsOf = (scores: WordScores) =>
  [...scores.columns(new Set(scores.words.keys()))].sort((one, other) => one.word - other.word)

describe('scores from an .npy file', () => {
  const matrix = (
    name: string,
    values: Float32Array | Float64Array,
    ids: unknown,
    isMissingAllowed = false,
  ) => {
    const imageIdsFile = write(`${name}-ids.json`, ids as object)
    const rows = values.length / words.length
    const file = write(`${name}.npy`, npy(values, rows, words.length))
    return readWordScores(file, { imageIdsFile, words }, images, isMissingAllowed)
  }

  it('are columns named by the vocabulary and rows named by the image ids', () => {
    const scores = matrix('plain', Float32Array.of(1, 2, 3, 4, 5, 6), [3, '1', 2])
    expect(scores.imageIds).toEqual(['3', '1', '2'])
    expect(scores.missing).toEqual([])
    expect(triples(scores)).toEqual([
      ['dog', '3', 1],
      ['dog', '1', 3],
      ['dog', '2', 5],
      ['cat', '3', 2],
      ['cat', '1', 4],
      ['cat', '2', 6],
    ])
    const [dog, cat] = columnsOf(scores)
    expect(dog.images).toBe(cat.images)
  })

  it('have the precision of the file: different scores stay different', () => {
    const close = [0.9, 0.9 + 1e-12]
    const doubles = matrix('double', Float64Array.of(...close, ...close, ...close), [1, 2, 3])
    const [dog, cat] = columnsOf(doubles)
    expect(dog.scores).toBeInstanceOf(Float64Array)
    expect(dog.scores[0]).toBeLessThan(cat.scores[0])
    const singles = matrix('single', Float32Array.of(1, 2, 3, 4, 5, 6), [1, 2, 3])
    expect(columnsOf(singles)[0].scores).toBeInstanceOf(Float32Array)
  })

  it('may leave out images if allowed', () => {
    expect(matrix('partial', Float32Array.of(1, 2), [2], true).missing).toEqual(['1', '3'])
  })

  const six = Float32Array.of(1, 2, 3, 4, 5, 6)
  it.each<[string, Float32Array, unknown, string]>([
    [
      'rows',
      six.slice(0, 4),
      [1, 2, 3],
      'INVALID_SHAPE rows.npy: wrong shape: expected 3 images (rows) × 2 words (columns), found 2 × 2',
    ],
    [
      'ids',
      six,
      { ids: [1, 2, 3] },
      'INVALID_SHAPE ids-ids.json: wrong shape: expected an array, found an object',
    ],
    [
      'id',
      six,
      [1, [2], 3],
      'INVALID_SHAPE id-ids.json: [1]: wrong shape: expected an integer or a string, found an array',
    ],
    [
      'duplicate',
      six,
      [1, 2, '1'],
      'DUPLICATE_ID duplicate-ids.json: [2]: duplicate image: expected each image once, found "1" again',
    ],
    [
      'unknown',
      six,
      [1, 2, 139],
      'UNKNOWN_IMAGE unknown-ids.json: [2]: unknown image: expected the id of an image of the dataset, found "139"',
    ],
    [
      'missing',
      six.slice(0, 4),
      [1, 2],
      'MISSING_IMAGES missing-ids.json: images are missing: expected all 3 images of the dataset, found 2, without 3',
    ],
    [
      'nan',
      Float32Array.of(1, 2, 3, Number.NaN, 5, 6),
      [3, 1, 2],
      'INVALID_VALUE nan.npy: row 1, column 1 (image 1, word "cat"): invalid score: expected a finite number, found NaN',
    ],
    [
      'infinite',
      Float32Array.of(1, 2, 3, 4, Number.NEGATIVE_INFINITY, 6),
      [3, 1, 2],
      'INVALID_VALUE infinite.npy: row 2, column 0 (image 2, word "dog"): invalid score: expected a finite number, found -Infinity',
    ],
  ])('%s', (name, values, ids, message) => {
    expect(failure(() => matrix(name, values, ids))).toBe(message)
  })

  it('too many words, and a missing file of image ids', () => {
    const file = write('words.npy', npy(six, 3, 2))
    const imageIdsFile = write('words-ids.json', [1, 2, 3])
    expect(failure(() => readMatrixScores(file, { imageIdsFile, words: ['dog'] }, images, false))).toBe(
      'INVALID_SHAPE words.npy: wrong shape: expected 3 images (rows) × 1 words (columns), found 3 × 2',
    )
    expect(
      failure(() => readMatrixScores(file, { imageIdsFile: path('absent.json'), words }, images, false)),
    ).toBe('FILE_NOT_FOUND absent.json: file not found')
  })
})

describe('scores from a .jsonl file', () => {
  const lines = (name: string, text: string, isMissingAllowed = false) =>
    readWordScores(write(name, text), undefined, images, isMissingAllowed)

  const text = [
    '{"image_id": 2, "words": {"dog": 0.5, "cat": 0.25}}',
    '',
    '{"words": {"cat": -1e-3, "__proto__": 4}, "image_id": "3", "seconds": 1}',
    '{"image_id": 1, "words": {}}',
  ].join('\n')

  it.each(['sparse.jsonl', 'sparse.jsonl.gz'])('are gathered by word: %s', (name) => {
    const scores = lines(name, text)
    expect(scores.imageIds).toEqual(['2', '3', '1'])
    expect(scores.words).toEqual(['dog', 'cat', '__proto__'])
    expect(triples(scores)).toEqual([
      ['dog', '2', 0.5],
      ['cat', '2', 0.25],
      ['cat', '3', -0.001],
      ['__proto__', '3', 4],
    ])
  })

  it('may leave out images if allowed', () => {
    expect(lines('partial.jsonl', '{"image_id": 2, "words": {"dog": 1}}', true).missing).toEqual(['1', '3'])
  })

  const good = '{"image_id": 1, "words": {"dog": 1}}\n'
  it.each<[string, string, string]>([
    [
      'cut.jsonl',
      `${good}{"image_id": 2, "words": {"do`,
      'INVALID_JSON cut.jsonl: line 2: the line is truncated: expected the rest of the object, found the end of the line',
    ],
    [
      'nan.jsonl',
      `${good}{"image_id": 2, "words": {"é": NaN}}\n${good}`,
      'INVALID_JSON nan.jsonl: line 2, column 32: not JSON: expected valid JSON, found "NaN}}"',
    ],
    [
      'array.jsonl',
      `${good}[2, {"dog": 1}]`,
      'INVALID_SHAPE array.jsonl: line 2: wrong shape: expected an object, found an array',
    ],
    [
      'id.jsonl',
      '{"words": {"dog": 1}}',
      'INVALID_SHAPE id.jsonl: line 1, image_id: wrong shape: expected an integer or a string, found nothing',
    ],
    [
      'words.jsonl',
      '{"image_id": 1, "words": ["dog"]}',
      'INVALID_SHAPE words.jsonl: line 1, words: wrong shape: expected an object, found an array',
    ],
    [
      'score.jsonl',
      '{"image_id": 1, "words": {"hot dog": "0.5"}}',
      'INVALID_SHAPE score.jsonl: line 1, words["hot dog"]: wrong shape: expected a number, found the string "0.5"',
    ],
    [
      'null.jsonl',
      '{"image_id": 1, "words": {"dog": null}}',
      'INVALID_SHAPE null.jsonl: line 1, words["dog"]: wrong shape: expected a number, found null',
    ],
    [
      'infinite.jsonl',
      '{"image_id": 1, "words": {"dog": 1e999}}',
      'INVALID_VALUE infinite.jsonl: line 1, words["dog"]: invalid score: expected a finite number, found Infinity',
    ],
    [
      'duplicate.jsonl',
      `${good}\n\n${good}`,
      'DUPLICATE_ID duplicate.jsonl: line 4, image_id: duplicate image: expected each image once, found "1" again',
    ],
    [
      'unknown.jsonl',
      `${good}{"image_id": 139, "words": {}}`,
      'UNKNOWN_IMAGE unknown.jsonl: line 2, image_id: unknown image: expected the id of an image of the dataset, found "139"',
    ],
    [
      'missing.jsonl',
      good,
      'MISSING_IMAGES missing.jsonl: images are missing: expected all 3 images of the dataset, found 1, without 2, 3',
    ],
    [
      'empty.jsonl',
      '',
      'MISSING_IMAGES empty.jsonl: images are missing: expected all 3 images of the dataset, found 0, without 1, 2, 3',
    ],
  ])('%s', (name, content, message) => {
    expect(failure(() => lines(name, content))).toBe(message)
  })
})

it('scores of JSON Lines are gathered by word, as they are', () => {
  const row = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'd'),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  )
  fc.assert(
    fc.property(fc.tuple(row, row, row), (rows) => {
      const submitted = rows.map((words, i) => ({ imageId: String(i + 1), words, at: () => ({}) }))
      const scores = collectScores(submitted, images, { source: 'scores', isMissingAllowed: true })
      const expected = rows.flatMap((entry, i) =>
        Object.entries(entry).map(([word, score]) => [word, String(i + 1), score]),
      )
      expect(new Map(triples(scores).map((t) => [`${t[0]} ${t[1]}`, t[2]]))).toEqual(
        new Map(expected.map((t) => [`${t[0]} ${t[1]}`, t[2]])),
      )
    }),
  )
})

describe('readWordScores', () => {
  it.each<[string, boolean, string]>([
    [
      'scores.csv',
      false,
      'INVALID_VALUE scores.csv: unknown kind of file: expected a name ending in .npy, .jsonl or .jsonl.gz, found "scores.csv"',
    ],
    [
      'scores.npy',
      false,
      'NOT_APPLICABLE scores.npy: an .npy file does not name its rows and columns: expected a vocabulary and a file of image ids beside it, found neither',
    ],
    [
      'scores.jsonl',
      true,
      'NOT_APPLICABLE scores.jsonl: a .jsonl file names its images and words itself: expected no vocabulary and no file of image ids, found them',
    ],
  ])('%s, labels: %s', (name, labelled, message) => {
    const labels = labelled ? { imageIdsFile: 'ids.json', words } : undefined
    expect(failure(() => readWordScores(path(name), labels, images, false))).toBe(message)
  })
})

describe('splitWords', () => {
  const scores = collectScores(
    [{ imageId: '1', words: { dog: 1, Dog: 1, cat: 1 }, at: () => ({}) }],
    images,
    { source: 'scores', isMissingAllowed: true },
  )

  it('separates words that the dataset has from others', () => {
    expect(splitWords(scores, new Set(['cat', 'dog', 'sofa']), 'scores')).toEqual({
      known: [0, 2],
      unknown: ['Dog'],
    })
  })

  it('fails if the dataset has none', () => {
    expect(failure(() => splitWords(scores, new Set(['chien']), 'scores.jsonl'))).toBe(
      'UNKNOWN_WORD scores.jsonl: unknown words: expected words that captions of the dataset use, found 3 others, the first "dog"',
    )
    expect(failure(() => splitWords({ ...scores, words: [] }, new Set(['dog']), 'scores.jsonl'))).toBe(
      'UNKNOWN_WORD scores.jsonl: unknown words: expected words that captions of the dataset use, found no words',
    )
  })
})
