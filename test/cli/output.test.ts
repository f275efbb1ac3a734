import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Renderings, render, toCsv, toTsv } from '../../src/cli/output/output.js'
import {
  counted,
  FRACTIONS,
  grouped,
  interval,
  PERCENTAGES,
  prefixed,
  printable,
  share,
  strong,
  type TextTable,
} from '../../src/cli/output/table.js'
import { NO_PAINT, toLines, toText } from '../../src/cli/output/text-table.js'

const style = { width: 80, numbers: FRACTIONS, paint: NO_PAINT }

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

describe('toTsv', () => {
  it('has one line for each row, whatever the text', () => {
    expect(toTsv({ header: ['a', 'b'], rows: [['x\ty\n\\', null]] })).toBe('a\tb\nx\\ty\\n\\\\\t\n')
  })
})

describe('toLines', () => {
  it('wraps sentences between words, and leaves commands and long words whole', () => {
    const word = 'x'.repeat(120)
    const sentence = 'seven '.repeat(20).trim()
    const lines = toLines([sentence, `  accord ${word} ${word}`, word, 'one\ntwo'], style).split('\n')
    expect(lines.slice(0, 2)).toEqual(['seven '.repeat(13).trim(), 'seven '.repeat(7).trim()])
    expect(lines.slice(2)).toEqual([`  accord ${word} ${word}`, word, 'one\u{fffd}two', ''])
    expect(toLines([], style)).toBe('')
  })
})

describe('toText', () => {
  const columns = [{ align: 'left' }, { align: 'right', maxWidth: 7 }, { align: 'right' }] as const

  it('aligns columns, spans heads, breaks wide cells between words, rules off groups', () => {
    const text = toText(
      {
        columns,
        head: [
          ['', { content: 'both', columns: 2 }],
          ['word', 'images', 'P'],
        ],
        body: [
          [
            ['a', '1', share(0.5)],
            ['zebra', '10 20 30', share(1)],
          ],
          [['mean', '', share(null)]],
        ],
      },
      style,
    )
    expect(text).toBe(
      [
        '       both',
        'word   images      P',
        '────────────────────',
        'a           1   .500',
        'zebra   10 20  1.000',
        '           30',
        '────────────────────',
        'mean               –',
        '',
      ].join('\n'),
    )
  })

  it('omits the rule of a group without rows', () => {
    const text = toText({ columns, head: [['word', 'images', 'P']], body: [[], []] }, style)
    expect(text).toBe('word  images  P\n')
  })

  it('cannot control the terminal', () => {
    const text = toText({ columns, head: [], body: [[['\u001b[31mred\u0007', '\r\n', '']]] }, style)
    expect(text).toBe('\u{fffd}[31mred\u{fffd}  \u{fffd}\u{fffd}\n')
  })

  it('aligns characters of double width', () => {
    const text = toText({ columns, head: [['system', 'n', '']], body: [[['模型', '1', '2']]] }, style)
    expect(text).toBe('system  n\n────────────\n模型    1  2\n'.replace('────────────', '─'.repeat(12)))
  })

  it('wraps columns of text so that it fits', () => {
    const table: TextTable = {
      columns: [{ align: 'left' }, { align: 'left', isText: true }],
      head: [],
      body: [[['one', 'a long sentence of many words']]],
    }
    expect(toText(table, { ...style, width: 20 })).toBe('one  a long sentence\n     of many words\n')
  })

  it('divides a table that is too wide, repeats the first column and keeps columns of a head together', () => {
    const table: TextTable = {
      columns: [{ align: 'left' }, ...Array.from({ length: 4 }, () => ({ align: 'right' as const }))],
      head: [
        ['', { content: 'one', columns: 2 }, { content: 'two', columns: 2 }],
        ['system', 'score', 'gap', 'score', 'gap'],
      ],
      body: [[['a', '1', '2', '3', '4']]],
    }
    expect(toText(table, { ...style, width: 20 })).toBe(
      [
        '        one',
        'system  score  gap',
        '──────────────────',
        'a           1    2',
        '',
        '        two',
        'system  score  gap',
        '──────────────────',
        'a           3    4',
        '',
      ].join('\n'),
    )
  })
})

describe('a report', () => {
  const table: TextTable = {
    columns: [{ align: 'left' }, { align: 'right' }, { align: 'right' }],
    head: [
      ['', { content: '4 references', columns: 2 }],
      ['system_1', 'score', '95 % interval'],
    ],
    body: [
      [['a|b & 100 %', strong(share(0.25)), interval({ lower: 0.2, upper: 0.3 })]],
      [['people', prefixed('~', share(1.2)), interval(null)]],
    ],
  }
  const renderings: Renderings = {
    json: () => ({ score: 0.25 }),
    csv: () => ({ header: ['score'], rows: [[0.25]] }),
    report: () => [table, { notes: ['Note_1.', '  accord a', '  accord b'] }],
  }

  it('is Markdown', async () => {
    expect(await render({ format: 'markdown' }, renderings)).toBe(
      [
        '| system\\_1 | 4 references, score | 4 references, 95 % interval |',
        '| :-- | --: | --: |',
        '| a\\|b & 100 % | **.250** | .200 – .300 |',
        '| people | ~1.200 | – |',
        '',
        'Note\\_1.',
        '',
        '    accord a',
        '    accord b',
        '',
        '',
      ].join('\n'),
    )
  })

  it('is LaTeX, in percent', async () => {
    expect(await render({ format: 'latex', percent: true }, renderings)).toBe(
      [
        '\\begin{tabular}{lrr}',
        '  \\hline',
        '   & \\multicolumn{2}{l}{4 references} \\\\',
        '  system\\_1 & score & 95 \\% interval \\\\',
        '  \\hline',
        '  a|b \\& 100 \\% & \\textbf{25.0} & 20.0 -- 30.0 \\\\',
        '  \\hline',
        '  people & \\textasciitilde{}120.0 & -- \\\\',
        '  \\hline',
        '\\end{tabular}',
        '',
        '% Note_1.',
        '% accord a',
        '% accord b',
        '',
      ].join('\n'),
    )
  })

  it('has no colours in a file', async () => {
    expect(await render({ format: 'table' }, renderings)).not.toContain('\u001b')
    expect(await render({ format: 'tsv' }, renderings)).toBe('score\n0.25\n')
  })
})

describe('numbers', () => {
  it.each([
    [0.6214, '.621', '62.1'],
    [0, '.000', '0.0'],
    [0.0004, '.000', '0.0'],
    [-0.25, '-.250', '-25.0'],
    [0.9995, '1.000', '100.0'],
    [1, '1.000', '100.0'],
    [null, '–', '–'],
  ])('share(%s) is %s, or %s percent', (value, fraction, percentage) => {
    expect(share(value).show(FRACTIONS)).toBe(fraction)
    expect(share(value).show(PERCENTAGES)).toBe(percentage)
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
