import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  captioningWordAgreement,
  captioningWordIntervals,
  humanWordAgreement,
  humanWordIntervals,
  isRareWord,
} from '../../../src/core/agreement/words.js'
import { createRandom } from '../../../src/core/stats/random.js'
import { captionsAndReferences, histogramOf, histograms, subsets } from './kit.js'

/** An image: for each of its captions, whether it contains the word. */
type Captions = readonly boolean[]

interface Counts {
  truePositives: number
  falsePositives: number
  positives: number
}

/** Counts of one image, averaged over all enumerated predictions and reference sets. */
function enumerate(trials: readonly { predicted: boolean; references: readonly boolean[] }[]): Counts {
  const counts = { truePositives: 0, falsePositives: 0, positives: 0 }
  for (const { predicted, references } of trials) {
    const weight = references.filter((usesWord) => usesWord).length
    counts.positives += weight / trials.length
    if (predicted && weight > 0) counts.truePositives += weight / trials.length
    if (predicted && weight === 0) counts.falsePositives += 1 / trials.length
  }
  return counts
}

function heldOutTrials(captions: Captions, references: number) {
  return captions.flatMap((predicted, heldOut) =>
    subsets(captions.toSpliced(heldOut, 1), references).map((chosen) => ({ predicted, references: chosen })),
  )
}

function systemTrials(captions: Captions, predicted: boolean, references: number) {
  return subsets(captions, references).map((chosen) => ({ predicted, references: chosen }))
}

function total(counts: readonly Counts[]): Counts {
  const sum = (key: keyof Counts) => counts.reduce((all, one) => all + one[key], 0)
  return {
    truePositives: sum('truePositives'),
    falsePositives: sum('falsePositives'),
    positives: sum('positives'),
  }
}

const used = (captions: Captions) => captions.filter((usesWord) => usesWord).length

const corpora = captionsAndReferences.chain(({ captionsPerImage, references }) =>
  fc.record({
    captionsPerImage: fc.constant(captionsPerImage),
    references: fc.constant(references),
    images: fc.array(
      fc.record({
        captions: fc.array(fc.boolean(), { minLength: captionsPerImage, maxLength: captionsPerImage }),
        predicted: fc.boolean(),
      }),
      { maxLength: 8 },
    ),
  }),
)

describe('humanWordAgreement', () => {
  it.each([
    // Both captions use the word: each is a true positive.
    { histogram: [0, 0, 1], references: 1, precision: 1, recall: 1 },
    // One of two: a false positive or a false negative, never a true positive.
    { histogram: [0, 1, 0], references: 1, precision: 0, recall: 0 },
    // Two of three, one reference: TP = 2/3 · 1/2, FP = 2/3 · 1/2, POS = 2/3.
    { histogram: [5, 0, 1, 0], references: 1, precision: 1 / 2, recall: 1 / 2 },
    // Two of three, two references: TP = 2/3 · 1, FP = 0, POS = 4/3.
    { histogram: [5, 0, 1, 0], references: 2, precision: 1, recall: 1 / 2 },
    // One image with one of three, one with all three: TP = 2, FP = 1/3, POS = 2/3 + 2.
    { histogram: [0, 1, 0, 1], references: 2, precision: 6 / 7, recall: 3 / 4 },
  ])(
    'is $precision, $recall for $histogram against $references',
    ({ histogram, references, ...expected }) => {
      const agreement = humanWordAgreement(histogram, references)
      expect(agreement.precision).toBeCloseTo(expected.precision, 12)
      expect(agreement.recall).toBeCloseTo(expected.recall, 12)
      expect(agreement.undefinedReason).toBeNull()
    },
  )

  it('equals the enumeration of held-out captions and reference subsets', () => {
    fc.assert(
      fc.property(corpora, ({ captionsPerImage, references, images }) => {
        const captions = images.map((image) => image.captions)
        const expected = total(captions.map((image) => enumerate(heldOutTrials(image, references))))
        const histogram = histogramOf(captions.map(used), captionsPerImage)
        const actual = humanWordAgreement(histogram, references)
        expect(actual.truePositives).toBeCloseTo(expected.truePositives, 10)
        expect(actual.falsePositives).toBeCloseTo(expected.falsePositives, 10)
        expect(actual.positives).toBeCloseTo(expected.positives, 10)
      }),
      { numRuns: 100 },
    )
  })

  it('recall does not depend on the number of references, and precision does not decrease with it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 7 }).chain((captions) => histograms(captions)),
        (histogram) => {
          const rows = Array.from({ length: histogram.length - 2 }, (_, i) =>
            humanWordAgreement(histogram, i + 1),
          )
          for (const [row, next] of rows.slice(1).map((next, i) => [rows[i], next])) {
            if (row.precision === null || next.precision === null || row.recall === null) {
              expect([next.precision, next.recall]).toEqual([null, null])
              continue
            }
            expect(next.recall).toBeCloseTo(row.recall, 12)
            expect(next.precision).toBeGreaterThanOrEqual(row.precision - 1e-12)
          }
        },
      ),
    )
  })

  it('is null with a reason if no caption uses the word', () => {
    const expected = { precision: null, recall: null, undefinedReason: 'NO_CAPTION_USES_WORD' }
    expect(humanWordAgreement([10, 0, 0, 0], 2)).toMatchObject(expected)
    expect(humanWordAgreement([0, 0, 0, 0], 2)).toMatchObject(expected)
  })

  it('supports large numbers of captions per image', () => {
    const histogram = new Array<number>(2001).fill(1)
    const { precision, recall } = humanWordAgreement(histogram, 1500)
    expect(precision).toBeGreaterThan(0.99)
    expect(recall).toBeCloseTo(2 / 3, 10) // Σ c(c−1) / ((K−1) Σ c)
  })
})

