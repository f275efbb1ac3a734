import { describe, expect, it, test } from 'vitest'
import { readMetricScores } from '../../../src/formats/judgements/metric-scores.js'
import { temporaryFolder } from '../kit.js'

const { write } = temporaryFolder()
const RANGE = { lowest: 0, highest: 1 }

const LINES = [
  { image_id: 1, system: 'mine', score: 0.5 },
  { image_id: 1, system: 'mine', fold: 2, score: 0.25 },
  { image_id: '1', fold: 2, score: 1 },
  { image_id: 'a b', caption: 'A dog, asleep.', score: 0 },
]

it('reads scores from JSON Lines and CSV', () => {
  const file = write('scores.jsonl', LINES.map((line) => JSON.stringify(line)).join('\n'))
  const read = readMetricScores(file, RANGE).map(({ at: _at, ...row }) => row)
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
  expect(readMetricScores(csv, RANGE).map(({ at: _at, ...row }) => row)).toEqual(read)
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
    [
      '{"image_id": 1, "score": 1}',
      'line 1: wrong shape: expected a system, a caption or a fold, found none of them',
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
    ['image_id,system\n1,a\n', 'expected the header image_id,score'],
  ])('CSV %j', (content, message) => {
    expect(() => readMetricScores(write('wrong.csv', content), RANGE)).toThrow(message)
  })
})
