import { describe, expect, it } from 'vitest'
import { readReferences, readResults } from '../../../src/formats/captions/caption-files.js'
import type { CaptionReading } from '../../../src/formats/captions/caption-format.js'
import {
  type Annotation,
  compareAnnotations,
  type DescribedImage,
} from '../../../src/formats/coco/coco-captions.js'
import { captionFormats } from '../../kit/caption-formats.js'
import { cocoCaptions, cocoResults } from '../../kit/coco.js'
import { temporaryFolder } from '../kit.js'

const { write, failure } = temporaryFolder()

const HUMAN = {
  9: ['A dog, and a "cat".', ' two spaces ', 'A dog, and a "cat".'],
  139: ['日本語 and \u00e9'],
  7: ['[a] {b}: \\ "c": d', 'two, "three"', 'x'],
}
const OURS = { 9: 'a "dog", a cat', 139: '', 7: ' end ' }

/** The captions of each image of a file, and how it was recognized. */
function read(file: string, reading: CaptionReading = {}) {
  const images: DescribedImage[] = []
  const annotations: Annotation[] = []
  let format: string | undefined
  const consumer = {
    addImage: (image: DescribedImage) => images.push(image),
    addAnnotation: (annotation: Annotation) => annotations.push(annotation),
  }
  const onFormat = (name: string) => {
    format = name
  }
  const indices = readReferences(file, consumer, { ...reading, onFormat })
  const captions = images.map(({ externalId }, index) => [
    externalId,
    annotations
      .filter(({ imageKey }) => indices[imageKey] === index)
      .sort(compareAnnotations)
      .map(({ text }) => text),
  ])
  return { captions, format }
}

const readOurs = (file: string, reading: CaptionReading = {}) =>
  Array.from(readResults(file, reading), ({ imageId, text }) => [imageId, text])

