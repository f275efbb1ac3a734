import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  humanRecallThreshold,
  needsUnscoredImages,
  rankWord,
  scoreCurve,
  wordScoreResults,
} from '../../../src/core/agreement/phr.js'
import { captionsAndReferences, histogramOf, subsets } from './kit.js'

interface ScoredImage {
  /** Number of the K captions that contain the word. */
  readonly count: number
  /** Null if the system did not score the image. */
  readonly score: number | null
}

interface Case {
  readonly captionsPerImage: number
  readonly references: number
  readonly images: readonly ScoredImage[]
}

function rank({ captionsPerImage, images }: Pick<Case, 'captionsPerImage' | 'images'>) {
  const scored = images.filter(({ score }) => score !== null)
  const unscored = images.filter(({ score }) => score === null)
  return rankWord(
    Float64Array.from(scored, ({ score }) => score!),
    Uint8Array.from(scored, ({ count }) => count),
    histogramOf(
      unscored.map(({ count }) => count),
      captionsPerImage,
    ),
  )
}

const resultsOf = (images: readonly ScoredImage[], captionsPerImage: number) =>
  wordScoreResults(rank({ images, captionsPerImage }))

/** PHR and AP by definition: for every threshold, enumerates all choices of references. */
function byDefinition({ captionsPerImage, references, images }: Case) {
  const thresholds = [...new Set(images.map(({ score }) => score ?? -Infinity))].sort((a, b) => b - a)
  const points = thresholds.map((threshold) => {
    const above = images.filter(({ score }) => (score ?? -Infinity) >= threshold)
    let truePositives = 0
    let falsePositives = 0
    for (const { count } of above) {
      const choices = subsets(
        Array.from({ length: captionsPerImage }, (_, caption) => caption < count),
        references,
      )
      for (const choice of choices) {
        const weight = choice.filter((usesWord) => usesWord).length
        truePositives += weight / choices.length
        if (weight === 0) falsePositives += 1 / choices.length
      }
    }
    const captions = above.reduce((sum, { count }) => sum + count, 0)
    return { precision: truePositives / (truePositives + falsePositives), captions }
  })
  const captions = images.reduce((sum, { count }) => sum + count, 0)
  const pairs = images.reduce((sum, { count }) => sum + count * (count - 1), 0)
  if (captions === 0) return { phr: null, ap: null }
  const reached = points.find((point) => point.captions * (captionsPerImage - 1) >= pairs)
  const ap = points.reduce((area, point, i) => {
    const highest = Math.max(...points.slice(i).map(({ precision }) => precision))
    return area + (highest * (point.captions - (i === 0 ? 0 : points[i - 1].captions))) / captions
  }, 0)
  return { phr: pairs === 0 ? null : reached!.precision, ap }
}

function expectClose(actual: number | null, expected: number | null) {
  if (expected === null || actual === null) expect(actual).toBe(expected)
  else expect(actual).toBeCloseTo(expected, 10)
}

/** Few distinct scores to produce ties, including 0 and −0. */
const scores = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: -3, max: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(-0, 0.5) },
  { weight: 1, arbitrary: fc.constant(null) },
)

const cases: fc.Arbitrary<Case> = captionsAndReferences.chain(({ captionsPerImage, references }) =>
  fc.record({
    captionsPerImage: fc.constant(captionsPerImage),
    references: fc.constant(references),
    images: fc.array(
      fc.record({
        count: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: captionsPerImage })),
        score: scores,
      }),
      { minLength: 1, maxLength: 20 },
    ),
  }),
)

