import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Annotation,
  compareAnnotations,
  type DescribedImage,
  readCocoCaptions,
} from '../../../src/formats/coco/coco-captions.js'
import { temporaryFolder } from '../kit.js'

const { write, path, failure } = temporaryFolder()

const image = (id: number | string, more = {}) => ({ id, ...more })
const annotation = (id: number | string, imageId: number | string, caption: unknown = 'a dog') => ({
  id,
  image_id: imageId,
  caption,
})

/** The images of a file with their captions, in order. */
function read(file: string) {
  const images: DescribedImage[] = []
  const annotations: Annotation[] = []
  const indices = readCocoCaptions(file, {
    addImage: (image) => images.push(image),
    addAnnotation: (annotation) => annotations.push(annotation),
  })
  return images.map((image, index) => ({
    ...image,
    captions: annotations
      .filter(({ imageKey }) => indices[imageKey] === index)
      .sort(compareAnnotations)
      .map(({ externalId, text }) => [externalId, text]),
  }))
}

describe('readCocoCaptions', () => {
  it('reads images in the order of the file and captions by image and annotation id', () => {
    const file = write('captions.json', {
      info: { year: 2017 },
      images: [
        image(9, {
          file_name: '9.jpg',
          coco_url: 'http://c/9.jpg',
          flickr_url: 'http://f/9',
          width: 640,
          height: 427,
        }),
        image('b', { flickr_url: 'http://f/b' }),
        image(7, { file_name: null, width: null }),
      ],
      annotations: [
        annotation(10, 7, 'ten'),
        annotation(2, 9, ' two '),
        annotation(9, 7, 'nine'),
        annotation(1, '9', 'one'),
      ],
      licenses: [],
    })
    const none = { fileName: null, url: null, width: null, height: null, captions: [] }
    expect(read(file)).toEqual([
      {
        externalId: '9',
        fileName: '9.jpg',
        url: 'http://c/9.jpg',
        width: 640,
        height: 427,
        captions: [
          ['1', 'one'],
          ['2', ' two '],
        ],
      },
      { ...none, externalId: 'b', url: 'http://f/b' },
      {
        ...none,
        externalId: '7',
        captions: [
          ['9', 'nine'],
          ['10', 'ten'],
        ],
      },
    ])
  })

  it('reads annotations that come before the images', () => {
    const file = write('reversed.json', { annotations: [annotation(1, 5)], images: [image(4), image(5)] })
    expect(read(file).map(({ captions }) => captions.length)).toEqual([0, 1])
  })

  it('orders integer ids by value, then strings by their characters', () => {
    const ids = ['b', 10, 'a', 9, '11', '100']
    const file = write('ids.json', { images: [image(1)], annotations: ids.map((id) => annotation(id, 1)) })
    const [{ captions }] = read(file)
    expect(captions.map(([id]) => id)).toEqual(['9', '10', '100', '11', 'a', 'b'])
  })

  it('does not change captions', () => {
    const texts = [
      'a 🐕‍🦺 on a 🛋️',
      'e\u0301te\u0301 at the cafe\u0301',
      '\u202bכלב על ספה\u202c',
      'a \u0001 start, a \u0007 bell and a \u001b escape',
      'two\nlines\r\nor\tthree',
      ' leading and trailing ',
      'word '.repeat(2_000),
      '.',
    ]
    const file = write('odd.json', {
      images: [image(1)],
      annotations: texts.map((text, i) => annotation(i, 1, text)),
    })
    expect(read(file)[0].captions.map(([, text]) => text)).toEqual(texts)
  })

  it('does not depend on the order of the annotations', () => {
    const annotations = Array.from({ length: 12 }, (_, i) => annotation(i, i % 3, `caption ${i}`))
    const images = [image(2), image(0), image(1)]
    const expected = read(write('sorted.json', { images, annotations }))
    fc.assert(
      fc.property(fc.shuffledSubarray(annotations, { minLength: 12 }), (shuffled) => {
        expect(read(write('first.json', { annotations: shuffled, images }))).toEqual(expected)
        expect(read(write('last.json', { images, annotations: shuffled }))).toEqual(expected)
      }),
      { numRuns: 50 },
    )
  })
})

