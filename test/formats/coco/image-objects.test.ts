import { describe, expect, it } from 'vitest'
import { readImageObjects } from '../../../src/formats/coco/image-objects.js'
import { temporaryFolder } from '../kit.js'

const files = temporaryFolder()
const CATEGORIES = ['person', 'potted plant', 'dog']

const isKnown = (name: string) => CATEGORIES.includes(name)
const read = (content: string | object) =>
  [...readImageObjects(files.write('objects', content), isKnown)].map(([image, objects]) => [
    image,
    [...objects],
  ])

const INSTANCES = {
  images: [
    { id: 139, width: 640, height: 426 },
    { id: 285, width: 586, height: 640 },
  ],
  annotations: [
    { id: 1, image_id: 139, category_id: 64, bbox: [0, 0, 53, 138] },
    { id: 2, image_id: 139, category_id: 64, bbox: [9, 9, 53, 138] },
    { id: 3, image_id: 139, category_id: 1, bbox: [9, 9, 24, 69] },
  ],
  categories: [
    { id: 1, name: 'person' },
    { id: 64, name: 'potted plant' },
  ],
}

describe('annotated objects', () => {
  it('are read from a table', () => {
    expect(read('image_id,objects\n1,dog|person|dog\n2,\n"a, b", potted plant \n')).toEqual([
      ['1', ['dog', 'person']],
      ['2', []],
      ['a, b', ['potted plant']],
    ])
  })

  it('are read from COCO instances, each once', () => {
    expect(read(INSTANCES)).toEqual([
      ['139', ['potted plant', 'person']],
      ['285', []],
    ])
  })

  it.each([
    ['an unknown object', 'image_id,objects\n1,dog\n2,dog|unicorn\n', 'line 3', '"unicorn"'],
    ['an image in two rows', 'image_id,objects\n1,dog\n1,person\n', 'line 3', 'duplicate image'],
    ['no column of objects', 'image_id,things\n1,dog\n', 'line 1', 'the header image_id,objects'],
    ['an empty file', '', 'line 1', 'an empty file'],
  ])('refuse %s', (_, content, place, message) => {
    expect(() => read(content)).toThrow(place)
    expect(() => read(content)).toThrow(message)
  })

  it('refuse instances of an unknown category', () => {
    const categories = [INSTANCES.categories[0], { id: 64, name: 'unicorn' }]
    expect(() => read({ ...INSTANCES, categories })).toThrow('categories: unknown object')
  })
})
