import { describe, expect, it } from 'vitest'
import type { ProvenanceRecord } from '../../../src/core/metrics/provenance.js'
import { studentPValue, studentQuantile } from '../../../src/core/stats/distributions.js'
import {
  judgeTable,
  type MeasuredPair,
  orientPairs,
  withoutFigures,
} from '../../../src/services/comparisons/pair-comparison.js'

/** Influences of independent pairs: each has images of its own. */
let nextImage = 0
function measured(difference: number, standardError: number, freedom = 29): MeasuredPair {
  const imageIds = Int32Array.from({ length: freedom + 1 }, () => nextImage++)
  const values = Float64Array.from(imageIds, (_, index) => (index % 2 === 0 ? 1 : -1))
  return {
    ...withoutFigures(0, 1, 'NO_VARIATION'),
    difference,
    uncertainty: { standardError, freedom, first: { imageIds, values } },
    undefinedReason: null,
  }
}

/** With this p-value by itself. */
const withP = (pValue: number, difference = 0.01) =>
  measured(difference, Math.abs(difference) / quantileOf(pValue))

/** By bisection. */
function quantileOf(pValue: number): number {
  let [low, high] = [0, 100]
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2
    if (studentPValue(middle, 29) > pValue) low = middle
    else high = middle
  }
  return low
}

describe('a side of a comparison', () => {
  it.each([
    [0.049, 'FIRST'],
    [0.0499999, 'FIRST'],
    [0.0500001, null],
    [0.909, null],
  ])('is better at p %d: %s', (pValue, better) => {
    const [{ alone, together }] = judgeTable([withP(pValue)])
    expect([alone.better, together.better]).toEqual([better, better])
    expect(alone.pValue).toBeCloseTo(pValue, 9)
    expect(together).toMatchObject({ pValue: alone.pValue, tests: 1, level: 0.05 })
  })

  it('is better in a table only where the p-value is below .05 after the correction for its tests', () => {
    const betterOf = (...pValues: number[]) =>
      judgeTable(pValues.map((pValue) => withP(pValue))).map(({ together }) => together.better)
    // Three independent tests: about .05 / 3 each.
    expect(betterOf(0.0162, 0.9, 0.8)).toEqual(['FIRST', null, null])
    expect(betterOf(0.018, 0.9, 0.8)).toEqual([null, null, null])
    expect(betterOf(0.001, 0.018, 0.8)).toEqual(['FIRST', null, null])
  })

  it('by itself does not depend on the table', () => {
    const pair = withP(0.03)
    const [{ alone }] = judgeTable([pair])
    const [{ alone: inTable, together }] = judgeTable([pair, withP(0.2), withP(0.6)])
    expect(inTable).toEqual(alone)
    expect(together).toMatchObject({ better: null, tests: 3 })
    expect(together.interval!.lower).toBeLessThan(0)
  })

  it('has no test without an uncertainty, and counts for nothing', () => {
    const [{ together }, untested] = judgeTable([withP(0.049), { ...withP(0.01), uncertainty: null }])
    expect(together).toMatchObject({ better: 'FIRST', tests: 1 })
    expect(untested).toMatchObject({
      alone: { interval: null, pValue: null, better: null, tests: 0, level: null },
      together: { interval: null, pValue: null, better: null, tests: 1, level: 0.05 },
    })
  })

  it.each([
    [0, 1],
    [0.2, null],
  ])('without variation and a difference of %d has the p-value %d', (difference, pValue) => {
    const [{ alone, together }] = judgeTable([measured(difference, 0)])
    expect(alone).toEqual({ interval: null, pValue, better: null, tests: 0, level: null })
    expect(together).toEqual(alone)
  })

  it('is the one with the higher score, or with the lower one where lower scores are better', () => {
    const betterOf = (difference: number, higherIsBetter: boolean) =>
      judgeTable([{ ...withP(0.01, difference), higherIsBetter }])[0].alone.better
    expect(betterOf(-0.01, true)).toBe('SECOND')
    expect(betterOf(-0.01, false)).toBe('FIRST')
    expect(betterOf(0.01, false)).toBe('SECOND')
  })

  it('is the same whichever comes first', () => {
    const [pair] = judgeTable([withP(0.01)])
    const [reversed] = orientPairs([pair], 0)
    expect(reversed).toMatchObject({ first: 1, second: 0, difference: -0.01 })
    expect(reversed.alone).toEqual({
      interval: { lower: -pair.alone.interval!.upper, upper: -pair.alone.interval!.lower },
      pValue: pair.alone.pValue,
      tests: 1,
      level: 0.05,
      better: 'SECOND',
    })
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
  const pairs = Array.from({ length: 3 }, () => ({ ...measured(0.01, 0.004), rarefied, record: RECORD }))

  it('of one comparison are 95 % intervals', () => {
    const [{ alone, together, rarefied: expected, signature }] = judgeTable(pairs.slice(0, 1))
    expect(alone.interval!.upper).toBeCloseTo(0.01 + 2.04522964 * 0.004, 9)
    expect(together.interval).toEqual(alone.interval)
    expect(expected!.interval!.upper).toBeCloseTo(0.02 + 2.08596345 * 0.01, 9)
    expect(signature).toMatch(/\|ci:jackknife\|/)
  })

  it('have one level, those of rarefied differences too', () => {
    for (const { together, rarefied: expected, signature } of judgeTable(pairs)) {
      expect(together.level).toBeLessThan(0.02)
      expect(together.interval!.upper).toBeCloseTo(0.01 + studentQuantile(29, together.level!) * 0.004, 12)
      expect(expected!.interval!.upper).toBeCloseTo(0.02 + studentQuantile(20, together.level!) * 0.01, 12)
      expect(signature).toMatch(/\|ci:jackknife\|/)
    }
  })
})
