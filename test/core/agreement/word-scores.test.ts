import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  emptyCounts,
  NOT_COUNTED,
  rankScores,
  rankWord,
  wordScoreResults,
} from '../../../src/core/agreement/phr.js'
import { histogramOf } from './kit.js'

describe('emptyCounts', () => {
  it('is 0 for images of the statistics, and NOT_COUNTED for other ids', () => {
    expect(emptyCounts(Int32Array.of(7, 9, 10))).toEqual({
      firstId: 7,
      counts: Uint8Array.of(0, NOT_COUNTED, 0, 0),
    })
  })

  it('handles one image and no images', () => {
    expect(emptyCounts(Int32Array.of(5))).toEqual({ firstId: 5, counts: Uint8Array.of(0) })
    expect(emptyCounts(new Int32Array(0)).counts).toEqual(new Uint8Array(0))
  })
})

/** An image: `captions` is null if it is not in the statistics, `score` is null if the system did not score it. */
const image = fc.record({
  captions: fc.constantFrom(null, 0, 0, 1, 2, 3),
  score: fc.constantFrom(null, -1, 0, 0.5, 0.5, 2),
})

describe('rankScores', () => {
  it('equals the ranking of all counted images with a score of −∞ for unscored ones', () => {
    fc.assert(
      fc.property(fc.array(image, { maxLength: 10 }), fc.integer({ min: 1, max: 50 }), (images, firstId) => {
        const rows = images.map((row, index) => ({ ...row, id: firstId + index }))
        const counted = rows.filter(({ captions }) => captions !== null)
        const scored = rows.filter(({ score }) => score !== null)
        const imageCounts = emptyCounts(Int32Array.from(counted, ({ id }) => id))
        for (const { id, captions } of counted) imageCounts.counts[id - imageCounts.firstId] = captions!
        const scores = Float64Array.from(scored, ({ score }) => score!)
        const ranking = rankScores(
          Int32Array.from(scored, ({ id }) => id),
          scores,
          imageCounts,
          histogramOf(
            counted.map(({ captions }) => captions!),
            3,
          ),
        )
        const expected = rankWord(
          Float64Array.from(counted, ({ score }) => score ?? -Infinity),
          Uint8Array.from(counted, ({ captions }) => captions!),
          new Uint32Array(4),
        )
        expect(wordScoreResults(ranking)).toEqual(wordScoreResults(expected))
        expect(ranking.histogram).toEqual(expected.histogram)
        expect([...scores]).toEqual(scored.map(({ score }) => score))
      }),
    )
  })

  it('ignores images with ids below, above and between those of the statistics', () => {
    const imageCounts = { firstId: 10, counts: Uint8Array.of(2, NOT_COUNTED, 0) }
    const ids = Int32Array.of(9, 13, 11, 10, 12)
    const ranking = rankScores(ids, Float32Array.of(5, 4, 3, 2, 1), imageCounts, [1, 0, 1])
    expect([...ranking.histogram]).toEqual([1, 0, 1])
    expect(wordScoreResults(ranking)).toEqual([
      { references: 1, precisionAtHumanRecall: 1, averagePrecision: 1, undefinedReason: null },
    ])
  })
})