describe('captioningWordAgreement', () => {
  it('equals the enumeration of reference subsets', () => {
    fc.assert(
      fc.property(corpora, ({ captionsPerImage, references, images }) => {
        const expected = total(
          images.map(({ captions, predicted }) => enumerate(systemTrials(captions, predicted, references))),
        )
        const predicted = images.filter((image) => image.predicted)
        const actual = captioningWordAgreement(
          histogramOf(
            predicted.map(({ captions }) => used(captions)),
            captionsPerImage,
          ),
          histogramOf(
            images.map(({ captions }) => used(captions)),
            captionsPerImage,
          ),
          references,
        )
        expect(actual.truePositives).toBeCloseTo(expected.truePositives, 10)
        expect(actual.falsePositives).toBeCloseTo(expected.falsePositives, 10)
        expect(actual.positives).toBeCloseTo(expected.positives, 10)
      }),
      { numRuns: 100 },
    )
  })

  it.each([
    // The system uses the word in one of two images in which all people do, and in one in which nobody does.
    { system: [1, 0, 1], human: [8, 0, 2], precision: 1 / 2, recall: 1 / 2, undefinedReason: null },
    { system: [0, 0, 0], human: [8, 0, 2], precision: null, recall: 0, undefinedReason: 'NEVER_PREDICTED' },
    {
      system: [3, 0, 0],
      human: [9, 0, 0],
      precision: 0,
      recall: null,
      undefinedReason: 'NO_CAPTION_USES_WORD',
    },
    {
      system: [0, 0, 0],
      human: [9, 0, 0],
      precision: null,
      recall: null,
      undefinedReason: 'NO_CAPTION_USES_WORD',
    },
  ])('is $precision, $recall for $system of $human', ({ system, human, ...expected }) => {
    expect(captioningWordAgreement(system, human, 1)).toMatchObject(expected)
  })
})

