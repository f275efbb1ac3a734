import { describe, expect, it } from 'vitest'
import { readBoxes, readSystemDescriptions } from '../../../src/formats/boxes/boxes.js'
import { temporaryFolder } from '../kit.js'

const files = temporaryFolder()

const woman = { id: 2, concept: 'woman', bbox: [10, 20, 30, 40] }
const car = { id: '3', concept: 'car', bbox: [0, 0, 100, 50] }
const sized = { image_id: 7, width: 100, height: 80 }
const good = { ...sized, boxes: [woman, car] }

const read = (images: unknown, descriptions: unknown = []) =>
  readBoxes(files.write('boxes.json', { images, descriptions }))
const failure = (images: unknown, descriptions: unknown = []) =>
  files.failure(() => read(images, descriptions))

/** Boxes read from an image of 100 × 80 pixels with one box, and all counts that are not 0. */
function fitted(bbox: number[]) {
  const { images, counts } = read([{ ...sized, boxes: [{ ...woman, bbox }] }])
  return {
    boxes: images[0].boxes.map((box) => box.bbox),
    counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
  }
}

describe('readBoxes', () => {
  it('reads images, boxes and descriptions; ids become strings', () => {
    expect(read([good], [{ id: '7#0', image_id: '7', mentions: [3, '2', 3] }])).toEqual({
      images: [
        {
          imageId: '7',
          width: 100,
          height: 80,
          boxes: [
            { id: '2', concept: 'woman', bbox: [10, 20, 30, 40] },
            { id: '3', concept: 'car', bbox: [0, 0, 100, 50] },
          ],
        },
      ],
      descriptions: [{ id: '7#0', imageId: '7', mentions: ['3', '2', '3'], sentence: null }],
      counts: {
        imagesWithoutBoxes: 0,
        boxesWithoutArea: 0,
        boxesOutsideImage: 0,
        boxesCut: 0,
        boxesWithoutConcept: 0,
        mentionsWithoutBox: 0,
        descriptionsWithoutMentions: 0,
      },
    })
  })

  it('reads captions with mention markup', () => {
    const caption = 'A [woman](2) by a [car](3)'
    const { descriptions } = read([good], [{ id: 1, image_id: 7, caption }])
    expect(descriptions[0].mentions).toEqual(['2', '3'])
    expect(descriptions[0].sentence).toEqual({
      text: 'A woman by a car',
      mentions: [
        { start: 2, end: 7, text: 'woman', boxIds: ['2'] },
        { start: 13, end: 16, text: 'car', boxIds: ['3'] },
      ],
    })
  })

  it('treats a caption as plain text if mentions are given', () => {
    const { descriptions } = read([good], [{ id: 1, image_id: 7, caption: 'A [b](x', mentions: [2] }])
    expect(descriptions[0]).toMatchObject({ mentions: ['2'], sentence: { text: 'A [b](x', mentions: [] } })
  })

  it('reads images without a size, descriptions before images, and files without descriptions', () => {
    const { width: _, height: __, ...unsized } = good
    const described = [{ id: 1, image_id: 7, mentions: [2] }]
    const first = files.write('first.json', { descriptions: described, images: [unsized], info: {} })
    expect(readBoxes(first)).toMatchObject({
      images: [{ width: null, height: null }],
      descriptions: [{ mentions: ['2'] }],
    })
    expect(readBoxes(files.write('alone.json', { images: [good] })).descriptions).toEqual([])
  })

  it('includes and counts images without boxes and descriptions without mentions', () => {
    const { images, descriptions, counts } = read(
      [{ image_id: 1, boxes: [] }, good],
      [{ id: 'a', image_id: 1, mentions: [] }],
    )
    expect([images.length, descriptions.length]).toEqual([2, 1])
    expect(counts).toMatchObject({ imagesWithoutBoxes: 1, descriptionsWithoutMentions: 1 })
  })

  it('allows the same box id in two images', () => {
    expect(read([good, { ...good, image_id: 8 }]).images).toHaveLength(2)
  })
})

