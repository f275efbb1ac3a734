import { describe, expect, test } from 'vitest'
import { readJudgements } from '../../../src/formats/judgements/judgement-file.js'
import { matFile } from '../../kit/mat.js'
import { temporaryFolder } from '../kit.js'

/** Judgements in the formats of those who publish them. Names of files say nothing. */

const { write, failure } = temporaryFolder()

let files = 0
const fileOf = (content: string | Buffer) => write(`${++files}.data`, content)

/** What a file has, in short. */
function shortened(content: string, captions?: string) {
  const read = readJudgements(fileOf(content), {
    captions: captions === undefined ? undefined : fileOf(captions),
  })
  return {
    images: read.images.map(({ externalId, references }) => [externalId, references]),
    captions: read.captions.map(({ image, text, system, ratings }) => [
      read.images[image].externalId,
      text,
      system,
      ratings.map(({ rater, value }) => (rater === null ? value : [rater, value])),
    ]),
    preferences: read.preferences.map(({ first, preferred }) => [first, preferred]),
    missing: read.missingRatingCount,
  }
}

const lines = (...records: readonly object[]) => records.map((record) => JSON.stringify(record)).join('\n')

describe('JSON Lines of ratings', () => {
  const rated = (caption: string) =>
    `{"image_id": "1", "references": ["a man"], "captions": [{"caption": "x", ${caption}}]}`

  test.each([
    ['as text', '"ratings": ["3", " 4.5 "]', [3, 4.5], 0],
    ['one of them', '"rating": 3', [3], 0],
    ['NaN', '"ratings": [NaN, 2]', [2], 1],
    ['NaN, with the word in the caption', '"note": "NaN, NaN", "ratings": [1, NaN, null]', [1], 2],
  ])('%s', (_what, caption, ratings, missing) => {
    expect(shortened(rated(caption))).toMatchObject({ captions: [['1', 'x', null, ratings]], missing })
  })

  test('of an empty caption', () => {
    const file = '{"image_id": 1, "references": ["a"], "captions": [{"caption": "", "ratings": [1]}]}'
    expect(shortened(file).captions).toEqual([['1', '', null, [1]]])
  })
})

test('CLIPScore and PAC-S: ratings of equal captions are those of one, NaN is missing', () => {
  const judged = (...ratings: readonly string[]) =>
    ratings.map((rating) => `{"image_path": "9.jpg", "caption": "a dog", "rating": ${rating}}`).join(', ')
  const content =
    `{"1": {"image_path": "1.jpg", "ground_truth": ["a man", "people"], "human_judgement": [${judged('1.0', '2.0', 'NaN')}]},` +
    ` "2": {"ground_truth": ["a NaN"], "human_judgement": [${judged('0.25')}, {"caption": "a cat", "rating": 1}]}}`
  expect(shortened(content)).toEqual({
    images: [
      ['1', ['a man', 'people']],
      ['2', ['a NaN']],
    ],
    captions: [
      ['1', 'a dog', null, [1, 2]],
      ['2', 'a dog', null, [0.25]],
      ['2', 'a cat', null, [1]],
    ],
    preferences: [],
    missing: 1,
  })
})

