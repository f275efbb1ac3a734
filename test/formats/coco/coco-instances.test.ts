import { describe, expect, it } from 'vitest'
import { readCocoInstances } from '../../../src/formats/coco/coco-instances.js'
import { temporaryFolder } from '../kit.js'

const files = temporaryFolder()

const good = {
  info: { year: 2017 },
  images: [
    { id: 139, file_name: '139.jpg', width: 640, height: 426 },
    { id: 285, file_name: '285.jpg', width: 586, height: 640 },
  ],
  annotations: [
    { id: 22, image_id: 139, category_id: 1, bbox: [412.8, 157.6, 53, 138], area: 99, iscrowd: 0 },
    { id: 21, image_id: 139, category_id: 64, bbox: [236.9, 142.5, 24.7, 69.5], segmentation: [[1, 2]] },
  ],
  categories: [
    { id: 1, name: 'person', supercategory: 'person' },
    { id: 64, name: 'potted plant' },
  ],
}

const read = (content: object) => readCocoInstances(files.write('instances.json', content))

/** The file with one modified annotation. */
const annotated = (change: object) => ({ ...good, annotations: [{ ...good.annotations[0], ...change }] })

describe('readCocoInstances', () => {
  const expected = {
    images: [
      {
        imageId: '139',
        width: 640,
        height: 426,
        boxes: [
          { id: '22', concept: 'person', bbox: [412.8, 157.6, 53, 138] },
          { id: '21', concept: 'potted plant', bbox: [236.9, 142.5, 24.7, 69.5] },
        ],
      },
      { imageId: '285', width: 586, height: 640, boxes: [] },
    ],
    descriptions: [],
    counts: { imagesWithoutBoxes: 1, boxesWithoutArea: 0, boxesCut: 0 },
  }

  it('reads boxes with category names as concepts', () => {
    expect(read(good)).toMatchObject(expected)
  })

  it('reads the arrays in any order', () => {
    const { images, annotations, categories } = good
    expect(read({ annotations, categories, images })).toMatchObject(expected)
  })

  it('excludes and counts boxes without area', () => {
    const { images, counts } = read(annotated({ bbox: [1, 2, 3, 0] }))
    expect(images[0].boxes).toEqual([])
    expect(counts.boxesWithoutArea).toBe(1)
  })
})

describe('abuse', () => {
  const at = 'instances.json: '
  it.each<[string, object, string]>([
    [
      'an unknown image',
      annotated({ image_id: 1 }),
      `UNKNOWN_IMAGE ${at}annotations[0].image_id: unknown image: expected the id of an image, found "1"`,
    ],
    [
      'an unknown category',
      annotated({ category_id: 2 }),
      `INVALID_VALUE ${at}annotations[0].category_id: unknown category: expected the id of a category, found "2"`,
    ],
    ['a box of three numbers', annotated({ bbox: [1, 2, 3] }), `INVALID_SHAPE ${at}annotations[0].bbox: `],
    [
      'a negative height',
      annotated({ bbox: [1, 2, 3, -4] }),
      `INVALID_VALUE ${at}annotations[0].bbox: invalid box: `,
    ],
    [
      'no bbox, as in a captions file',
      annotated({ bbox: undefined, caption: 'A room.' }),
      `INVALID_SHAPE ${at}annotations[0].bbox: `,
    ],
    [
      'a duplicate annotation id',
      { ...good, annotations: [good.annotations[0], good.annotations[0]] },
      `DUPLICATE_ID ${at}annotations[1].id: duplicate id: expected a unique id, found "22"`,
    ],
    [
      'a duplicate image id',
      { ...good, images: [good.images[0], good.images[0]] },
      `DUPLICATE_ID ${at}images[1].id: `,
    ],
    [
      'a duplicate category id',
      { ...good, categories: [good.categories[0], good.categories[0]] },
      `DUPLICATE_ID ${at}categories[1].id: `,
    ],
    [
      'a category without a name',
      { ...good, categories: [{ id: 1 }] },
      `INVALID_SHAPE ${at}categories[0].name: wrong shape: expected a string, found nothing`,
    ],
    ['no categories', { ...good, categories: undefined }, `INVALID_SHAPE ${at}wrong shape: `],
  ])('rejects %s', (_, content, message) => {
    expect(files.failure(() => read(content)).startsWith(message)).toBe(true)
  })

  it('rejects a truncated file', () => {
    const cut = JSON.stringify(good).slice(0, 400)
    const file = files.write('cut.json', cut)
    expect(files.failure(() => readCocoInstances(file))).toContain('INVALID_JSON cut.json: ')
  })
})
