import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyCounts, rankScores, wordScoreResults } from '../../../src/core/agreement/phr.js'
import { createWordReplicator, replicateWord } from '../../../src/core/agreement/word-replicates.js'
import { captioningWordAgreement, humanWordAgreement } from '../../../src/core/agreement/words.js'
import { type ImageGroups, imageGroups } from '../../../src/core/stats/jackknife.js'
import {
  drawSubsets,
  joinSubsets,
  type Subsets,
  splitReplicates,
} from '../../../src/core/stats/rarefaction.js'
import { histogramOf } from './kit.js'

const K = 4

/** Images with the number of captions with the word, a system's score or none, and whether its caption has it. */
const images = fc.array(
  fc.record({
    count: fc.integer({ min: 0, max: K }),
    score: fc.option(fc.integer({ min: -3, max: 3 }), { freq: 4 }),
    isPredicted: fc.boolean(),
  }),
  { minLength: 4, maxLength: 30 },
)

const references = fc.integer({ min: 1, max: K - 1 })

type Images = typeof images extends fc.Arbitrary<infer Value> ? Value : never

/** The images of each replicate: all, then all without each group. */
function remaining(all: Images, groups: ReturnType<typeof imageGroups>): Images[] {
  const perPartition = groups.sizes.length / groups.partitions
  return [
    all,
    ...Array.from(groups.sizes, (_, group) => {
      const partition = Math.floor(group / perPartition)
      return all.filter((_, image) => groups.groupOf[image * groups.partitions + partition] !== group)
    }),
  ]
}

function wordOf(all: Images) {
  const used = all.flatMap(({ count }, image) => (count > 0 ? [image] : []))
  return { images: used, counts: used.map((image) => all[image].count) }
}

function expectSame(actual: Float64Array, expected: readonly (number | null)[]): void {
  expect(actual).toHaveLength(expected.length)
  actual.forEach((value, replicate) => {
    const wanted = expected[replicate]
    if (wanted === null) expect(value).toBeNaN()
    else expect(value).toBeCloseTo(wanted, 10)
  })
}

const SMALL = { partitions: 3, groups: 3 }

