import { describe, expect, it } from 'vitest'
import {
  captionedWordEstimates,
  scoredWordEstimates,
  type WordSample,
} from '../../../src/core/agreement/system-word-intervals.js'
import { createWordReplicator } from '../../../src/core/agreement/word-replicates.js'
import { captioningWordIntervals } from '../../../src/core/agreement/words.js'
import { imageGroups } from '../../../src/core/stats/jackknife.js'

const K = 3

function sampleOf(imageCount: number): WordSample {
  const groups = imageGroups(imageCount, 1)
  const references = K - 1
  const replicator = createWordReplicator(groups, K, references)
  return { replicator, groups, imageCount, captionsPerImage: K, references }
}

/** The first `used` images have the word, in 1, 2, 3, 1, … captions. */
function wordOf(used: number) {
  const images = Array.from({ length: used }, (_, image) => image)
  return { images, counts: images.map((image) => (image % K) + 1) }
}

/** Scores of all images: high for those with the word, except for every `miss`-th image, the other way round. */
function scoresOf(imageCount: number, used: number, miss: number) {
  const images = Array.from({ length: imageCount }, (_, image) => image)
  const isHigh = (image: number) => image < used !== (image % miss === miss - 1)
  return { images, scores: Float64Array.from(images, (image) => (isHigh(image) ? 1 : 0) + image / 1000) }
}

describe('intervals of a system with word scores', () => {
  it('contain the values, and the gap is that of the values', () => {
    const found = scoredWordEstimates(sampleOf(120), wordOf(40), scoresOf(120, 40, 5))
    const { precisionAtHumanRecall: phr, averagePrecision, gapToPeople } = found
    for (const estimate of [phr, averagePrecision, gapToPeople]) {
      expect(estimate?.undefinedReason).toBeNull()
      expect(estimate?.interval?.lower).toBeLessThan(estimate?.value as number)
      expect(estimate?.interval?.upper).toBeGreaterThan(estimate?.value as number)
    }
    expect(phr?.interval?.lower).toBeGreaterThan(0)
    expect(phr?.interval?.upper).toBeLessThan(1)
    expect(gapToPeople.value).toBeLessThan(phr?.value as number)
    expect(Object.keys(found)).not.toContain('recall')
  })

  it('of the gap stay within −1 and 1, where few images leave most of the range possible', () => {
    const { images } = wordOf(20)
    // People hardly confirm each other, and the system finds the images in which they do.
    const counts = images.map((image) => (image < 3 ? 2 : 1))
    const all = Array.from({ length: 60 }, (_, image) => image)
    const scores = Float64Array.from(all, (image) => (image < 3 ? 3 : image < 20 ? 2 : 1) - image / 1000)
    const { value, interval } = scoredWordEstimates(
      sampleOf(60),
      { images, counts },
      { images: all, scores },
    ).gapToPeople
    expect(value).toBeGreaterThan(0.7)
    expect(interval?.lower).toBeGreaterThan(-1)
    expect(interval?.lower).toBeLessThan(0.3)
    expect(interval?.upper).toBeLessThanOrEqual(1)
    expect(interval?.upper).toBeGreaterThan(value as number)
  })

  it('are wider for fewer images with the word, and for fewer without it', () => {
    const widthOf = (images: number, used: number) => {
      const word = wordOf(used)
      const { averagePrecision } = scoredWordEstimates(sampleOf(images), word, scoresOf(images, used, 5))
      const { lower, upper } = averagePrecision?.interval ?? { lower: 0, upper: 0 }
      return upper - lower
    }
    expect(widthOf(400, 20)).toBeGreaterThan(widthOf(400, 200))
    expect(widthOf(60, 20)).toBeGreaterThan(widthOf(600, 200))
  })

  it.each([
    [120, 19, 'RARE_WORD'],
    [120, 101, 'COMMON_WORD'],
    [30, 15, 'RARE_WORD'],
  ])('of %i images, %i of them with the word, are null: %s', (imageCount, used, reason) => {
    const found = scoredWordEstimates(sampleOf(imageCount), wordOf(used), scoresOf(imageCount, used, 5))
    for (const estimate of Object.values(found)) {
      expect(estimate).toEqual({ value: expect.any(Number), interval: null, undefinedReason: reason })
    }
  })

  it('are null for a system without any error, and for a figure that is undefined', () => {
    const { images } = wordOf(40)
    const certain = { images, counts: images.map(() => K) }
    const perfect = scoredWordEstimates(sampleOf(120), certain, scoresOf(120, 40, 1000))
    expect(perfect.averagePrecision).toEqual({ value: 1, interval: null, undefinedReason: 'NO_VARIATION' })
    const alone = { images, counts: images.map(() => 1) }
    const { precisionAtHumanRecall, gapToPeople } = scoredWordEstimates(
      sampleOf(120),
      alone,
      scoresOf(120, 40, 5),
    )
    const nothing = { value: null, interval: null, undefinedReason: 'UNDEFINED_FIGURE' }
    expect([precisionAtHumanRecall, gapToPeople]).toEqual([nothing, nothing])
  })
})

describe('intervals of a captioning system', () => {
  const predicted = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

  it('are those of its histograms, of rare words too', () => {
    const { precision, recall, gapToPeople } = captionedWordEstimates(
      sampleOf(100),
      wordOf(9),
      predicted(6, 12),
    )
    // Images 6, 7 and 8 have the word in 1, 2 and 3 captions, three other images have it in none.
    const expected = captioningWordIntervals([3, 1, 1, 1], [91, 3, 3, 3], 2)
    expect(precision).toMatchObject({ interval: expected.precisionInterval, undefinedReason: null })
    expect(recall).toMatchObject({ interval: expected.recallInterval, undefinedReason: null })
    expect(gapToPeople).toMatchObject({ interval: null, undefinedReason: 'RARE_WORD' })
  })

  it('have a gap to people if the system uses the word often enough', () => {
    const gap = (to: number) =>
      captionedWordEstimates(sampleOf(120), wordOf(40), predicted(20, to)).gapToPeople
    expect(gap(60).undefinedReason).toBeNull()
    expect(gap(60).interval?.upper).toBeLessThan(0)
    expect(gap(39)).toMatchObject({ interval: null, undefinedReason: 'RARELY_PREDICTED' })
  })

  it('are null for a word that the system never uses', () => {
    const { precision, recall, gapToPeople } = captionedWordEstimates(sampleOf(120), wordOf(40), [])
    expect(precision).toEqual({ value: null, interval: null, undefinedReason: 'UNDEFINED_FIGURE' })
    expect(recall).toMatchObject({ value: 0, interval: { lower: 0 } })
    expect(gapToPeople.undefinedReason).toBe('UNDEFINED_FIGURE')
  })
})
