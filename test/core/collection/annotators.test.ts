import { expect, test } from 'vitest'
import { judgeAnnotators, type ScoredCaption } from '../../../src/core/collection/annotators.js'
import { createRandom } from '../../../src/core/stats/random.js'

/** Captions of `images` images by everybody, with a shift of the scores of each annotator. */
function captionsOf(shifts: Readonly<Record<string, number>>, images: number, seed = 1): ScoredCaption[] {
  const random = createRandom(seed)
  return Array.from({ length: images }, (_, image) => {
    const ease = random.next()
    return Object.entries(shifts).map(([annotator, shift]) => ({
      image,
      annotator,
      score: ease + 0.2 * random.next() + shift,
    }))
  }).flat()
}

test('an annotator who agrees with nobody comes first and is low', () => {
  const rows = judgeAnnotators(captionsOf({ anna: 0, ben: -0.2, cleo: 0, dora: 0 }, 40))
  expect(rows.map(({ annotator }) => annotator)[0]).toBe('ben')
  expect(rows.map(({ isLow }) => isLow)).toEqual([true, false, false, false])
  expect(rows[0]).toMatchObject({ captionCount: 40, undefinedReason: null })
  expect(rows[0].difference).toBeCloseTo(-0.2, 1)
})

test('equal annotators are rarely low', () => {
  let lowCount = 0
  for (let seed = 1; seed <= 200; seed++) {
    const rows = judgeAnnotators(captionsOf({ a: 0, b: 0, c: 0, d: 0, e: 0 }, 30, seed))
    if (rows.some(({ isLow }) => isLow)) lowCount++
  }
  expect(lowCount).toBeLessThanOrEqual(20)
})

test('by hand: two of three images', () => {
  const score = (image: number, annotator: string, score: number) => ({ image, annotator, score })
  const captions = [
    score(1, 'a', 0.2),
    score(1, 'b', 0.5),
    score(1, 'c', 0.7),
    score(2, 'a', 0.9),
    score(2, 'b', 0.1),
  ]
  expect(judgeAnnotators(captions)).toEqual([
    { annotator: 'a', captionCount: 1, score: 0.2, difference: expect.closeTo(-0.4), ...UNTESTED },
    { annotator: 'b', captionCount: 1, score: 0.5, difference: expect.closeTo(0.05), ...UNTESTED },
    { annotator: 'c', captionCount: 1, score: 0.7, difference: expect.closeTo(0.35), ...UNTESTED },
  ])
  expect(judgeAnnotators(captions.slice(3))).toEqual([
    { annotator: 'a', captionCount: 0, score: null, difference: null, ...UNTESTED },
    { annotator: 'b', captionCount: 0, score: null, difference: null, ...UNTESTED },
  ])
})

const UNTESTED = { pValue: null, undefinedReason: 'TOO_FEW_IMAGES', isLow: false }

test('equal differences have no test', () => {
  const captions = Array.from({ length: 12 }, (_, image) =>
    ['a', 'b', 'c'].map((annotator) => ({ image, annotator, score: 0.5 })),
  ).flat()
  expect(judgeAnnotators(captions).map(({ undefinedReason }) => undefinedReason)).toEqual(
    Array(3).fill('NO_VARIATION'),
  )
})
