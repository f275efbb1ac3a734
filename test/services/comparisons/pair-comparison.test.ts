import { describe, expect, it } from 'vitest'
import type { ProvenanceRecord } from '../../../src/core/metrics/provenance.js'
import { studentQuantile } from '../../../src/core/stats/distributions.js'
import { withoutFigures, withVerdicts } from '../../../src/services/comparisons/pair-comparison.js'

/** A table of comparisons with these p-values; the differences of the first half are positive. */
const table = (pValues: readonly (number | null)[], difference = 0.01) =>
  pValues.map((pValue) => ({ ...withoutFigures(0, 1, 'NO_VARIATION'), difference, pValue }))

const betterOf = (pValues: readonly (number | null)[], difference?: number, isHigherBetter = true) =>
  withVerdicts(table(pValues, difference), () => isHigherBetter).map(({ better }) => better)

describe('a side of a comparison', () => {
  it.each([
    [0.049, 'FIRST'],
    [0.0499999, 'FIRST'],
    [0.05, null],
    [0.051, null],
    [0.909, null],
    [null, null],
  ])('is better at p %d: %s', (pValue, better) => {
    expect(betterOf([pValue])).toEqual([better])
  })

  it('is better only where the p-value is below .05 after the correction for all tests of the table', () => {
    // Holm: the smallest of three p-values is multiplied by 3, the next by 2.
    expect(betterOf([0.0166, 0.9, 0.8])).toEqual(['FIRST', null, null])
    expect(betterOf([0.0167, 0.9, 0.8])).toEqual([null, null, null])
    expect(betterOf([0.0166, 0.0249, 0.8])).toEqual(['FIRST', 'FIRST', null])
    expect(betterOf([0.0166, 0.0251, 0.8])).toEqual(['FIRST', null, null])
    // Comparisons without a test count for nothing.
    expect(betterOf([0.049, null, null])).toEqual(['FIRST', null, null])
  })

  it('is the one with the higher score, or with the lower one where lower scores are better', () => {
    expect(betterOf([0.01], -0.01)).toEqual(['SECOND'])
    expect(betterOf([0.01], -0.01, false)).toEqual(['FIRST'])
    expect(betterOf([0.01], 0.01, false)).toEqual(['SECOND'])
    expect(betterOf([0.01], 0)).toEqual([null])
  })
})

const RECORD: ProvenanceRecord = {
  dataset: '0f1e2d3c4b5a',
  subject: { kind: 'system', content: 'aaa' },
  family: 'words',
  metric: 'WORD_PRECISION',
  revision: 1,
  parameters: {},
  resources: {},
  tokenizer: 'ptb-3.4.1',
  language: 'en',
  text: 'tokens',
  documentFrequencies: null,
  references: { count: 4, least: 4, most: 4, folds: null },
  images: { count: 100, of: 100, hash: null },
  interval: 'jackknife',
  seed: null,
  layoutRevision: null,
}

describe('the intervals of a table', () => {
  const rarefied = { imageCount: 50, value: 0.02, standardError: 0.01, freedom: 20 }
  const pair = {
    ...withoutFigures(0, 1, 'NO_VARIATION'),
    difference: 0.01,
    standardError: 0.004,
    freedom: 29,
    rarefied,
    record: RECORD,
  }
  const tableOf = (...pairs: Parameters<typeof withVerdicts>[0][number][]) => withVerdicts(pairs, () => true)

  it('of one comparison are 95 % intervals, and its signature says no more', () => {
    const [{ interval, rarefied: expected, signature }] = tableOf(pair)
    expect(interval!.upper).toBeCloseTo(0.01 + 2.04522964 * 0.004, 9)
    expect(expected!.interval!.upper).toBeCloseTo(0.02 + 2.08596345 * 0.01, 9)
    expect(signature).toMatch(/\|ci:jackknife\|/)
  })

  it('are corrected for their number, those of rarefied differences for theirs, and the signature says it', () => {
    const open = { ...pair, standardError: null, rarefied: null }
    const table = tableOf(pair, pair, open, { ...pair, rarefied: null })
    const [{ interval, rarefied: expected, signature }] = table
    expect(interval!.upper).toBeCloseTo(0.01 + studentQuantile(29, 0.05 / 3) * 0.004, 12)
    expect(expected!.interval!.upper).toBeCloseTo(0.02 + studentQuantile(20, 0.025) * 0.01, 12)
    expect(signature).toMatch(/\|ci:jackknife-bonferroni-3\|/)
    expect(table[2]).toMatchObject({ interval: null, rarefied: null })
  })
})
