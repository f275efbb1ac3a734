import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  expectedHistogram,
  fitUsageModel,
  predictedPrecision,
  predictedRecall,
  profileLikelihoods,
  type UsageFit,
  type UsageModelKind,
  usageCurve,
} from '../../../src/core/agreement/usage-model.js'
import { humanWordAgreement } from '../../../src/core/agreement/words.js'
import { createRandom } from '../../../src/core/stats/random.js'
import { histograms } from './kit.js'

function fitted(kind: UsageModelKind, histogram: readonly number[]): UsageFit {
  const { fit, undefinedReason } = fitUsageModel(kind, histogram)
  expect(undefinedReason).toBeNull()
  return fit!
}

/** P(c of K captions contain the word), from the gamma-function form of the beta-binomial distribution. */
function probabilities(people: number, p: number, q: number, overdispersion: number): number[] {
  const rising = (x: number, n: number) =>
    Array.from({ length: n }, (_, i) => x + i).reduce((a, b) => a * b, 1)
  const choose = (n: number, k: number) => rising(n - k + 1, k) / rising(1, k)
  const alpha = (p * (1 - overdispersion)) / overdispersion
  const beta = ((1 - p) * (1 - overdispersion)) / overdispersion
  return Array.from({ length: people + 1 }, (_, c) => {
    const given =
      choose(people, c) *
      (overdispersion === 0
        ? p ** c * (1 - p) ** (people - c)
        : (rising(alpha, c) * rising(beta, people - c)) / rising(alpha + beta, people))
    return q * given + (c === 0 ? 1 - q : 0)
  })
}

function logLikelihood(histogram: readonly number[], p: number, q: number, overdispersion: number): number {
  const probability = probabilities(histogram.length - 1, p, q, overdispersion)
  return histogram.reduce(
    (sum, images, c) => (images === 0 ? sum : sum + images * Math.log(probability[c])),
    0,
  )
}

/** The highest log-likelihood on a grid of parameters. */
function gridMaximum(histogram: readonly number[], overdispersions: readonly number[]): number {
  const images = histogram.reduce((sum, n) => sum + n)
  const steps = 60
  let highest = -Infinity
  for (const overdispersion of overdispersions) {
    for (let i = 1; i < steps; i++) {
      const p = i / steps
      const probability = probabilities(histogram.length - 1, p, 1, overdispersion)
      const usedByAll = histogram.reduce(
        (sum, n, c) => (c === 0 || n === 0 ? sum : sum + n * Math.log(probability[c])),
        0,
      )
      for (let j = 1; j <= steps; j++) {
        const q = j / steps
        const nobody = histogram[0] === 0 ? 0 : histogram[0] * Math.log(1 - q * (1 - probability[0]))
        highest = Math.max(highest, usedByAll + (images - histogram[0]) * Math.log(q) + nobody)
      }
    }
  }
  return highest
}

const kinds: readonly UsageModelKind[] = ['MOMENT', 'BINOMIAL', 'BETA_BINOMIAL']
const anyHistogram = fc.integer({ min: 3, max: 7 }).chain((captions) => histograms(captions))

