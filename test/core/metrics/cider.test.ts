import { describe, expect, test } from 'vitest'
import { cider } from '../../../src/core/metrics/cider.js'
import { countDocumentFrequencies } from '../../../src/core/metrics/document-frequencies.js'
import type { Trial } from '../../../src/core/metrics/metric.js'
import type { ReferenceLists } from '../../../src/core/metrics/reference-lists.js'
import { sumRows } from '../../../src/core/stats/measurement.js'
import { testProperties } from './properties.js'
import { longCaption, score, scoreTrial, type WrittenImage, writeTrial } from './trials.js'

/** A second image, so that words of the first have an idf of ln 2. */
const OTHER: WrittenImage = { candidate: 'nothing here', references: ['other words entirely'] }

describe('hand-checked cases', () => {
  test.each([
    {
      case: 'equal captions of four words',
      candidate: 'a b c d',
      references: ['a b c d'],
      cider: 10,
      ciderD: 10,
    },
    {
      case: 'an order that neither caption has counts as 0',
      candidate: 'a b',
      references: ['a b'],
      cider: 5,
      ciderD: 5,
    },
    {
      case: 'cosines of one order each; the longer reference costs CIDEr-D one bigram',
      candidate: 'a b',
      references: ['a b c'],
      cider: 2.5 * (Math.sqrt(2 / 3) + Math.sqrt(1 / 2)),
      ciderD: 2.5 * (Math.sqrt(2 / 3) + Math.sqrt(1 / 2)) * Math.exp(-1 / 72),
    },
    {
      case: 'CIDEr-D clips a repeated word to the reference',
      candidate: 'a a',
      references: ['a'],
      cider: 2.5,
      ciderD: 2.5 * (1 / 2) * Math.exp(-1 / 72),
    },
    {
      case: 'neither an empty caption nor one word has a bigram: the same length',
      candidate: 'a',
      references: ['a', ''],
      cider: 2.5 / 2,
      ciderD: 2.5 / 2,
    },
    {
      case: 'the mean over references',
      candidate: 'a b c d',
      references: ['a b c d', 'e f g h', 'i j k l'],
      cider: 10 / 3,
      ciderD: 10 / 3,
    },
    { case: 'nothing in common', candidate: 'x', references: ['a b'], cider: 0, ciderD: 0 },
    { case: 'an empty candidate', candidate: '', references: ['a b'], cider: 0, ciderD: 0 },
    { case: 'an empty reference', candidate: 'a b', references: [''], cider: 0, ciderD: 0 },
    { case: 'both empty', candidate: '', references: [''], cider: 0, ciderD: 0 },
  ])('$case', ({ candidate, references, cider: expected, ciderD }) => {
    const { images } = score(cider, [{ candidate, references }, OTHER])
    expect(images[0].CIDEr).toBeCloseTo(expected, 12)
    expect(images[0]['CIDEr-D']).toBeCloseTo(ciderD, 12)
  })

  test('weights are tf · idf: 0 for a word of every image, larger for a rare word than for a common one', () => {
    const { images } = score(cider, [
      { candidate: 'all rare', references: ['all half rare'] },
      { candidate: '', references: ['all half'] },
      { candidate: '', references: ['all'] },
      { candidate: '', references: ['all'] },
    ])
    const rare = Math.log(4)
    const half = Math.log(2)
    expect(images[0].CIDEr).toBeCloseTo((2.5 * rare * rare) / (rare * Math.hypot(rare, half)), 12)
  })

  test('an n-gram without document frequency has weight ln N in the norm of the candidate', () => {
    const { images } = score(cider, [{ candidate: 'a unseen', references: ['a'] }, OTHER])
    expect(images[0].CIDEr).toBeCloseTo(2.5 / Math.sqrt(2), 12)
  })

  test('the corpus score is the mean over images', () => {
    const { corpus } = score(cider, [{ candidate: 'a b c d', references: ['a b c d'] }, OTHER])
    expect(corpus.CIDEr).toBeCloseTo(5, 12)
    expect(corpus['CIDEr-D']).toBeCloseTo(5, 12)
  })
})

describe('document frequencies of another dataset', () => {
  const { corpus, trial } = writeTrial([
    { candidate: 'a b', references: ['a c'] },
    { candidate: '', references: ['a'] },
    { candidate: '', references: ['d'] },
    { candidate: '', references: ['e'] },
  ])
  const firstImage = {
    candidates: trial.candidates.subarray(0, 1),
    references: trial.references,
    referenceOffsets: trial.referenceOffsets.subarray(0, 2),
  }

  const countedIn = (lists: ReferenceLists) => countDocumentFrequencies(corpus, [lists])[0]

  const warningsOf = (tried: Trial, captions = corpus) =>
    cider.warnings!(tried, sumRows(cider.measure(cider.prepare(captions), tried), cider.width))

  test('are counted in its images, and N is theirs', () => {
    const { images } = scoreTrial(cider, {
      corpus,
      trial: { ...firstImage, documentFrequencies: countedIn(trial) },
    })
    const common = Math.log(4) - Math.log(2)
    const rare = Math.log(4)
    expect(images[0].CIDEr).toBeCloseTo((2.5 * common ** 2) / (common ** 2 + rare ** 2), 12)
    expect(warningsOf({ ...firstImage, documentFrequencies: countedIn(trial) })).toEqual([])
  })

  test('of one image: every score is 0, with a warning', () => {
    const { images } = scoreTrial(cider, { corpus, trial: firstImage })
    expect(images[0]).toEqual({ CIDEr: 0, 'CIDEr-D': 0 })
    expect(warningsOf(firstImage)).toEqual([expect.stringContaining('from one image only')])
    expect(warningsOf({ ...trial, documentFrequencies: countedIn(firstImage) })).toHaveLength(1)
    expect(warningsOf(trial)).toEqual([])
  })

  test('of images that all have all n-grams of the candidates: every score is 0, with a warning', () => {
    const same = { candidate: 'a dog', references: ['a dog', 'a cat'] }
    const { corpus, trial } = writeTrial([same, same, same])
    const { images } = scoreTrial(cider, { corpus, trial })
    expect(images[0]).toEqual({ CIDEr: 0, 'CIDEr-D': 0 })
    expect(warningsOf(trial, corpus)).toEqual([expect.stringContaining('no n-gram of any candidate')])
    // Without a weight in the references nothing can match.
    const bird = writeTrial([same, same, { ...same, candidate: 'a bird' }])
    expect(warningsOf(bird.trial, bird.corpus)).toEqual([expect.stringContaining('or of its references')])
    const other = writeTrial([same, same, { candidate: 'a bird', references: ['the bird'] }])
    expect(warningsOf(other.trial, other.corpus)).toEqual([])
  })
})

describe('properties', () => testProperties(cider))

describe('abuse', () => {
  test('captions of 10,000 words', () => {
    const long = longCaption(10_000, 50)
    const { images } = score(cider, [{ candidate: long, references: [long] }, OTHER])
    expect(images[0].CIDEr).toBeCloseTo(10, 10)
    expect(images[0]['CIDEr-D']).toBeCloseTo(10, 10)
  })

  test('lengths far apart make CIDEr-D 0, not NaN', () => {
    const { images } = score(cider, [{ candidate: 'w1 w2', references: [longCaption(10_000, 50)] }, OTHER])
    expect(images[0]['CIDEr-D']).toBe(0)
    expect(images[0].CIDEr).toBeGreaterThan(0)
  })
})