describe('tables', () => {
  test('Composite: several captions in a row; the image is the end of its address; workers are raters', () => {
    const content =
      'HITId,WorkerId,Input.image_url,Input.text1,Input.text2,Answer.choice1,Answer.choice2\n' +
      'X,W1,http://x/val/1.jpg,a dog runs,a cat,4,\nY,W2,http://x/val/1.jpg,a dog runs,a cat,5,2\n'
    expect(shortened(content)).toMatchObject({
      images: [['1.jpg', null]],
      captions: [
        [
          '1.jpg',
          'a dog runs',
          null,
          [
            ['W1', 4],
            ['W2', 5],
          ],
        ],
        ['1.jpg', 'a cat', null, [['W2', 2]]],
      ],
      missing: 1,
    })
  })

  test('Polaris and Nebula: a rating in each row, references as a list', () => {
    const content =
      ',mt,refs,score,imgid\n0,"a dog runs","[\'a dog\', ""the dog\'s running""]",0.75,1.jpg\n' +
      '1,"a dog runs","[\'a dog\', ""the dog\'s running""]",0.5,1.jpg\n'
    expect(shortened(content)).toMatchObject({
      images: [['1.jpg', ['a dog', "the dog's running"]]],
      captions: [['1.jpg', 'a dog runs', null, [0.75, 0.5]]],
    })
  })

  test('Polaris in lines and as a list', () => {
    const record = { mt: 'a dog runs', refs: ['a dog', 'the dog'], score: 0.75, imgid: '1.jpg' }
    for (const content of [
      lines(record, { ...record, score: 0.5 }),
      JSON.stringify([record, { ...record, score: 0.5 }]),
    ]) {
      expect(shortened(content)).toMatchObject({
        images: [['1.jpg', ['a dog', 'the dog']]],
        captions: [['1.jpg', 'a dog runs', null, [0.75, 0.5]]],
      })
    }
  })

  test('a column for each rater, in the order of their numbers', () => {
    const content = 'image_id,caption,rater2,rater10,rater1\n1,a dog,2,,3\n1,a cat,NaN,5,1\n'
    expect(shortened(content)).toMatchObject({
      captions: [
        [
          '1',
          'a dog',
          null,
          [
            ['rater2', 2],
            ['rater1', 3],
          ],
        ],
        [
          '1',
          'a cat',
          null,
          [
            ['rater10', 5],
            ['rater1', 1],
          ],
        ],
      ],
      missing: 2,
    })
    const columns = { rating: 'by_*' }
    const named = readJudgements(fileOf('image,caption,by_ben,by_anna\n1,a dog,2,3\n'), { columns })
    expect(named.captions[0].ratings).toEqual([
      { rater: 'by_anna', value: 3 },
      { rater: 'by_ben', value: 2 },
    ])
  })

  test('a column for each rater, none where the rating that is named does not exist', () => {
    const file = fileOf('image_id,caption,rater1,rater2\n1,a dog,2,3\n')
    expect(readJudgements(file, {}).captions[0].ratings).toHaveLength(2)
    expect(failure(() => readJudgements(file, { columns: { rating: 'quality' } }))).toContain(
      'unknown format',
    )
  })

  test('preferences, by number, system or tie; without an answer they are missing', () => {
    const winners = ['1', 'caption2', 'B', 'tie', 'skip', 'bad', '']
    const content = `image,caption1,caption2,model1,model2,winner,category\n${winners
      .map((winner) => `1,x,y,A,B,${winner},HM\n`)
      .join('')}`
    expect(shortened(content)).toMatchObject({
      images: [['1', null]],
      preferences: [0, 1, 1, null].map((preferred, index) => [2 * index, preferred]),
      missing: 3,
    })
    expect(readJudgements(fileOf(content)).preferences[0].category).toBe('HM')
    const numbered =
      "image_id;refs;caption_1;caption_2;preferred\n1;\"['a', 'b']\";x;y;0\n1;\"['a', 'b']\";x;y;1\n"
    expect(shortened(numbered)).toMatchObject({
      images: [['1', ['a', 'b']]],
      preferences: [
        [0, 0],
        [2, 1],
      ],
    })
    const file = fileOf('image,caption1,caption2,winner\n1,x,y,C\n')
    expect(failure(() => readJudgements(file))).toContain(
      'line 2, winner: wrong shape: expected model_a, model_b or tie',
    )
  })

  test('of anyone, with tabs and a header in any case', () => {
    const content = 'Image_ID\tSystem\tCaption\tRating\n7\tmine\ta "dog"\t3\n'
    expect(shortened(content)).toMatchObject({
      images: [['7', null]],
      captions: [['7', 'a "dog"', 'mine', [3]]],
    })
  })

  test.each([
    [
      'a rating that is no number',
      'image_id,caption,rating\n1,a,good\n',
      'INVALID_SHAPE FILE: line 2, rating: wrong shape: expected a number or null, found the string "good"',
    ],
    [
      'other references of an image',
      'image_id,caption,rating,refs\n1,a,1,b\n1,c,1,d\n',
      'INVALID_SHAPE FILE: line 3, references: wrong shape: expected the same references in all lines of an image, found others',
    ],
    [
      'a table of something else',
      'image_id,caption\n1,a\n',
      'INVALID_SHAPE FILE: line 1: unknown format: expected JSON Lines of ratings or preferences, a published file (see accord import judgements --help), or CSV or TSV with a header (image_id, caption, rating; --columns names others), found "image_id,caption"',
    ],
  ])('%s is refused', (_what, content, expected) => {
    const file = fileOf(content)
    expect(failure(() => readJudgements(file))).toBe(expected.replace('FILE', `${files}.data`))
  })
})

