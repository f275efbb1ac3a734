import { parse } from 'csv-parse/sync'
import { describe, expect, it, test } from 'vitest'
import { createRandom } from '../../../src/core/stats/random.js'
import { readRecords } from '../../../src/formats/io/csv.js'
import { temporaryFolder } from '../kit.js'

const { write } = temporaryFolder()

let files = 0
function read(content: string | Buffer, reading: Partial<Parameters<typeof readRecords>[1]> = {}) {
  const file = write(`${++files}.csv`, content)
  return [...readRecords(file, { delimiter: ',', trim: false, ...reading })]
}
const fieldsOf = (...args: Parameters<typeof read>) => read(...args).map(({ fields }) => fields)

describe('CSV', () => {
  test.each<[string, string, string[][]]>([
    [
      'rows',
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'without a line break at the end',
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'line breaks of all kinds, empty lines',
      'a,b\r\n\r\nc,d\re,f\n \n\n',
      [
        ['a', 'b'],
        ['c', 'd'],
        ['e', 'f'],
      ],
    ],
    [
      'quoted fields',
      '"a, b","say ""hi"""\n"x\ny",""\n',
      [
        ['a, b', 'say "hi"'],
        ['x\ny', ''],
      ],
    ],
    [
      'quotation marks within a field',
      '1,a 6" dog\n2,the "big" cat\n',
      [
        ['1', 'a 6" dog'],
        ['2', 'the "big" cat'],
      ],
    ],
    [
      'one quotation mark in the whole file',
      'a,b "\nc,d\n',
      [
        ['a', 'b "'],
        ['c', 'd'],
      ],
    ],
    ['a byte order mark', '\ufeff"a",b\n', [['a', 'b']]],
    [
      'empty fields',
      ',\n,,\n',
      [
        ['', ''],
        ['', '', ''],
      ],
    ],
  ])('%s', (_what, content, rows) => {
    expect(fieldsOf(content)).toEqual(rows)
  })

  it('has the number of the line on which a row ends', () => {
    expect(read('a,b\n\n"c\n\nd",e\nf,g').map(({ line }) => line)).toEqual([1, 5, 6])
  })

  it('trims fields, but not within quotation marks', () => {
    expect(fieldsOf(' a , " b " ,c "d" \n', { trim: true })).toEqual([['a', ' b ', 'c "d"']])
  })

  test.each([
    ['[{"a":1,"b":"c"}]', 'line 1: wrong shape: expected CSV, found JSON'],
    ['a,"b', 'line 1: wrong shape: expected CSV, found the end of the file inside a quoted field'],
    ['a,b\n"c\nd,e\n', 'line 3: wrong shape: expected CSV, found the end of the file inside a quoted field'],
    [
      'a,b\n"c\nd"e,f\n',
      'line 3: wrong shape: expected CSV, found text after the quotation mark that ends a field',
    ],
  ])('%j is refused', (content, message) => {
    expect(() => read(content)).toThrow(message)
  })

  it('a row longer than the maximum is refused, and not read further', () => {
    const long = Buffer.alloc(17 * 1024 * 1024, 'x\n')
    long.write('a,b\n1,"')
    expect(() => read(long)).toThrow('line 2: too long: expected at most 16777216 bytes, found more')
    expect(() => read(Buffer.alloc(17 * 1024 * 1024, 'x'))).toThrow('line 1: too long')
  })

  it('is what csv-parse reads, of random texts longer than what is read at once', () => {
    const random = createRandom(7)
    const parts = ['a', ' ', 'é', '中', '""', ',', '\n', '\r\n', 'word ', '😀']
    const field = () => {
      const text = Array.from({ length: random.below(12) }, () => parts[random.below(parts.length)]).join('')
      return /[",\r\n]/.test(text) || random.next() < 0.3 ? `"${text}"` : text
    }
    const rows = Array.from(
      { length: 30_000 },
      () => `${field()},${field()},x${random.next() < 0.5 ? '\n' : '\r\n'}`,
    )
    const content = rows.join('')
    expect(Buffer.byteLength(content)).toBeGreaterThan(512 * 1024)
    for (const trim of [false, true]) {
      const expected = parse(content, { trim, record_delimiter: ['\r\n', '\n', '\r'] })
      expect(fieldsOf(content, { trim })).toEqual(expected)
    }
  })
})
