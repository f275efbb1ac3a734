import { describe, expect, test } from 'vitest'
import { readJudgements } from '../../../src/formats/judgements/judgement-file.js'
import { readFlickr8kJudgements } from '../../../src/formats/judgements/published-sets.js'
import { temporaryFolder } from '../kit.js'

const { write, failure } = temporaryFolder()

const lines = (...records: readonly object[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')
const RATED = { image_id: 1, references: ['a dog'], captions: [{ caption: 'a cat', ratings: [1, 2] }] }
const PAIR = { image_id: 1, references: ['a dog'], captions: ['a cat', 'a dog runs'], preferred: 1 }

let files = 0
const fileOf = (content: string) => write(`${++files}.jsonl`, content)

describe('ratings', () => {
  test('of several raters, known or not, some of them missing', () => {
    const captions = [
      { caption: 'a cat', ratings: [1, null, 3] },
      { caption: 'a dog', ratings: { anna: 2.5, ben: null } },
      { caption: 'a bird', ratings: [] },
    ]
    const file = fileOf(lines({ ...RATED, captions }, { ...RATED, image_id: 'b' }))
    const read = readJudgements(file)
    expect(read.kind).toBe('RATINGS')
    expect(read.images.map(({ externalId, references }) => [externalId, references])).toEqual([
      ['1', ['a dog']],
      ['b', ['a dog']],
    ])
    expect(read.captions).toEqual([
      {
        image: 0,
        text: 'a cat',
        system: null,
        ratings: [
          { rater: null, value: 1 },
          { rater: null, value: 3 },
        ],
      },
      { image: 0, text: 'a dog', system: null, ratings: [{ rater: 'anna', value: 2.5 }] },
      { image: 0, text: 'a bird', system: null, ratings: [] },
      {
        image: 1,
        text: 'a cat',
        system: null,
        ratings: [
          { rater: null, value: 1 },
          { rater: null, value: 2 },
        ],
      },
    ])
  })

  test('without references belong to an existing dataset', () => {
    const { references: _, ...record } = RATED
    expect(readJudgements(fileOf(lines(record))).images).toMatchObject([{ references: null }])
  })
})

test('preferences: two captions each, also of one image, also equal ones', () => {
  const read = readJudgements(
    fileOf(lines(PAIR, { ...PAIR, id: 'x', category: 'HC', captions: ['a cat', 'a cat'], preferred: 0 })),
  )
  expect(read.images).toHaveLength(1)
  expect(read.captions.map(({ text }) => text)).toEqual(['a cat', 'a dog runs', 'a cat', 'a cat'])
  expect(read.preferences).toEqual([
    { externalId: '1', first: 0, second: 1, preferred: 1, category: 'all' },
    { externalId: 'x', first: 2, second: 3, preferred: 0, category: 'HC' },
  ])
})

test('systems of captions, and ties', () => {
  const captions = ['mine', 'people'].map((system) => ({ caption: 'a cat', system, ratings: [1] }))
  expect(readJudgements(fileOf(lines({ ...RATED, captions }))).captions).toMatchObject([
    { system: 'mine' },
    { system: 'people' },
  ])
  const pair = { ...PAIR, systems: ['mine', 'people'], preferred: 'tie' }
  const read = readJudgements(fileOf(lines(pair)))
  expect(read.captions.map(({ system }) => system)).toEqual(['mine', 'people'])
  expect(read.preferences).toMatchObject([{ first: 0, second: 1, preferred: null }])
})

const named = (...systems: readonly unknown[]) =>
  lines({ ...RATED, captions: systems.map((system) => ({ caption: 'a cat', system, ratings: [1] })) })

const rate = (ratings: unknown) => lines({ ...RATED, captions: [{ caption: 'a cat', ratings }] })

test.each([
  [
    'a rating that is not a number',
    rate([1, 'good']),
    'INVALID_SHAPE FILE: line 1, captions[0].ratings[1]: wrong shape: expected a number or null, found the string "good"',
  ],
  [
    'ratings that are no list',
    rate('3'),
    'INVALID_SHAPE FILE: line 1, captions[0].ratings: wrong shape: expected a list of ratings, or an object by rater, found the string "3"',
  ],
  [
    'a caption without references',
    lines({ ...RATED, references: [] }),
    'INVALID_SHAPE FILE: line 1, references: wrong shape: expected at least one caption, found none',
  ],
  [
    'references in some lines only',
    lines(RATED, { image_id: 2, captions: [] }),
    'INVALID_SHAPE FILE: line 2, references: wrong shape: expected references, as in the first line, found none',
  ],
  [
    'an image with other references in another line',
    lines(RATED, { ...RATED, references: ['a bird'] }),
    'INVALID_SHAPE FILE: line 2, references: wrong shape: expected the same references in all lines of an image, found others',
  ],
  [
    'ratings and preferences in one file',
    lines(RATED, PAIR),
    'INVALID_SHAPE FILE: line 2: wrong shape: expected ratings, as before, found a preference',
  ],
  [
    'a preference for neither caption',
    lines({ ...PAIR, preferred: 2 }),
    'INVALID_SHAPE FILE: line 1, preferred: wrong shape: expected 0, 1 or "tie", found the number 2',
  ],
  [
    'a system of some captions only',
    named('mine', undefined),
    'INVALID_SHAPE FILE: line 1, captions[1].system: wrong shape: expected a system, as in the first caption, found none',
  ],
  [
    'a system with two captions of an image',
    named('mine', 'mine'),
    'DUPLICATE_ID FILE: line 1, captions[1].system: duplicate id: expected a unique id, found "mine" again',
  ],
  [
    'three systems of two captions',
    lines({ ...PAIR, systems: ['a', 'b', 'c'] }),
    'INVALID_SHAPE FILE: line 1, systems: wrong shape: expected two systems, found 3',
  ],
  [
    'a preference among three captions',
    lines({ ...PAIR, captions: ['a', 'b', 'c'] }),
    'INVALID_SHAPE FILE: line 1, captions: wrong shape: expected two captions, found 3',
  ],
  [
    'two preferences with one id',
    lines({ ...PAIR, id: 1 }, { ...PAIR, id: 1 }),
    'DUPLICATE_ID FILE: line 2, id: duplicate id: expected a unique id, found "1" again',
  ],
  [
    'a caption that is no text',
    lines({ ...PAIR, captions: ['a', null] }),
    'INVALID_SHAPE FILE: line 1, captions[1]: wrong shape: expected a string, found null',
  ],
  [
    'a file without captions',
    lines({ ...RATED, captions: [] }),
    'INVALID_SHAPE FILE: wrong shape: expected at least one judged caption, found none',
  ],
  [
    'a line that is not JSON',
    '{"image_id": 1, oops}\n',
    'INVALID_JSON FILE: line 1, column 17: not JSON: expected valid JSON, found "oops}"',
  ],
])('%s is refused', (_what, content, expected) => {
  const file = fileOf(content)
  expect(failure(() => readJudgements(file))).toBe(expected.replace('FILE', `${files}.jsonl`))
})

describe('Flickr8k', () => {
  const TOKENS =
    'a.jpg#1\tA second dog .\na.jpg#0\tA dog .\nb.jpg#0\tA cat .\nb.jpg#1\tA bird .\nc.jpg#0\tA man .\n'
  const captions = write('tokens.txt', TOKENS)

  test('ratings of experts, without captions of the image itself', () => {
    const file = write(
      'ExpertAnnotations.txt',
      'a.jpg\tb.jpg#1\t1\t2\t4\na.jpg\ta.jpg#0\t4\t4\t4\nb.jpg\tc.jpg#0\t1\t1\t1\n',
    )
    const read = readFlickr8kJudgements(file, captions)
    expect(read.ownCaptionCount).toBe(1)
    expect(read.images.map(({ externalId, references }) => [externalId, references])).toEqual([
      ['a', ['A dog .', 'A second dog .']],
      ['b', ['A cat .', 'A bird .']],
    ])
    expect(
      read.captions.map(({ image, text, ratings }) => [image, text, ratings.map(({ value }) => value)]),
    ).toEqual([
      [0, 'A bird .', [1, 2, 4]],
      [1, 'A man .', [1, 1, 1]],
    ])
  })

  test('a rating of CrowdFlower is the share of votes, as in published figures; captions are beside the file, whose name says nothing', () => {
    write('Flickr8k.token.txt', TOKENS)
    const file = write(
      'votes.data',
      'a.jpg\tb.jpg#0\t0.333333333333333\t1\t2\na.jpg\ta.jpg#0\t1\t3\t0\nc.jpg\tb.jpg#0\t0\t0\t4\n',
    )
    const { captions: judged, ownCaptionCount } = readJudgements(file)
    expect(ownCaptionCount).toBe(1)
    expect(judged.map(({ ratings }) => ratings.map(({ value }) => value))).toEqual([[1 / 3], [0]])
  })

  test('line ends of Windows, spaces at ends, and the image whose file has another ending', () => {
    const tokens = write('windows.txt', 'a.jpg#0\tA dog . \r\nb.jpg.1#0\tpeople waiting for the subway\r\n')
    const file = write(
      'ExpertAnnotations2.txt',
      'a.jpg\tb.jpg.1#0\t1\t1\t2\r\nb.jpg\ta.jpg#0 \t1\t3\t4 \r\n\r\n',
    )
    const { images, captions: judged } = readFlickr8kJudgements(file, tokens)
    expect(images.map(({ externalId, references }) => [externalId, references])).toEqual([
      ['a', ['A dog .']],
      ['b', ['people waiting for the subway']],
    ])
    expect(judged.map(({ text, ratings }) => [text, ratings[2].value])).toEqual([
      ['people waiting for the subway', 2],
      ['A dog .', 4],
    ])
  })

  test.each([
    [
      'a rating that is not a number',
      'a.jpg\tb.jpg#1\t1\tx\t4\n',
      'INVALID_VALUE bad.txt: line 1: invalid rating: expected an integer from 1 to 4, or a share of votes and their numbers, found "x"',
    ],
    [
      'a rating beyond the scale',
      'a.jpg\tb.jpg#1\t1\t0.5\t4\n',
      'INVALID_VALUE bad.txt: line 1: invalid rating: expected an integer from 1 to 4, or a share of votes and their numbers, found "0.5"',
    ],
    [
      'a line with few columns',
      'a.jpg\tb.jpg#1\t1\n',
      'INVALID_SHAPE bad.txt: line 1: wrong shape: expected 5 columns separated by tabs, found 3',
    ],
    [
      'an image without captions',
      'z.jpg\tb.jpg#1\t1\t1\t1\n',
      'UNKNOWN_IMAGE bad.txt: line 1: unknown image: expected one of tokens.txt, found "z.jpg"',
    ],
    [
      'a caption that is not there',
      'a.jpg\tb.jpg#7\t1\t1\t1\n',
      'UNKNOWN_IMAGE bad.txt: line 1: unknown caption: expected one of tokens.txt, found "b.jpg#7"',
    ],
    [
      'a caption without a number',
      'a.jpg\tb.jpg#1x\t1\t1\t1\n',
      'UNKNOWN_IMAGE bad.txt: line 1: unknown caption: expected one of tokens.txt, found "b.jpg#1x"',
    ],
  ])('%s is refused', (_what, content, expected) => {
    const file = write('bad.txt', content)
    expect(failure(() => readFlickr8kJudgements(file, captions))).toBe(expected)
  })

  test.each([
    [
      'a count that is not one',
      '0.5\t1\t1.5',
      'invalid number of votes: expected an integer from 0 to 1000, found "1.5"',
    ],
    [
      'a count that is absurd',
      '0.5\t1\t1001',
      'invalid number of votes: expected an integer from 0 to 1000, found "1001"',
    ],
    [
      'another share',
      '0.5\t1\t2',
      'invalid share of votes: expected first votes / all votes, found "0.5" with 1 and 2 votes',
    ],
    [
      'no vote',
      '0\t0\t0',
      'invalid share of votes: expected first votes / all votes, found "0" with 0 and 0 votes',
    ],
  ])('%s of CrowdFlower is refused', (_what, votes, expected) => {
    const file = write('crowdflower.txt', `a.jpg\tb.jpg#0\t${votes}\n`)
    expect(failure(() => readFlickr8kJudgements(file, captions))).toBe(
      `INVALID_VALUE crowdflower.txt: line 1: ${expected}`,
    )
  })
})
