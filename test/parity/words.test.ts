import { beforeAll, describe, expect, it } from 'vitest'
import { createFitComparer } from '../../src/core/agreement/fit-comparison.js'
import { definedMean, definedMeanByGroup } from '../../src/core/agreement/summary.js'
import { fitUsageModel } from '../../src/core/agreement/usage-model.js'
import { humanWordAgreement } from '../../src/core/agreement/words.js'
import { type GoldenWord, readGoldenWords, wordGoldensPresent } from './word-goldens.js'

describe.skipIf(!wordGoldensPresent)('human agreement on the 1,000 words of val2017', () => {
  let words: readonly GoldenWord[]

  beforeAll(() => {
    words = readGoldenWords()
  })

  it.each([1, 2, 3, 4])(
    'has the golden precision and recall with %d references, within 1e-9',
    (references) => {
      expect(words.length).toBe(1000)
      for (const { word, histogram, figure } of words) {
        const { precision, recall } = humanWordAgreement(histogram, references)
        for (const [actual, column] of [
          [precision, `human_precision_k${references}`],
          [recall, `human_recall_k${references}`],
        ] as const) {
          const expected = figure(column)
          expect(actual === null, `${word} ${column}`).toBe(expected === null)
          expect(Math.abs(actual! - expected!), `${word} ${column}`).toBeLessThan(1e-9)
        }
      }
    },
  )

  it('has the golden mean precision with four references, in all and by part of speech', () => {
    const precisionOf = ({ histogram }: GoldenWord) => humanWordAgreement(histogram, 4).precision
    const percent = (mean: number | null) => Math.round(1e5 * mean!) / 1e3
    const byTag = definedMeanByGroup(words, ({ partOfSpeech }) => partOfSpeech, precisionOf)
    expect(definedMean(words.map(precisionOf)).defined).toBe(1000)
    expect(percent(definedMean(words.map(precisionOf)).mean)).toBe(51.621)
    expect(percent(byTag.get('NN')!.mean)).toBe(62.075)
    expect(percent(byTag.get('VB')!.mean)).toBe(34.549)
    expect(percent(byTag.get('JJ')!.mean)).toBe(35.578)
    expect([...byTag.values()].reduce((sum, { total }) => sum + total, 0)).toBe(1000)
  })

  it('is explained by the usage models, on images they were not fitted to best by the freest', () => {
    const histograms = words.map(({ histogram }) => histogram)
    const comparer = createFitComparer(4, 1)
    for (const histogram of histograms) comparer.add(histogram)
    const [moment, binomial, betaBinomial] = comparer.compare()
    for (const { inSample } of [moment, binomial, betaBinomial]) {
      expect(inSample.wordCount).toBe(943)
      expect(inSample.rSquared).toBeGreaterThan(0.97)
    }
    expect(binomial.outOfSample.rSquared).toBeGreaterThan(moment.outOfSample.rSquared!)
    expect(betaBinomial.outOfSample.rSquared).toBeGreaterThan(binomial.outOfSample.rSquared!)
  })

  it('has q = 1 for few words: an interior estimate is preferred where the likelihood is flat', () => {
    const atOne = words.filter(({ histogram }) => {
      const { fit } = fitUsageModel('BETA_BINOMIAL', histogram)
      return fit?.objectProbability === 1
    })
    expect(atOne.length).toBeLessThan(100)
  })
})