describe('wordScoreResults', () => {
  // Three captions: human recall Σ c(c−1) / (2 Σ c) of counts 3, 1, 0 is 6/8.
  const [full, single, none] = [3, 1, 0]

  it.each([
    {
      name: 'the correct order',
      images: [
        { count: full, score: 3 },
        { count: single, score: 2 },
        { count: none, score: 1 },
      ],
      phr: 1, // 3/4 of the captions at the first image already
      ap: 0.75 + 0.25 * (8 / 3 / (8 / 3 + 1 / 3)), // FP of the second: C(2,2)/C(3,2)
    },
    {
      name: 'the reversed order',
      images: [
        { count: full, score: 1 },
        { count: single, score: 2 },
        { count: none, score: 3 },
      ],
      phr: 8 / 3 / (8 / 3 + 4 / 3),
      ap: 8 / 3 / (8 / 3 + 4 / 3),
    },
    {
      name: 'all scores tied',
      images: [
        { count: full, score: 1 },
        { count: single, score: 1 },
        { count: none, score: 1 },
      ],
      phr: 2 / 3,
      ap: 2 / 3,
    },
    {
      name: '0 tied with −0, above an image without a score',
      images: [
        { count: full, score: -0 },
        { count: none, score: 0 },
        { count: single, score: null },
      ],
      phr: 2 / 3,
      ap: 2 / 3,
    },
  ])('computes PHR and AP for $name', ({ images, phr, ap }) => {
    const [, result] = resultsOf(images, 3)
    expect(result.references).toBe(2)
    expectClose(result.precisionAtHumanRecall, phr)
    expectClose(result.averagePrecision, ap)
    expect(result.undefinedReason).toBeNull()
  })

  it('equals the definition', () => {
    fc.assert(
      fc.property(cases, (instance) => {
        const { phr, ap } = byDefinition(instance)
        const result = wordScoreResults(rank(instance))[instance.references - 1]
        expectClose(result.precisionAtHumanRecall, phr)
        expectClose(result.averagePrecision, ap)
      }),
      { numRuns: 200 },
    )
  })

  it('does not skip a threshold that reaches human recall exactly', () => {
    // Human recall is 20/(4·8) = 5/8 with five of eight captions at the first threshold.
    const images = [
      { count: 5, score: 9 },
      { count: 0, score: 8 },
      { count: 0, score: 8 },
      ...[1, 1, 1].map((count) => ({ count, score: 7 })),
    ]
    expect(resultsOf(images, 5).map((result) => result.precisionAtHumanRecall)).toEqual([1, 1, 1, 1])
  })

  it('returns a result for each number of references', () => {
    const results = resultsOf([{ count: 2, score: 1 }], 6)
    expect(results.map(({ references }) => references)).toEqual([1, 2, 3, 4, 5])
  })

  it('returns the reason why a value is null', () => {
    const unused = resultsOf([{ count: 0, score: 1 }], 3)
    const disagreed = resultsOf(
      [
        { count: 1, score: 1 },
        { count: 0, score: 0 },
      ],
      3,
    )
    expect([unused.length, disagreed.length]).toEqual([2, 2])
    for (const result of unused) {
      expect(result).toMatchObject({ averagePrecision: null, undefinedReason: 'NO_CAPTION_USES_WORD' })
      expect(result.precisionAtHumanRecall).toBeNull()
    }
    for (const result of disagreed) {
      expect(result).toMatchObject({ precisionAtHumanRecall: null, undefinedReason: 'HUMAN_RECALL_ZERO' })
      expect(result.averagePrecision).toBeGreaterThan(0)
    }
  })

  it('does not change under a strictly increasing transform of the scores', () => {
    const values = [-3, -2, -1, 0, 0.5, 1, 2, 3, 4]
    const steps = fc.array(fc.double({ min: 1e-6, max: 1e6, noNaN: true }), { minLength: 9, maxLength: 9 })
    fc.assert(
      fc.property(cases, fc.integer({ min: -100, max: 100 }), steps, (instance, offset, increments) => {
        let value = offset
        const transformed = new Map(
          values.map((score, i) => {
            value += increments[i]
            return [score, value]
          }),
        )
        const images = instance.images.map(({ count, score }) => ({
          count,
          score: score === null ? null : transformed.get(score)!,
        }))
        const { thresholds: _thresholds, ...ranking } = rank(instance)
        expect(rank({ ...instance, images })).toMatchObject(ranking)
      }),
    )
  })

  it('does not depend on the order of the images or the floating-point type', () => {
    const shuffled = cases.chain((instance) =>
      fc.record({
        instance: fc.constant(instance),
        images: fc.shuffledSubarray([...instance.images], { minLength: instance.images.length }),
      }),
    )
    fc.assert(
      fc.property(shuffled, ({ instance, images }) => {
        expect(rank({ ...instance, images })).toEqual(rank(instance))
        const scored = instance.images.filter(({ score }) => score !== null)
        const counts = Uint8Array.from(scored, ({ count }) => count)
        const nothing = new Array<number>(instance.captionsPerImage + 1).fill(0)
        const values = scored.map(({ score }) => score!)
        expect(rankWord(Float32Array.from(values), counts, nothing)).toEqual(
          rankWord(Float64Array.from(values), counts, nothing),
        )
      }),
    )
  })

  it('ranks images without a score below every score, even −∞', () => {
    const images = [
      { count: 0, score: -Infinity },
      { count: 2, score: null },
      { count: 2, score: Infinity },
    ]
    const { cumulative, histogram } = rank({ images, captionsPerImage: 2 })
    expect([...cumulative]).toEqual([0, 0, 1, 1, 0, 2])
    expect([...histogram]).toEqual([1, 0, 2])
  })
})