describe('humanWordIntervals', () => {
  const histogram = [4000, 300, 250, 200, 150, 100]

  it('contains the value and narrows with the square root of the number of images', () => {
    const { precision, recall } = humanWordAgreement(histogram, 4)
    const intervals = humanWordIntervals(histogram, 4)
    const hundredfold = humanWordIntervals(
      histogram.map((images) => 100 * images),
      4,
    )
    const pairs = [
      { figure: precision, interval: intervals.precisionInterval, narrow: hundredfold.precisionInterval },
      { figure: recall, interval: intervals.recallInterval, narrow: hundredfold.recallInterval },
    ]
    for (const { figure, interval, narrow } of pairs) {
      expect(interval!.lower).toBeLessThan(figure!)
      expect(interval!.upper).toBeGreaterThan(figure!)
      const ratio = (interval!.upper - interval!.lower) / (narrow!.upper - narrow!.lower)
      expect(ratio).toBeGreaterThan(8)
      expect(ratio).toBeLessThan(12.5)
    }
  })

  it('equals a bootstrap over images where there are many', () => {
    const images = histogram.slice(1).flatMap((times, count) => new Array<number>(times).fill(count + 1))
    const random = createRandom(11)
    const recalls = Array.from({ length: 2000 }, () => {
      const resample = images.map(() => images[random.below(images.length)])
      return humanWordAgreement(histogramOf(resample, 5), 4).recall!
    }).sort((a, b) => a - b)
    const { recallInterval } = humanWordIntervals(histogram, 4)
    expect(recallInterval!.lower).toBeCloseTo(recalls[50], 2)
    expect(recallInterval!.upper).toBeCloseTo(recalls[1949], 2)
  })

  it.each([[[999, 0, 1]], [[999, 1, 0]], [[999, 2, 0, 0, 0, 0]], [[999, 0, 0, 0, 0, 3]]])(
    'is wide for %j, in which all images with the word are alike',
    (rare) => {
      for (const interval of Object.values(humanWordIntervals(rare, 1))) {
        expect(interval!.upper - interval!.lower).toBeGreaterThan(0.15)
      }
      expect(isRareWord(rare)).toBe(true)
    },
  )

  it('does not depend on images without the word', () => {
    expect(humanWordIntervals([0, 8, 3, 2], 2)).toEqual(humanWordIntervals([9999, 8, 3, 2], 2))
  })

  it('is null if the value is null', () => {
    const none = { precisionInterval: null, recallInterval: null }
    expect(humanWordIntervals([10, 0, 0], 1)).toEqual(none)
    expect(humanWordIntervals([0, 0, 0], 1)).toEqual(none)
  })

  it.each([
    [[5, 19, 0, 0], true],
    [[5, 10, 9, 1], false],
  ])('a word with the histogram %j is rare: %s', (images, isRare) => {
    expect(isRareWord(images)).toBe(isRare)
  })

  it.each([2, 5, 10, 40])(
    'covers the value of a word used in %i images in nine of ten samples or more',
    (images) => {
      const { precision, recall } = humanWordAgreement(histogram, 4)
      const shares = histogram.slice(1)
      const random = createRandom(images)
      const covered = { precisionInterval: 0, recallInterval: 0 }
      for (let sample = 0; sample < 500; sample++) {
        const drawn = [0, 0, 0, 0, 0, 0]
        for (let image = 0; image < images; image++) {
          let rest = random.below(1000)
          let count = 0
          while (rest >= shares[count]) rest -= shares[count++]
          drawn[count + 1]++
        }
        const { precisionInterval, recallInterval } = humanWordIntervals(drawn, 4)
        if (precisionInterval!.lower <= precision! && precision! <= precisionInterval!.upper)
          covered.precisionInterval++
        if (recallInterval!.lower <= recall! && recall! <= recallInterval!.upper) covered.recallInterval++
      }
      for (const count of Object.values(covered)) expect(count / 500).toBeGreaterThan(0.9)
    },
  )
})

describe('captioningWordIntervals', () => {
  it('contains the values', () => {
    const [system, human] = [
      [30, 10, 20, 30],
      [500, 40, 40, 40],
    ]
    const { precision, recall } = captioningWordAgreement(system, human, 2)
    const { precisionInterval, recallInterval } = captioningWordIntervals(system, human, 2)
    for (const [figure, interval] of [
      [precision, precisionInterval],
      [recall, recallInterval],
    ] as const) {
      expect(interval!.lower).toBeLessThan(figure!)
      expect(interval!.upper).toBeGreaterThan(figure!)
      expect(interval!.upper - interval!.lower).toBeLessThan(0.3)
    }
  })

  it('are null for a word that the system never uses, and for one that nobody uses', () => {
    expect(captioningWordIntervals([0, 0, 0], [8, 0, 2], 1).precisionInterval).toBeNull()
    expect(captioningWordIntervals([3, 0, 0], [9, 0, 0], 1).recallInterval).toBeNull()
  })
})

describe('abuse', () => {
  const outOfRange = expect.objectContaining({ code: 'OUT_OF_RANGE' })

  it.each([0, 5, -1, 1.5, Number.NaN, Infinity])('rejects %d references of 5 captions', (references) => {
    const histogram = [1, 1, 1, 1, 1, 1]
    expect(() => humanWordAgreement(histogram, references)).toThrow(outOfRange)
    expect(() => humanWordIntervals(histogram, references)).toThrow(outOfRange)
    expect(() => captioningWordAgreement(histogram, histogram, references)).toThrow(outOfRange)
  })

  it('states the valid range in the message', () => {
    expect(() => humanWordAgreement([1, 1, 1, 1, 1, 1], 9)).toThrow(
      /expected an integer from 1 to 4, found 9/,
    )
    expect(() => humanWordAgreement([3, 1], 1)).toThrow(
      /expected a dataset with at least 2 captions per image, found 1/,
    )
  })
})
