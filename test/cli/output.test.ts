import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  count,
  FRACTIONS,
  interval,
  jsonOnly,
  list,
  ordinal,
  PERCENTAGES,
  printable,
  share,
} from '../../src/cli/output/formats.js'
import { render } from '../../src/cli/output/output.js'
import { pivot, type Report, type Table, toCsvTable, toGrid, toJson } from '../../src/cli/output/report.js'
import { NO_PAINT, toLines, toText } from '../../src/cli/output/text-table.js'
import { counted, grouped, showP } from '../../src/shared/numbers.js'
import { toCsv, toTsv } from '../../src/shared/tables.js'

const style = { width: 80, paint: NO_PAINT }
const textOf = (table: Table, width = 80) => toText(toGrid(table, FRACTIONS), { ...style, width })

describe('toCsv', () => {
  it('writes texts that no program takes for a formula, and numbers as they are', () => {
    const texts = ['=1+1', '+1', '-1', '@a', '\ta', 'a=1', 'a\u202eb', 'a\u0007b']
    const rows = [...texts.map((a) => ({ a })), { a: -0.5 }, { a: ['=1', 'b'] }]
    expect(toCsv(toCsvTable({ columns: [{ path: 'a' }], rows }))).toBe(
      [
        ...['a', "'=1+1", "'+1", "'-1", "'@a", "'\ta", 'a=1', 'a\ufffdb', 'a\ufffdb'],
        ...['-0.5', "'=1; b", ''],
      ].join('\n'),
    )
  })

  it('quotes if necessary, leaves undefined cells empty, does not round', () => {
    const rows = [
      { a: 'plain', 'b, c': 0.1 + 0.2, d: null },
      { a: 'a,b', 'b, c': 1e-7, d: 'say "hi"' },
      { a: ' spaced', 'b, c': -0, d: 'two\nlines' },
      { a: ['a', 'b'], 'b, c': Number.NaN, d: true },
    ]
    const columns = ['a', 'b, c', 'd'].map((path) => ({ path }))
    expect(toCsv(toCsvTable({ columns, rows }))).toBe(
      [
        'a,"b, c",d',
        'plain,0.30000000000000004,',
        '"a,b",1e-7,"say ""hi"""',
        '" spaced",0,"two\nlines"',
        'a; b,,true',
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
    expect(toTsv({ header: ['a', 'b'], rows: [['x\ty\n\\', '']] })).toBe('a\tb\nx\\ty\\n\\\\\t\n')
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

const WORDS = [
  { word: 'a', images: [1], precision: 0.5 },
  { word: 'zebra', images: [10, 20, 30], precision: 1 },
]

const words: Table<(typeof WORDS)[number]> = {
  columns: [
    { path: 'word', title: 'word' },
    {
      path: 'images',
      title: 'images',
      group: 'both',
      format: { align: 'right', show: (images: readonly number[]) => images.join(' ') },
      wrap: 7,
    },
    { path: 'precision', title: 'P', group: 'both', format: share },
    { path: 'unshown' },
  ],
  rows: WORDS,
}

describe('a table as text', () => {
  it('aligns columns, spans headings, wraps wide cells at words, separates the footer', () => {
    const text = textOf({ ...words, footer: [{ word: 'mean', precision: null }] })
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

  it('is only its head without rows', () => {
    expect(textOf({ ...words, rows: [] })).toBe('      both\nword  images  P\n')
  })

  it('separates groups, leaves out equal cells and columns without a value', () => {
    const rows = [
      { metric: 'METEOR', system: 'a', rank: 1, reason: null },
      { metric: 'METEOR', system: 'b', rank: null, reason: null },
      { metric: 'CIDEr', system: 'a', rank: 1, reason: null },
    ]
    const table: Table<(typeof rows)[number]> = {
      columns: [
        { path: 'metric', title: 'metric', isMerged: true },
        { path: 'system', title: 'system' },
        { path: 'rank', title: 'rank', format: ordinal },
        { path: 'reason', title: 'not ranked', isOptional: true },
      ],
      rows,
      groupBy: ({ metric }) => metric,
    }
    expect(textOf(table)).toBe(
      [
        'metric  system  rank',
        '────────────────────',
        'METEOR  a          1',
        '        b',
        '────────────────────',
        'CIDEr   a          1',
        '',
      ].join('\n'),
    )
  })

  it('cannot control the terminal', () => {
    const columns = ['a', 'b'].map((path) => ({ path, title: path }))
    const text = textOf({ columns, rows: [{ a: '\u001b[31mred\u0007', b: '\r\n' }] })
    expect(text.split('\n')[2]).toBe('\u{fffd}[31mred\u{fffd}  \u{fffd}\u{fffd}')
  })

  it('aligns characters of double width', () => {
    const columns = [
      { path: 'system', title: 'system' },
      { path: 'n', title: 'n', format: count },
    ]
    const text = textOf({ columns, rows: [{ system: '模型', n: 1234 }] })
    expect(text).toBe(`system      n\n${'─'.repeat(13)}\n模型    1,234\n`)
  })

  it('wraps columns of text so that it fits', () => {
    const columns = [
      { path: 'name', title: '' },
      { path: 'text', title: 'text', wrap: 'fit' as const },
    ]
    const rows = [{ name: 'one', text: 'a long sentence of many words' }]
    const lines = textOf({ columns, rows }, 20).split('\n')
    expect(lines.slice(2)).toEqual(['one  a long sentence', '     of many words', ''])
  })

  it('is divided if it is too wide: repeats the first column, keeps columns of a heading together', () => {
    const columns = ['one', 'two'].flatMap((group) =>
      ['score', 'gap'].map((title) => ({ path: `${group}.${title}`, title, group, format: count })),
    )
    const rows = [{ system: 'a', one: { score: 1, gap: 2 }, two: { score: 3, gap: 4 } }]
    expect(textOf({ columns: [{ path: 'system', title: 'system' }, ...columns], rows }, 20)).toBe(
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

describe('a table that is pivoted', () => {
  const rows = [
    { system: 'a', metric: 'METEOR', value: 0.1 },
    { system: 'a', metric: 'CIDEr', value: 0.2 },
    { system: 'b', metric: 'CIDEr', value: 0.3 },
  ]
  const value = { path: 'value', title: 'score', format: share }

  it('has the cells of several rows beside each other', () => {
    const table = pivot(rows, {
      down: [{ path: 'system', title: 'system' }],
      across: ({ metric }) => metric,
      cells: [{ ...value, title: undefined }],
    })
    expect(textOf(table)).toBe(
      `system  METEOR  CIDEr\n${'─'.repeat(21)}\na         .100   .200\nb            –   .300\n`,
    )
  })

  it('tells rows apart by their values, not by what is shown of them', () => {
    const table = pivot(
      [
        { system: null, metric: 'METEOR', value: 0.1 },
        { system: 'people', metric: 'METEOR', value: 0.2 },
      ],
      {
        down: [{ path: 'system', title: 'system', show: ({ system }) => system ?? 'people' }],
        across: ({ metric }) => metric,
        cells: [{ ...value, title: undefined }],
      },
    )
    expect(textOf(table)).toMatch(/\npeople +\.100\npeople +\.200\n$/)
  })

  it('has headings above several cells, and emphasized cells', () => {
    const table = pivot(rows, {
      down: [{ path: 'system', title: 'system' }],
      across: ({ metric }) => metric,
      cells: [
        { ...value, isStrong: ({ value }) => value > 0.2 },
        { path: 'metric', title: 'by' },
      ],
    })
    const { columns, groups } = toGrid(table, FRACTIONS)
    expect(columns.map(({ group, title }) => [group, title])).toEqual([
      [undefined, 'system'],
      ['METEOR', 'score'],
      ['METEOR', 'by'],
      ['CIDEr', 'score'],
      ['CIDEr', 'by'],
    ])
    expect(
      groups.flat().map((cells) => cells.map(({ text, isStrong }) => (isStrong ? [text] : text))),
    ).toEqual([
      ['a', '.100', 'METEOR', '.200', 'CIDEr'],
      ['b', '–', '–', ['.300'], 'CIDEr'],
    ])
  })
})

describe('a report', () => {
  const rows = [
    {
      system: 'a|b & 100 %',
      scores: { 'BLEU.1': 0.25 },
      interval: { lower: 0.2, upper: 0.3 },
      folds: [1, 2],
      metrics: ['x', 'y'],
      details: { seed: 1 },
    },
    { system: 'people', scores: null, interval: null, folds: [3, 4], metrics: [], details: null },
  ]
  const table: Table<(typeof rows)[number]> & { name: string } = {
    name: 'rows',
    columns: [
      { path: 'system', title: 'system_1' },
      {
        path: ['scores', 'BLEU.1'],
        title: 'score',
        group: '4 references',
        format: share,
        isStrong: ({ scores }) => scores !== null,
      },
      { path: 'interval', title: '95 % interval', group: '4 references', format: interval },
      { path: 'folds.0' },
      { path: 'folds.1' },
      { path: 'metrics', format: list(' ') },
      { path: 'details', format: jsonOnly },
    ],
    rows,
    groupBy: ({ system }) => system,
  }
  const report: Report = {
    about: { dataset: 'd' },
    tables: [table],
    parts: [table, { notes: ['Note_1.', '  accord a', '  accord b'] }],
  }

  it('is JSON with a property for each table', () => {
    expect(toJson(report)).toEqual({ dataset: 'd', rows })
  })

  it('is CSV whose columns are paths in the JSON of a row', async () => {
    expect(await render({ format: 'csv' }, report)).toBe(
      [
        'system,scores.BLEU.1,interval.lower,interval.upper,folds.0,folds.1,metrics',
        'a|b & 100 %,0.25,0.2,0.3,1,2,x; y',
        'people,,,,3,4,',
        '',
      ].join('\n'),
    )
  })

  it('is written as Markdown', async () => {
    expect(await render({ format: 'markdown' }, report)).toBe(
      [
        '| system\\_1 | 4 references, score | 4 references, 95 % interval |',
        '| :-- | --: | --: |',
        '| a\\|b & 100 % | **.250** | \\[.200, .300\\] |',
        '| people |  | – |',
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
    expect(await render({ format: 'latex', percent: true }, report)).toBe(
      [
        '\\begin{tabular}{lrr}',
        '  \\toprule',
        '   & \\multicolumn{2}{l}{4 references} \\\\',
        '  system\\_1 & score & 95 \\% interval \\\\',
        '  \\midrule',
        '  a\\textbar{}b \\& 100 \\% & \\textbf{25.0} & [20.0, 30.0] \\\\',
        '  \\midrule',
        '  people &  & -- \\\\',
        '  \\bottomrule',
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
    expect(await render({ format: 'table' }, report)).not.toContain('\u001b')
    expect((await render({ format: 'tsv' }, report)).split('\n')[2]).toBe('people\t\t\t\t3\t4\t')
  })
})

describe('numbers', () => {
  it.each([
    [0.6214, '.621', '62.1'],
    [0, '.000', '0.0'],
    [0.0004, '.000', '0.0'],
    [-0.25, '−.250', '−25.0'],
    [0.9995, '1.000', '100.0'],
    [1, '1.000', '100.0'],
  ])('the share %s is %s, or %s percent', (value, fraction, percentage) => {
    expect(share.show(value, FRACTIONS)).toBe(fraction)
    expect(share.show(value, PERCENTAGES)).toBe(percentage)
  })

  it.each([
    [1, '1.000'],
    [0.05, '.050'],
    [0.04996, '.04996'],
    [0.04, '.040'],
    [0.001, '.001'],
    [0.00096, '.0010'],
    [0.0004, '.0004'],
    [0.0001, '.0001'],
    [0.00009, '< .0001'],
    [0, '< .0001'],
    [null, '–'],
  ])('the p-value %s is %s', (pValue, text) => {
    expect(showP(pValue)).toBe(text)
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
