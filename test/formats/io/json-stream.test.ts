import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JsonRecord, readJsonArray, readJsonObject } from '../../../src/formats/io/json-stream.js'
import { isSlow } from '../../kit/slow.js'
import { temporaryFolder } from '../kit.js'

const { write, path, failure } = temporaryFolder()

const arrayOf = (file: string) => [...readJsonArray(file)]
const captionsOf = (file: string) => [...readJsonObject(file, { required: ['images', 'annotations'] })]
const record = (array: string, index: number, value: unknown): JsonRecord => ({ array, index, value })

describe('readJsonArray', () => {
  it('returns the elements in order', () => {
    const file = write('array.json', ' [ {"a": [1, {"b": "]}"}]} , "two",3 , null,[ ],-4.5e1]\n')
    expect(arrayOf(file)).toEqual([
      record('', 0, { a: [1, { b: ']}' }] }),
      record('', 1, 'two'),
      record('', 2, 3),
      record('', 3, null),
      record('', 4, []),
      record('', 5, -45),
    ])
  })

  it('reads an empty array, a byte order mark, escapes and a compressed file', () => {
    expect(arrayOf(write('none.json', '[ ]'))).toEqual([])
    expect(arrayOf(write('mark.json', '\ufeff[1]'))).toEqual([record('', 0, 1)])
    expect(
      arrayOf(write('escapes.json', String.raw`["a\"]\\", "\\", "\u00e9"]`)).map((r) => r.value),
    ).toEqual(['a"]\\', '\\', 'é'])
    expect(arrayOf(write('compressed.json.gz', '[1, 2]'))).toEqual([record('', 0, 1), record('', 1, 2)])
  })

  it('reads the same values as JSON.parse, whatever the boundaries of chunks', () => {
    let files = 0
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 8 }),
        fc.nat(20),
        fc.boolean(),
        (values, pad, long) => {
          // White space before the array shifts where pieces of 256 KiB end: inside strings, escapes, characters.
          const space = ' '.repeat(long ? 262_144 - pad : pad)
          const file = write(`property-${files++ % 4}.json`, space + JSON.stringify(values, null, pad % 3))
          expect(arrayOf(file).map((r) => r.value)).toEqual(JSON.parse(readFileSync(file, 'utf8')))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('reads a record longer than a chunk', () => {
    const long = 'word "quoted" \\ '.repeat(60_000)
    const file = write('long.json', [{ long }, { long: 'short' }])
    expect(arrayOf(file).map((r) => r.value)).toEqual([{ long }, { long: 'short' }])
  })

  it('reports the share of the file that was read', () => {
    const file = write('progress.json', `${' '.repeat(600_000)}[1]`)
    const progress: number[] = []
    for (const _ of readJsonArray(file, (share) => progress.push(share)));
    expect(progress.at(0)).toBe(262_144 / 600_003)
    expect(progress.at(-1)).toBe(1)
  })
})

describe('readJsonObject', () => {
  it('returns the elements of the wanted arrays in the order of the file', () => {
    const file = write(
      'object.json',
      '{"annotations": [{"id": 1}], "info": {"images": [9]}, "licenses": [1, 2], "images": [7, 8], "n": null}',
    )
    expect(captionsOf(file)).toEqual([
      record('annotations', 0, { id: 1 }),
      record('images', 0, 7),
      record('images', 1, 8),
    ])
  })

  it('reads files without an optional array', () => {
    const wanted = { required: ['images'], optional: ['descriptions'] }
    expect([...readJsonObject(write('one.json', { images: [1] }), wanted)]).toHaveLength(1)
    expect([...readJsonObject(write('two.json', { descriptions: [1], images: [1] }), wanted)]).toHaveLength(2)
  })
})

describe('invalid input is one clear error', () => {
  it.each<[string, string | Buffer, string]>([
    [
      'empty.json',
      '',
      'INVALID_JSON empty.json: not JSON: expected an object or an array, found an empty file',
    ],
    [
      'blank.json',
      ' \n ',
      'INVALID_JSON blank.json: not JSON: expected an object or an array, found an empty file',
    ],
    [
      'picture.json',
      Buffer.from('89504e470d0a1a0a', 'hex'),
      'INVALID_JSON picture.json: byte 0: not JSON: expected an object or an array, found "�PNG\\r\\n\\u001a\\n"',
    ],
    [
      'text.json',
      'image_id,caption\n1,a dog\n',
      'INVALID_JSON text.json: byte 0: not JSON: expected an object or an array, found "image_id,caption\\n1,a…"',
    ],
    [
      'cut.json',
      '[{"id": 1}, {"id": 2, "caption": "a do',
      'INVALID_JSON cut.json: [1], byte 38: the file is truncated: expected the rest of [1], found the end of the file',
    ],
    [
      'comma.json',
      '[{"id": 1}',
      'INVALID_JSON comma.json: [0], byte 10: the file is truncated: expected the rest of [0], found the end of the file',
    ],
    [
      'quotes.json',
      '[1, {"id": 2, caption: "a dog"}]',
      'INVALID_JSON quotes.json: [1], byte 14: not JSON: expected valid JSON, found "caption: \\"a dog\\"}]"',
    ],
    [
      'nan.json',
      '[{"score": NaN}]',
      'INVALID_JSON nan.json: [0], byte 11: not JSON: expected valid JSON, found "NaN}]"',
    ],
    [
      'brackets.json',
      '[{"id": [1}]}, 2]',
      'INVALID_JSON brackets.json: [0], byte 10: not JSON: expected valid JSON, found "}]}, 2]"',
    ],
    [
      'separator.json',
      '[1 2]',
      'INVALID_JSON separator.json: [0], byte 3: not JSON: expected "," or "]", found "2]"',
    ],
    [
      'trailing-comma.json',
      '[1, ]',
      'INVALID_JSON trailing-comma.json: [1], byte 4: not JSON: expected valid JSON, found "]"',
    ],
    [
      'twice.json',
      '[1][2]',
      'INVALID_JSON twice.json: byte 3: not JSON: expected the end of the file, found "[2]"',
    ],
    [
      'latin1.json',
      Buffer.from('["caf\u00e9", "b"]', 'latin1'),
      'INVALID_JSON latin1.json: [0], byte 5: not UTF-8: expected UTF-8 text (if it is cp1252: iconv -f cp1252 -t utf-8 FILE > NEW), found the byte 0xe9',
    ],
    [
      'control.json',
      '["a\nb"]',
      'INVALID_JSON control.json: [0], byte 3: not JSON: expected valid JSON, found "\\nb\\"]"',
    ],
    ['shape.json', '{"a": 1}', 'INVALID_SHAPE shape.json: wrong shape: expected an array, found an object'],
  ])('%s', (name, content, message) => {
    const file = write(name, content)
    expect(failure(() => arrayOf(file))).toBe(message)
  })

  it.each<[string, string, string]>([
    [
      'object-array.json',
      '[]',
      'INVALID_SHAPE object-array.json: wrong shape: expected an object with "images" and "annotations", found an array',
    ],
    [
      'object-empty.json',
      '{}',
      'INVALID_SHAPE object-empty.json: wrong shape: expected an object with "images" and "annotations", found an empty object',
    ],
    [
      'object-missing.json',
      '{"images": [], "info": 1}',
      'INVALID_SHAPE object-missing.json: wrong shape: expected an object with "images" and "annotations", found only "images" and "info"',
    ],
    [
      'object-keyed.json',
      JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`image ${i}`, ['a dog']]))),
      'INVALID_SHAPE object-keyed.json: wrong shape: expected an object with "images" and "annotations", found 5000 keys, the first "image 0", "image 1" and "image 2"',
    ],
    [
      'object-kind.json',
      '{"images": {"1": {}}}',
      'INVALID_SHAPE object-kind.json: images: wrong shape: expected an array, found an object',
    ],
    [
      'object-twice.json',
      '{"images": [], "images": []}',
      'INVALID_SHAPE object-twice.json: images: wrong shape: expected a unique key, found it twice',
    ],
    [
      'object-key.json',
      '{images: []}',
      'INVALID_JSON object-key.json: byte 1: not JSON: expected a key, found "images: []}"',
    ],
    [
      'object-colon.json',
      '{"images" []}',
      'INVALID_JSON object-colon.json: images, byte 10: not JSON: expected ":", found "[]}"',
    ],
    [
      'object-comma.json',
      '{"images": [] "annotations": []}',
      'INVALID_JSON object-comma.json: byte 14: not JSON: expected "," or "}", found "\\"annotations\\": []}"',
    ],
    [
      'object-cut.json',
      '{"images": [], ',
      'INVALID_JSON object-cut.json: byte 15: the file is truncated: expected the rest of the file, found the end of the file',
    ],
    [
      'object-skipped.json',
      '{"info": {"a": nil}, "images": []}',
      'INVALID_JSON object-skipped.json: info, byte 16: not JSON: expected valid JSON, found "il}, \\"images\\": []}"',
    ],
  ])('%s', (name, content, message) => {
    const file = write(name, content)
    expect(failure(() => captionsOf(file))).toBe(message)
  })

  it('a missing file, a folder, a loop of links', () => {
    expect(failure(() => arrayOf(path('absent.json')))).toBe('FILE_NOT_FOUND absent.json: file not found')
    mkdirSync(path('folder.json'))
    expect(failure(() => arrayOf(path('folder.json')))).toBe(
      'FILE_NOT_FOUND folder.json: not a file: expected a file, found a folder',
    )
    symlinkSync(path('loop.json'), path('loop.json'))
    expect(failure(() => arrayOf(path('loop.json')))).toBe(
      'FILE_NOT_FOUND loop.json: the file cannot be read: expected a readable file, found too many symbolic links encountered',
    )
  })

  it.skipIf(process.getuid?.() === 0)('a file without permission', () => {
    const file = path('secret.json')
    writeFileSync(file, '[]', { mode: 0 })
    expect(failure(() => arrayOf(file))).toBe(
      'FILE_NOT_FOUND secret.json: permission denied: expected a readable file, found permission denied',
    )
  })

  it('an invalid or truncated .gz file', () => {
    writeFileSync(path('plain.json.gz'), '[1, 2, 3, 4, 5, 6, 7, 8]')
    expect(failure(() => arrayOf(path('plain.json.gz')))).toBe(
      'INVALID_VALUE plain.json.gz: not a gzip file: expected gzip data in a file with extension .gz, found incorrect header check',
    )
    writeFileSync(path('half.json.gz'), gzipSync('[1, 2, 3, 4, 5, 6, 7, 8]').subarray(0, 20))
    expect(failure(() => arrayOf(path('half.json.gz')))).toBe(
      'INVALID_VALUE half.json.gz: the gzip file is truncated: expected a complete gzip file, found the end of the file after 20 bytes',
    )
  })

  it.runIf(isSlow)('a file that is truncated in the middle of its millionth caption', () => {
    const record = ' {"image_id": 1, "id": 1, "caption": "a dog on a red sofa"},'
    const start = '{"images": [], "annotations": ['
    const size = start.length + 1_000_000 * record.length - 8
    const file = write(
      'million.json',
      Buffer.concat([Buffer.from(start), Buffer.alloc(size - start.length, record)]),
    )
    expect(failure(() => captionsOf(file))).toBe(
      `INVALID_JSON million.json: annotations[999999], byte ${size}: the file is truncated: expected the rest of annotations[999999], found the end of the file`,
    )
  })

  it('an unclosed quotation mark does not read the rest of the file into memory', () => {
    const file = write('unclosed.json', `[{"caption": "a dog}, ${'{"caption": 1}, '.repeat(2_000_000)}]`)
    expect(failure(() => arrayOf(file))).toBe(
      'INVALID_JSON unclosed.json: [0], byte 24: not JSON: expected valid JSON, found "caption\\": 1}, {\\"capt…"',
    )
  })

  it('a record above the maximum size', () => {
    const file = write('huge.json', JSON.stringify(['x'.repeat(17_000_000)]))
    expect(failure(() => arrayOf(file))).toBe(
      'INVALID_JSON huge.json: [0], byte 1: too long: expected at most 16777216 bytes, found more',
    )
  })
})
