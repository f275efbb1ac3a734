import { describe, expect, it } from 'vitest'
import { readReferences, readResults } from '../../../src/formats/captions/caption-files.js'
import type { CaptionReading } from '../../../src/formats/captions/caption-format.js'
import { temporaryFolder } from '../kit.js'

const { write, failure } = temporaryFolder()

/** The captions of each image of a file of human captions. */
function read(file: string, reading: CaptionReading = {}) {
  const images: (readonly [string, string | null])[] = []
  const found: { readonly imageKey: number; readonly text: string }[] = []
  const indices = readReferences(
    file,
    {
      addImage: ({ externalId, fileName }) => images.push([externalId, fileName]),
      addAnnotation: ({ imageKey, text }) => found.push({ imageKey, text }),
    },
    reading,
  )
  const captions = images.map(([id], index) => [
    id,
    found.filter(({ imageKey }) => indices[imageKey] === index).map(({ text }) => text),
  ])
  return { captions, images }
}

const readOurs = (file: string) => Array.from(readResults(file), ({ imageId, text }) => [imageId, text])

type Content = string | Buffer | object

const caption = (text: string) => ({ caption: text })
const utf16 = (text: string) => Buffer.from(text, 'utf16le')

describe('human captions as people have them', () => {
  const WANTED = [
    ['7', ['a dog', 'the dog']],
    ['8', ['a cat']],
  ]

  it.each<[string, Content]>([
    [
      'records with lists',
      [
        { image_id: 7, caption: ['a dog', 'the dog'] },
        { image_id: 8, caption: ['a cat'] },
      ],
    ],
    [
      'records with a caption each',
      [
        { image_id: 7, ...caption('a dog') },
        { image_id: 8, ...caption('a cat') },
        { image_id: '7', ...caption('the dog') },
      ],
    ],
    [
      'captions of the image of another name',
      [
        { image: 'x/b.jpg', img_id: 7, captions: ['a dog', 'the dog'] },
        { image: 'x/a.jpg', img_id: 8, captions: ['a cat'] },
      ],
    ],
    ['objects by image', { 7: [caption('a dog'), caption('the dog')], 8: [caption('a cat')] }],
    ['objects of lists by image', { 7: { captions: ['a dog', 'the dog'] }, 8: { captions: ['a cat'] } }],
    [
      'annotations alone, without ids',
      {
        annotations: [
          { image_id: 7, ...caption('a dog') },
          { image_id: 7, ...caption('the dog') },
          { image_id: 8, ...caption('a cat') },
        ],
      },
    ],
    [
      'sentences of videos',
      {
        info: { year: 1 },
        videos: [{ video_id: '7', id: 0 }],
        sentences: [
          { sen_id: 0, video_id: '7', ...caption('a dog') },
          { sen_id: 1, video_id: '7', ...caption('the dog') },
          { sen_id: 2, video_id: '8', ...caption('a cat') },
        ],
      },
    ],
    [
      'records with other texts',
      {
        dataset_type: 'val',
        data: [
          { image_id: '7', caption_id: 1, caption_str: 'a dog', reference_strs: ['a dog', 'the dog'] },
          { image_id: '7', caption_id: 2, caption_str: 'the dog', reference_strs: ['a dog', 'the dog'] },
          { image_id: '8', caption_id: 3, caption_str: 'a cat', reference_strs: ['a cat'] },
        ],
      },
    ],
    [
      'videos with lists in two languages',
      [
        { videoID: '7', enCap: ['a dog', 'the dog'], chCap: ['一只狗'] },
        { videoID: '8', enCap: ['a cat'], chCap: [] },
      ],
    ],
    ['columns of captions', 'file_name,caption_1,caption_2\n7,a dog,the dog\n8,a cat,\n'],
    ['bars', 'image_name| comment_number| comment\n7| 0| a dog\n7| 1| the dog\n8| 0| a cat\n'],
    [
      'a row without the second bar',
      'image_name| comment_number| comment\n7| 0| a dog\n7| 1   the dog\n8| 0| a cat\n',
    ],
    ['semicolons', 'image;caption\n7;"a dog"\n7;the dog\n8;a cat\n'],
    [
      'lists as text',
      `raw,split,filename,img_id\n"['a dog', 'the dog']",test,b.jpg,7\n"[""a cat""]",test,a.jpg,8\n`,
    ],
    ['audio clips', 'audiocap_id,youtube_id,start_time,caption\n1,7,30,a dog\n2,7,30,the dog\n3,8,0,a cat\n'],
  ])('%s', (_, content) => {
    expect(read(write('references', content)).captions).toEqual(WANTED)
  })

  it('metadata that is of no use stops nothing', () => {
    const sizes = [
      { width: 640.4 },
      { width: '640' },
      { width: 0 },
      { width: null, file_name: 3, coco_url: [] },
    ]
    const images = sizes.map((size, id) => ({ id, ...size }))
    const annotations = images.map(({ id }) => ({ id, image_id: id, ...caption('a dog') }))
    const widths: (number | null)[] = []
    readReferences(write('sizes.json', { images, annotations }), {
      addImage: ({ width }) => widths.push(width),
      addAnnotation() {},
    })
    expect(widths).toEqual([640, 640, null, null])
  })

  it('only those of a split, in records and in tables', () => {
    const records = [
      { image_id: 7, split: 'test', ...caption('a dog') },
      { image_id: 8, split: 'train', ...caption('a cat') },
    ]
    const table = 'filename,split,caption\n7,test,a dog\n8,train,a cat\n'
    for (const content of [records, table]) {
      expect(read(write('splits', content), { split: 'test' }).captions).toEqual([['7', ['a dog']]])
      expect(failure(() => read(write('splits', content), { split: 'val' }))).toBe(
        'INVALID_VALUE splits: unknown split: expected one of "test" and "train", found "val"',
      )
    }
    expect(failure(() => read(write('none', [{ image_id: 7, ...caption('a dog') }]), { split: 'val' }))).toBe(
      'INVALID_SHAPE none: [0].image_id: wrong shape: expected an image with "split", found one with nothing as its split',
    )
  })

  it('with the names of the files, where another key is the id', () => {
    const records = [{ image: 'x/b.jpg', img_id: 7, ...caption('a dog') }]
    expect(read(write('named', records)).images).toEqual([['7', 'x/b.jpg']])
    expect(read(write('named', 'img_id,filename,caption\n7,b.jpg,a dog\n')).images).toEqual([['7', 'b.jpg']])
  })
})

