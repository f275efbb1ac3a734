import { closeSync, openSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseColumns } from '../../../src/cli/options.js'
import { AccordError } from '../../../src/errors.js'
import { readReferences, readResults } from '../../../src/formats/captions/caption-files.js'
import type { CaptionReading } from '../../../src/formats/captions/caption-format.js'
import type { InputFile } from '../../../src/formats/io/files.js'
import { SPLIT_FILE, WRITTEN_FILES, type WrittenFile } from '../../kit/written-files.js'
import { temporaryFolder } from '../kit.js'

const { write } = temporaryFolder()

/** The captions of each image of a file. */
function read(file: InputFile, of: WrittenFile['of'], reading: CaptionReading = {}) {
  if (of === 'SYSTEM') return Array.from(readResults(file, reading), ({ imageId, text }) => [imageId, [text]])
  const ids: string[] = []
  const found: { readonly imageKey: number; readonly text: string }[] = []
  const indices = readReferences(
    file,
    {
      addImage: ({ externalId }) => ids.push(externalId),
      addAnnotation: ({ imageKey, text }) => found.push({ imageKey, text }),
    },
    reading,
  )
  return ids.map((id, index) => [
    id,
    found.filter(({ imageKey }) => indices[imageKey] === index).map(({ text }) => text),
  ])
}

function errorOf(action: () => unknown): AccordError {
  try {
    action()
  } catch (error) {
    if (error instanceof AccordError) return error
    throw error
  }
  throw new Error('expected a failure, but there was none')
}

const toColumns = parseColumns(['image', 'caption', 'references'])

describe('files as programs and publications write them', () => {
  it.each(WRITTEN_FILES)('$what', ({ content, of, images, captions, reading }) => {
    const file = write('file', content)
    const wanted = images.map((id, index) => [id, captions[index]])
    if (reading === 'READ') return expect(read(file, of)).toEqual(wanted)
    const error = errorOf(() => read(file, of))
    if ('refused' in reading) return expect(error.message).toMatch(reading.refused)
    expect(error.detail.columns).toBe(reading.columns)
    expect(error.message).toContain(`expected --columns ${reading.columns}, or `)
    expect(read(file, of, { columns: toColumns(reading.columns) })).toEqual(wanted)
  })

  it.each(WRITTEN_FILES.filter(({ reading }) => !(typeof reading === 'object' && 'refused' in reading)))(
    'as an upload, which is an open file with a name, and compressed: $what',
    ({ content, of, images, captions, reading }) => {
      const wanted = images.map((id, index) => [id, captions[index]])
      const columns =
        typeof reading === 'object' && 'columns' in reading ? toColumns(reading.columns) : undefined
      for (const name of ['upload', 'upload.gz']) {
        const descriptor = openSync(write(name, content), 'r')
        try {
          expect(read({ name: 'upload', descriptor }, of, { columns })).toEqual(wanted)
        } finally {
          closeSync(descriptor)
        }
      }
    },
  )

  it('keep what they say of images themselves: the split of a record, the language of a row', () => {
    const fieldsOf = (content: string | object) => {
      const fields: unknown[] = []
      readReferences(write('file', content), {
        addImage: (image) => fields.push(image.fields),
        addAnnotation: () => {},
      })
      return fields
    }
    const record = (id: number, split?: string) => ({ image_id: id, captions: ['a dog'], split })
    expect(fieldsOf({ train: [record(1)], test: [record(2, 'val'), record(3)] })).toEqual([
      { split: 'train' },
      { split: 'val' },
      { split: 'test' },
    ])
    expect(fieldsOf('image_id,caption,language\n1,ein Hund, de\n2,a dog,\n')).toEqual([
      { language: 'de' },
      undefined,
    ])
  })

  it('have the captions of a system as they are, where those of people are several', () => {
    const row = '0\t1.jpg\ta dog && a cat\tdog\t/9j/4AAQSkZJRgABAQEASABIAAD\n'
    expect(read(write('ofa.tsv', row), 'SYSTEM')).toEqual([['1.jpg', ['a dog && a cat']]])
    expect(read(write('ofa.tsv', row), 'PEOPLE')).toEqual([['1.jpg', ['a dog ', ' a cat']]])
  })

  it('have “nan” for a word where no table has it for a missing value', () => {
    const lines = '{"image_id": 1, "caption": "a naan"}\n{"image_id": 2, "caption": "nan"}\n'
    expect(read(write('lines', lines), 'PEOPLE')).toEqual([
      ['1', ['a naan']],
      ['2', ['nan']],
    ])
  })

  it('of lines with commas are captions of images 1, 2, …, where numbers are allowed; of nothing they are none', () => {
    const lines = 'A dog, a cat\nTwo men, a bus\n'
    expect(read(write('lines', lines), 'SYSTEM', { areLinesNumbered: true })).toEqual([
      ['1', ['A dog, a cat']],
      ['2', ['Two men, a bus']],
    ])
    expect(errorOf(() => read(write('lines', lines), 'SYSTEM')).message).toContain('unknown format')
    for (const content of [' \n\n', '\u0001\u0002'])
      expect(
        errorOf(() => read(write('lines', content), 'SYSTEM', { areLinesNumbered: true })).message,
      ).toContain('unknown format')
  })

  it('of records that are not one per line, after a byte order mark', () => {
    const [one, two] = ['{"image_id": 1, "caption": "a dog"}', '{"image_id": 2, "caption": "a cat"}']
    const wanted = [
      ['1', ['a dog']],
      ['2', ['a cat']],
    ]
    for (const content of [`\ufeff${one}${two}`, `${one} ${two}\n`, `${one.replace(' ', '\n')}\n${two}`])
      expect(read(write('records', content), 'SYSTEM'), content).toEqual(wanted)
  })

  it('of lists by split, only those of one', () => {
    const { content, captions, images } = SPLIT_FILE
    expect(read(write('splits', content), 'PEOPLE', { split: 'test' })).toEqual([[images[1], captions[1]]])
  })
})
