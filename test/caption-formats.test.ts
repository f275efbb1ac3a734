import { readFileSync } from 'node:fs'
import { buildSchema, type GraphQLInputObjectType } from 'graphql'
import { expect, it } from 'vitest'
import { CAPTION_FORMATS } from '../src/cli/options.js'
import type { CaptionFormat } from '../src/formats/captions/caption-format.js'
import { type DroppedFile, inOrder } from '../src/services/imports/dropped-files.js'

/** What users call each format of captions: the compiler asks for that of a new one. */
const NAMES: Readonly<Record<CaptionFormat['kind'], string>> = {
  COCO: 'COCO',
  OBJECT: 'JSON by image',
  RECORDS: 'JSON records',
  PARALLEL: 'JSON lists',
  JSON_LINES: 'JSON Lines',
  TABLE: 'CSV, TSV',
  FLICKR: 'Flickr',
  MSVD: 'MSVD',
  LINES: 'lines',
}

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')

it('formats of captions are listed by the documentation', () => {
  const [, section] = read('docs/command-line.md').split('\n## Files of captions\n')
  const [, table] = section.split('|---|---|\n')
  const [rows] = table.split('\n\n')
  expect(rows.split('\n').map((row) => row.split('|')[1].trim())).toEqual(Object.values(NAMES))
})

it('formats of captions are listed by --help', () => {
  const rows = CAPTION_FORMATS.split('\n').flatMap(
    (line) => line.match(/^ {2}(\S+(?: \S+)*) {2,}/)?.[1] ?? [],
  )
  expect(rows).toEqual(Object.values(NAMES))
})

it.each(['ImportCaptionsInput', 'ImportResultsInput'])('formats of captions are listed by %s', (type) => {
  const input = buildSchema(read('schema.graphql')).getType(type) as GraphQLInputObjectType
  const description = input.getFields().upload.description?.replaceAll(/\s+/g, ' ') ?? ''
  const unlisted = Object.values(NAMES)
    .flatMap((name) => name.split(', '))
    .filter((name) => !description.includes(name === 'lines' ? 'per line with `imageIds`' : name))
  expect(unlisted).toEqual([])
})

it('whatever files can hold has a place in the order in which they are imported', () => {
  const schema = buildSchema(read('schema.graphql'))
  const contents = schema.toConfig().types.find(({ name }) => name === 'FileContent')
  const values = contents && 'getValues' in contents ? contents.getValues().map(({ name }) => name) : []
  const files = values.map((content) => ({ content, file: { upload: content } })) as DroppedFile[]
  // What has no place would come before the captions of people.
  expect(inOrder(files)[0].content).toBe('CAPTIONS')
})
