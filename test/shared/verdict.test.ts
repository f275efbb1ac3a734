import { describe, expect, it } from 'vitest'
import {
  askedRow,
  conclude,
  describeCorrection,
  figureName,
  type Question,
} from '../../src/shared/verdict.js'

const QUESTION: Question = {
  first: 'mine',
  second: 'baseline',
  figure: 'CIDEr-D',
  difference: 0.115,
  alone: { interval: { lower: 0.023, upper: 0.207 }, pValue: 0.0149, better: 'FIRST' },
  imageCount: 200,
  undefinedReason: null,
}
const NO_TEST = { interval: null, pValue: null, better: null }

describe('the answer to a question', () => {
  it.each<[string, Partial<Question>]>([
    ['mine is better than baseline by CIDEr-D: +.115 [+.023, +.207], p = .015, 200 images.', {}],
    [
      // The better one comes first, with its own sign.
      'baseline is better than mine by CIDEr-D: +.115 [+.023, +.207], p = .015, 200 images.',
      {
        difference: -0.115,
        alone: { interval: { lower: -0.207, upper: -0.023 }, pValue: 0.0149, better: 'SECOND' },
      },
    ],
    [
      // Where lower is better.
      'mine is better than baseline by TER: −.115 [−.207, −.023], p = .015, 200 images.',
      {
        figure: 'TER',
        difference: -0.115,
        alone: { interval: { lower: -0.207, upper: -0.023 }, pValue: 0.0149, better: 'FIRST' },
      },
    ],
    [
      'mine and baseline do not differ significantly by CIDEr-D: −.0005 [−.0014, +.0004], p = .250, 1 image.',
      {
        difference: -0.0005,
        alone: { interval: { lower: -0.0014, upper: 0.0004 }, pValue: 0.25, better: null },
        imageCount: 1,
      },
    ],
    [
      'people are better than mine by CIDEr-D: +.115 [+.023, +.207], p < .0001, 200 images.',
      { first: 'people', second: 'mine', alone: { ...QUESTION.alone, pValue: 0.00001 } },
    ],
    [
      'mine and baseline have the same scores by CIDEr-D.',
      { difference: 0, alone: { ...NO_TEST, pValue: 1 }, undefinedReason: 'NO_VARIATION' },
    ],
    [
      'The difference between mine and baseline by CIDEr-D, +.250, has no test: it is the same whichever images are left out.',
      { difference: 0.25, alone: NO_TEST, undefinedReason: 'NO_VARIATION' },
    ],
    [
      'The difference between mine and baseline by CIDEr-D, −.250, has no test: there are too few images.',
      { difference: -0.25, alone: NO_TEST, undefinedReason: 'TOO_FEW_IMAGES' },
    ],
    [
      'mine and baseline cannot be compared by CIDEr-D: it is not computed yet.',
      { difference: null, alone: NO_TEST, undefinedReason: 'NOT_COMPUTED' },
    ],
  ])('is “%s”', (sentence, changes) => {
    expect(conclude({ ...QUESTION, ...changes })).toBe(sentence)
  })

  it('has percentages with one decimal', () => {
    expect(conclude(QUESTION, true)).toBe(
      'mine is better than baseline by CIDEr-D: +11.5 [+2.3, +20.7], p = .015, 200 images.',
    )
    const small = {
      difference: 0.002,
      alone: { ...QUESTION.alone, interval: { lower: 0.0011, upper: 0.0029 } },
    }
    expect(conclude({ ...QUESTION, ...small }, true)).toContain(': +0.20 [+0.11, +0.29], ')
  })
})

describe('the row that answers the question', () => {
  const rows = ['BLEU-4', 'CIDEr-D', 'METEOR'].map((metric) => ({ metric }))

  it('is that of the main metric, or of the one that is named first', () => {
    expect(askedRow(rows, 1)).toBe(rows[1])
    expect(askedRow(rows, 1, 'METEOR')).toBe(rows[2])
    expect(askedRow(rows, 1, 'SPICE')).toBe(rows[0])
    expect(askedRow(rows.slice(2), 1)).toBe(rows[2])
  })

  it('is none of several pairs, or of no row', () => {
    expect(askedRow(rows, 2)).toBeNull()
    expect(askedRow([], 1)).toBeNull()
  })
})

it.each([
  [{ tests: 130, level: 0.05 / 45 }, 'corrected for 130 tests (worth 45 independent ones)'],
  [{ tests: 2, level: 0.05 }, 'corrected for 2 tests (worth 1 independent one)'],
  [{ tests: 1, level: 0.05 }, null],
  [{ tests: 0, level: null }, null],
])('the correction %o is “%s”', (correction, text) => {
  expect(describeCorrection(correction)).toBe(text)
})

it.each([
  [{ kind: 'METRIC', metric: 'CIDEr-D' }, 'CIDEr-D'],
  [
    { kind: 'METRIC', metric: 'CIDEr-D', subset: { field: 'domain', value: 'near' } },
    'CIDEr-D, domain: near',
  ],
  [{ kind: 'PHR', word: null }, 'mean PHR'],
  [{ kind: 'AVERAGE_PRECISION', word: 'dog' }, 'AP of dog'],
  [{ kind: 'WORD_PRECISION' }, 'mean word precision'],
] as const)('the figure %o is called %s', (figure, name) => {
  expect(figureName(figure)).toBe(name)
})