describe('THumB', () => {
  const records = lines(
    { SYS: 'S-A', seg_id: '1', set_id: 5, hyp: 'a group', image: '1.jpg', P: 4, R: 3, human_score: 3.4 },
    { SYS: 'Human', seg_id: '1', set_id: 5, hyp: 'a man', image: '1.jpg', P: 5, R: 3, human_score: 4 },
  )

  test('with the references of its other file, or those of a dataset', () => {
    const captions = [
      ['1.jpg', 'a group', 'S-A', [3.4]],
      ['1.jpg', 'a man', 'Human', [4]],
    ]
    const references = lines({ seg_id: '1', set_id: 5, refs: ['people', 'a man rides'] })
    expect(shortened(records, references)).toMatchObject({
      images: [['1.jpg', ['people', 'a man rides']]],
      captions,
    })
    expect(shortened(records)).toMatchObject({ images: [['1.jpg', null]], captions })
  })

  test('a segment without references is refused', () => {
    const file = fileOf(records)
    const captions = fileOf(lines({ seg_id: '2', refs: ['a'] }))
    expect(failure(() => readJudgements(file, { captions }))).toMatch(
      /^INVALID_SHAPE \d+\.data: line 1, seg_id: wrong shape: expected a segment with references in the file of captions, found "1"$/,
    )
  })
})

test('CapArena: battles of systems, with ties, in lines or a list', () => {
  const battle = { image: '1', caption1: 'x', caption2: 'y', model1: 'A', model2: 'B' }
  const sources = { img: '1', caption1: 'x', caption2: 'y', source1: 'A', source2: 'B' }
  const records = [
    ...['model_a', 'model_b', 'tie', 'tie (bothbad)', 'B'].map((winner) => ({ ...battle, winner })),
    ...['A', 'equal'].map((winner) => ({ ...sources, winner })),
  ]
  const expected = {
    images: [['1', null]],
    preferences: [0, 1, null, null, 1, 0, null].map((preferred, index) => [2 * index, preferred]),
  }
  expect(shortened(lines(...records))).toMatchObject(expected)
  expect(shortened(JSON.stringify(records))).toMatchObject(expected)
  expect(shortened(lines(records[0])).captions).toEqual([
    ['1', 'x', 'A', []],
    ['1', 'y', 'B', []],
  ])
  const unanswered = ['skip', 'bad', null].map((winner) => ({ ...battle, winner }))
  expect(shortened(lines(...unanswered, records[0]))).toMatchObject({ preferences: [[0, 0]], missing: 3 })
  const file = fileOf(lines({ ...battle, winner: 'C' }))
  expect(failure(() => readJudgements(file))).toContain(
    'line 1, winner: wrong shape: expected A, B, model_a, model_b or tie, found the string "C"',
  )
})

describe('FOIL', () => {
  const original = { id: 7, image_id: 1, caption: 'a dog', foil: false, foil_id: 0, target_word: 'ORIG' }
  const foil = { id: 7, image_id: 1, caption: 'a cat', foil: true, foil_id: 1, target_word: 'dog' }
  const foilFile = (...annotations: readonly object[]) =>
    JSON.stringify({ info: {}, images: [{ id: 1, file_name: 'a.jpg' }], annotations })

  test('a caption is preferred to each of its foils, on the captions of a dataset', () => {
    expect(shortened(foilFile({ ...foil, foil_id: 2, caption: 'a bird' }, original, foil))).toMatchObject({
      images: [['1', null]],
      captions: [
        ['1', 'a dog', null, []],
        ['1', 'a bird', null, []],
        ['1', 'a dog', null, []],
        ['1', 'a cat', null, []],
      ],
      preferences: [
        [0, 0],
        [2, 0],
      ],
    })
  })

  test('a foil without its caption is refused', () => {
    const file = fileOf(foilFile({ ...original, id: 8 }, foil))
    expect(failure(() => readJudgements(file))).toContain(
      'annotations[1].id: a foil without its caption: expected the id of a caption of the same image with "foil": false, found "7"',
    )
  })
})

