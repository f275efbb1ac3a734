import { beforeAll, describe, expect, it } from 'vitest'
import { createFitComparer } from '../../src/core/agreement/goodness-of-fit.js'
import { fitUsageModel, predictedRecall } from '../../src/core/agreement/usage-model.js'
import { definedMean, definedMeanByGroup, humanWordAgreement } from '../../src/core/agreement/words.js'
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

  it('is explained by the usage models, on images they were not fitted to better by likelihood than by moments', () => {
    const histograms = words.map(({ histogram }) => histogram)
    const comparer = createFitComparer(4, 1)
    for (const histogram of histograms) comparer.add(histogram)
    const [moment, binomial, betaBinomial] = comparer.compare()
    for (const { inSample } of [moment, binomial, betaBinomial]) {
      expect(inSample.wordCount).toBe(943)
      expect(inSample.rSquared).toBeGreaterThan(0.97)
    }
    expect(binomial.outOfSample.rSquared).toBeGreaterThan(moment.outOfSample.rSquared!)
    // On halves, q = 1 is the maximum of many rare words, whose predictions it makes no better than those of one parameter less.
    expect(betaBinomial.outOfSample.rSquared).toBeGreaterThan(moment.outOfSample.rSquared!)
    expect(betaBinomial.outOfSample.rSquared! - binomial.outOfSample.rSquared!).toBeCloseTo(-0.00495, 4)
  })

  // Maxima of an independent search on a grid: see test/core/agreement/usage-fits.json.
  it.each([
    ['sky', -851.2683598, 0.395598403],
    ['glass', -741.6894315, 0.264096552],
    ['lot', -861.2337076, 0.200063463],
    ['hanging', -541.0796612, 0.145683271],
    ['pillow', -119.2509392, 0.154932996],
    ['carrot', -101.8854486, 0.569344236],
    ['houses', -125.8543259, 0.16683355],
  ])('%s: the beta-binomial fit is the maximum, at q = 1', (word, logLikelihood, recall) => {
    const { histogram } = words.find((one) => one.word === word)!
    const fit = fitUsageModel('BETA_BINOMIAL', histogram).fit!
    expect(fit).toMatchObject({ objectProbability: 1, isWeaklyIdentified: true })
    expect(fit.logLikelihood).toBeCloseTo(logLikelihood, 6)
    expect(predictedRecall(fit)).toBeCloseTo(recall, 6)
  })
})
