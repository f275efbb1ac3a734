import { mkdirSync, rmSync } from 'node:fs'
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { readFlickr30kEntities } from '../../../src/formats/boxes/flickr30k-entities.js'
import { temporaryFolder } from '../kit.js'

const files = temporaryFolder()

const box = (xmin: number, ymin: number, xmax: number, ymax: number) =>
  `<bndbox><xmin>${xmin}</xmin><ymin>${ymin}</ymin><xmax>${xmax}</xmax><ymax>${ymax}</ymax></bndbox>`
const noBox = '<scene>0</scene><nobndbox>1</nobndbox>'
const scene = '<scene>1</scene><nobndbox>0</nobndbox>'
const object = (content: string, ...chains: number[]) =>
  `<object>${chains.map((chain) => `<name>${chain}</name>`).join('')}${content}</object>`
const size = '<size><width>500</width><height>375</height><depth>3</depth></size>'
const annotation = (...objects: string[]) =>
  `<annotation>\n<filename>42.jpg</filename>\n${size}\n${objects.join('\n')}\n</annotation>\n`

const goodSentences = `[/EN#5/people Two old Sailors] mend [/EN#6/other a net] on [/EN#8/scene the quay] .
[/EN#6/other A net] is mended by [/EN#5/people two men] in [/EN#7/clothing/other blue caps] .
[/EN#0/notvisual It] is [/EN#9/other a quiet day] .
`
const goodAnnotation = annotation(
  object(box(101, 51, 150, 200), 5),
  object(box(201, 61, 260, 220), 5),
  object(box(121, 51, 140, 60), 7),
  object(box(1, 1, 500, 375), 6),
  object(scene, 8),
  object(noBox, 9),
)

let folders = 0

/** Writes a Flickr30k Entities folder, with one image unless the contents of files are given by name. */
function publish(contents: Record<string, string>): string {
  const name = `flickr${folders++}`
  for (const part of ['Sentences', 'Annotations'])
    mkdirSync(files.path(`${name}/${part}`), { recursive: true })
  for (const [file, content] of Object.entries(contents)) files.write(`${name}/${file}`, content)
  return files.path(name)
}

const folderOf = (sentences: string, xml: string) =>
  publish({ 'Sentences/42.txt': sentences, 'Annotations/42.xml': xml })
const read = (sentences = goodSentences, xml = goodAnnotation) =>
  readFlickr30kEntities(folderOf(sentences, xml))

