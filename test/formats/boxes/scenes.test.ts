import { mkdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readScenes } from '../../../src/formats/boxes/scenes.js'
import { temporaryFolder } from '../kit.js'

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
    })
    expect(readScenes(folder).map(({ imageId }) => imageId)).toEqual(['a1', 'b2', 'b1'])
  })
})
