import { beforeAll, describe, expect, it } from 'vitest'
import { rankWord, type WordRanking, wordScoreResults } from '../../src/core/agreement/phr.js'
import {
  countWords,
  type GoldenWord,
  readDenseScores,
  readGoldenWords,
  readImageIds,
  readSparseScores,
  wordGoldensPresent,
} from './word-goldens.js'

describe.skipIf(!wordGoldensPresent)('PHR and AP of two detectors on the 1,000 words of val2017', () => {
  let words: GoldenWord[]
  let texts: string[]
  let imageIds: number[]
  let counts: Map<string, Uint8Array>

  beforeAll(() => {
    words = readGoldenWords()
    texts = words.map(({ word }) => word)
    imageIds = readImageIds()
    counts = countWords(texts, imageIds)
  })

  function expectGolden(detector: string, rankingOf: (word: string) => WordRanking) {
    expect(words.length).toBe(1000)
    for (const { word, histogram, figure } of words) {
      const ranking = rankingOf(word)
      expect([...ranking.histogram], word).toEqual(histogram)
      const { references, averagePrecision, precisionAtHumanRecall } = wordScoreResults(ranking)[3]
      expect(references).toBe(4)
      for (const [actual, column] of [
        [averagePrecision, `ap_${detector}`],
        [precisionAtHumanRecall, `phr_${detector}`],
      ] as const) {
        const expected = figure(column)
        expect(actual === null, `${word} ${column}`).toBe(expected === null)
        if (expected !== null) expect(Math.abs(actual! - expected), `${word} ${column}`).toBeLessThan(1e-9)
      }
    }
  }

  it('dense scores: within 1e-9', () => {
    const scores = readDenseScores(texts, imageIds.length)
    expectGolden('ensemble9', (word) => rankWord(scores.get(word)!, counts.get(word)!, [0, 0, 0, 0, 0, 0]))
  })

  it('sparse scores, the rest unscored: within 1e-9', () => {
    const scoresOfWord = readSparseScores(texts, imageIds)
    expectGolden('ensemble3', (word) => {
      const { rows, scores } = scoresOfWord.get(word)!
      const countOfRow = counts.get(word)!
      const unscored = [0, 0, 0, 0, 0, 0]
      for (const count of countOfRow) unscored[count]++
      for (const row of rows) unscored[countOfRow[row]]--
      return rankWord(
        Float32Array.from(scores),
        Uint8Array.from(rows, (row) => countOfRow[row]),
        unscored,
      )
    })
  })
})
