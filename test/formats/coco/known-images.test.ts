import { describe, expect, it } from 'vitest'
import { checkResults } from '../../../src/formats/coco/coco-results.js'
import { matchImages } from '../../../src/formats/coco/known-images.js'
import { failureOf } from '../kit.js'

/** Images by id, with the names of their files. */
function described(files: Readonly<Record<string, string | null>>, uncaptioned: readonly string[] = []) {
  const named = Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== null)
  return { ids: new Set(Object.keys(files)), fileNames: new Map(named), uncaptioned: new Set(uncaptioned) }
}

const BY_ID = described({ 139: null, 285: null, 32: null })
const NAMED = described({ a: 'val/COCO_val2014_000000000139.jpg', b: 'val/COCO_val2014_000000000285.jpg' })
const MIXED = described({ 0: 'img_139.jpg', 139: 'img_285.jpg' })
/** The file of an image has the number of another one’s id. */
const ROTATED = described({ 1: '2.tif', 2: '3.tif', 3: '1.tif' })

const match = (names: readonly string[], images = BY_ID, options = {}) =>
  matchImages(names, images, { source: 'ours', ...options })

describe('images are found by', () => {
  it.each([
    ['their ids', 'id', BY_ID, ['139'], ['139']],
    ['their padded ids', 'number', BY_ID, ['000000000139', '000000000032'], ['139', '32']],
    ['their ids with decimals', 'number', BY_ID, ['139.0', '285.00', '139.5'], ['139', '285', undefined]],
    ['their ids, of which some have decimals', 'number', BY_ID, ['139.0', '285'], ['139', '285']],
    [
      'the numbers of COCO’s file names, of any part',
      'number',
      BY_ID,
      ['COCO_val2014_000000000139.jpg', '/x/COCO_train2014_000000000285.jpg'],
      ['139', '285'],
    ],
    ['file names that are ids with an extension', 'stem', BY_ID, ['139.jpg', 'x/285.png'], ['139', '285']],
    ['their file names', 'name', NAMED, ['val/COCO_val2014_000000000139.jpg'], ['a']],
    [
      'their file names without folder or extension',
      'stem',
      NAMED,
      [
        'COCO_val2014_000000000139.jpg',
        'COCO_val2014_000000000285',
        '/data/val/COCO_val2014_000000000139.png',
      ],
      ['a', 'b', 'a'],
    ],
    ['the numbers of file names, where ids are none', 'number', NAMED, ['139', '000000000285'], ['a', 'b']],
    ['no numbers of file names, where ids are numbers', 'id', MIXED, ['285'], [undefined]],
    ['no ids, where names have the numbers', 'number', MIXED, ['x_139.jpg'], ['0']],
    [
      'file names of another format, whose numbers are other ids',
      'stem',
      ROTATED,
      ['3.png', '1.png'],
      ['2', '3'],
    ],
    ['file names, whose numbers are other ids', 'name', ROTATED, ['3.tif', '1.tif'], ['2', '3']],
    [
      'paths of another format, where several images have a name',
      'stem',
      described({ a: 'x/1.jpg', b: 'y/1.jpg' }),
      ['y/1.png', 'x\\1.png', '1.png'],
      ['b', 'a', undefined],
    ],
    [
      'no name of two images',
      'id',
      described({ a: 'x/1.jpg', b: 'y/1.jpg' }),
      ['1.jpg', '1'],
      [undefined, undefined],
    ],
    [
      'no numbers, where names differ before them',
      'id',
      described({ ab_12: null, cd_13: null }),
      ['12'],
      [undefined],
    ],
    [
      'no numbers, where the names of the file differ',
      'number',
      BY_ID,
      ['a_139', 'b_285'],
      ['139', undefined],
    ],
    [
      'the numbers of most names of the file',
      'number',
      BY_ID,
      ['a_139', 'b_285', 'b_32'],
      [undefined, '285', '32'],
    ],
    [
      'no parts of other names',
      'id',
      BY_ID,
      ['1390', '39', '', 'x'],
      [undefined, undefined, undefined, undefined],
    ],
    [
      'no names in other folders',
      'id',
      described({ 'dog/1.jpg': null, 'dog/2.jpg': null }),
      ['cat/1.jpg', 'cat/2.jpg'],
      [undefined, undefined],
    ],
    [
      'one rule: names of another kind are of no image',
      'id',
      MIXED,
      ['139', '0', 'img_139.jpg'],
      ['139', '0', undefined],
    ],
  ])('%s', (_, rule, images, names, found) => {
    const { find, ...matching } = match(names, images)
    expect(names.map(find)).toEqual(found)
    expect(matching).toMatchObject({
      match: rule,
      imageCount: found.filter((image) => image !== undefined).length,
    })
  })

  it('a rule that is given, which leaves folders out', () => {
    const find = (rule: string, name: string, images = ROTATED) =>
      match([name], images, { match: rule }).find(name)
    expect(['id', 'name', 'stem', 'number'].map((rule) => find(rule, '3'))).toEqual([
      '3',
      undefined,
      '2',
      '3',
    ])
    expect(['id', 'name', 'stem', 'number'].map((rule) => find(rule, 'x/3.tif'))).toEqual([
      undefined,
      undefined,
      '2',
      '2',
    ])
    const folders = described({ 'dog/1.jpg': null, 'dog/2.jpg': null })
    expect(['stem', 'number'].map((rule) => find(rule, 'cat/2.jpg', folders))).toEqual([
      'dog/2.jpg',
      'dog/2.jpg',
    ])
  })

  it('no rule where another one finds as many others, unless the file calls them ids', () => {
    expect(failureOf(() => match(['1', '2', '3'], ROTATED))).toBe(
      'INVALID_VALUE ours: two rules match other images: expected the rule: --match id, name, stem or number,' +
        ' found "1", which is 1 (2.tif) by id, and 3 (1.tif) by file name without folder and extension',
    )
    const { find } = match(['1', '2', '3'], ROTATED, { areIds: true })
    expect(find('1')).toBe('1')
    expect(
      match(['1', '2', '3', '4'], described({ 0: '1.tif', 1: '2.tif', 2: '3.tif', 3: '4.tif' })).match,
    ).toBe('stem')
  })

  it('no number that can be Karpathy’s imgid', () => {
    const images = described({ '1.tif': '1.tif', '2.tif': '2.tif', '3.tif': '3.tif' })
    const counted = {
      ...images,
      imgids: new Map([
        ['1.tif', '0'],
        ['2.tif', '1'],
        ['3.tif', '2'],
      ]),
    }
    expect(match(['1', '2'], images).match).toBe('stem')
    const refusal = (names: readonly string[]) => failureOf(() => match(names, counted))
    expect(refusal(['1', '2'])).toMatch(
      /^INVALID_VALUE .* found "1", which is 1.tif by file name without folder and extension, and 2.tif by imgid$/,
    )
    expect(refusal(['0', '1', '2'])).toMatch(/ found "0", which is no image by .*, and 1.tif by imgid$/)
    expect(match(['1', '2', '3'], counted).match).toBe('stem')
    expect(match(['1', '2'], counted, { match: 'stem' }).find('1')).toBe('1.tif')
    const same = {
      ...images,
      imgids: new Map([
        ['1.tif', '1'],
        ['2.tif', '2'],
        ['3.tif', '3'],
      ]),
    }
    expect(match(['1', '2'], same).find('1')).toBe('1.tif')
  })

  it('what is shown: the rule, the number and three of them', () => {
    const { match: rule, imageCount, pairs } = match(['3.png', '3.png', '1.png', '2.png', 'x'], ROTATED)
    expect({ rule, imageCount, pairs }).toEqual({
      rule: 'stem',
      imageCount: 4,
      pairs: [
        { name: '3.png', imageId: '2', fileName: '3.tif' },
        { name: '1.png', imageId: '3', fileName: '1.tif' },
        { name: '2.png', imageId: '1', fileName: '2.tif' },
      ],
    })
  })
})

