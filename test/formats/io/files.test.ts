import { closeSync, openSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readResults } from '../../../src/formats/captions/caption-files.js'
import { beginsWith, type OpenFile, openFile, readWhole } from '../../../src/formats/io/files.js'
import { isSlow } from '../../kit/slow.js'
import { failureOf, temporaryFolder } from '../kit.js'

const files = temporaryFolder()

/** Calls `use` with an open file of this content. */
function withOpen<Result>(name: string, content: Buffer | string, use: (file: OpenFile) => Result): Result {
  const descriptor = openSync(files.write('content', content), 'r')
  try {
    return use({ name, descriptor })
  } finally {
    closeSync(descriptor)
  }
}

describe('files', () => {
  it('reads an open file from its beginning, as often as it is opened', () => {
    withOpen('results.json', '[{"image_id": 1, "caption": "a dog"}]', (file) => {
      for (let i = 0; i < 2; i++) {
        expect(Array.from(readResults(file), ({ text }) => text)).toEqual(['a dog'])
      }
      const [first, second] = [openFile(file), openFile(file)]
      const read = ({ read }: typeof first) => {
        const bytes = Buffer.alloc(3)
        return bytes.toString('utf8', 0, read(bytes, 0))
      }
      // Sources do not share a position.
      expect([read(first), read(first), read(second)]).toEqual(['[{"', 'ima', '[{"'])
    })
  })

  it('names an open file in errors', () => {
    withOpen('results.json', '[{"image_id": 1}]', (file) => {
      expect(failureOf(() => [...readResults(file)])).toBe(
        'INVALID_SHAPE results.json: [0]: no caption is recognized: expected a caption (caption, captions, caption_str …) beside image_id, found a JSON list with image_id (1)',
      )
    })
  })

  it('decompresses gzip files by their content, or by their name', () => {
    const content = 'text\n'.repeat(100_000)
    for (const name of ['text', 'text.gz']) {
      withOpen(name, gzipSync(content), (file) => expect(readWhole(file).toString()).toBe(content))
    }
    withOpen('text.gz', content, (file) =>
      expect(failureOf(() => readWhole(file))).toMatch(/^INVALID_VALUE text.gz: not a gzip file: /),
    )
    withOpen('text', content, (file) => expect(readWhole(file).toString()).toBe(content))
    withOpen('empty', '', (file) => expect(readWhole(file)).toHaveLength(0))
  })

  it('takes a text with mustard for no tar file, which has the end of that word at the same place', () => {
    const before = '[{"image_id": 1, "caption": "'
    const caption = `${'a'.repeat(256 - before.length)}mustard`
    withOpen('results.json', `${before}${caption}"}]`, (file) =>
      expect(Array.from(readResults(file), ({ text }) => text)).toEqual([caption]),
    )
    for (const mark of ['ustar\x0000', 'ustar  \0'])
      withOpen('captions', Buffer.from(`${'a'.repeat(257)}${mark}`), (file) =>
        expect(failureOf(() => readWhole(file))).toMatch(/found a tar file \(unpack it with tar -xf\)$/),
      )
  })

  it.skipIf(!isSlow)('holds neither a large gzip file nor an endless file in memory', () => {
    const before = process.memoryUsage.rss()
    const line = Buffer.alloc(1 << 20, ' ')
    // Members of a gzip file follow each other: 512 kB are 512 MiB of spaces.
    const bomb = Buffer.concat(Array.from({ length: 512 }, () => gzipSync(line)))
    withOpen('captions.json.gz', bomb, (file) => {
      expect(failureOf(() => [...readResults(file)])).toMatch(/an empty file/)
      expect(failureOf(() => readWhole(file, 1000))).toMatch(
        /the file is too large: expected at most 1000 bytes/,
      )
    })
    expect(failureOf(() => readWhole('/dev/zero', 1 << 20))).toBe(
      'OUT_OF_RANGE /dev/zero: the file is too large: expected at most 1048576 bytes, found more',
    )
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 << 20)
  })

  it('compares the first bytes', () => {
    const magic = Buffer.from('PK')
    expect(withOpen('a', 'PKZIP', (file) => beginsWith(file, magic))).toBe(true)
    expect(withOpen('a', 'P', (file) => beginsWith(file, magic))).toBe(false)
    expect(withOpen('a', '', (file) => beginsWith(file, magic))).toBe(false)
  })
})
