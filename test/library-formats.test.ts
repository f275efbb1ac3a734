import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type ReadOptions, readCaptions, readReferences } from '../src/library-formats.js'
import { projectFile } from '../src/project.js'
import { temporaryFolder } from './formats/kit.js'
import { captionFormats } from './kit/caption-formats.js'
import { cocoCaptions, cocoResults } from './kit/coco.js'

const { path } = temporaryFolder()

const PEOPLE = {
  1: ['a dog runs', 'a "dog"', 'ein süßer Hund'],
  2: ['a man', 'a woman, 小狗'],
  3: ['a cat 🐈'],
}
const SYSTEM = { 1: 'a dog', 2: 'a man', 3: '' }

const formats = captionFormats(PEOPLE).filter(({ imageIds }) => imageIds === undefined)
const coco = JSON.stringify(cocoCaptions(PEOPLE))

/** The captions without the endings that some formats write to the names of images. */
const byNumber = (references: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(references).map(([id, captions]) => [id.replace(/\.jpg$/, ''), captions]))

describe('readers of the library', () => {
  it.each(formats)('read the captions of people in $name', ({ content, name, format }) => {
    const read = readReferences(content, { name })
    expect(byNumber(read.references)).toEqual(PEOPLE)
    expect(read.format).toBe(format)
  })

  it('read COCO’s formats, captions in the order of their ids', () => {
    const { images, annotations } = cocoCaptions(PEOPLE)
    const reversed = JSON.stringify({ annotations: annotations.toReversed(), images: [...images, { id: 9 }] })
    expect(readReferences(reversed)).toEqual({ references: PEOPLE, format: 'COCO’s JSON' })
    expect(readCaptions(JSON.stringify(cocoResults(SYSTEM)))).toEqual({
      captions: SYSTEM,
      format: 'COCO’s JSON',
    })
  })

  it('read text, and bytes in UTF-8 and UTF-16', () => {
    for (const content of [Buffer.from(coco), new Uint8Array(Buffer.from(`\ufeff${coco}`, 'utf16le'))])
      expect(readReferences(content).references).toEqual(PEOPLE)
  })

  it('read the columns and the split that are named', () => {
    const text = 'picture,who,said\n1,a,a dog\n2,a,a cat\n'
    expect(readCaptions(text, { columns: { image: 'picture', caption: 'said' } }).captions).toEqual({
      1: 'a dog',
      2: 'a cat',
    })
    const karpathy = formats.find(({ name }) => name === 'karpathy.json')!.content
    expect(Object.keys(readReferences(karpathy, { split: 'test' }).references)).toHaveLength(1)
  })

  it.each<[string, string, RegExp]>([
    ['no captions', '{"a": 1}', /^mine\.json: /],
    ['broken JSON', `${coco.slice(0, -20)}`, /^mine\.json\b.*(?:JSON|end)/],
    ['prose', 'no captions at all', /^mine\.json: line 1: unknown format/],
  ])('name the file of %s', (_what, content, message) => {
    expect(() => readReferences(content, { name: 'mine.json' })).toThrow(message)
  })

  it('refuse a second caption of an image', () => {
    const twice = JSON.stringify([
      { image_id: 1, caption: 'a' },
      { image_id: 1, caption: 'b' },
    ])
    expect(() => readCaptions(twice)).toThrow(/duplicate image.*each image once.*"1" again/)
  })
})

it('the module reads every format without Node’s globals', () => {
  const module = projectFile('dist/library/formats.js')
  const bundle = readFileSync(module, 'utf8')
  expect(bundle.match(/\bimport[\s{"'(]+[\w"'{*].{0,20}from|\bimport\(|\brequire\(/)).toBeNull()
  expect(bundle.length).toBeLessThan(105_000)
  const files: [string, ReadOptions][] = [
    [coco, {}],
    ...formats.map(({ content, name }): [string, ReadOptions] => [content, { name }]),
  ]
  writeFileSync(path('files.json'), JSON.stringify(files))
  writeFileSync(
    path('read.mjs'),
    `import { readFileSync } from 'node:fs'
    const files = JSON.parse(readFileSync('${path('files.json')}', 'utf8'))
    const gzip = new Uint8Array(readFileSync('${path('captions.gz')}'))
    delete globalThis.Buffer
    delete globalThis.process
    const { readReferences } = await import('${pathToFileURL(module)}')
    const bytes = new TextEncoder()
    const read = files.map(([text, options]) => [text, bytes.encode(text)].map((content) => readReferences(content, options)))
    let message
    try { readReferences(gzip) } catch (error) { message = error.message }
    console.log(JSON.stringify({ read, message }))`,
  )
  writeFileSync(path('captions.gz'), gzipSync(coco))
  const { read, message } = JSON.parse(
    execFileSync(process.execPath, [path('read.mjs')], { encoding: 'utf8' }),
  )
  expect(read).toEqual(
    files.map(([content, options]) => {
      const own = readReferences(content, options)
      return [own, own]
    }),
  )
  expect(message).toMatch(/gzip.*decompress/)
})