describe('captions of a system', () => {
  const check = (captions: Readonly<Record<string, string>>, allowed = {}, images = BY_ID) => {
    const found: string[] = []
    const submitted = Object.entries(captions).map(([imageId, text]) => ({ imageId, text }))
    const coverage = { source: 'ours', isMissingAllowed: false, ...allowed }
    const checked = checkResults(submitted, images, coverage, (id, text) => found.push(`${id} ${text}`))
    return { ...checked, found }
  }

  it('have the ids of their images, and a note of how these were found', () => {
    const image = (name: string, imageId: string) => ({ name, imageId, fileName: null })
    expect(check({ '139.0': 'a dog', '285.0': 'a cat', 32: 'a bird' })).toEqual({
      missing: [],
      found: ['32 a bird', '139 a dog', '285 a cat'],
      matching: {
        match: 'number',
        imageCount: 3,
        pairs: [image('32', '32'), image('139.0', '139'), image('285.0', '285')],
      },
      notes: [
        '3 images matched by number at the end of the name: "32" is 32, "139.0" is 139, "285.0" is 285.',
      ],
    })
    expect(check({ 139: 'a', 285: 'b', 32: 'c' }).notes).toEqual(['3 images matched by id: 32, 139, 285.'])
  })

  it('that are empty or an id are counted', () => {
    expect(check({ 139: ' ', 285: '285', '00032': '32' }).notes.slice(1)).toEqual([
      '1 caption is empty.',
      '2 captions are the ids of their images.',
    ])
    expect(check({ 139: '', 285: '', 32: '' }).notes).toEqual([
      '3 images matched by id: 32, 139, 285.',
      '3 captions are empty.',
    ])
  })

  it('that are “nan” are counted', () => {
    expect(check({ 139: 'nan', 285: ' NaN ', 32: 'a nan' }).notes.slice(1)).toEqual([
      '2 captions are “nan”, as pandas writes missing values; they are scored as that word.',
    ])
    expect(check({ 139: 'nan', 285: 'a', 32: 'b' }).notes.slice(1)).toEqual([
      '1 caption is “nan”, as pandas writes a missing value; it is scored as that word.',
    ])
  })

  it('of other images are refused, or left out and counted', () => {
    const captions = { 139: 'a', 285: 'b', 32: 'c', 999: 'd' }
    expect(failureOf(() => check(captions))).toBe(
      'UNKNOWN_IMAGE ours: unknown image: expected the id of an image of the dataset, found "999"',
    )
    expect(failureOf(() => check({ '139.jpg': 'a', '285.jpg': 'b', x: 'c' }))).toBe(
      'UNKNOWN_IMAGE ours: unknown image: expected the file name without folder and extension of an image, as 2 others of the file, found "x"',
    )
    const { found, notes } = check(captions, { isExtraAllowed: true })
    expect(found).toHaveLength(3)
    expect(notes.slice(1)).toEqual(['1 caption of an image that the dataset does not have was left out.'])
    expect(failureOf(() => check({ 998: 'a' }, { isExtraAllowed: true, isMissingAllowed: true }))).toMatch(
      /^MISSING_IMAGES /,
    )
  })

  it('are not missing for images without human captions', () => {
    const images = described({ 1: null, 2: null, 3: null }, ['3'])
    expect(check({ 1: 'a', 2: 'b' }, {}, images).missing).toEqual([])
    expect(check({ 1: 'a', 2: 'b', 3: 'c' }, {}, images).found).toHaveLength(3)
    expect(failureOf(() => check({ 1: 'a', 3: 'c' }, {}, images))).toBe(
      'MISSING_IMAGES ours: images are missing: expected all 2 images of the dataset with captions, found 1, without 2',
    )
  })
})
