import { mkdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { listFiles, readScenes } from '../../../src/formats/coco/scenes.js'
import { failureOf, temporaryFolder } from '../kit.js'

const files = temporaryFolder()
let folders = 0

const DOG = { id: 1, category: 'dog.n.01', box: [10, 20, 30, 40], attributes: ['brown'] }
const SCENE = {
  id: 'park-01',
  width: 100,
  height: 80,
  objects: [DOG, { id: 2, category: 'dog.n.01', box: [0, 0, 100, 80], attributes: [] }],
  captions: ['Two [dogs](1,2) and a brown [dog](1)', 'Nothing to see'],
  systems: { strong: 'a [dog](1)', weak: 'a dog' },
}

/** A folder with the given files. */
function folderOf(contents: Record<string, string | object>): string {
  const name = `scenes-${++folders}`
  mkdirSync(files.path(name))
  for (const [file, content] of Object.entries(contents)) files.write(`${name}/${file}`, content)
  return files.path(name)
}

describe('readScenes', () => {
  it('reads boxes, captions and mentions', () => {
    const [scene] = readScenes(folderOf({ 'park.json': [SCENE] }))
    expect(scene).toEqual({
      imageId: 'park-01',
      width: 100,
      height: 80,
      boxes: [
        { id: '1', concept: 'dog.n.01', bbox: [10, 20, 30, 40], attributes: ['brown'] },
        { id: '2', concept: 'dog.n.01', bbox: [0, 0, 100, 80], attributes: [] },
      ],
      captions: [
        {
          id: 'park-01#1',
          imageId: 'park-01',
          mentions: ['1', '2', '1'],
          sentence: {
            text: 'Two dogs and a brown dog',
            mentions: [
              { start: 4, end: 8, text: 'dogs', boxIds: ['1', '2'] },
              { start: 21, end: 24, text: 'dog', boxIds: ['1'] },
            ],
          },
        },
        {
          id: 'park-01#2',
          imageId: 'park-01',
          mentions: [],
          sentence: { text: 'Nothing to see', mentions: [] },
        },
      ],
      systems: new Map([
        [
          'strong',
          {
            imageId: 'park-01',
            mentions: ['1'],
            sentence: { text: 'a dog', mentions: [{ start: 2, end: 5, text: 'dog', boxIds: ['1'] }] },
          },
        ],
        ['weak', { imageId: 'park-01', mentions: [], sentence: { text: 'a dog', mentions: [] } }],
      ]),
    })
  })

  it('orders scenes by file name and position in the file', () => {
    const folder = folderOf({
      'b.json': [
        { ...SCENE, id: 'b2' },
        { ...SCENE, id: 'b1' },
      ],
      'a.json': [{ ...SCENE, id: 'a1' }],
      'notes.txt': 'not a scene',
    })
    expect(readScenes(folder).map(({ imageId }) => imageId)).toEqual(['a1', 'b2', 'b1'])
  })
})

describe('abuse', () => {
  const object = (change: object) => ({ ...SCENE, objects: [SCENE.objects[1], { ...DOG, id: 1, ...change }] })

  it.each([
    ['an object', {}, 'INVALID_SHAPE x.json: wrong shape: expected an array, found an object'],
    [
      'a scene that is not an object',
      ['park'],
      'INVALID_SHAPE x.json: [0]: wrong shape: expected an object, found the string "park"',
    ],
    [
      'no width',
      [{ ...SCENE, width: undefined }],
      'INVALID_SHAPE x.json: [0].width: wrong shape: expected a number of pixels, found nothing',
    ],
    [
      'a height of 0',
      [{ ...SCENE, height: 0 }],
      'INVALID_VALUE x.json: [0].height: invalid size: expected a positive integer number of pixels, found 0',
    ],
    [
      'a duplicate id',
      [SCENE, SCENE],
      'DUPLICATE_ID x.json: [1].id: duplicate id: expected a unique id, found "park-01"',
    ],
    [
      'a duplicate object id',
      [object({ id: 2 })],
      'DUPLICATE_ID x.json: [0].objects[1].id: duplicate id: expected a unique id, found "2"',
    ],
    [
      'a category that is not a synset',
      [object({ category: 'dog' })],
      'INVALID_VALUE x.json: [0].objects[1].category: invalid category: expected a WordNet noun such as dog.n.01, found "dog"',
    ],
    [
      'a box of three numbers',
      [object({ box: [1, 2, 3] })],
      'INVALID_SHAPE x.json: [0].objects[1].box: wrong shape: expected x, y, width and height: four numbers, found [1,2,3]',
    ],
    [
      'a box without area',
      [object({ box: [1, 2, 0, 3] })],
      'INVALID_VALUE x.json: [0].objects[1].box: invalid box: expected x, y, width and height of a box inside the image of 100 × 80 pixels, found [1,2,0,3]',
    ],
    [
      'a box that extends beyond the image',
      [object({ box: [90, 0, 11, 10] })],
      'INVALID_VALUE x.json: [0].objects[1].box: invalid box: expected x, y, width and height of a box inside the image of 100 × 80 pixels, found [90,0,11,10]',
    ],
    [
      'an attribute that is not a string',
      [object({ attributes: ['big', 3] })],
      'INVALID_SHAPE x.json: [0].objects[1].attributes[1]: wrong shape: expected a word, found the number 3',
    ],
    [
      'no captions',
      [{ ...SCENE, captions: [] }],
      'INVALID_SHAPE x.json: [0].captions: wrong shape: expected at least one caption, found none',
    ],
    [
      'a blank caption',
      [{ ...SCENE, captions: [' '] }],
      'INVALID_VALUE x.json: [0].captions[0]: empty caption: expected non-blank text, found " "',
    ],
    [
      'a mention of an unknown object',
      [{ ...SCENE, captions: ['A [cat](3)'] }],
      'UNKNOWN_BOX x.json: [0].captions[0]: unknown object: expected the id of an object of this scene, found "3"',
    ],
    [
      'unclosed markup',
      [{ ...SCENE, systems: { weak: 'a [dog](1' } }],
      'INVALID_VALUE x.json: [0].systems.weak, character 7: incomplete mention markup: expected a closing ), found "(1"',
    ],
    [
      'no systems',
      [{ ...SCENE, systems: undefined }],
      'INVALID_SHAPE x.json: [0].systems: wrong shape: expected an object, found nothing',
    ],
  ])('%s', (_, content, message) => {
    const folder = folderOf({ 'x.json': content })
    expect(failureOf(() => readScenes(folder)).replaceAll(`${folder}/`, '')).toBe(message)
  })

  it('detects duplicate ids across files', () => {
    const folder = folderOf({ 'a.json': [SCENE], 'b.json': [SCENE] })
    expect(failureOf(() => readScenes(folder))).toMatch(/^DUPLICATE_ID .*b\.json: \[0\]\.id/)
  })

  it('a file that is not JSON', () => {
    expect(failureOf(() => readScenes(folderOf({ 'x.json': '[{"id": }]' })))).toMatch(
      /^INVALID_JSON .*x\.json/,
    )
  })

  it.each([
    ['missing', () => files.path('nowhere')],
    ['empty', () => folderOf({ 'notes.txt': '' })],
    ['no folder', () => files.write('file', '')],
  ])('a folder that is %s', (_, folder) => {
    expect(failureOf(() => listFiles(folder(), '.json'))).toMatch(
      /^FILE_NOT_FOUND .*: no files found: expected a folder with files named \*\.json, found none$/,
    )
  })
})
