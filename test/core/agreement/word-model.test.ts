import { describe, expect, it } from 'vitest'
import { fitWord, modelFigures } from '../../../src/core/agreement/word-model.js'

describe('modelFigures', () => {
  it('has all figures of a fit', () => {
    // h = (1, 1, 0, 1), k = 2: human recall 3/4 and precision 6/7; p = 3/4, q = (4/9) / p.
    const figures = modelFigures(fitWord([1, 1, 0, 1], 'MOMENT'), 2)
    expect(figures).toMatchObject({ overdispersion: 0, undefinedReason: null })
    expect(figures.usageProbability).toBeCloseTo(3 / 4, 14)
    expect(figures.objectProbability).toBeCloseTo(16 / 27, 14)
    expect(figures.recall).toBeCloseTo(3 / 4, 14)
    // 2p / (2p + (1 − p)²)
    expect(figures.precision).toBeCloseTo(0.96, 14)
    expect(figures.residual).toBeCloseTo(6 / 7 - 0.96, 14)
  })

  it.each([
    ['MOMENT', [3, 0, 0, 0], 'NO_CAPTION_USES_WORD'],
    ['BINOMIAL', [3, 0, 0, 0], 'NO_CAPTION_USES_WORD'],
    ['MOMENT', [2, 1, 0, 0], expect.any(String)],
  ] as const)('of %s is null with a reason for %j', (kind, histogram, undefinedReason) => {
    const { undefinedReason: reason, ...values } = modelFigures(fitWord(histogram, kind), 2)
    expect(reason).toEqual(undefinedReason)
    expect(Object.values(values)).toEqual(Object.values(values).map(() => null))
  })

  it.each([0, 3, 1.5])('rejects %s references', (references) => {
    expect(() => modelFigures(fitWord([1, 1, 0, 1], 'MOMENT'), references)).toThrow(/references/)
  })
})
