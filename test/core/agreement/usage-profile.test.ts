import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitUsageModel, profileLikelihoods } from '../../../src/core/agreement/usage-model.js'
import { usageIntervals } from '../../../src/core/agreement/word-model.js'
import { humanWordIntervals } from '../../../src/core/agreement/words.js'
import { createRandom } from '../../../src/core/stats/random.js'
import { histograms } from './kit.js'

const KINDS = ['MOMENT', 'BINOMIAL', 'BETA_BINOMIAL'] as const

/** Captions of 5 people: the object is in an image with probability q, and each person then uses the word with p. */
function simulate(seed: number, images: number, p: number, q: number): number[] {
  const random = createRandom(seed)
  const histogram = [0, 0, 0, 0, 0, 0]
  for (let image = 0; image < images; image++) {
    let count = 0
    if (random.next() < q) for (let person = 0; person < 5; person++) if (random.next() < p) count++
    histogram[count]++
  }
  return histogram
}

describe('usageIntervals', () => {
  it('contain the estimates and stay between 0 and 1', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 6 }).chain((captions) => histograms(captions, 300)),
        fc.constantFrom(...KINDS),
        (histogram, kind) => {
          const { fit } = fitUsageModel(kind, histogram)
          const { usageProbability, objectProbability } = usageIntervals(kind, histogram)
          if (fit === null) {
            expect([usageProbability, objectProbability]).toEqual([null, null])
            return
          }
          for (const [value, interval] of [
            [fit.usageProbability, usageProbability],
            [fit.objectProbability, objectProbability],
          ] as const) {
            if (interval === null) {
              expect(kind).toBe('MOMENT')
              continue
            }
            expect(interval.lower).toBeGreaterThanOrEqual(0)
            expect(interval.upper).toBeLessThanOrEqual(1)
            expect(interval.lower).toBeLessThanOrEqual(value + 1e-6)
            expect(interval.upper).toBeGreaterThanOrEqual(value - 1e-6)
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  it('end where the profile likelihood is 1.92 below the maximum', () => {
    const histogram = [4823, 15, 16, 19, 42, 85]
    for (const kind of ['BINOMIAL', 'BETA_BINOMIAL'] as const) {
      const { logLikelihood, usage, object } = profileLikelihoods(kind, histogram)
      const { usageProbability, objectProbability } = usageIntervals(kind, histogram)
      for (const p of [usageProbability!.lower, usageProbability!.upper]) {
        expect(logLikelihood - usage(p)).toBeCloseTo(1.9207, 4)
      }
      for (const q of [objectProbability!.lower, objectProbability!.upper]) {
        expect(logLikelihood - object(q)).toBeCloseTo(1.9207, 4)
      }
    }
  })

  it('reach q = 1 where the counts barely determine it', () => {
    const { usageProbability, objectProbability } = usageIntervals('BETA_BINOMIAL', [4946, 10, 4, 4, 6, 30])
    expect(objectProbability!.upper).toBe(1)
    expect(objectProbability!.lower).toBeLessThan(0.02)
    expect(usageProbability!.lower).toBeLessThan(0.01)
  })

  it('MOMENT: that of p is the interval of human recall', () => {
    const histogram = [800, 50, 30, 20, 60, 40]
    expect(usageIntervals('MOMENT', histogram).usageProbability).toEqual(
      humanWordIntervals(histogram, 1).recallInterval,
    )
  })

  it('MOMENT: q has no interval if recall depends on one image', () => {
    expect(usageIntervals('MOMENT', [90, 4, 1, 0]).objectProbability).toBeNull()
    // At q = 1, where the product of rounded logarithms is slightly less than 1.
    for (const images of [1, 5, 12, 1000])
      expect(usageIntervals('MOMENT', [0, 0, 0, images]).objectProbability).toBeNull()
  })

  it.each(KINDS)('%s: cover the parameters of simulated captions', (kind) => {
    const [p, q] = [0.6, 0.2]
    let usage = 0
    let object = 0
    for (let seed = 0; seed < 200; seed++) {
      const { usageProbability, objectProbability } = usageIntervals(kind, simulate(seed, 300, p, q))
      if (usageProbability!.lower <= p && p <= usageProbability!.upper) usage++
      if (objectProbability!.lower <= q && q <= objectProbability!.upper) object++
    }
    expect(usage).toBeGreaterThan(180)
    expect(object).toBeGreaterThan(180)
  })
})

describe('profileLikelihoods', () => {
  it('of q are those of a grid of p and ρ', () => {
    const histogram = [900, 30, 20, 15, 20, 15]
    const { object } = profileLikelihoods('BETA_BINOMIAL', histogram)
    for (const q of [0.1, 0.12, 0.3, 0.9])
      expect(object(q)).toBeGreaterThanOrEqual(gridMaximum(histogram, q) - 1e-6)
  })
})

/** The highest log-likelihood on a grid of p and ρ, from the gamma-function form of the beta-binomial. */
function gridMaximum(histogram: readonly number[], q: number): number {
  const people = histogram.length - 1
  const rising = (x: number, n: number) =>
    Array.from({ length: n }, (_, i) => x + i).reduce((product, factor) => product * factor, 1)
  let highest = -Infinity
  for (let i = 1; i < 40; i++) {
    for (let j = 1; j < 40; j++) {
      const [p, rho] = [i / 40, j / 40]
      const [alpha, beta] = [(p * (1 - rho)) / rho, ((1 - p) * (1 - rho)) / rho]
      const logLikelihood = histogram.reduce((sum, images, count) => {
        const choose = rising(people - count + 1, count) / rising(1, count)
        const given =
          (choose * rising(alpha, count) * rising(beta, people - count)) / rising(alpha + beta, people)
        return sum + images * Math.log(q * given + (count === 0 ? 1 - q : 0))
      }, 0)
      highest = Math.max(highest, logLikelihood)
    }
  }
  return highest
}

describe('abuse', () => {
  it.each([[[0, 0, 0, 0]], [[9, 0, 0, 0]], [[9, 2]]])('%j has no intervals', (histogram) => {
    for (const kind of KINDS) {
      if (kind === 'BINOMIAL' && histogram.length > 2 && histogram[1] > 0) continue
      expect(usageIntervals(kind, histogram)).toEqual({ usageProbability: null, objectProbability: null })
    }
  })
})