describe('captions in other formats are those of a file of COCO', () => {
  const human = new Map(Object.entries(HUMAN))
  it.each(captionFormats(HUMAN))('human captions: $name', ({ name, content, imageIds, format }) => {
    const file = write(name, content)
    const reading = { imageIds: imageIds && write('ids.txt', imageIds) }
    expect(read(file, reading)).toEqual({
      captions: [...human].map(([id, captions]) => [id, captions]),
      format,
    })
    expect(read(file, reading).captions).toEqual(read(write('coco.json', cocoCaptions(HUMAN))).captions)
  })

  const lists = Object.fromEntries(Object.entries(OURS).map(([image, caption]) => [image, [caption]]))
  it.each(captionFormats(lists))('captions of a system: $name', ({ name, content, imageIds }) => {
    const reading = { imageIds: imageIds && write('ids.txt', imageIds) }
    expect(readOurs(write(name, content), reading)).toEqual(readOurs(write('coco.json', cocoResults(OURS))))
  })

  it('in an object with a caption of each image', () => {
    expect(readOurs(write('object.json', OURS))).toEqual(readOurs(write('coco.json', cocoResults(OURS))))
  })

  it('in a compressed CSV file', () => {
    const file = write('captions.csv.gz', 'image,caption\n1,a dog\n')
    expect(read(file).captions).toEqual([['1', ['a dog']]])
  })

  it('with image ids as a JSON list', () => {
    const imageIds = write('ids.json', [3, 'b', 3])
    expect(read(write('captions', 'one\ntwo\nthree'), { imageIds }).captions).toEqual([
      ['3', ['one', 'three']],
      ['b', ['two']],
    ])
  })

  it('in parallel files of lines, as those of Multi30k; an empty line of a further file is no caption', () => {
    const imageIds = write('parallel.ids', '1\n2\n3\n')
    const first = write('refs.1', 'a dog\na cat\na man\n')
    const more = [write('refs.2', 'the dog\n\nthe man\n'), write('refs.3', 'dogs\nthe "cat"\n\n')]
    expect(read(first, { imageIds, more })).toEqual({
      captions: [
        ['1', ['a dog', 'the dog', 'dogs']],
        ['2', ['a cat', 'the "cat"']],
        ['3', ['a man', 'the man']],
      ],
      format: 'a caption per line in 3 files',
    })
    const short = write('refs.4', 'the dog\n')
    expect(failure(() => read(first, { imageIds, more: [short] }))).toBe(
      'INVALID_SHAPE refs.4: wrong shape: expected 3 lines, as ids in parallel.ids, found 1',
    )
    const table = write('refs.csv', 'image,caption\n1,a dog\n')
    expect(failure(() => read(first, { imageIds, areIdsShared: true, more: [table] }))).toBe(
      'NOT_APPLICABLE refs.csv: the files are not parallel: expected files with a caption per line, of the same images, found CSV, columns image, caption',
    )
    expect(failure(() => read(table, { more: [first] }))).toBe(
      'NOT_APPLICABLE refs.1: the files are not parallel: expected files with a caption per line, of the same images, found CSV, columns image, caption in refs.csv',
    )
  })

  it('of MSVD, in lines after comments and in CSV, whose other languages are left out', () => {
    const lines =
      '# Descriptions\n\nmv89psg6zh4_33_46 a bird bathes\nmv89psg6zh4_33_46 birds\n-4wsuPCjDBc_5_15 a "man" eats\n'
    const captions = [
      ['mv89psg6zh4_33_46', ['a bird bathes', 'birds']],
      ['-4wsuPCjDBc_5_15', ['a "man" eats']],
    ]
    expect(read(write('msvd', lines))).toEqual({ captions, format: 'lines of MSVD' })
    const rows = [
      'VideoID,Start,End,WorkerID,Source,AnnotationTime,Language,Description',
      'mv89psg6zh4,33,46,5,clean,20,English,a bird bathes',
      'mv89psg6zh4,33,46,6,unverified,9,Slovene,ptica',
      'mv89psg6zh4,33,46,7,clean,20,English,birds',
      '-4wsuPCjDBc,5,15,7,clean,20,English,a "man" eats',
    ]
    expect(read(write('msvd.csv', rows.join('\n')))).toEqual({
      captions,
      format: 'MSVD’s CSV, its English captions',
    })
  })

  it('in rows whose quoted fields have line breaks, longer than what is read at once', () => {
    const captions = Array.from({ length: 8000 }, (_, i) => `line ${i}\nof "${'x'.repeat(i % 50)}", end`)
    const rows = captions.map((caption, i) => `${i},"${caption.replaceAll('"', '""')}"\n`)
    const file = write('long.csv', `image_id,caption\n${rows.join('')}`)
    expect(readOurs(file)).toEqual(captions.map((caption, i) => [String(i), caption]))
    const cut = write('cut.csv', `image_id,caption\n${rows.join('')}8000,"a" dog\n`)
    expect(failure(() => readOurs(cut))).toBe(
      'INVALID_SHAPE cut.csv: line 16002: wrong shape: expected CSV, found text after the quotation mark that ends a field',
    )
  })

  it('as the split of a file of Karpathy; images without a COCO id have the names of their files', () => {
    const image = (filename: string, split: string) => ({
      filename,
      split,
      sentences: [{ raw: `a ${split}` }],
    })
    const file = write('k.json', { images: [image('a.jpg', 'train'), image('b.jpg', 'test')], dataset: 'f' })
    expect(read(file, { split: 'test' }).captions).toEqual([['b.jpg', ['a test']]])
    expect(failure(() => read(file, { split: 'val' }))).toBe(
      'INVALID_VALUE k.json: unknown split: expected one of "train" and "test", found "val"',
    )
    expect(failure(() => read(write('no.json', cocoCaptions(HUMAN)), { split: 'val' }))).toBe(
      'NOT_APPLICABLE no.json: the file has no splits: expected Karpathy’s JSON, or records with "split", found COCO’s JSON',
    )
  })

  it('as COCO’s, where a record of images has no sentences', () => {
    const document = { type: 'captions', info: { sentences: 'none' }, ...cocoCaptions({ 1: ['a dog'] }) }
    expect(read(write('typed.json', document))).toEqual({ captions: [['1', ['a dog']]], format: undefined })
  })
})