describe('scoreCurve', () => {
  const images = Array.from({ length: 200 }, (_, i) => ({ count: (i * 7) % 4, score: i % 150 }))
  const ranking = rank({ images, captionsPerImage: 3 })

  it('has increasing recall up to 1, and precision as defined', () => {
    const curve = scoreCurve(ranking, 2, 1000)
    expect(curve.length).toBe(ranking.cumulative.length / 4)
    for (const [i, { recall }] of curve.slice(1).entries()) expect(recall).toBeGreaterThan(curve[i].recall)
    expect(curve.at(-1)!.recall).toBe(1)
    // At the highest score, 149, only one image: count 149·7 mod 4 = 3.
    expect(curve[0].precision).toBe(1)
    expect(curve[0].recall).toBeCloseTo(3 / images.reduce((sum, { count }) => sum + count, 0), 12)
    expect(curve[0].threshold).toBe(149)
  })

  it('has the threshold of each point, none for the images without a score', () => {
    const scored = [
      { count: 2, score: 0.9 },
      { count: 0, score: 0.9 },
      { count: 1, score: 0.25 },
      { count: 3, score: null },
    ]
    const curve = scoreCurve(rank({ images: scored, captionsPerImage: 3 }), 2, 10)
    expect(curve.map(({ threshold }) => threshold)).toEqual([0.9, 0.25, null])
    expect(curve.map(({ recall }) => recall)).toEqual([2 / 6, 3 / 6, 1])
  })

  it.each<[string, { count: number; score: number | null }[], { threshold: number | null } | null]>([
    [
      'the highest score that reaches human recall',
      [
        { count: 3, score: 2 },
        { count: 0, score: 5 },
      ],
      { threshold: 2 },
    ],
    ['no score if only images without one reach it', [{ count: 3, score: null }], { threshold: null }],
    ['nothing if human recall is 0', [{ count: 1, score: 2 }], null],
    ['nothing if no caption uses the word', [{ count: 0, score: 2 }], null],
  ])('the threshold of human recall is %s', (_what, images, expected) => {
    expect(humanRecallThreshold(rank({ images, captionsPerImage: 3 }))).toEqual(expected)
  })

  it('is thinned to the requested number of points and keeps the end points', () => {
    const all = scoreCurve(ranking, 2, 1000)
    const thin = scoreCurve(ranking, 2, 10)
    expect(thin.length).toBe(10)
    expect([thin[0], thin.at(-1)]).toEqual([all[0], all.at(-1)])
    for (const point of thin) expect(all).toContainEqual(point)
    expect(scoreCurve(ranking, 2, 2)).toEqual([all[0], all.at(-1)])
  })

  it('is empty if no caption uses the word', () => {
    expect(scoreCurve(rank({ images: [{ count: 0, score: 1 }], captionsPerImage: 3 }), 2, 10)).toEqual([])
  })
})

describe('abuse', () => {
  const ranking = rank({ images: [{ count: 1, score: 1 }], captionsPerImage: 3 })
  const outOfRange = expect.objectContaining({ code: 'OUT_OF_RANGE' })

  it.each([1, 0, 2.5, Number.NaN])('rejects a curve of %d points', (points) => {
    expect(() => scoreCurve(ranking, 1, points)).toThrow(outOfRange)
  })

  it.each([0, 3, -1, Number.NaN])('rejects %d references of 3 captions', (references) => {
    expect(() => scoreCurve(ranking, references, 10)).toThrow(outOfRange)
  })

  it('ranks an empty list', () => {
    const { cumulative, histogram } = rankWord(new Float32Array(), new Uint8Array(), [0, 0, 0])
    expect([cumulative.length, ...histogram]).toEqual([0, 0, 0, 0])
  })
})

describe('the images without a score', () => {
  // K = 3; h = (4, 1, 1, 1): 6 captions contain the word, and human recall is (2 + 6) / (2 · 6) = 2/3.
  const histogram = [4, 1, 1, 1]

  it.each([
    [0, true],
    [3, true],
    [4, false],
    [6, false],
  ])('are needed with %i captions in scored images: %s', (captions, expected) => {
    expect(needsUnscoredImages(histogram, captions)).toBe(expected)
  })

  it('are not needed where human recall is 0', () => {
    expect(needsUnscoredImages([4, 3, 0, 0], 0)).toBe(false)
  })
})