describe('replicates of a word', () => {
  it('are human agreement without each group of images', () => {
    fc.assert(
      fc.property(images, references, (all, k) => {
        const groups = imageGroups(all.length, 1, SMALL)
        const { precision, recall } = createWordReplicator(groups, K, k).human(wordOf(all))
        const expected = remaining(all, groups).map((rest) =>
          humanWordAgreement(
            histogramOf(
              rest.map(({ count }) => count),
              K,
            ),
            k,
          ),
        )
        expectSame(
          precision,
          expected.map((one) => one.precision),
        )
        expectSame(
          recall,
          expected.map((one) => one.recall),
        )
      }),
    )
  })

  it('are agreement of captions without each group of images', () => {
    fc.assert(
      fc.property(images, references, (all, k) => {
        const groups = imageGroups(all.length, 1, SMALL)
        const predicted = all.flatMap(({ isPredicted }, image) => (isPredicted ? [image] : []))
        const { precision, recall } = createWordReplicator(groups, K, k).captioning(wordOf(all), predicted)
        const histogram = (rest: Images) =>
          histogramOf(
            rest.map(({ count }) => count),
            K,
          )
        const expected = remaining(all, groups).map((rest) =>
          captioningWordAgreement(
            histogram(rest.filter(({ isPredicted }) => isPredicted)),
            histogram(rest),
            k,
          ),
        )
        expectSame(
          precision,
          expected.map((one) => one.precision),
        )
        expectSame(
          recall,
          expected.map((one) => one.recall),
        )
      }),
    )
  })

  it('are PHR and AP without each group of images, with ties and images without a score', () => {
    fc.assert(
      fc.property(images, references, (all, k) => {
        const groups = imageGroups(all.length, 1, SMALL)
        const scored = all.flatMap(({ score }, image) => (score === null ? [] : [image]))
        const replicator = createWordReplicator(groups, K, k)
        const scores = {
          images: scored,
          scores: Float64Array.from(scored, (image) => all[image].score as number),
        }
        const { precisionAtHumanRecall, averagePrecision } = replicator.ranking(wordOf(all), scores)
        expect(replicator.precisionAtHumanRecall(wordOf(all), scores)).toEqual(precisionAtHumanRecall)
        const expected = remaining(all, groups).map((rest) => {
          const ids = Int32Array.from(rest, (_, image) => image)
          const counts = emptyCounts(ids)
          rest.forEach(({ count }, image) => {
            counts.counts[image] = count
          })
          const withScore = ids.filter((image) => rest[image].score !== null)
          const ranking = rankScores(
            withScore,
            Float64Array.from(withScore, (image) => rest[image].score as number),
            counts,
            histogramOf(
              rest.map(({ count }) => count),
              K,
            ),
          )
          return wordScoreResults(ranking)[k - 1]
        })
        expectSame(
          precisionAtHumanRecall,
          expected.map((one) => one.precisionAtHumanRecall),
        )
        expectSame(
          averagePrecision,
          expected.map((one) => one.averagePrecision),
        )
      }),
      { numRuns: 100 },
    )
  })

  it('of groups joined with subsets are those of each, to the last bit', () => {
    const size = 60
    const all = Array.from({ length: size }, (_, image) => ({
      count: (image * 7) % (K + 1),
      score: image % 9 === 0 ? null : (image * 13) % 17,
    }))
    const scored = all.flatMap(({ score }, image) => (score === null ? [] : [image]))
    const scores = {
      images: scored,
      scores: Float64Array.from(scored, (image) => all[image].score as number),
    }
    const groups = imageGroups(size, 1, SMALL)
    const subsets = drawSubsets(size, 1) as Subsets
    const word = wordOf(all.map(({ count }) => ({ count, score: null, isPredicted: false })))
    const figuresIn = (division: ImageGroups) => {
      const replicator = createWordReplicator(division, K, 3)
      const { precision, recall } = replicator.human(word)
      const { precisionAtHumanRecall, averagePrecision } = replicator.ranking(word, scores)
      return [precision, recall, precisionAtHumanRecall, averagePrecision]
    }
    const [ofGroups, ofSubsets] = [figuresIn(groups), figuresIn(subsets.groups)]
    figuresIn(joinSubsets(groups, subsets)).forEach((replicates, figure) => {
      expect(splitReplicates(replicates, groups)).toEqual({
        ofGroups: ofGroups[figure],
        ofSubsets: ofSubsets[figure],
      })
    })
    expect(joinSubsets(groups, null)).toBe(groups)
    expect(splitReplicates(ofGroups[0], groups).ofSubsets).toBeNull()
  })

  it('of one word do not depend on the word before', () => {
    const groups = imageGroups(6, 1, SMALL)
    const replicator = createWordReplicator(groups, K, 2)
    const first = { images: [0, 2], counts: [3, 4] }
    const other = { images: [1, 2, 5], counts: [1, 2, 4] }
    const alone = replicator.human(first)
    replicator.human(other)
    expect(replicator.human(first)).toEqual(alone)
  })
})

describe('abuse', () => {
  it('a word that nobody uses has no figures', () => {
    const replicator = createWordReplicator(imageGroups(5, 1, SMALL), K, 2)
    const none = { images: [], counts: [] }
    const isUndefined = (values: Float64Array) => values.every((value) => Number.isNaN(value))
    const { precision, recall } = replicator.human(none)
    const { precisionAtHumanRecall, averagePrecision } = replicator.ranking(none, {
      images: [0, 1],
      scores: Float64Array.of(1, 2),
    })
    for (const values of [precision, recall, precisionAtHumanRecall, averagePrecision]) {
      expect(isUndefined(values)).toBe(true)
    }
  })

  it.each([0, K, 1.5])('rejects %d references', (k) => {
    expect(() => createWordReplicator(imageGroups(5, 1, SMALL), K, k)).toThrow(
      expect.objectContaining({ code: 'OUT_OF_RANGE' }),
    )
  })
})

it('a subject on a word has the figures that it is asked for', () => {
  const replicator = createWordReplicator(imageGroups(8, 1), K, 2)
  const images = { images: [0, 2, 5], counts: [1, 4, 2] }
  const scores = { images: [0, 1, 2, 5], scores: Float64Array.of(3, 2, 1, 0) }
  const figuresOf = (hasAveragePrecision: boolean, hasPeople: boolean, has: object = {}) =>
    replicateWord(replicator, { images, predicted: null, scores, ...has }, { hasAveragePrecision, hasPeople })
  const human = replicator.human(images)
  const { precisionAtHumanRecall, averagePrecision } = replicator.ranking(images, scores)
  expect(figuresOf(false, false)).toEqual({ precisionAtHumanRecall })
  expect(figuresOf(false, true)).toEqual({ precisionAtHumanRecall, human })
  expect(figuresOf(true, false)).toEqual({ precisionAtHumanRecall, averagePrecision })
  expect(figuresOf(true, true, { scores: null })).toEqual({ human })
  expect(figuresOf(true, true, { predicted: [2, 3] })).toEqual({
    captioning: replicator.captioning(images, [2, 3]),
  })
})
