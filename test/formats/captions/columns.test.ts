import { describe, expect, it } from 'vitest'
import { parseColumns as parserOf } from '../../../src/cli/options.js'
import { AccordError } from '../../../src/errors.js'
import { readReferences, readResults } from '../../../src/formats/captions/caption-files.js'
import type { CaptionReading } from '../../../src/formats/captions/caption-format.js'
import { valueAt } from '../../../src/formats/captions/columns.js'
import { failureOf, temporaryFolder } from '../kit.js'

const { write } = temporaryFolder()

const parseColumns = parserOf(['image', 'caption', 'references'])

const OURS = [
  ['1.jpg', 'a dog runs'],
  ['2.jpg', 'a cat sleeps'],
]
const lines = (records: readonly object[]) => records.map((record) => JSON.stringify(record)).join('\n')

const systemOf = (file: string, reading: CaptionReading = {}) =>
  Array.from(readResults(file, reading), ({ imageId, text }) => [imageId, text])

function peopleOf(file: string, reading: CaptionReading = {}) {
  const ids: string[] = []
  const captions: string[][] = []
  const keys: number[] = []
  const indices = readReferences(
    file,
    {
      addImage({ externalId }) {
        ids.push(externalId)
        captions.push([])
      },
      addAnnotation({ imageKey, text }) {
        keys.push(imageKey)
        captions[imageKey].push(text)
      },
    },
    reading,
  )
  return ids.map((id, index) => [id, captions[indices.indexOf(index)]])
}

/** Files of another shape than those that are recognized, and the columns that they are read by. */
const FILES: readonly [what: string, content: object | string, columns: string][] = [
  [
    'JSON Lines',
    lines(OURS.map(([pic, said]) => ({ pic, prompt: 'Describe it.', said }))),
    'image=pic,caption=said',
  ],
  ['a list', OURS.map(([pic, said]) => ({ pic, said, n: 1 })), 'image=pic,caption=said'],
  ['a path', lines(OURS.map(([pic, said]) => ({ pic, de: { words: said } }))), 'image=pic,caption=de.words'],
  [
    'a path with an index',
    lines(OURS.map(([pic, said]) => ({ pic, said: ['Describe it.', said] }))),
    'image=pic,caption=said.1',
  ],
  ['CSV', `pic,said\n${OURS.map((row) => row.join()).join('\n')}\n`, 'image=pic,caption=said'],
  [
    'TSV in any case',
    `Pic\tSAID\n${OURS.map((row) => row.join('\t')).join('\n')}\n`,
    'image=pic,caption=said',
  ],
  ['TSV without a header', OURS.map(([pic, said]) => `x\t${said}\t${pic}\n`).join(''), 'image=2,caption=1'],
  [
    'parallel lists',
    { image_paths: OURS.map(([pic]) => pic), more: [1], captions: OURS.map(([, said]) => said) },
    'image=image_paths,caption=captions',
  ],
  [
    'objects by image',
    Object.fromEntries(OURS.map(([pic, said]) => [pic, { said, model: 'x' }])),
    'caption=said',
  ],
]