describe('PASCAL-50S, MAT-files of level 5', () => {
  const structures = (fields: readonly string[], elements: readonly (readonly [])[] | readonly unknown[][]) =>
    ({ fields, elements }) as { fields: readonly string[]; elements: readonly (readonly string[])[] }
  const pairs = structures(
    ['image', 'first', 'second'],
    [
      ['2008_1.jpg', 'a dog ', 'a cat'],
      ['2008_2.jpg', 'A man.', 'Two men.'],
    ],
  )
  const cell = (text: string) => ({ cells: [text] })
  const vote = (reference: string, choice: number) => [cell(reference), cell('x'), cell('y'), choice]
  const triplets = structures(
    ['a', 'b', 'c', 'winner'],
    [vote('one dog', 1), vote('dogs', 1), vote('a man', -1), vote('Männer', 1)],
  )
  const pairFile = () => fileOf(matFile({ new_data: [1, 2], new_input: pairs, category: [1, 4] }))

  test('pairs with their category, and votes for references', () => {
    const read = readJudgements(pairFile(), { captions: fileOf(matFile({ triplets })) })
    expect(read.images.map(({ externalId, references }) => [externalId, references])).toEqual([
      ['2008_1', ['one dog', 'dogs']],
      ['2008_2', ['a man', 'Männer']],
    ])
    expect(read.captions.map(({ text }) => text)).toEqual(['a dog', 'a cat', 'A man.', 'Two men.'])
    expect(read.preferences.map(({ preferred, category }) => [preferred, category])).toEqual([
      [0, 'HC'],
      [null, 'MM'],
    ])
  })

  test('the two files swapped, and a damaged one, are refused', () => {
    const file = fileOf(matFile({ triplets }))
    const captions = pairFile()
    expect(failure(() => readJudgements(file, { captions }))).toContain(
      'expected the variable new_input of PASCAL-50S, found triplets',
    )
    const whole = matFile({ triplets })
    for (let length = 129; length < whole.length; length += 7) {
      const damaged = fileOf(whole.subarray(0, length))
      expect(failure(() => readJudgements(damaged, { captions }))).toMatch(
        /^INVALID_VALUE .*: not a MAT-file that is read: expected a complete MAT-file of level 5, found a damaged one$/,
      )
    }
  })

  test('a variable that says it has more elements than bytes is refused', () => {
    const hostile = matFile({ triplets: structures(['a'], []) })
    const variable = Buffer.alloc(56)
    variable.writeUInt32LE(14, 0)
    variable.writeUInt32LE(48, 4)
    variable.writeUInt32LE(6, 8)
    variable.writeUInt32LE(8, 12)
    variable.writeUInt32LE(1, 16)
    variable.writeUInt32LE(5, 24)
    variable.writeUInt32LE(8, 28)
    variable.writeInt32LE(0x7fffffff, 32)
    variable.writeInt32LE(0x7fffffff, 36)
    const file = fileOf(Buffer.concat([hostile.subarray(0, 128), variable]))
    expect(failure(() => readJudgements(file, { captions: file }))).toContain('found a damaged one')
  })
})

describe('ratings with other columns than the usual ones', () => {
  const columns = { image: 'pic', caption: 'said', rating: 'stars.mean', references: 'gold', rater: 'who' }
  const record = (said: string, stars: number, who: string) => ({
    pic: 7,
    said,
    'stars.mean': stars,
    gold: ['a dog'],
    who,
  })
  const records = [record('the dog', 4, 'ann'), record('the dog', 2, 'ben'), record('a cat', 1, 'ann')]
  const expected = [
    [
      '7',
      'the dog',
      null,
      [
        ['ann', 4],
        ['ben', 2],
      ],
    ],
    ['7', 'a cat', null, [['ann', 1]]],
  ]

  test.each([
    ['JSON Lines', lines(...records)],
    [
      'JSON Lines with a path',
      lines(...records.map(({ 'stars.mean': mean, ...rest }) => ({ ...rest, stars: { mean } }))),
    ],
    ['a list', JSON.stringify(records)],
    ['one line', lines(records[0])],
    [
      'CSV',
      `pic,said,stars.mean,gold,who\n${records.map(({ pic, said, who, ...rest }) => `${pic},${said},${rest['stars.mean']},['a dog'],${who}`).join('\n')}\n`,
    ],
  ])('are read from %s', (what, content) => {
    const { images, captions } = readJudgements(fileOf(content), { columns })
    expect(images.map(({ externalId, references }) => [externalId, references])).toEqual([['7', ['a dog']]])
    const found = captions.map(({ text, system, ratings }) => [
      '7',
      text,
      system,
      ratings.map(({ rater, value }) => [rater, value]),
    ])
    expect(found).toEqual(what === 'one line' ? [['7', 'the dog', null, [['ann', 4]]]] : expected)
  })

  test('are refused where the file does not have them', () => {
    const read = (content: string) => failure(() => readJudgements(fileOf(content), { columns }))
    expect(read('image_id,caption,rating\n1,a dog,2\n')).toMatch(/^INVALID_SHAPE .*unknown format/)
    expect(read('{"image_id": 1, "caption": "a dog", "rating": 2}')).toMatch(/^INVALID_SHAPE .*line 1, pic: /)
  })
})