describe('invalid input is one clear error', () => {
  const karpathy = (image: object) => ({ images: [{ filename: 'a.jpg', sentences: [{ raw: 'a' }] }, image] })
  it.each<[string, string | Buffer | object, string]>([
    [
      'text.txt',
      'a dog\na cat\n',
      'INVALID_SHAPE text.txt: line 1: unknown format: expected JSON, JSON Lines, CSV or TSV with a header (image_id, image or file_name; caption), lines of Flickr30k (NAME.jpg#0, a tab, the caption), or lines with --ids, found "a dog"',
    ],
    [
      'empty',
      '',
      'INVALID_SHAPE empty: line 1: unknown format: expected JSON, JSON Lines, CSV or TSV with a header (image_id, image or file_name; caption), lines of Flickr30k (NAME.jpg#0, a tab, the caption), or lines with --ids, found an empty file',
    ],
    [
      'header.csv',
      'image,caption\n',
      'INVALID_SHAPE header.csv: wrong shape: expected at least one caption, found none',
    ],
    [
      'column.csv',
      'image,words of it\n1,a dog\n',
      'INVALID_SHAPE column.csv: line 1: no caption is recognized: expected --columns image=image,caption=words of it, or a caption (references, refs, caption …) beside image, found CSV with image ("1"), words of it ("a dog")',
    ],
    [
      'fields.csv',
      'image,caption\n1,a dog, a cat\n',
      'INVALID_SHAPE fields.csv: line 2: wrong shape: expected 2 fields, found 3: "1,a dog, a cat"',
    ],
    [
      'open.csv',
      'image,caption\n1,"a dog\n2,a cat\n',
      'INVALID_SHAPE open.csv: line 3: wrong shape: expected CSV, found the end of the file inside a quoted field',
    ],
    [
      'blank.csv',
      'image,caption\n1,a dog\n2, \n',
      'INVALID_VALUE blank.csv: line 3, caption: empty caption: expected text, found the string " "',
    ],
    [
      'id.csv',
      'image,caption\n,a dog\n',
      'INVALID_VALUE id.csv: line 2, image: empty id: expected an integer or a string, found ""',
    ],
    [
      'latin1.tsv',
      Buffer.from('image\tcaption\n1\ta\n2\tcaf\u00e9\n', 'latin1'),
      'INVALID_VALUE latin1.tsv: line 3: not UTF-8: expected UTF-8 text (if it is cp1252: iconv -f cp1252 -t utf-8 FILE > NEW), found other bytes',
    ],
    [
      'flickr.token',
      'a.jpg#0\ta dog\n\na.jpg\ta cat\n',
      'INVALID_SHAPE flickr.token: line 3: wrong shape: expected NAME.jpg#0, a tab and a caption, found "a.jpg\\ta cat"',
    ],
    [
      'lines.jsonl',
      '{"image":1,"caption":"a"}\n{"image":1,"caption":2}\n',
      'INVALID_SHAPE lines.jsonl: line 2, caption: wrong shape: expected a string, found the number 2',
    ],
    [
      'cut.jsonl',
      '{"image":1,"caption":"a"}\n{"image":1,"cap',
      'INVALID_JSON cut.jsonl: line 2: the line is truncated: expected the rest of the object, found the end of the line',
    ],
    [
      'keys.jsonl',
      '{"image":1,"caption":"a"}\n{"picture":1,"caption":"a"}\n',
      'INVALID_SHAPE keys.jsonl: line 2, image: wrong shape: expected an integer or a string, found nothing',
    ],
    [
      'twice.jsonl',
      '{"image":1,"captions":["a"]}\n{"image":1,"captions":["b"]}\n',
      'DUPLICATE_ID twice.jsonl: line 2, image: duplicate image: expected each image once, found "1" again',
    ],
    [
      'object.json',
      { 1: ['a'], 2: ['b', 3] },
      'INVALID_SHAPE object.json: "2"[1]: wrong shape: expected a string, found the number 3',
    ],
    [
      'deep.json',
      { 1: ['a'], 2: { a: 1 } },
      'INVALID_SHAPE deep.json: "2": wrong shape: expected a string, found an object',
    ],
    [
      'twice.json',
      '{"1": ["a"], "1": ["b"]}',
      'DUPLICATE_ID twice.json: "1": duplicate image: expected each image once, found "1" again',
    ],
    [
      'cut.json',
      '{"1": ["a"], "2": ["b"',
      'INVALID_JSON cut.json: "2", byte 22: the file is truncated: expected the rest of "2", found the end of the file',
    ],
    [
      'system.json',
      OURS,
      'INVALID_SHAPE system.json: wrong shape: expected a list of captions of each image, found the string " end " for "7"',
    ],
    [
      'raw.json',
      karpathy({ filename: 'b.jpg', sentences: [{ tokens: ['a'] }] }),
      'INVALID_SHAPE raw.json: images[1].sentences[0]: wrong shape: expected a string, found an object',
    ],
    [
      'sentences.json',
      karpathy({ filename: 'b.jpg' }),
      'INVALID_SHAPE sentences.json: images[1].sentences: wrong shape: expected a string, found nothing',
    ],
    [
      'again.json',
      karpathy({ filename: 'a.jpg', sentences: [] }),
      'DUPLICATE_ID again.json: images[1].filename: duplicate image: expected each image once, found "a.jpg" again',
    ],
  ])('%s', (name, content, message) => {
    const file = write(name, content)
    expect(failure(() => read(file))).toBe(message)
  })

  it.each<[string, string | object, string]>([
    [
      'several.json',
      HUMAN,
      'INVALID_SHAPE several.json: wrong shape: expected one caption of each image, found 3 for "7" at "7"',
    ],
    [
      'images.json',
      { images: [{ id: 1 }], info: {} },
      'INVALID_SHAPE images.json: wrong shape: expected an object with "annotations", found only "images" and "info"',
    ],
    [
      'null.jsonl',
      '{"image":1,"caption":null}',
      'INVALID_SHAPE null.jsonl: line 1, caption: wrong shape: expected a string, found null',
    ],
  ])('of a system: %s', (name, content, message) => {
    const file = write(name, content)
    expect(failure(() => readOurs(file))).toBe(message)
  })

  it.each([
    [
      'one\ntwo\nthree\n',
      'INVALID_SHAPE lines.txt: line 3: wrong shape: expected the end of the file after 2 lines, as ids in ids.txt, found a line',
    ],
    ['one\n', 'INVALID_SHAPE lines.txt: wrong shape: expected 2 lines, as ids in ids.txt, found 1'],
  ])('lines beside another number of ids: %j', (content, message) => {
    const imageIds = write('ids.txt', '1\n2\n')
    const file = write('lines.txt', content)
    expect(failure(() => readOurs(file, { imageIds }))).toBe(message)
  })

  it('image ids beside a format that has them', () => {
    const imageIds = write('ids.txt', '1\n')
    const file = write('ours.csv', 'image,caption\n1,a dog\n')
    expect(failure(() => readOurs(file, { imageIds }))).toBe(
      'NOT_APPLICABLE ids.txt: no file needs the image ids: expected a file with a caption per line; other formats have the ids, found CSV, columns image, caption in ours.csv',
    )
    expect(readOurs(file, { imageIds, areIdsShared: true })).toEqual([['1', 'a dog']])
  })
})