describe('columns by name', () => {
  it.each(FILES)('read %s', (_what, content, text) => {
    const file = write('file', content)
    const columns = parseColumns(text)
    expect(systemOf(file, { columns })).toEqual(OURS)
    expect(peopleOf(file, { columns })).toEqual(OURS.map(([image, caption]) => [image, [caption]]))
  })

  it('read several captions of people by one name, in the order of their numbers', () => {
    const names = ['said_2', 'said_10', 'said_1']
    const row = { pic: '1.jpg', said_2: 'b', said_10: 'c', said_1: 'a' }
    const columns = parseColumns('image=pic,caption=said_*')
    const expected = [['1.jpg', ['a', 'b', 'c']]]
    expect(
      peopleOf(write('several.jsonl', lines([row, { ...row, pic: '2.jpg' }])), { columns }).slice(0, 1),
    ).toEqual(expected)
    const csv = `pic,${names.join()}\n1.jpg,b,c,a\n`
    expect(peopleOf(write('several.csv', csv), { columns })).toEqual(expected)
  })

  it('read the captions of people and of a system from one file', () => {
    const file = write('both.csv', `pic,gold,said\n1.jpg,"['a dog', 'the dog']",a cat\n`)
    const columns = parseColumns('image=pic,references=gold,caption=said')
    expect(peopleOf(file, { columns })).toEqual([['1.jpg', ['a dog', 'the dog']]])
    expect(systemOf(file, { columns })).toEqual([['1.jpg', 'a cat']])
  })

  it('of another file leave this one as it is, where they can be', () => {
    const file = write('usual.csv', 'image,caption\n1.jpg,a dog\n')
    const columns = parseColumns('image=pic,caption=said')
    expect(systemOf(file, { columns, areColumnsShared: true })).toEqual([['1.jpg', 'a dog']])
    expect(failureOf(() => systemOf(file, { columns }))).toMatch(
      /^INVALID_SHAPE .* no image and no caption is recognized/,
    )
  })

  it.each(['', 'image', 'picture=a', 'image=a,image=b', 'image='])('are refused: %j', (text) => {
    expect(() => parseColumns(text)).toThrow(/^Expected /)
  })

  it('are paths where no key is called so', () => {
    const record = { 'a.b': 1, a: { b: 2, c: [3, { d: 4 }] }, __proto__: null }
    const names = ['a.b', 'a.c.0', 'a.c.1.d', 'a.x', 'toString', 'a.length']
    expect(names.map((name) => valueAt(record, name))).toEqual([1, 3, 4, undefined, undefined, undefined])
  })
})

/** Files that are refused, what is said of them, and whether the columns are suggested that read them. */
const REFUSED: readonly [what: string, content: object | string, said: RegExp][] = [
  [
    'JSON Lines',
    lines(OURS.map(([picture, said]) => ({ picture, prompt: 'Say it', said_caption: said }))),
    /line 1: no image and no caption is recognized: expected --columns image=picture,caption=said_caption, or .*, found JSON Lines with picture \("1.jpg"\), prompt \("Say it"\), said_caption \("a dog runs"\)$/,
  ],
  [
    'a list with an image',
    OURS.map(([image, said]) => ({ image, words: said })),
    /\[0\]: no caption is recognized: expected --columns image=image,caption=words, or a caption \(.*\) beside image, found a JSON list with /,
  ],
  [
    'a list with a caption',
    OURS.map(([photo, caption]) => ({ photo, caption })),
    /no image is recognized: expected --columns image=photo,caption=caption, or an image \(.*\) beside caption, /,
  ],
  [
    'captions in objects',
    lines(
      OURS.map(([image, said]) => ({ 'image/key': image, de: { caption: said }, en: { caption: said } })),
    ),
    /expected --columns image=image\/key,caption=de.caption, or .*, found JSON Lines with image\/key \("1.jpg"\), de \(an object: caption\)/,
  ],
  [
    'parallel lists',
    { image_urls: OURS.map(([image]) => `http://x/${image}`), captions: OURS.map(([, said]) => said) },
    /expected --columns image=image_urls,caption=captions, or .*, found JSON of parallel lists with image_urls \("http:\/\/x\/1.jpg"\)/,
  ],
  [
    'CSV',
    `frame_path,model_says\n${OURS.map((row) => row.join()).join('\n')}\n`,
    /line 1: no image and no caption is recognized: expected --columns image=frame_path,caption=model_says, or .*, found CSV with frame_path \("1.jpg"\), model_says \("a dog runs"\)$/,
  ],
]

describe('a file without the usual names', () => {
  it.each(REFUSED)('is refused with the columns that read it: %s', (_what, content, said) => {
    const file = write('unknown', content)
    for (const read of [systemOf, peopleOf]) {
      const error = errorOf(() => read(file))
      expect(`${error.message}`).toMatch(said)
      const columns = parseColumns(error.detail.columns as string)
      const captions = read(file, { columns }).map(([image, text]) => [
        String(image).replace('http://x/', ''),
        String(text),
      ])
      expect(captions).toEqual(OURS)
    }
  })
})

function errorOf(read: () => unknown): AccordError {
  try {
    read()
  } catch (error) {
    if (error instanceof AccordError) return error
    throw error
  }
  throw new Error('expected a failure, but there was none')
}