describe('fitUsageModel', () => {
  it('MOMENT: p is human recall and K·p·q is the mean count unless q is clamped to 1', () => {
    fc.assert(
      fc.property(anyHistogram, (histogram) => {
        const { recall } = humanWordAgreement(histogram, 1)
        fc.pre(recall !== null && recall > 0)
        const { usageProbability, objectProbability } = fitted('MOMENT', histogram)
        const captions = histogram.reduce((sum, images, c) => sum + c * images, 0)
        const images = histogram.reduce((sum, n) => sum + n)
        expect(usageProbability).toBeCloseTo(recall!, 12)
        const q = captions / images / ((histogram.length - 1) * recall!)
        expect(objectProbability).toBeCloseTo(Math.min(1, q), 12)
      }),
    )
  })

  it('BINOMIAL: p solves mean(c | c>0) = Kp/(1−(1−p)^K), q = share(c>0)/(1−(1−p)^K), or q is 1', () => {
    fc.assert(
      fc.property(anyHistogram, (histogram) => {
        const people = histogram.length - 1
        const captions = histogram.reduce((sum, images, c) => sum + c * images, 0)
        fc.pre(captions > 0)
        const images = histogram.reduce((sum, n) => sum + n)
        const users = images - histogram[0]
        const { usageProbability: p, objectProbability: q } = fitted('BINOMIAL', histogram)
        if (q < 1) {
          const used = 1 - (1 - p) ** people
          expect((people * p) / used).toBeCloseTo(captions / users, 9)
          expect(q).toBeCloseTo(users / images / used, 9)
        } else {
          expect(p).toBeCloseTo(captions / (people * images), 9)
        }
      }),
    )
  })

  it.each([
    // All captions or none: p = 1, q = fraction of images with the word.
    { kind: 'BINOMIAL', histogram: [90, 0, 0, 10], p: 1, q: 0.1 },
    { kind: 'MOMENT', histogram: [90, 0, 0, 10], p: 1, q: 0.1 },
    // No two captions of an image agree: the object is in all images and rarely mentioned.
    { kind: 'BINOMIAL', histogram: [97, 3, 0, 0], p: 0.01, q: 1 },
    { kind: 'BETA_BINOMIAL', histogram: [97, 3, 0, 0], p: 0.01, q: 1 },
    // Exactly two of three in every image: less variance than any binomial distribution.
    { kind: 'BETA_BINOMIAL', histogram: [0, 0, 10, 0], p: 2 / 3, q: 1 },
    { kind: 'MOMENT', histogram: [0, 0, 10, 0], p: 1 / 2, q: 1 },
  ] as const)('$kind of $histogram is at the boundary: p = $p, q = $q', ({ kind, histogram, p, q }) => {
    const { usageProbability, objectProbability, overdispersion, alpha, beta } = fitted(kind, histogram)
    expect(usageProbability).toBeCloseTo(p, 10)
    expect(objectProbability).toBeCloseTo(q, 10)
    expect([overdispersion, alpha, beta]).toEqual([0, null, null])
  })

  it('recovers the parameters from the expected histogram', () => {
    const probability = fc.double({ min: 0.1, max: 0.9, noNaN: true })
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 7 }),
        probability,
        probability,
        probability,
        (people, p, q, rho) => {
          const expected = (overdispersion: number) =>
            probabilities(people, p, q, overdispersion).map((probability) => 1e6 * probability)
          for (const kind of ['MOMENT', 'BINOMIAL'] as const) {
            const binomial = fitted(kind, expected(0))
            expect(binomial.usageProbability).toBeCloseTo(p, 8)
            expect(binomial.objectProbability).toBeCloseTo(q, 8)
          }
          const { usageProbability, objectProbability, overdispersion, alpha, beta } = fitted(
            'BETA_BINOMIAL',
            expected(rho),
          )
          expect(usageProbability).toBeCloseTo(p, 5)
          expect(objectProbability).toBeCloseTo(q, 5)
          expect(overdispersion).toBeCloseTo(rho, 5)
          expect(alpha! / (alpha! + beta!)).toBeCloseTo(p, 5)
          expect(1 / (alpha! + beta! + 1)).toBeCloseTo(rho, 5)
        },
      ),
    )
  })

  it('approximates the parameters of simulated captions', () => {
    const random = createRandom(5)
    const histogram = [0, 0, 0, 0, 0, 0]
    for (let image = 0; image < 200_000; image++) {
      // The maximum of two uniform numbers is distributed as Beta(2, 1).
      const p = random.next() < 0.3 ? Math.max(random.next(), random.next()) : 0
      let count = 0
      for (let person = 0; person < 5; person++) if (random.next() < p) count++
      histogram[count]++
    }
    const { usageProbability, objectProbability, alpha, beta } = fitted('BETA_BINOMIAL', histogram)
    expect(usageProbability).toBeCloseTo(2 / 3, 1.5)
    expect(objectProbability).toBeCloseTo(0.3, 1.8)
    expect(alpha! / 2).toBeCloseTo(1, 0.9)
    expect(beta!).toBeCloseTo(1, 0.9)
  })

  it('has the log-likelihood and AIC of its parameters', () => {
    fc.assert(
      fc.property(anyHistogram, fc.constantFrom(...kinds), (histogram, kind) => {
        const { fit } = fitUsageModel(kind, histogram)
        fc.pre(fit !== null)
        const { usageProbability, objectProbability, overdispersion, logLikelihood: actual, aic } = fit!
        const expected = logLikelihood(histogram, usageProbability, objectProbability, overdispersion)
        expect(actual).toBeLessThanOrEqual(0)
        expect(Math.abs(actual - expected)).toBeLessThan(1e-6 * (1 + Math.abs(expected)))
        expect(aic).toBeCloseTo((kind === 'BETA_BINOMIAL' ? 6 : 4) - 2 * actual, 9)
      }),
    )
  })

  it('has log-likelihood 0 if the observations are certain', () => {
    for (const kind of ['MOMENT', 'BINOMIAL'] as const) {
      expect(fitted(kind, [0, 0, 0, 0, 0, 875])).toMatchObject({ logLikelihood: 0, aic: 4 })
    }
  })

  it('is at least as likely as any model on a grid', () => {
    const overdispersions = Array.from({ length: 20 }, (_, i) => i / 20)
    fc.assert(
      fc.property(anyHistogram, (histogram) => {
        fc.pre(histogram.slice(1).some((images) => images > 0))
        const binomial = fitted('BINOMIAL', histogram).logLikelihood
        expect(binomial).toBeGreaterThanOrEqual(gridMaximum(histogram, [0]) - 1e-9)
        const { fit: betaBinomial } = fitUsageModel('BETA_BINOMIAL', histogram)
        if (betaBinomial === null) return
        const { logLikelihood: maximum } = profileLikelihoods('BETA_BINOMIAL', histogram)
        expect(maximum).toBeGreaterThanOrEqual(gridMaximum(histogram, overdispersions) - 1e-9)
        expect(maximum).toBeGreaterThanOrEqual(binomial - 1e-9)
        expect(betaBinomial.logLikelihood).toBe(maximum)
      }),
      { numRuns: 20 },
    )
  })

  it('increases the likelihood from MOMENT to BINOMIAL to BETA_BINOMIAL', () => {
    fc.assert(
      fc.property(anyHistogram, (histogram) => {
        const [moment, binomial, betaBinomial] = kinds.map((kind) => fitUsageModel(kind, histogram).fit)
        if (moment !== null) {
          expect(moment.logLikelihood).toBeLessThanOrEqual(binomial!.logLikelihood + 1e-9)
        }
        if (betaBinomial !== null) {
          expect(binomial!.logLikelihood).toBeLessThanOrEqual(betaBinomial.logLikelihood + 1e-9)
        }
      }),
    )
  })

  it('depends only on the fractions of images if the counts determine the parameters', () => {
    const histogram = [5000, 100, 250, 400, 350, 120]
    const tenfold = histogram.map((images) => 10 * images)
    for (const kind of kinds) {
      const [fit, of10] = [fitted(kind, histogram), fitted(kind, tenfold)]
      expect(fit.isWeaklyIdentified).toBe(false)
      expect(of10.usageProbability).toBeCloseTo(fit.usageProbability, 8)
      expect(of10.objectProbability).toBeCloseTo(fit.objectProbability, 8)
    }
  })

  it('is the maximum at q = 1 too, and weakly identified where the likelihood is flat up to there', () => {
    const elephants = [4946, 10, 4, 4, 6, 30]
    const fit = fitted('BETA_BINOMIAL', elephants)
    expect(fit).toMatchObject({ isWeaklyIdentified: true, objectProbability: 1 })
    const { maximum, logLikelihood: highest } = profileLikelihoods('BETA_BINOMIAL', elephants)
    expect(fit).toMatchObject(maximum)
    expect(fit.logLikelihood).toBe(highest)
  })

  const independent: {
    readonly histogram: readonly number[]
    readonly logLikelihood: number
    readonly recall: number
  }[] = JSON.parse(readFileSync(new URL('usage-fits.json', import.meta.url), 'utf8')).fits

  it('is the maximum of an independent search, boundaries included, on 200 histograms', () => {
    expect(independent).toHaveLength(200)
    for (const { histogram, logLikelihood: maximum, recall } of independent) {
      const fit = fitted('BETA_BINOMIAL', histogram)
      const about = JSON.stringify(histogram)
      expect(Math.abs(fit.logLikelihood - maximum), about).toBeLessThan(1e-6 * (1 + Math.abs(maximum)))
      expect(Math.abs(predictedRecall(fit) - recall), about).toBeLessThan(1e-4)
    }
  })

  it('keeps q = 1 where the counts say so', () => {
    // All images show the object, and two of three people name it.
    const everywhere = [370, 2222, 4444, 2964]
    expect(fitted('BETA_BINOMIAL', everywhere).isWeaklyIdentified).toBe(false)
    expect(fitted('BETA_BINOMIAL', everywhere).objectProbability).toBeGreaterThan(0.98)
  })

  it.each([
    ...kinds.map((kind) => ({ kind, histogram: [9, 0, 0, 0], reason: 'NO_CAPTION_USES_WORD' })),
    ...kinds.map((kind) => ({ kind, histogram: [0, 0, 0, 0], reason: 'NO_CAPTION_USES_WORD' })),
    { kind: 'MOMENT' as const, histogram: [9, 2, 0, 0], reason: 'HUMAN_RECALL_ZERO' },
    { kind: 'MOMENT' as const, histogram: [9, 2], reason: 'HUMAN_RECALL_ZERO' },
    { kind: 'BINOMIAL' as const, histogram: [9, 2], reason: 'NOT_IDENTIFIABLE' },
    { kind: 'BETA_BINOMIAL' as const, histogram: [9, 2, 3], reason: 'NOT_IDENTIFIABLE' },
    { kind: 'BETA_BINOMIAL' as const, histogram: [9, 0, 0, 0, 3], reason: 'NOT_IDENTIFIABLE' },
  ])('$kind of $histogram is null: $reason', ({ kind, histogram, reason }) => {
    expect(fitUsageModel(kind, histogram)).toEqual({ fit: null, undefinedReason: reason })
  })

  it('BETA_BINOMIAL with all captions or none: different parameters are equally likely', () => {
    const histogram = [90, 0, 0, 10]
    const named = logLikelihood(histogram, 1 - 1e-12, 0.1, 0)
    const halfNamed = logLikelihood(histogram, 0.5, 0.2, 1 - 1e-12)
    expect(halfNamed).toBeCloseTo(named, 6)
  })
})