describe('geometry', () => {
  it.each([
    ['inside', [10, 20, 30, 40]],
    ['the whole image', [0, 0, 100, 80]],
    ['1-based coordinates', [1, 1, 100, 80]],
    ['rounded coordinates beyond the edge', [-0.5, 0, 100.7, 80.2]],
  ])('does not change a box: %s', (_, bbox) => {
    expect(fitted(bbox)).toEqual({ boxes: [bbox], counts: {} })
  })

  it.each([
    ['right', [90, 10, 20, 10], [90, 10, 10, 10]],
    ['left and top', [-5, -6, 10, 10], [0, 0, 5, 4]],
    ['all sides', [-5, -5, 200, 200], [0, 0, 100, 80]],
  ])('clips a box that extends beyond the image: %s', (_, bbox, cut) => {
    expect(fitted(bbox)).toEqual({ boxes: [cut], counts: { boxesCut: 1 } })
  })

  it.each([
    ['right', [100, 10, 5, 5]],
    ['above', [10, -20, 5, 20]],
    ['far', [1e9, 1e9, 5, 5]],
  ])('excludes and counts a box outside the image: %s', (_, bbox) => {
    expect(fitted(bbox)).toEqual({ boxes: [], counts: { boxesOutsideImage: 1, imagesWithoutBoxes: 1 } })
  })

  it.each([
    ['width', [10, 10, 0, 5]],
    ['height', [10, 10, 5, 0]],
  ])('excludes and counts a box of zero %s', (_, bbox) => {
    expect(fitted(bbox)).toEqual({ boxes: [], counts: { boxesWithoutArea: 1, imagesWithoutBoxes: 1 } })
  })

  it('does not check positions if the image has no size', () => {
    expect(
      read([{ image_id: 7, boxes: [{ ...woman, bbox: [900, -9, 5, 5] }] }]).images[0].boxes,
    ).toHaveLength(1)
  })

  it('excludes and counts mentions of excluded boxes', () => {
    const flat = { ...woman, bbox: [1, 1, 0, 9] }
    const { descriptions, counts } = read(
      [{ ...sized, boxes: [flat, car] }],
      [
        { id: 'a', image_id: 7, mentions: [2, 3, 2] },
        { id: 'b', image_id: 7, caption: 'A [woman](2), a [pair](2,3)' },
        { id: 'c', image_id: 7, mentions: [2] },
      ],
    )
    expect(descriptions.map(({ mentions }) => mentions)).toEqual([['3'], ['3'], []])
    expect(descriptions[1].sentence?.mentions).toEqual([{ start: 11, end: 15, text: 'pair', boxIds: ['3'] }])
    expect(counts).toMatchObject({
      boxesWithoutArea: 1,
      mentionsWithoutBox: 5,
      descriptionsWithoutMentions: 1,
    })
  })
})

describe('readSystemDescriptions', () => {
  const images = new Map(
    read([good, { image_id: 8, boxes: [] }]).images.map((image) => [image.imageId, image]),
  )
  const readSystem = (records: unknown[]) =>
    readSystemDescriptions(files.write('system.json', records), images)

  it('reads mentions and markup', () => {
    expect(
      readSystem([
        { image_id: 7, caption: 'a [woman](2)' },
        { image_id: '8', mentions: [] },
      ]),
    ).toEqual([
      {
        imageId: '7',
        mentions: ['2'],
        sentence: { text: 'a woman', mentions: [{ start: 2, end: 7, text: 'woman', boxIds: ['2'] }] },
      },
      { imageId: '8', mentions: [], sentence: null },
    ])
  })

  it.each([
    [
      'an unknown image',
      [{ image_id: 9, mentions: [] }],
      'UNKNOWN_IMAGE system.json: [0].image_id: unknown image: expected the id of an image, found "9"',
    ],
    [
      'a duplicate image',
      [
        { image_id: 8, mentions: [] },
        { image_id: '8', mentions: [] },
      ],
      'DUPLICATE_ID system.json: [1].image_id: duplicate id: expected a unique id, found "8"',
    ],
    [
      'an unknown box',
      [{ image_id: 7, mentions: [2, 4] }],
      'UNKNOWN_BOX system.json: [0].mentions[1]: unknown box: expected the id of a box of image 7, found "4"',
    ],
    [
      'an unknown box in markup',
      [{ image_id: 7, caption: 'a [cat](4)' }],
      'UNKNOWN_BOX system.json: [0].caption: unknown box: expected the id of a box of image 7, found "4"',
    ],
    [
      'unclosed markup',
      [{ image_id: 7, caption: 'a [cat](4' }],
      'INVALID_VALUE system.json: [0].caption, character 7: incomplete mention markup: expected a closing ), found "(4"',
    ],
    [
      'neither',
      [{ image_id: 7 }],
      'INVALID_SHAPE system.json: [0]: wrong shape: expected "mentions" or "caption", found neither',
    ],
  ])('rejects %s', (_, records, message) => {
    expect(files.failure(() => readSystem(records))).toBe(message)
  })
})

