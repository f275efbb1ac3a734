import { describe, expect, test } from 'vitest'
import { leaveOneOutTrials, PUBLISHED_AGREEMENT } from '../../../src/core/agreement/leave-one-out.js'
import { cider } from '../../../src/core/metrics/cider.js'
import type { ReferenceLists } from '../../../src/core/metrics/reference-lists.js'
import { rougeL } from '../../../src/core/metrics/rouge-l.js'
import { toyRegistry } from '../metrics/registry-kit.js'
import { corpusOf, score } from '../metrics/trials.js'
import { leaveOneOut } from './kit.js'

/** The families that need no resources. */
const { families } = toyRegistry().choose(['BLEU-1', 'ROUGE-L', 'ROUGE-1', 'ROUGE-S', 'CIDEr'])

/** Per image its captions; positions follow the order in which they are written. */
function listsOf(images: readonly (readonly string[])[]): ReferenceLists {
  const referenceOffsets = [0]
  for (const captions of images) {
    referenceOffsets.push(referenceOffsets[referenceOffsets.length - 1] + captions.length)
  }
  return {
    references: Int32Array.from(images.flat(), (_, position) => position),
    referenceOffsets: Int32Array.from(referenceOffsets),
  }
}

const IMAGES = [
  ['a dog runs', 'a dog on grass', 'the dog runs'],
  ['two people', 'people', 'a man and a woman'],
  ['a red bus', 'a bus in town', 'red bus'],
]

describe('folds', () => {
  const lists = listsOf([['0', '1', '2', '3'], ['4'], ['5', '6', '7'], []])

  test.each([
    [
      1,
      [
        [
          [0, 5],
          [1, 6],
        ],
        [
          [1, 6],
          [2, 7],
        ],
        [
          [2, 7],
          [0, 5],
        ],
      ],
    ],
    [
      2,
      [
        [
          [0, 5],
          [1, 2, 6, 7],
        ],
        [
          [1, 6],
          [0, 2, 5, 7],
        ],
        [
          [2, 7],
          [0, 1, 5, 6],
        ],
      ],
    ],
  ])(
    'with %i references: the next captions, cyclically, among the first three, in order',
    (references, expected) => {
      const { trials, images, excludedImageCount } = leaveOneOutTrials(lists, 3, references)
      expect(trials.map((trial) => [Array.from(trial.candidates), Array.from(trial.references)])).toEqual(
        expected,
      )
      for (const trial of trials) {
        expect(Array.from(trial.referenceOffsets)).toEqual([0, references, 2 * references])
      }
      expect(Array.from(images)).toEqual([0, 2])
      expect(excludedImageCount).toBe(2)
    },
  )
})

describe('table', () => {
  const corpus = corpusOf(IMAGES.flat())
  const table = leaveOneOut(corpus, listsOf(IMAGES), families, 3)

  test('a fold is what a system with the held-out captions would get', () => {
    for (const family of families) {
      for (let fold = 0; fold < 3; fold++) {
        const system = score(
          family,
          IMAGES.map((captions) => ({
            candidate: captions[fold],
            references: captions.filter((_, index) => index !== fold),
          })),
        )
        for (const { name } of family.metrics) {
          const row = table.scores.find(({ metric }) => metric.name === name)!
          expect(row.folds[fold]).toBeCloseTo(system.corpus[name], 12)
          system.images.forEach((scores, image) => {
            expect(row.imageScores[fold][image]).toBeCloseTo(scores[name], 12)
          })
        }
      }
    }
  })

  test('has a row per metric, in order, and says what it was made from', () => {
    expect(table.scores.map(({ metric }) => metric.name)).toEqual(
      families.flatMap(({ metrics }) => metrics.map(({ name }) => name)),
    )
    expect(table).toMatchObject({ references: 2, folds: 3, excludedImageCount: 0 })
    expect(table.scores.flatMap(({ warnings }) => warnings)).toEqual([])
    expect(Array.from(table.images)).toEqual([0, 1, 2])
  })

  test('mean and sample standard deviation are those of the folds', () => {
    const { folds, mean, standardDeviation } = table.scores.find(({ metric }) => metric.name === 'ROUGE-L')!
    const [a, b, c] = folds
    expect(mean).toBeCloseTo((a + b + c) / 3, 14)
    expect(standardDeviation).toBeCloseTo(
      Math.sqrt(((a - mean) ** 2 + (b - mean) ** 2 + (c - mean) ** 2) / 2),
      14,
    )
    expect(standardDeviation).toBeGreaterThan(0)
  })

  test('the mean is inside its interval, which fewer than 10 images do not have', () => {
    for (const { interval } of table.scores) expect(interval).toBeNull()
    const twelve = Array.from({ length: 4 }, () => IMAGES).flat()
    const { scores } = leaveOneOut(corpusOf(twelve.flat()), listsOf(twelve), families, 3)
    const withInterval = scores.flatMap(({ metric, interval }) => (interval ? [metric.name] : []))
    expect(withInterval).toEqual(
      expect.arrayContaining(['BLEU-1', 'BLEU-4', 'ROUGE-L', 'ROUGE-1', 'ROUGE-2']),
    )
    for (const { metric, mean, interval } of scores) {
      // No caption has three words in common with another.
      if (interval === null) {
        expect([metric.name, mean]).toEqual([expect.stringMatching(/^ROUGE-[34]$/), 0])
        continue
      }
      expect(interval!.lower).toBeLessThanOrEqual(mean)
      expect(interval!.upper).toBeGreaterThanOrEqual(mean)
    }
  })

  test('people who say the same agree fully, without spread', () => {
    const same = [Array(5).fill('a dog on grass'), Array(5).fill('two people walk home')]
    const { scores } = leaveOneOut(corpusOf(same.flat()), listsOf(same), families, 5)
    for (const { metric, mean, standardDeviation } of scores) {
      expect(mean, metric.name).toBeCloseTo(metric.highest, 8)
      expect(standardDeviation, metric.name).toBeCloseTo(0, 12)
    }
  })

  test('one image: the warning of CIDEr comes through', () => {
    const one = [['a b', 'a c']]
    const { scores } = leaveOneOut(corpusOf(one.flat()), listsOf(one), [cider, rougeL], 2)
    const warned = scores.filter(({ warnings }) => warnings.length > 0)
    expect(warned.map(({ metric }) => metric.name)).toEqual(['CIDEr', 'CIDEr-D'])
    expect(warned[0].warnings).toEqual([expect.stringContaining('one image only')])
  })

  test('published figures are of metrics that exist', () => {
    const names = [...table.scores.map(({ metric }) => metric.name), 'METEOR']
    expect(names).toEqual(expect.arrayContaining([...PUBLISHED_AGREEMENT.keys()]))
  })
})

describe('abuse', () => {
  test.each([0, 3, 1.5, -1, Number.NaN])('%d references of 3 captions are refused', (references) => {
    expect(() => leaveOneOutTrials(listsOf(IMAGES), 3, references)).toThrow(
      `references: invalid number of references: expected an integer from 1 to 2, found ${references}`,
    )
  })

  test('no image with enough captions', () => {
    expect(() => leaveOneOutTrials(listsOf(IMAGES), 4, 1)).toThrow(
      'no image has enough captions to hold one out: expected images with 4 captions, found none',
    )
  })
})
