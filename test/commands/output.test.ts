import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { counted, grouped, printable, share, toCsv, toLines, toText } from '../../src/commands/output.js'

describe('toCsv', () => {
  it('quotes if necessary, leaves undefined cells empty, does not round', () => {
    const rows = [
      ['plain', 0.1 + 0.2, null],
      ['a,b', 1e-7, 'say "hi"'],
      [' spaced', -0, 'two\nlines'],
    ]
    expect(toCsv({ header: ['word', 'human, recall', 'reason'], rows })).toBe(
      [
        'word,"human, recall",reason',
        'plain,0.30000000000000004,',
        '"a,b",1e-7,"say ""hi"""',
        '" spaced",0,"two\nlines"',
        '',
      ].join('\n'),
    )
  })

  it('has a header without rows', () => {
    expect(toCsv({ header: ['word', 'precision'], rows: [] })).toBe('word,precision\n')
  })

  it('is parsed to the written values', () => {
    const table = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string()), {
      minLength: 1,
      maxLength: 5,
    })
    fc.assert(
      fc.property(table, (rows) => {
        expect(parse(toCsv({ header: ['a', 'b'], rows }))).toEqual([['a', 'b'], ...rows])
      }),
    )
  })
})

describe('toLines', () => {
  it('wraps sentences between words, and leaves commands and long words whole', () => {
    const word = 'x'.repeat(120)
    const sentence = 'seven '.repeat(20).trim()
    const lines = toLines([sentence, `  accord ${word} ${word}`, word, 'one\ntwo']).split('\n')
    expect(lines.slice(0, 2)).toEqual(['seven '.repeat(16).trim(), 'seven '.repeat(4).trim()])
    expect(lines.slice(2)).toEqual([`  accord ${word} ${word}`, word, 'one\u{fffd}two', ''])
    expect(toLines([])).toBe('')
  })
})

describe('toText', () => {
  const columns = [{ align: 'left' }, { align: 'right', maxWidth: 7 }, { align: 'right' }] as const

  it('aligns columns, spans heads, breaks wide cells between words, rules off groups', async () => {
    const text = await toText({
      columns,
      head: [
        ['', { content: 'both', columns: 2 }],
        ['word', 'images', 'P'],
      ],
      body: [
        [
          ['a', '1', '.5'],
          ['zebra', '10 20 30', '1.00'],
        ],
        [['mean', '', '–']],
      ],
    })
    expect(text).toBe(
      [
        '       both',
        'word    images     P',
        '────────────────────',
        'a            1    .5',
        'zebra    10 20  1.00',
        '            30',
        '────────────────────',
        'mean               –',
        '',
      ].join('\n'),
    )
  })

  it('omits the rule of a group without rows', async () => {
    const text = await toText({ columns, head: [['word', 'images', 'P']], body: [[], []] })
    expect(text).toBe('word  images  P\n')
  })

  it('cannot control the terminal', async () => {
    const text = await toText({ columns, head: [], body: [[['\u001b[31mred\u0007', '\r\n', '']]] })
    expect(text).toBe('\u{fffd}[31mred\u{fffd}  \u{fffd}\u{fffd}\n')
  })
})

describe('numbers', () => {
  it.each([
    [0.6214, '.621'],
    [0, '.000'],
    [0.0004, '.000'],
    [0.9994, '.999'],
    [0.9995, '1.00'],
    [1, '1.00'],
    [null, '–'],
  ])('share(%s) is %s', (value, expected) => {
    expect(share(value)).toBe(expected)
  })

  it('separates thousands and forms plurals', () => {
    expect([grouped(25014), counted(1, 'image'), counted(0, 'image'), counted(5000, 'image')]).toEqual([
      '25,014',
      '1 image',
      '0 images',
      '5,000 images',
    ])
  })

  it('prints no control characters', () => {
    expect(printable('é\u0085\u001b[2J🐕')).toBe('é\u{fffd}\u{fffd}[2J🐕')
  })
})
