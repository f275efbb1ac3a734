import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readLines } from '../../../src/formats/io/lines.js'
import { temporaryFolder } from '../kit.js'

const { write, path, failure } = temporaryFolder()

describe('readLines', () => {
  it('returns non-blank lines with their numbers', () => {
    const file = write('lines.txt', '\ufeffone\n\n \ntwo é\r\nlast')
    expect([...readLines(file)]).toEqual([
      { number: 1, text: 'one' },
      { number: 4, text: 'two é\r' },
      { number: 5, text: 'last' },
    ])
  })

  it('reads compressed, empty and long files', () => {
    expect([...readLines(write('packed.txt.gz', 'a\nb\n'))].map((line) => line.text)).toEqual(['a', 'b'])
    expect([...readLines(write('empty.txt', ''))]).toEqual([])
    const long = ['x'.repeat(1_000_000), 'y', 'z'.repeat(600_000)]
    expect([...readLines(write('long.txt', long.join('\n')))].map((line) => line.text)).toEqual(long)
  })

  it('equals splitting the text at line feeds, for any position of the chunk boundary', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-zé ]{0,9}$/), { maxLength: 9 }),
        fc.nat(20),
        (lines, pad) => {
          const text = [`first${' '.repeat(262_144 - pad)}`, ...lines].join('\n')
          const expected = text.split('\n').filter((line) => line.trim() !== '')
          expect([...readLines(write('property.txt', text))].map((line) => line.text)).toEqual(expected)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('rejects missing files, invalid UTF-8 and long lines', () => {
    const all = (file: string) => failure(() => [...readLines(file)])
    expect(all(path('absent.txt'))).toBe('FILE_NOT_FOUND absent.txt: file not found')
    expect(all(write('latin1.txt', Buffer.from('a\ncaf\u00e9\n', 'latin1')))).toBe(
      'INVALID_VALUE latin1.txt: line 2: not UTF-8: expected UTF-8 text (if it is cp1252: iconv -f cp1252 -t utf-8 FILE > NEW), found other bytes',
    )
    expect(all(write('huge.txt', Buffer.alloc(17_000_000, 'a')))).toBe(
      'OUT_OF_RANGE huge.txt: line 1: line too long: expected at most 16777216 bytes, found more',
    )
  })
})
