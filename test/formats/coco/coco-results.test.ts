import { describe, expect, it } from 'vitest'
import { readResults } from '../../../src/formats/captions/caption-files.js'
import { checkResults, type SubmittedCaption } from '../../../src/formats/coco/coco-results.js'
import type { KnownImages } from '../../../src/formats/coco/known-images.js'
import { temporaryFolder } from '../kit.js'

const { write, failure } = temporaryFolder()
const images = new Set(['1', '2', '3', '4', '5'])

/** The captions and the missing images of a submission. */
function collect(
  submitted: Iterable<SubmittedCaption>,
  source: string,
  isMissingAllowed: boolean,
  known: KnownImages = images,
) {
  const captions: { imageId: string; text: string }[] = []
  const described = { ids: known, fileNames: new Map(), uncaptioned: new Set<string>() }
  const { missing } = checkResults(submitted, described, { source, isMissingAllowed }, (imageId, text) =>
    captions.push({ imageId, text }),
  )
  return { captions, missing }
}

const check = (file: string, isMissingAllowed = false) => collect(readResults(file), file, isMissingAllowed)
const result = (imageId: unknown, caption: unknown = 'a dog') => ({ image_id: imageId, caption })
const complete = [1, 2, 3, 4, 5].map((id) => result(id))

describe('results from a file', () => {
  it('are read in the order of the file, with empty captions, without other keys', () => {
    const file = write('results.json', [
      { ...result(3, 'three'), id: 9 },
      result('1', ''),
      result(2, ' . '),
      result(5),
      result(4),
    ])
    expect(check(file)).toEqual({
      captions: [
        { imageId: '3', text: 'three' },
        { imageId: '1', text: '' },
        { imageId: '2', text: ' . ' },
        { imageId: '5', text: 'a dog' },
        { imageId: '4', text: 'a dog' },
      ],
      missing: [],
    })
  })

  it('may leave out images if allowed, and reports which', () => {
    const file = write('partial.json', [result(2), result(4)])
    expect(check(file, true)).toEqual({
      captions: [
        { imageId: '2', text: 'a dog' },
        { imageId: '4', text: 'a dog' },
      ],
      missing: ['1', '3', '5'],
    })
  })

  it('takes a map for the images', () => {
    const known = new Map([['1', 11]])
    const submitted = [{ imageId: '1', text: 'a dog' }]
    expect(collect(submitted, 'captions', false, known).missing).toEqual([])
  })
})

describe('markup of models', () => {
  const described = { fileNames: new Map(), uncaptioned: new Set<string>() }
  const read = (
    texts: readonly string[],
    options: { isMarkupStripped?: boolean; isExtraAllowed?: boolean } = {},
  ) => {
    const submitted = texts.map((text, index) => ({ imageId: String(index + 1), text }))
    const ids = new Set(
      submitted.slice(0, options.isExtraAllowed ? -1 : undefined).map(({ imageId }) => imageId),
    )
    const captions: string[] = []
    const coverage = { source: 'captions', isMissingAllowed: false, ...options }
    const { notes } = checkResults(submitted, { ids, ...described }, coverage, (_, text) =>
      captions.push(text),
    )
    return { captions, notes: notes.slice(1) }
  }

  it('is counted, and left where nobody removes it', () => {
    const texts = ['a dog</s>', '- a cat</s>', 'a cow', 'Answer:']
    expect(read(texts)).toEqual({
      captions: texts,
      notes: [
        '3 of 4 captions have markup of models (</s>, Markdown, "Answer:"); --strip-markup removes it.',
      ],
    })
    expect(read(['a dog</s>']).notes).toEqual([
      '1 of 1 caption has markup of models (</s>); --strip-markup removes it.',
    ])
  })

  it('is removed before captions are counted as empty, in those of known images', () => {
    expect(
      read(['a dog</s>', '</s>', 'a cow', '<pad>'], { isMarkupStripped: true, isExtraAllowed: true }),
    ).toEqual({
      captions: ['a dog', '', 'a cow'],
      notes: [
        'Markup of models was removed from 2 of 3 captions (</s>).',
        '1 caption is empty.',
        '1 caption of an image that the dataset does not have was left out.',
      ],
    })
  })

  it('can be a prompt at the start of all captions', () => {
    const plain = Array.from({ length: 60 }, (_, index) => `animal ${index}`)
    const texts = plain.map((text) => `Describe the image: ${text}`)
    expect(read(texts, { isMarkupStripped: true })).toEqual({
      captions: plain,
      notes: ['Markup of models was removed from 60 of 60 captions (the start "Describe the image:").'],
    })
  })

  it('is named by its most frequent kinds', () => {
    const [note] = read(['<s>a</s>', '<eos>a</s>', '<bos>a</s>', '<pad>a</s>', '<unk>a</s>']).notes
    expect(note).toContain('(</s>, <s>, <eos>, <bos>, <pad>, …)')
  })
})

