import { describe, expect, it } from 'vitest'
import { createFitComparer, splitHistogram } from '../../../src/core/agreement/goodness-of-fit.js'
import { createRandom } from '../../../src/core/stats/random.js'

/** Words of different p and q, as the binomial model expects them in 2,000 images of 3 captions. */
const words = Array.from({ length: 30 }, (_, word) => {
  const [p, q] = [0.2 + 0.02 * word, 0.5 - 0.01 * word]
  const used = [3 * p * (1 - p) ** 2, 3 * p ** 2 * (1 - p), p ** 3].map((share) =>
    Math.round(2000 * q * share),
  )
  return [2000 - used[0] - used[1] - used[2], ...used]
})

function compareFits(histograms: readonly number[][], references: number, seed: number) {
  const comparer = createFitComparer(references, seed)
  for (const histogram of histograms) comparer.add(histogram)
  return comparer.compare()
}

describe('splitHistogram', () => {
  it.each([[[7, 0, 0]], [[4, 3, 2]], [[0, 5, 6]], [[0, 0, 1]], [[0, 0, 0]]])(
    'divides %j into halves',
    (histogram) => {
      const [first, second] = splitHistogram(histogram, createRandom(1))
      const size = (half: Float64Array) => half.reduce((sum, images) => sum + images, 0)
      expect(Array.from(first, (images, count) => images + second[count])).toEqual(histogram)
      expect(size(first) - size(second)).toBe((size(first) + size(second)) % 2)
      expect(Math.min(...first, ...second)).toBeGreaterThanOrEqual(0)
    },
  )

  it('has the mean and the variance of the hypergeometric distribution', () => {
    const random = createRandom(2)
    const drawn = Array.from({ length: 4000 }, () => splitHistogram([80, 20], random)[0][1])
    const mean = drawn.reduce((sum, count) => sum + count, 0) / drawn.length
    const variance = drawn.reduce((sum, count) => sum + (count - mean) ** 2, 0) / drawn.length
    expect(Math.abs(mean - 10)).toBeLessThan(0.15)
    expect(Math.abs(variance - (50 * 0.2 * 0.8 * 50) / 99)).toBeLessThan(0.3)
  })
})

describe('createFitComparer', () => {
  it('compares all models on the same words', () => {
    // MOMENT has no fit for the second word, BETA_BINOMIAL none for the third.
    const fits = compareFits([...words, [1990, 10, 0, 0], [1990, 0, 0, 10]], 2, 1)
    expect(fits.map(({ kind }) => kind)).toEqual(['MOMENT', 'BINOMIAL', 'BETA_BINOMIAL'])
    for (const { inSample, outOfSample } of fits) {
      expect(inSample.wordCount).toBe(words.length)
      expect(outOfSample.wordCount).toBe(words.length)
      expect(inSample.rSquared).toBeGreaterThan(0.99)
      expect(outOfSample.rSquared).toBeGreaterThan(0.5)
      expect(outOfSample.rSquared).toBeLessThan(inSample.rSquared!)
    }
  })

  it('says that MOMENT predicts nothing for one reference, unless on other images', () => {
    const [moment, binomial] = compareFits(words, 1, 1)
    expect(moment.inSample).toEqual({
      wordCount: words.length,
      rootMeanSquaredError: null,
      rSquared: null,
      undefinedReason: 'TAUTOLOGY',
    })
    expect(moment.outOfSample.rSquared).not.toBeNull()
    expect(binomial.inSample.rSquared).not.toBeNull()
  })

  it('depends on the seed out of sample only', () => {
    const [one, same, other] = [1, 1, 2].map((seed) => compareFits(words, 2, seed))
    expect(same).toEqual(one)
    expect(other.map(({ inSample }) => inSample)).toEqual(one.map(({ inSample }) => inSample))
    expect(other[0].outOfSample).not.toEqual(one[0].outOfSample)
  })
})

describe('abuse', () => {
  it('without words there is no figure', () => {
    const none = compareFits([], 2, 1)
    expect(none.map(({ kind }) => kind)).toEqual(compareFits(words, 2, 1).map(({ kind }) => kind))
    for (const { inSample, outOfSample } of none) {
      expect(inSample).toMatchObject({ wordCount: 0, rSquared: null, undefinedReason: 'TOO_FEW_WORDS' })
      expect(outOfSample).toMatchObject({ wordCount: 0, rSquared: null, undefinedReason: 'TOO_FEW_WORDS' })
    }
  })

  it('rejects a number of references that does not exist', () => {
    expect(() => compareFits(words, 3, 1)).toThrow(expect.objectContaining({ code: 'OUT_OF_RANGE' }))
  })
})