describe('readFlickr30kEntities', () => {
  it('reads one box per chain, in the order of first mention, with the last word of that mention as concept', () => {
    expect(read().images).toEqual([
      {
        imageId: '42',
        width: 500,
        height: 375,
        boxes: [
          { id: '5', concept: 'sailors', bbox: [100, 50, 160, 170] },
          { id: '6', concept: 'net', bbox: [0, 0, 500, 375] },
          { id: '7', concept: 'caps', bbox: [120, 50, 20, 10] },
        ],
      },
    ])
  })

  it('reads the sentences with mentions of chains that have a box, and counts other mentions', () => {
    const { descriptions, counts } = read()
    expect(descriptions.map(({ id, imageId, mentions }) => [id, imageId, mentions])).toEqual([
      ['42#0', '42', ['5', '6']],
      ['42#1', '42', ['6', '5', '7']],
      ['42#2', '42', []],
    ])
    expect(descriptions[0].sentence).toEqual({
      text: 'Two old Sailors mend a net on the quay .',
      mentions: [
        { start: 0, end: 15, text: 'Two old Sailors', boxIds: ['5'] },
        { start: 21, end: 26, text: 'a net', boxIds: ['6'] },
      ],
    })
    expect(counts).toMatchObject({
      mentionsWithoutBox: 3,
      descriptionsWithoutMentions: 1,
      boxesWithoutConcept: 0,
    })
  })

  it('assigns a box to every chain that it lists', () => {
    const { images } = read(
      '[/EN#1/people A man] , [/EN#2/people his son]\n',
      annotation(object(box(1, 1, 9, 9), 1, 2)),
    )
    expect(images[0].boxes.map(({ id, bbox }) => [id, bbox])).toEqual([
      ['1', [0, 0, 9, 9]],
      ['2', [0, 0, 9, 9]],
    ])
  })

  it('excludes and counts boxes without a mention and boxes without area', () => {
    const xml = annotation(
      object(box(1, 1, 9, 9), 3),
      object(box(9, 9, 8, 20), 5),
      object(box(600, 1, 700, 9), 6),
      object(box(-30, 1, 30, 30), 7),
    )
    const { images, counts } = read(goodSentences, xml)
    expect(images[0].boxes).toEqual([{ id: '7', concept: 'caps', bbox: [0, 0, 30, 30] }])
    expect(counts).toMatchObject({
      boxesWithoutConcept: 1,
      boxesWithoutArea: 1,
      boxesOutsideImage: 1,
      boxesCut: 1,
    })
  })

  it('skips empty lines without renumbering, and ignores other files', () => {
    const folder = publish({
      'Sentences/42.txt': '\r\nA quiet day .\r\n',
      'Sentences/.42.txt': 'x',
      'Annotations/42.xml': goodAnnotation,
      'Annotations/README': 'x',
    })
    expect(readFlickr30kEntities(folder).descriptions).toMatchObject([{ id: '42#1', mentions: [] }])
  })

  it('reports progress', () => {
    const folder = publish({
      'Sentences/1.txt': goodSentences,
      'Sentences/2.txt': goodSentences,
      'Annotations/1.xml': goodAnnotation,
      'Annotations/2.xml': goodAnnotation,
    })
    const seen: number[] = []
    readFlickr30kEntities(folder, (share) => seen.push(share))
    expect(seen).toEqual([0.5, 1])
  })
})

