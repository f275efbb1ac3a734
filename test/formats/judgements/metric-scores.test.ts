import { describe, expect, it, test } from 'vitest'
import { readMetricScores } from '../../../src/formats/judgements/metric-scores.js'
import { failureOf, temporaryFolder } from '../kit.js'

const { write } = temporaryFolder()
const RANGE = { name: 'CLIPScore', lowest: 0, highest: 1 }

const LINES = [
  { image_id: 1, system: 'mine', score: 0.5 },
  { image_id: 1, system: 'mine', fold: 2, score: 0.25 },
  { image_id: '1', fold: 2, score: 1 },
  { image_id: 'a b', caption: 'A dog, asleep.', score: 0 },
]

it('reads scores from JSON Lines and CSV', () => {
  const file = write('scores.jsonl', LINES.map((line) => JSON.stringify(line)).join('\n'))
  const read = readMetricScores(file, RANGE).map(({ at: _at, isId: _isId, ...row }) => row)
  expect(read).toEqual([
    { imageId: '1', system: 'mine', caption: null, fold: null, score: 0.5 },
    { imageId: '1', system: 'mine', caption: null, fold: 2, score: 0.25 },
    { imageId: '1', system: null, caption: null, fold: 2, score: 1 },
    { imageId: 'a b', system: null, caption: 'A dog, asleep.', fold: null, score: 0 },
  ])
  const csv = write(
    'scores.csv',
    'score,image_id,system,fold,caption\n.5,1,mine,,\n0.25,1,mine,2,\n1,1,,2,\n0,a b,,,"A dog, asleep."\n',
  )
  expect(readMetricScores(csv, RANGE).map(({ at: _at, isId: _isId, ...row }) => row)).toEqual(read)
})

test.each([
  ['a list', '[{"image_id": 1, "system": "a", "score": 0.5}]'],
  ['a list, with the name of the metric', '[{"image": "1", "system": "a", "clipscore": 0.5}]'],
  ['TSV', 'image_id\tsystem\tscore\n1\ta\t0.5\n'],
  ['CSV with a header in any case', 'Image_ID,System,Score\n1,a,0.5\n'],
  ['CSV with the name of the metric', 'image_id,system,CLIPSCORE\n1,a,0.5\n'],
])('reads %s, whatever its name', (_what, content) => {
  const [{ at: _at, isId: _isId, ...read }] = readMetricScores(write('scores', content), RANGE)
  expect(read).toEqual({ imageId: '1', system: 'a', caption: null, fold: null, score: 0.5 })
})

test.each([
  ['with several metrics', '{"a.jpg": {"RefCLIPScore": 0.25, "CLIPScore": 0.5}, "b": {"CLIPScore": 0.75}}'],
  ['with another one', '{"a.jpg": {"PAC-S": 0.5}, "b": {"PAC-S": 0.75}}'],
  ['with numbers', '{\n  "a.jpg": 0.5,\n  "b": 0.75\n}'],
])('reads scores by image %s, of a system that the file does not name', (_what, content) => {
  const read = readMetricScores(write('scores.csv', content), RANGE).map(
    ({ at: _at, isId: _isId, ...row }) => row,
  )
  const unnamed = { system: null, caption: null, fold: null }
  expect(read).toEqual([
    { imageId: 'a.jpg', ...unnamed, score: 0.5 },
    { imageId: 'b', ...unnamed, score: 0.75 },
  ])
})

describe('a file is refused', () => {
  test.each([
    ['{"image_id": 1, "system": "a", "score": NaN}', 'line 1, column 41: not JSON'],
    [
      '{"image_id": 1, "system": "a", "score": null}',
      'line 1, score: wrong shape: expected a number, found null',
    ],
    ['{"image_id": 1, "system": "a", "score": "1"}', 'line 1, score: wrong shape: expected a number, found'],
    [
      '{"image_id": 1, "system": "a", "score": 1.5}',
      'line 1, score: invalid score: expected a number from 0 to 1, the range of the metric, found 1.5',
    ],
    ['{"image_id": 1, "system": "a", "score": 1e999}', 'line 1, score: invalid score'],
    [
      '{"image_id": 1, "fold": 1, "score": 1}\n{"image_id": "1", "fold": 1, "score": 1}',
      'line 2: a second score: expected one score of each caption, found another one of image "1"',
    ],
    ['{"image_id": 1, "fold": 0, "score": 1}', 'line 1, fold: wrong shape: expected a position from 1'],
    [
      '{"image_id": 1, "caption": "a", "system": "b", "score": 1}',
      'line 1: wrong shape: expected caption without system',
    ],
    ['', 'expected at least one score, found an empty file'],
  ])('%s', (content, message) => {
    expect(() => readMetricScores(write('wrong.jsonl', content), RANGE)).toThrow(message)
  })

  test.each([
    ['image_id,system,score\n1,a,NaN\n', 'line 2, score: wrong shape: expected a number, found "NaN"'],
    ['image_id,system,score\n1,a,\n', 'line 2, score: wrong shape: expected a number, found ""'],
    ['image_id,system,score\n1,a,2\n', 'line 2, score: invalid score'],
    ['image_id,system\n1,a\n', 'line 1: wrong shape: expected the column score, found none (row in line 2)'],
    ['system,score\n1,a\n', 'line 1: wrong shape: expected the column image_id'],
    ['{"1": {"A": 0.5, "B": 0.5}}', 'expected the metric "CLIPScore", found A, B'],
    ['{"1": {"clipscore": "x"}}', '"1": wrong shape: expected a number, found the string "x"'],
    ['{"1": 0.5, "2": null}', '"2": wrong shape: expected an object, found null'],
  ])('also %j', (content, message) => {
    expect(() => readMetricScores(write('wrong.csv', content), RANGE)).toThrow(message)
  })
})

describe('scores with other columns than the usual ones', () => {
  const columns = { image: 'pic', score: 'meta.clip', system: 'model' }
  const expected = [{ imageId: '7', system: 'a', caption: null, fold: null, score: 0.5 }]
  const read = (content: string | object, names = columns) =>
    readMetricScores(write('named', content), RANGE, names).map(({ at: _at, isId: _isId, ...row }) => row)

  it.each<[string, string | object]>([
    [
      'JSON Lines',
      '{"pic": 7, "model": "a", "meta": {"clip": 0.5}, "score": 0.1}\n{"pic": 8, "model": "a", "meta": {"clip": 0.5}}',
    ],
    ['a list', [{ pic: 7, model: 'a', 'meta.clip': 0.5, image_id: 1 }]],
    ['CSV', 'image_id,pic,model,meta.clip\n1,7,a,0.5\n'],
  ])('are read from %s', (_what, content) => {
    expect(read(content).slice(0, 1)).toEqual(expected)
  })

  it('are refused where the file does not have them', () => {
    expect(failureOf(() => read('image_id,score\n1,0.5\n'))).toMatch(
      /^INVALID_SHAPE .*line 1: .*expected the column pic/,
    )
    expect(failureOf(() => read([{ image_id: 1, score: 0.5 }]))).toMatch(/^INVALID_SHAPE .*\[0\]\.pic: /)
  })
})
