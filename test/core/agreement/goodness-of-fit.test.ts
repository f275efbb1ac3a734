import { describe, expect, it } from 'vitest'
import { goodnessOfFit } from '../../../src/core/agreement/goodness-of-fit.js'

function pairs(predicted: readonly (number | null)[], empirical: readonly (number | null)[]) {
  return predicted.map((prediction, i) => ({ predicted: prediction, empirical: empirical[i] }))
}

describe('goodnessOfFit', () => {
  it('is perfect for exact predictions', () => {
    const fit = goodnessOfFit(pairs([0.1, 0.5, 0.9], [0.1, 0.5, 0.9]))
    expect(fit).toEqual({ wordCount: 3, rootMeanSquaredError: 0, rSquared: 1, undefinedReason: null })
  })

  it('R² is 0 if the mean is predicted, and negative for worse predictions', () => {
    expect(goodnessOfFit(pairs([0.5, 0.5], [0.25, 0.75])).rSquared).toBe(0)
    const worse = goodnessOfFit(pairs([1, 0], [0, 1]))
    expect(worse.rSquared).toBe(-3)
    expect(worse.rootMeanSquaredError).toBe(1)
  })

  it('equals a manual calculation', () => {
    // Errors 0.1, 0, −0.2; deviations −0.2, 0, 0.2.
    const { rootMeanSquaredError, rSquared } = goodnessOfFit(pairs([0.3, 0.4, 0.4], [0.2, 0.4, 0.6]))
    expect(rootMeanSquaredError).toBeCloseTo(Math.sqrt(0.05 / 3), 12)
    expect(rSquared).toBeCloseTo(1 - 0.05 / 0.08, 12)
  })

  it('ignores words without one of the precisions', () => {
    expect(goodnessOfFit(pairs([0.1, null, 0.7, 0.9], [0.1, 0.4, null, 0.9])).wordCount).toBe(2)
  })

  it.each([
    { empirical: [], rootMeanSquaredError: null, undefinedReason: 'TOO_FEW_WORDS' },
    { empirical: [null], rootMeanSquaredError: null, undefinedReason: 'TOO_FEW_WORDS' },
    { empirical: [0.3], rootMeanSquaredError: 0.2, undefinedReason: 'TOO_FEW_WORDS' },
    { empirical: [0.3, 0.3, 0.3], rootMeanSquaredError: 0.2, undefinedReason: 'CONSTANT_PRECISION' },
  ])(
    'returns the reason why R² is null for $empirical',
    ({ empirical, rootMeanSquaredError, undefinedReason }) => {
      const fit = goodnessOfFit(
        pairs(
          empirical.map(() => 0.5),
          empirical,
        ),
      )
      expect(fit.rSquared).toBeNull()
      expect(fit.undefinedReason).toBe(undefinedReason)
      if (rootMeanSquaredError === null) expect(fit.rootMeanSquaredError).toBeNull()
      else expect(fit.rootMeanSquaredError).toBeCloseTo(rootMeanSquaredError, 12)
    },
  )
})
