import { describe, expect, it } from 'vitest'
import { checkResults } from '../../../src/formats/coco/coco-results.js'
import { createImageFinder } from '../../../src/formats/coco/known-images.js'
import { failureOf } from '../kit.js'

/** Images by id, with the names of their files. */
function described(files: Readonly<Record<string, string | null>>, uncaptioned: readonly string[] = []) {
  const named = Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== null)
  return { ids: new Set(Object.keys(files)), fileNames: new Map(named), uncaptioned: new Set(uncaptioned) }
}

const BY_ID = described({ 139: null, 285: null, 32: null })
const NAMED = described({ a: 'val/COCO_val2014_000000000139.jpg', b: 'val/COCO_val2014_000000000285.jpg' })
const MIXED = described({ 0: 'img_139.jpg', 139: 'img_285.jpg' })

describe('an image is found by', () => {
  it.each([
    ['its id', BY_ID, ['139'], ['139']],
    ['its id before all else', MIXED, ['139', 'img_139.jpg'], ['139', '0']],
    ['its padded id', BY_ID, ['000000000139', '000000000032'], ['139', '32']],
    ['its id with decimals', BY_ID, ['139.0', '285.00', '139.5'], ['139', '285', undefined]],
    [
      'the number of COCO’s file name, of any part',
      BY_ID,
      ['COCO_val2014_000000000139.jpg', '/x/COCO_train2014_000000000285.jpg'],
      ['139', '285'],
    ],
    ['a file name that is its id with an extension', BY_ID, ['139.jpg', 'x/285.png'], ['139', '285']],
    ['its file name', NAMED, ['val/COCO_val2014_000000000139.jpg'], ['a']],
    [
      'its file name without folder or extension',
      NAMED,
      ['COCO_val2014_000000000139.jpg', 'COCO_val2014_000000000285', '/data/COCO_val2014_000000000139.png'],
      ['a', 'b', 'a'],
    ],
    ['the number of its file name, where ids are none', NAMED, ['139', '000000000285'], ['a', 'b']],
    ['no number of a file name, where ids are numbers', MIXED, ['285'], [undefined]],
    ['no id, where names have the number', MIXED, ['x_139.jpg'], ['0']],
    [
      'no name of two images',
      described({ a: 'x/1.jpg', b: 'y/1.jpg' }),
      ['1.jpg', '1', 'x/1.jpg'],
      [undefined, undefined, 'a'],
    ],
    ['no number, where names differ before it', described({ ab_12: null, cd_13: null }), ['12'], [undefined]],
    ['no number, where the names of the file differ', BY_ID, ['a_139', 'b_285'], ['139', undefined]],
    ['no part of another name', BY_ID, ['1390', '39', '', 'x'], [undefined, undefined, undefined, undefined]],
  ])('%s', (_, images, names, found) => {
    const find = createImageFinder(images)
    expect(names.map((name) => find(name)?.imageId)).toEqual(found)
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
    expect(check({ '139.0': 'a dog', '285.0': 'a cat', 32: 'a bird' })).toEqual({
      missing: [],
      found: ['32 a bird', '139 a dog', '285 a cat'],
      notes: ['Images were found by their id (1), number at the end of the name (2).'],
    })
    expect(check({ 139: 'a', 285: 'b', 32: 'c' }).notes).toEqual([])
  })

  it('that are empty or an id are counted', () => {
    expect(check({ 139: ' ', 285: '285', '00032': '32' }).notes.slice(1)).toEqual([
      '1 caption is empty.',
      '2 captions are the ids of their images.',
    ])
    expect(check({ 139: '', 285: '', 32: '' }).notes).toEqual(['3 captions are empty.'])
  })

  it('of other images are refused, or left out and counted', () => {
    const captions = { 139: 'a', 285: 'b', 32: 'c', 999: 'd' }
    expect(failureOf(() => check(captions))).toBe(
      'UNKNOWN_IMAGE ours: unknown image: expected the id of an image of the dataset, found "999"',
    )
    const { found, notes } = check(captions, { isExtraAllowed: true })
    expect(found).toHaveLength(3)
    expect(notes).toEqual(['1 caption of an image that the dataset does not have was left out.'])
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