describe('JSON whose keys are not images is refused, with what it looks like', () => {
  const captions = ['a dog', 'a cat']
  it.each<[string, object, string]>([
    ['one record', { file: '1.jpg', answer: 'a dog' }, 'fields: "file", "answer"'],
    ['splits', { train: { 1: captions }, val: { 2: captions } }, 'splits: "train", "val"'],
    ['splits of lists', { train: captions, test: captions }, 'splits: "train", "test"'],
  ])('%s', (_, content, found) => {
    const file = write('keys.json', content)
    const end = new RegExp(`^INVALID_SHAPE .*the keys of the object are not images: .*, found ${found}$`)
    expect(failure(() => read(file))).toMatch(end)
    expect(failure(() => readOurs(file))).toMatch(end)
  })

  it.each([
    { dog: captions, cat: captions },
    { 'test_1.jpg': captions, train: captions },
    { captions: { 1: captions } },
  ])('but not those of images: %j', (content) => {
    expect(read(write('images.json', content)).captions).toHaveLength('captions' in content ? 1 : 2)
  })
})

describe('lists of captions as text', () => {
  const csv = (cell: string) => `image,caption\n1,"${cell.replaceAll('"', '""')}"\n`

  it.each([
    [
      'Python',
      `['a dog', "a dog's \\"ball\\"", 'it\\'s', 'x\\u00e9']`,
      ['a dog', 'a dog\'s "ball"', "it's", 'xé'],
    ],
    ['NumPy', "['a dog'\n 'a cat']", ['a dog', 'a cat']],
    ['JSON', '[ "a dog", "a, cat" ]', ['a dog', 'a, cat']],
    ['one caption', "['a dog']", ['a dog']],
    ['no list', "[a] dog's ['ball']!", ["[a] dog's ['ball']!"]],
  ])('in a table are several captions: %s', (_, cell, captions) => {
    expect(read(write('lists.csv', csv(cell))).captions).toEqual([['1', captions]])
  })

  it('of a system are one caption, or refused', () => {
    expect(readOurs(write('one.csv', csv("['a dog']")))).toEqual([['1', 'a dog']])
    expect(failure(() => readOurs(write('two.csv', csv("['a dog', 'a cat']"))))).toBe(
      'INVALID_SHAPE two.csv: wrong shape: expected one caption of each image, found 2 for "1" at line 2, caption',
    )
  })

  it.each([
    ['in COCO’s format', cocoCaptions({ 1: ["['a dog', 'a cat']"] })],
    ['in JSON Lines', '{"image": 1, "caption": "[\'a dog\', \'a cat\']"}'],
    ['damaged', csv("['a dog', 'a cat', 3, 'x']")],
  ])('elsewhere are refused: %s', (_, content) => {
    expect(failure(() => read(write('refused', content)))).toMatch(
      /^INVALID_SHAPE refused: .*: wrong shape: expected one caption, found a list as text, "\['a dog'/,
    )
  })
})

describe('VizWiz', () => {
  const annotation = (id: number, caption: string, marks: object = {}) => ({
    id,
    image_id: 1,
    caption,
    ...marks,
  })
  const rejected = { is_rejected: true, is_precanned: true }
  const coco = (annotations: object[]) => ({ images: [{ id: 1 }], annotations })

  it('rejected captions are no references, and are counted', () => {
    const annotations = [
      annotation(1, 'a dog', { is_rejected: false, is_precanned: false }),
      annotation(2, 'Quality issues are too severe to recognize visual content.', rejected),
      annotation(3, 'a spam caption', { is_rejected: true, is_precanned: false }),
    ]
    expect(read(write('vizwiz.json', coco(annotations)))).toEqual({
      captions: [['1', ['a dog']]],
      format: 'VizWiz’s JSON; 2 rejected captions left out',
    })
    expect(failure(() => read(write('vizwiz.json', coco(annotations.slice(1)))))).toBe(
      'INVALID_SHAPE vizwiz.json: annotations: wrong shape: expected at least one caption, found 2 rejected ones',
    )
  })
})