describe('abuse', () => {
  const failure = (folder: string) =>
    files.failure(() => readFlickr30kEntities(folder)).replaceAll(/flickr\d+\//g, '')

  it.each([
    ['A [/EN#1/people man is here .', 'line 1, character 2', '[/EN#1/people man is here .'],
    ['Fine .\nA [man] .', 'line 2, character 2', '[man] .'],
    ['[/EN#1/people ] .', 'line 1, character 0', '[/EN#1/people ] .'],
    ['[/EN#1 man] .', 'line 1, character 0', '[/EN#1 man] .'],
    ['[/EN#/people man] .', 'line 1, character 0', '[/EN#/people man] .'],
    ['[/EN#1/people a [/EN#2/people man]]', 'line 1, character 0', '[/EN#1/people a [/EN#2/people man]]'],
  ])('rejects the sentence %j', (sentences, place, found) => {
    expect(failure(folderOf(sentences, goodAnnotation))).toBe(
      `INVALID_VALUE Sentences/42.txt: ${place}: invalid Flickr30k Entities phrase: expected [/EN#chain/type words], found "${found}"`,
    )
  })

  const open = `<annotation>${size}`
  it.each([
    ['other XML', '<html>\n<body/></html>', 'line 1: ', 'expected the element <annotation>, found <html>'],
    ['no XML', 'hello', 'line 1: ', 'expected well-formed XML, found '],
    ['an empty file', '', 'line 1: ', 'expected well-formed XML, found '],
    ['truncated XML', goodAnnotation.slice(0, 200), 'line 4: ', 'expected well-formed XML, found '],
    [
      'XML that is not well-formed',
      '<annotation>\n<a></b></annotation>',
      'line 2: ',
      'expected well-formed XML, found ',
    ],
    ['no size', '<annotation></annotation>', 'line 1: ', 'expected <size> in <annotation>, found none'],
    [
      'a size of 0',
      '<annotation><size><width>0</width><height>9</height></size></annotation>',
      'line 1: ',
      'expected a positive number of pixels in <width>, found 0',
    ],
    [
      'an object without a name',
      `${open}\n${object(box(1, 1, 2, 2))}</annotation>`,
      'line 2: ',
      'expected <name> in <object>, found none',
    ],
    [
      'an object with an empty name',
      `${open}<object><name> </name>${box(1, 1, 2, 2)}</object></annotation>`,
      'line 1: ',
      'expected the id of a chain in <name>, found an empty element',
    ],
    [
      'an object without <bndbox>, <scene> or <nobndbox>',
      `${open}${object('', 5)}</annotation>`,
      'line 1: ',
      'expected <bndbox>, <scene> or <nobndbox> in <object>, found none',
    ],
    [
      'a box without a side',
      `${open}${object('<bndbox><xmin>1</xmin></bndbox>', 5)}</annotation>`,
      'line 1: ',
      'expected <ymin> in <bndbox>, found none',
    ],
    [
      'a side that is not a number',
      annotation(object(box(Number.NaN, 1, 2, 2), 5)),
      'line 4: ',
      'expected a number in <xmin>, found "NaN"',
    ],
  ])('rejects %s', (_, xml, place, message) => {
    const found = failure(folderOf(goodSentences, xml))
    expect(found).toContain(
      `INVALID_SHAPE Annotations/42.xml: ${place}invalid Flickr30k Entities annotation: ${message}`,
    )
  })

  it('rejects an image with only one of its files', () => {
    const message = (file: string) =>
      `FILE_NOT_FOUND ${file}: one of the two files of an image is missing: expected sentences and annotations of image 42, found only one of them`
    expect(failure(publish({ 'Sentences/42.txt': goodSentences }))).toBe(message('Annotations/42.xml'))
    expect(failure(publish({ 'Annotations/42.xml': goodAnnotation }))).toBe(message('Sentences/42.txt'))
  })

  it('rejects a folder without subfolders and a missing folder', () => {
    const folder = publish({})
    rmSync(`${folder}/Annotations`, { recursive: true })
    expect(failure(folder)).toMatch(/^FILE_NOT_FOUND Annotations: folder not found: /)
    expect(failure(files.path('absent'))).toMatch(/^FILE_NOT_FOUND absent\/Sentences: folder not found: /)
  })

  it('reads a zip file of the folder as published, whatever else it contains', () => {
    const bytes = (text: string) => new Uint8Array(Buffer.from(text))
    const [sentences, xml] = [bytes(goodSentences), bytes(goodAnnotation)]
    const rest = { 'README.md': bytes('Read me.'), '__MACOSX/Sentences/42.txt': bytes('\0') }
    for (const root of ['', 'Flickr30kEntities/']) {
      const archive = zipSync({
        ...rest,
        [`${root}Sentences/`]: new Uint8Array(),
        [`${root}Sentences/42.txt`]: sentences,
        [`${root}Annotations/42.xml`]: [xml, { level: 0 }],
      })
      expect(readFlickr30kEntities(files.write('annotations.zip', Buffer.from(archive)))).toEqual(read())
    }
    const one = Buffer.from(zipSync({ 'Sentences/42.txt': sentences }))
    expect(failure(files.write('one.zip', one))).toMatch(
      /^FILE_NOT_FOUND one.zip\/Annotations: folder not found: /,
    )
    const half = Buffer.from(zipSync({ 'Sentences/42.txt': sentences })).subarray(0, 100)
    expect(failure(files.write('half.zip', half))).toMatch(
      /^INVALID_VALUE half.zip: not a zip file: expected a complete zip file, found no directory at its end/,
    )
  })

  it('rejects a folder without images and an image without sentences', () => {
    expect(failure(publish({}))).toMatch(/^INVALID_SHAPE .*no images/)
    expect(failure(folderOf('\n \n', goodAnnotation))).toBe(
      'INVALID_SHAPE Sentences/42.txt: no sentences found: expected one sentence per line, found an empty file',
    )
  })

  it('does not expand XML entities', () => {
    const xml = `<!DOCTYPE a [<!ENTITY x "1">]>${annotation(object(box(1, 1, 2, 2).replace('1', '&x;'), 5))}`
    expect(failure(folderOf(goodSentences, xml))).toContain('INVALID_SHAPE Annotations/42.xml: line 4: ')
  })
})