describe('predictedPrecision and predictedRecall', () => {
  it('are kp/(kp+(1−p)^k) and p if p is the same for all images', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.001, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 50 }),
        (p, references) => {
          const model = { usageProbability: p, overdispersion: 0 }
          const expected = (references * p) / (references * p + (1 - p) ** references)
          expect(predictedPrecision(model, references)).toBeCloseTo(expected, 12)
          expect(predictedRecall(model)).toBe(p)
        },
      ),
    )
  })

  it('are moments of the beta distribution if p varies between images', () => {
    const [alpha, beta] = [2, 3.5]
    const model = { usageProbability: alpha / (alpha + beta), overdispersion: 1 / (alpha + beta + 1) }
    const moment = (f: (p: number) => number) => {
      let sum = 0
      for (let p = 5e-6; p < 1; p += 1e-5) sum += f(p) * p ** (alpha - 1) * (1 - p) ** (beta - 1)
      return sum
    }
    const square = moment((p) => p * p)
    expect(predictedRecall(model)).toBeCloseTo(square / moment((p) => p), 7)
    for (const references of [1, 2, 4, 9]) {
      const expected =
        (references * square) / (references * square + moment((p) => p * (1 - p) ** references))
      expect(predictedPrecision(model, references)).toBeCloseTo(expected, 7)
    }
  })

  it('precision increases towards 1 with the number of references, recall is constant', () => {
    fc.assert(
      fc.property(anyHistogram, fc.constantFrom(...kinds), (histogram, kind) => {
        const { fit } = fitUsageModel(kind, histogram)
        fc.pre(fit !== null && fit.usageProbability < 1)
        const precisions = [1, 2, 3, 4, 8, 16].map((references) => predictedPrecision(fit!, references))
        for (const [i, precision] of precisions.slice(1).entries()) {
          if (precisions[i] < 1) expect(precision).toBeGreaterThan(precisions[i])
        }
        expect(precisions.at(-1)).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('equal human precision and recall of captions generated by the model', () => {
    for (const overdispersion of [0, 0.3]) {
      const histogram = probabilities(5, 0.4, 0.2, overdispersion)
      const model = { usageProbability: 0.4, overdispersion }
      for (const references of [1, 2, 3, 4]) {
        const human = humanWordAgreement(histogram, references)
        expect(predictedPrecision(model, references)).toBeCloseTo(human.precision!, 12)
        expect(predictedRecall(model)).toBeCloseTo(human.recall!, 12)
      }
    }
  })
})

describe('usageCurve', () => {
  it('starts at (0, 0), ends at (1, 1), and follows the model in between', () => {
    const curve = usageCurve(4, 5)
    expect(curve[0]).toEqual({ recall: 0, precision: 0 })
    expect(curve[4]).toEqual({ recall: 1, precision: 1 })
    expect(curve[2].recall).toBe(0.5)
    expect(curve[2].precision).toBeCloseTo(2 / (2 + 0.5 ** 4), 12)
  })

  it('is increasing', () => {
    const curve = usageCurve(2, 101)
    for (const [i, point] of curve.slice(1).entries()) {
      expect(point.recall).toBeGreaterThan(curve[i].recall)
      expect(point.precision).toBeGreaterThan(curve[i].precision)
    }
  })
})

describe('abuse', () => {
  const outOfRange = expect.objectContaining({ code: 'OUT_OF_RANGE' })

  it.each([1, 0, 3.5, Number.NaN])('rejects a curve of %d points', (points) => {
    expect(() => usageCurve(4, points)).toThrow(outOfRange)
  })

  it.each([0, -1, 1.5, Number.NaN, Infinity, 10_001])(
    'rejects predictions for %d references',
    (references) => {
      expect(() => usageCurve(references, 10)).toThrow(outOfRange)
      expect(() => predictedPrecision({ usageProbability: 0.5, overdispersion: 0.1 }, references)).toThrow(
        outOfRange,
      )
    },
  )

  it('predicts for the maximum number of references', () => {
    expect(predictedPrecision({ usageProbability: 1e-6, overdispersion: 0 }, 10_000)).toBeCloseTo(
      0.01 / 1.0,
      3,
    )
    expect(predictedPrecision({ usageProbability: 1, overdispersion: 0 }, 10_000)).toBe(1)
  })

  it('fits images with many captions', () => {
    const histogram = Array.from({ length: 1001 }, (_, c) => (c === 0 ? 5000 : c % 7))
    for (const kind of kinds) {
      const { usageProbability, objectProbability, logLikelihood } = fitted(kind, histogram)
      for (const figure of [usageProbability, objectProbability]) {
        expect(figure).toBeGreaterThan(0)
        expect(figure).toBeLessThanOrEqual(1)
      }
      expect(Number.isFinite(logLikelihood)).toBe(true)
    }
  })
})

describe('expectedHistogram', () => {
  it('of the binomial model has the binomial coefficients, and the images without the object', () => {
    const expected = expectedHistogram(
      { usageProbability: 0.25, objectProbability: 0.5, overdispersion: 0 },
      100,
      3,
    )
    const images = [27, 27, 9, 1].map((weight) => (50 * weight) / 64)
    for (const [count, value] of [images[0] + 50, ...images.slice(1)].entries()) {
      expect(expected[count]).toBeCloseTo(value, 12)
    }
  })

  it.each([
    { usageProbability: 0.3, objectProbability: 0.2, overdispersion: 0.4 },
    { usageProbability: 1, objectProbability: 1, overdispersion: 0 },
    { usageProbability: 0.001, objectProbability: 0.9, overdispersion: 0.999 },
  ])('of $usageProbability, $overdispersion has all images, and the mean of the model', (parameters) => {
    const [images, people] = [1000, 50]
    const expected = expectedHistogram(parameters, images, people)
    const mean = expected.reduce((sum, value, count) => sum + count * value, 0) / images / people
    expect(expected).toHaveLength(people + 1)
    expect(expected.reduce((sum, value) => sum + value, 0)).toBeCloseTo(images, 8)
    expect(mean).toBeCloseTo(parameters.usageProbability * parameters.objectProbability, 10)
  })

  it('of a moment fit has the captions that use the word', () => {
    const histogram = [70, 10, 8, 6, 4, 2]
    const { fit } = fitUsageModel('MOMENT', histogram)
    const captions = (counts: readonly number[]) =>
      counts.reduce((sum, value, count) => sum + count * value, 0)
    expect(captions(expectedHistogram(fit as UsageFit, 100, 5))).toBeCloseTo(captions(histogram), 10)
  })
})
