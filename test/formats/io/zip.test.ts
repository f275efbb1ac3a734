import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { readZip } from '../../../src/formats/io/zip.js'
import { failureOf, temporaryFolder } from '../kit.js'

const { write } = temporaryFolder()

const unpack = (bytes: Buffer, isWanted: (name: string) => boolean = () => true) =>
  Object.fromEntries(
    readZip(write('a.zip', bytes), isWanted, 'unzip it').map((entry) => [
      entry.name,
      entry.read().toString(),
    ]),
  )

const zip = (files: Readonly<Record<string, string | Buffer>>) =>
  Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)]))),
  )

/** The beginning of the n-th entry of the directory, from 0. */
function directoryEntry(bytes: Buffer, position: number): number {
  let at = -1
  for (let found = 0; found <= position; found++) at = bytes.indexOf('PK\x01\x02', at + 1, 'latin1')
  return at
}

/** Writes another size of an unpacked file. */
function sized(bytes: Buffer, size: number, position = 0): Buffer {
  bytes.writeUInt32LE(size, directoryEntry(bytes, position) + 24)
  return bytes
}

describe('readZip', () => {
  it('reads the wanted files', () => {
    const bytes = zip({ 'a/x.json': '[]'.repeat(1000), 'ä.txt': 'b', 'empty.txt': '' })
    expect(unpack(bytes)).toEqual({ 'a/x.json': '[]'.repeat(1000), 'ä.txt': 'b', 'empty.txt': '' })
    expect(unpack(bytes, (name) => name === 'ä.txt')).toEqual({ 'ä.txt': 'b' })
    expect(unpack(Buffer.concat([bytes, Buffer.from('')]))).toHaveProperty('ä.txt')
  })

  // Written by Python's zipfile: to a pipe, where sizes follow the content; and with its limits of ZIP64 set to 10 bytes.
  it.each([
    [
      'sizes after the content',
      'UEsDBC0ACAgIAAAAIVAAAAAA//////////8OABQAZm9sZGVyL8OkLmpzb24BABAAAAAAAAAAAAAAAAAAAAAAAIuOjSYKAgBQSwcI9h33dgcAAAAAAAAAKAAAAAAAAABQSwMEFAAIAAAAAAAhUAAAAAAAAAAAAAAAAAUAAABiLnR4dHN0b3JlZFBLBwgL+UNWBgAAAAYAAABQSwECLQMtAAgICAAAACFQ9h33dgcAAAAoAAAADgAAAAAAAAAAAAAAgAEAAAAAZm9sZGVyL8OkLmpzb25QSwECFAMUAAgAAAAAACFQC/lDVgYAAAAGAAAABQAAAAAAAAAAAAAAgAFfAAAAYi50eHRQSwUGAAAAAAIAAgBvAAAAmAAAAAAA',
      'folder/ä.json',
    ],
    [
      'the extension for more than 4 GiB',
      'UEsDBC0AAAAIAAAAIVD2Hfd2//////////8GABQAYS5qc29uAQAQACgAAAAAAAAABwAAAAAAAACLjo0mCgIAUEsDBBQAAAAAAAAAIVAL+UNWBgAAAAYAAAAFAAAAYi50eHRzdG9yZWRQSwECLQMtAAAACAAAACFQ9h33dv//////////BgAUAAAAAAAAAAAAgAEAAAAAYS5qc29uAQAQACgAAAAAAAAABwAAAAAAAABQSwECLQMtAAAAAAAAACFQC/lDVgYAAAAGAAAABQAMAAAAAAAAAAAAgAH/////Yi50eHQBAAgAPwAAAAAAAABQSwYGLAAAAAAAAAAtAC0AAAAAAAAAAAACAAAAAAAAAAIAAAAAAAAAhwAAAAAAAABoAAAAAAAAAFBLBgcAAAAA7wAAAAAAAAABAAAAUEsFBgAAAAACAAIAhwAAAGgAAAAAAA==',
      'a.json',
    ],
  ])('reads %s', (_what, base64, name) => {
    expect(unpack(Buffer.from(base64, 'base64'))).toEqual({ [name]: '[]'.repeat(20), 'b.txt': 'stored' })
  })

  it.each<[string, () => Buffer, RegExp]>([
    [
      'two files of one name',
      () => {
        const bytes = zip({ 'a.json': '[]', 'b.json': '[1]' })
        bytes.write('a', directoryEntry(bytes, 1) + 46)
        return bytes
      },
      /^DUPLICATE_ID .*a.json: two files of one name/,
    ],
    ['a cut end', () => zip({ a: 'x' }).subarray(0, -1), /^INVALID_VALUE .*no directory/],
    ['nothing', () => Buffer.alloc(0), /^INVALID_VALUE .*not a zip file/],
    [
      'a directory outside of it',
      () => {
        const bytes = zip({ a: 'x' })
        bytes.writeUInt32LE(0x7fffffff, bytes.length - 6)
        return bytes
      },
      /^INVALID_VALUE .*not a zip file/,
    ],
    [
      'damaged content',
      () => {
        const bytes = zip({ a: 'xyz'.repeat(100) })
        bytes[31 + 3] ^= 0xff
        return bytes
      },
      /^INVALID_VALUE .*a: not a zip file/,
    ],
    ['more content than it says', () => sized(zip({ a: 'x'.repeat(1e6) }), 10), /^INVALID_VALUE .*a: not/],
    ['less content than it says', () => sized(zip({ a: 'x'.repeat(10) }), 11), /^INVALID_VALUE .*damaged/],
    ['100 times its size', () => zip({ a: Buffer.alloc(4e6) }), /^OUT_OF_RANGE .*at most 1\d{6} bytes/],
    [
      'files that share their content',
      () => {
        const bytes = zip({ a: Buffer.alloc(900_000), b: 'x'.repeat(900_000) })
        const [first, second] = [directoryEntry(bytes, 0), directoryEntry(bytes, 1)]
        bytes.copy(bytes, second, first, first + 46)
        return bytes
      },
      /^OUT_OF_RANGE/,
    ],
  ])('refuses %s', (_what, bytes, message) => {
    expect(failureOf(() => unpack(bytes()))).toMatch(message)
  })

  it('refuses a lie about the size without unpacking it', () => {
    const bytes = sized(zip({ a: Buffer.alloc(16e6) }), 1000)
    const before = process.memoryUsage().arrayBuffers
    expect(failureOf(() => unpack(bytes))).toMatch(/^INVALID_VALUE/)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8e6)
  })
})