describe('invalid input is one clear error', () => {
  it.each<[string, string | object, string]>([
    [
      'array.json',
      [],
      'INVALID_SHAPE array.json: wrong shape: expected an object with "annotations", found an array',
    ],
    [
      'results.json',
      { images: [] },
      'INVALID_SHAPE results.json: wrong shape: expected an object with "annotations", found only "images"',
    ],
    [
      'no-images.json',
      { images: [], annotations: [] },
      'INVALID_SHAPE no-images.json: annotations: wrong shape: expected at least one caption, found none',
    ],
    [
      'no-annotations.json',
      { images: [image(1)], annotations: [] },
      'INVALID_SHAPE no-annotations.json: annotations: wrong shape: expected at least one caption, found none',
    ],
    [
      'image.json',
      { images: [image(1), 'two.jpg'], annotations: [] },
      'INVALID_SHAPE image.json: images[1]: wrong shape: expected an object, found the string "two.jpg"',
    ],
    [
      'image-id.json',
      { images: [{ file_name: 'a.jpg' }], annotations: [] },
      'INVALID_SHAPE image-id.json: images[0].id: wrong shape: expected an integer or a string, found nothing',
    ],
    [
      'image-twice.json',
      { images: [image(1), image(2), image('1')], annotations: [] },
      'DUPLICATE_ID image-twice.json: images[2].id: duplicate id: expected a unique id, found "1", first used at images[0]',
    ],
    [
      'annotation.json',
      { images: [image(1)], annotations: [null] },
      'INVALID_SHAPE annotation.json: annotations[0]: wrong shape: expected an object, found null',
    ],
    [
      'annotation-id.json',
      { images: [image(1)], annotations: [{ id: true, image_id: 1, caption: 'a dog' }] },
      'INVALID_SHAPE annotation-id.json: annotations[0].id: wrong shape: expected an integer or a string, found the boolean true',
    ],
    [
      'annotation-twice.json',
      { images: [image(1)], annotations: [annotation(4, 1), annotation(5, 1), annotation(4, 1)] },
      'DUPLICATE_ID annotation-twice.json: annotations[2].id: duplicate id: expected a unique id, found "4", first used at annotations[0]',
    ],
    [
      'number.json',
      { images: [image(1)], annotations: [annotation(1, 1), annotation(2, 1, 17)] },
      'INVALID_SHAPE number.json: annotations[1].caption: wrong shape: expected a string, found the number 17',
    ],
    [
      'instances.json',
      { images: [image(1)], annotations: [{ id: 1, image_id: 1, bbox: [0, 0, 4, 4] }] },
      'INVALID_SHAPE instances.json: annotations[0].caption: wrong shape: expected a string, found nothing',
    ],
    [
      'empty.json',
      { images: [image(1)], annotations: [annotation(1, 1, '')] },
      'INVALID_VALUE empty.json: annotations[0].caption: empty caption: expected text, found the string ""',
    ],
    [
      'blank.json',
      { images: [image(1)], annotations: [annotation(1, 1, ' \n\t')] },
      'INVALID_VALUE blank.json: annotations[0].caption: empty caption: expected text, found the string " \\n\\t"',
    ],
    [
      'null.json',
      { images: [image(1)], annotations: [annotation(1, 1), annotation(2, 1, 'a dog\0')] },
      'INVALID_VALUE null.json: annotations[1].caption: a null character: expected text without the character U+0000, found it at index 5',
    ],
    [
      'null-id.json',
      { images: [image('a\0')], annotations: [] },
      'INVALID_VALUE null-id.json: images[0].id: a null character: expected text without the character U+0000, found it at index 1',
    ],
    [
      'unknown-before.json',
      { annotations: [annotation(1, 1), annotation(2, 99), annotation(3, 98)], images: [image(1)] },
      'UNKNOWN_IMAGE unknown-before.json: annotations[1].image_id: unknown image: expected the id of an image of this file, found "99"',
    ],
    [
      'unknown.json',
      { images: [image(1)], annotations: [annotation(1, 1), annotation(2, 99)] },
      'UNKNOWN_IMAGE unknown.json: annotations[1].image_id: unknown image: expected the id of an image of this file, found "99"',
    ],
    [
      'cut.json',
      '{"images": [{"id": 1}], "annotations": [{"id": 1, "image_id": 1, "caption": "a d',
      'INVALID_JSON cut.json: annotations[0], byte 80: the file is truncated: expected the rest of annotations[0], found the end of the file',
    ],
  ])('%s', (name, content, message) => {
    const file = write(name, content)
    expect(failure(() => read(file))).toBe(message)
  })

  it('a missing file', () => {
    expect(failure(() => read(path('absent.json')))).toBe('FILE_NOT_FOUND absent.json: file not found')
  })
})