describe('invalid results are one clear error', () => {
  it.each<[string, unknown, string]>([
    [
      'object.json',
      { images: [] },
      'INVALID_SHAPE object.json: wrong shape: expected an object with "annotations", found only "images"',
    ],
    [
      'record.json',
      [...complete, 4],
      'INVALID_SHAPE record.json: [5]: wrong shape: expected an object, found the number 4',
    ],
    [
      'id.json',
      [{ caption: 'a dog' }],
      'INVALID_SHAPE id.json: [0]: no image is recognized: expected an image (image_id, cocoid, img_id …) beside caption, found a JSON list with caption ("a dog")',
    ],
    [
      'caption.json',
      [result(1, null)],
      'INVALID_SHAPE caption.json: [0].caption: wrong shape: expected a string, found null',
    ],
    [
      'null.json',
      [result(1, 'a \0')],
      'INVALID_VALUE null.json: [0].caption: a null character: expected text without the character U+0000, found it at index 2',
    ],
    [
      'unknown.json',
      [...complete, result(139)],
      'UNKNOWN_IMAGE unknown.json: [5].image_id: unknown image: expected the id of an image of the dataset, found "139"',
    ],
    [
      'duplicate.json',
      [...complete, result('2')],
      'DUPLICATE_ID duplicate.json: [5].image_id: duplicate image: expected each image once, found "2" again',
    ],
    [
      'missing.json',
      [result(3)],
      'MISSING_IMAGES missing.json: images are missing: expected all 5 images of the dataset, found 1, without 1, 2, 4 and 1 more',
    ],
    [
      'one-missing.json',
      complete.slice(1),
      'MISSING_IMAGES one-missing.json: images are missing: expected all 5 images of the dataset, found 4, without 1',
    ],
  ])('%s', (name, content, message) => {
    const file = write(name, content as object)
    expect(failure(() => check(file))).toBe(message)
  })

  it('no results at all, even where images may be missing', () => {
    const file = write('none.json', [])
    expect(failure(() => check(file, true))).toBe(
      'MISSING_IMAGES none.json: images are missing: expected all 5 images of the dataset, found 0, without 1, 2, 3 and 2 more',
    )
  })
})

describe('results in memory', () => {
  const submit = (...ids: string[]) =>
    collect(
      ids.map((imageId) => ({ imageId, text: 'a dog' })),
      'captions',
      false,
    )

  it.each<[string, string[], string]>([
    [
      'unknown',
      ['1', 'x'],
      'UNKNOWN_IMAGE captions: unknown image: expected the id of an image of the dataset, found "x"',
    ],
    [
      'duplicate',
      ['1', '2', '1'],
      'DUPLICATE_ID captions: duplicate image: expected each image once, found "1" again',
    ],
    [
      'missing',
      ['1', '2'],
      'MISSING_IMAGES captions: images are missing: expected all 5 images of the dataset, found 2, without 3, 4, 5',
    ],
  ])('%s', (_, ids, message) => {
    expect(failure(() => submit(...ids))).toBe(message)
  })
})