describe('abuse', () => {
  const at = 'boxes.json: '
  const bbox = 'x, y, width and height: four numbers, width and height at least 0'

  it.each<[string, unknown, string]>([
    [
      'images that are not an array',
      {},
      `INVALID_SHAPE ${at}images: wrong shape: expected an array, found an object`,
    ],
    [
      'an image that is not an object',
      [7],
      `INVALID_SHAPE ${at}images[0]: wrong shape: expected an object, found the number 7`,
    ],
    [
      'no image id',
      [{ boxes: [] }],
      `INVALID_SHAPE ${at}images[0].image_id: wrong shape: expected an integer or a string, found nothing`,
    ],
    [
      'no boxes',
      [{ image_id: 7 }],
      `INVALID_SHAPE ${at}images[0].boxes: wrong shape: expected an array, found nothing`,
    ],
    [
      'only a width',
      [{ ...good, height: undefined }],
      `INVALID_SHAPE ${at}images[0].height: wrong shape: expected width and height, or neither, found only one of them`,
    ],
    ['a width of 0', [{ ...good, width: 0 }], `INVALID_VALUE ${at}images[0].width: invalid size: `],
    [
      'a duplicate image id',
      [good, { image_id: '7', boxes: [] }],
      `DUPLICATE_ID ${at}images[1].image_id: duplicate id: expected a unique id, found "7"`,
    ],
    [
      'a duplicate box id',
      [{ ...good, boxes: [woman, { ...car, id: '2' }] }],
      `DUPLICATE_ID ${at}images[0].boxes[1].id: duplicate id: expected a unique id, found "2"`,
    ],
    [
      'a box that is null',
      [{ ...good, boxes: [null] }],
      `INVALID_SHAPE ${at}images[0].boxes[0]: wrong shape: expected an object, found null`,
    ],
    [
      'no concept',
      [{ ...good, boxes: [{ ...woman, concept: 3 }] }],
      `INVALID_SHAPE ${at}images[0].boxes[0].concept: wrong shape: expected a string, found the number 3`,
    ],
    [
      'a blank concept',
      [{ ...good, boxes: [{ ...woman, concept: ' ' }] }],
      `INVALID_VALUE ${at}images[0].boxes[0].concept: blank text: expected non-blank text, found " "`,
    ],
    [
      'three numbers',
      [{ ...good, boxes: [woman, { ...car, bbox: [1, 2, 3] }] }],
      `INVALID_SHAPE ${at}images[0].boxes[1].bbox: wrong shape: expected ${bbox}, found [1,2,3]`,
    ],
    [
      'NaN, serialized as null',
      [{ ...good, boxes: [{ ...woman, bbox: [Number.NaN, 2, 3, 4] }] }],
      `INVALID_SHAPE ${at}images[0].boxes[0].bbox: wrong shape: expected ${bbox}, found [null,2,3,4]`,
    ],
    [
      'a negative width',
      [{ ...good, boxes: [{ ...woman, bbox: [1, 2, -3, 4] }] }],
      `INVALID_VALUE ${at}images[0].boxes[0].bbox: invalid box: expected ${bbox}, found [1, 2, -3, 4]`,
    ],
  ])('rejects %s', (_, images, message) => {
    expect(failure(images).startsWith(message)).toBe(true)
  })

  it.each<[string, unknown[], string]>([
    [
      'an unknown image',
      [{ id: 1, image_id: 9, mentions: [] }],
      `UNKNOWN_IMAGE ${at}descriptions[0].image_id: unknown image: expected the id of an image, found "9"`,
    ],
    [
      'an unknown box',
      [{ id: 1, image_id: 7, mentions: [2, 9] }],
      `UNKNOWN_BOX ${at}descriptions[0].mentions[1]: unknown box: expected the id of a box of image 7, found "9"`,
    ],
    [
      'a mention that is not an id',
      [{ id: 1, image_id: 7, mentions: [[2]] }],
      `INVALID_SHAPE ${at}descriptions[0].mentions[0]: wrong shape: expected an integer or a string, found an array`,
    ],
    [
      'a duplicate description id',
      [
        { id: 1, image_id: 7, mentions: [] },
        { id: '1', image_id: 7, mentions: [] },
      ],
      `DUPLICATE_ID ${at}descriptions[1].id: duplicate id: expected a unique id, found "1"`,
    ],
    [
      'mentions that are not an array',
      [{ id: 1, image_id: 7, mentions: 2 }],
      `INVALID_SHAPE ${at}descriptions[0].mentions: wrong shape: expected an array, found the number 2`,
    ],
  ])('rejects %s', (_, descriptions, message) => {
    expect(failure([good], descriptions)).toBe(message)
  })

  it('rejects a missing file, other JSON, NaN and infinity', () => {
    const raw = (content: string) => files.failure(() => readBoxes(files.write('boxes.json', content)))
    expect(files.failure(() => readBoxes(files.path('absent.json')))).toContain('FILE_NOT_FOUND absent.json')
    expect(raw('[]')).toContain('INVALID_SHAPE boxes.json: ')
    expect(raw('{"descriptions": []}')).toContain('INVALID_SHAPE boxes.json: ')
    const one = (side: string) =>
      `{"images": [{"image_id": 7, "boxes": [{"id": 1, "concept": "x", "bbox": [${side}, 2, 3, 4]}]}]}`
    expect(raw(one('NaN'))).toMatch(/^INVALID_JSON boxes\.json: images\[0\], byte \d+: /)
    expect(raw(one('1e999'))).toContain('INVALID_VALUE boxes.json: images[0].boxes[0].bbox: invalid box: ')
    expect(raw(one('1').slice(0, 50))).toContain('INVALID_JSON boxes.json: ')
  })

  it('supports ids with the names of Object properties', () => {
    const ids = ['__proto__', 'constructor']
    const boxes = ids.map((id) => ({ ...woman, id }))
    const { descriptions } = read([{ ...good, boxes }], [{ id: 'toString', image_id: 7, mentions: ids }])
    expect(descriptions[0].mentions).toEqual(ids)
  })
})