describe('captions of a system as people have them', () => {
  const WANTED = [
    ['7', 'a dog'],
    ['8', 'a cat'],
  ]
  const records = [
    { image_id: 7, ...caption('a dog') },
    { image_id: 8, ...caption('a cat') },
  ]

  it.each<[string, Content]>([
    ['a list of one caption', records.map((record) => ({ ...record, caption: [record.caption] }))],
    [
      'another key of the image',
      records.map(({ image_id, ...rest }) => ({ image: String(image_id), ...rest })),
    ],
    ['annotations', { annotations: records }],
    ['annotations of images', { images: [{ id: 7 }], annotations: records }],
    ['predictions', { model: 'm', predictions: records }],
    ['results', { results: records }],
    ['predictions by image', { predictions: { 7: [caption('a dog')], 8: [caption('a cat')] } }],
    [
      'results by image among other keys',
      {
        version: '1',
        results: { 7: [{ sentence: 'a dog' }], 8: [{ sentence: 'a cat' }] },
        external_data: {},
      },
    ],
    ['objects by image', { 7: [caption('a dog')], 8: [caption('a cat')] }],
    ['an object for each image', { 7: caption('a dog'), 8: caption('a cat') }],
    ['UTF-16', utf16(`\ufeff${JSON.stringify(records)}`)],
    ['UTF-16 without a mark', utf16('image,caption\n7,a dog\n8,a cat\n')],
    ['UTF-16, big-endian', utf16('\ufeffimage;caption\n7;a dog\n8;a cat\n').swap16()],
  ])('%s', (_, content) => {
    expect(readOurs(write('ours', content))).toEqual(WANTED)
  })

  it.each([
    ['a dog "runs', 'a dog "runs'],
    ['"no parking" sign', '"no parking" sign'],
    ['"', '"'],
    ['"a ""dog"""', 'a "dog"'],
  ])('in TSV there are no quotation rules: %s', (field, text) => {
    expect(readOurs(write('ours.tsv', `image_id\tcaption\n7\t${field}\n8\ta cat\n`))).toEqual([
      ['7', text],
      ['8', 'a cat'],
    ])
  })

  it('long UTF-16 is streamed, with characters of two units', () => {
    const captions = Array.from({ length: 9000 }, (_, i) => ({
      image_id: i,
      ...caption(`${'é😀'.repeat(i % 40)} ${i}`),
    }))
    expect(readOurs(write('long.gz', utf16(`\ufeff${JSON.stringify(captions)}`)))).toEqual(
      captions.map(({ image_id, caption: text }) => [String(image_id), text]),
    )
  })

  it.each<[string, Content, string]>([
    [
      'two captions',
      [{ image_id: 7, caption: ['a dog', 'a cat'] }],
      'INVALID_SHAPE ours: wrong shape: expected one caption of each image, found 2 for "7" at [0].caption',
    ],
    [
      'no caption under a key',
      { predictions: [{ image_id: 7, words: 'a dog' }] },
      'INVALID_SHAPE ours: predictions[0].caption: wrong shape: expected a string, found nothing',
    ],
    [
      'a damaged object under a key',
      '{"results": {"7": [{"caption": "a dog"}], "8": [{"cap',
      'INVALID_JSON ours: "8", byte 53: the file is truncated: expected the rest of "8", found the end of the file',
    ],
    [
      'a row with too many bars',
      'image_name| comment\n7| a dog| b\n',
      'INVALID_SHAPE ours: line 2: wrong shape: expected 2 fields, found 3: "7,a dog,b"',
    ],
    [
      'truncated UTF-16',
      utf16('\ufeffimage,caption\n7,a dog').subarray(0, -1),
      'INVALID_VALUE ours: not UTF-16: expected UTF-16 text, found other bytes, or a truncated file',
    ],
    ...(
      [
        ['UTF-32', [0xff, 0xfe, 0, 0, 0x5b, 0, 0, 0], 'UTF-32 (save it as UTF-8)'],
        ['UTF-32, big-endian', [0, 0, 0xfe, 0xff, 0, 0, 0, 0x5b], 'UTF-32 (save it as UTF-8)'],
        ['UTF-32 without a mark', [0x5b, 0, 0, 0, 0x7b, 0, 0, 0], 'UTF-32 (save it as UTF-8)'],
        ['bzip2', [0x42, 0x5a, 0x68, 0x39, 0x31], 'a bzip2 file (decompress it with bunzip2)'],
        ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0], 'an xz file (decompress it with unxz)'],
        ['Zstandard', [0x28, 0xb5, 0x2f, 0xfd, 0], 'a Zstandard file (decompress it with unzstd)'],
        ['zip', [0x50, 0x4b, 3, 4, 20], 'a zip file (unpack it)'],
      ] as const
    ).map(([name, bytes, found]): [string, Content, string] => [
      name,
      Buffer.from(bytes),
      `INVALID_VALUE ours: this is not read: expected UTF-8 or UTF-16, or gzip, found ${found}`,
    ]),
  ])('one clear error: %s', (_, content, message) => {
    expect(failure(() => readOurs(write('ours', content)))).toBe(message)
  })
})
