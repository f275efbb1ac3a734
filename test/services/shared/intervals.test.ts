import { expect, test } from 'vitest'
import type { DocumentFrequencySource } from '../../../src/core/metrics/provenance.js'
import { judgeScore, reportedInterval, toInterval } from '../../../src/services/shared/intervals.js'

const INTERVAL = { lower: 0.1, upper: 0.3 }

/** How a score of so many images was made. */
const record = (count: number, documentFrequencies: DocumentFrequencySource | null = null) => ({
  images: { count, of: count, hash: null },
  documentFrequencies,
})

test.each([
  [30, { undefinedReason: null, isSmall: false }],
  [29, { undefinedReason: null, isSmall: true }],
  [10, { undefinedReason: null, isSmall: true }],
  [9, { undefinedReason: 'TOO_FEW_IMAGES', isSmall: false }],
])('of %s images', (imageCount, expected) => {
  expect(judgeScore(INTERVAL, record(imageCount))).toEqual(expected)
})

test('no interval of enough images: the figure does not vary', () => {
  expect(judgeScore(null, record(30)).undefinedReason).toBe('NO_VARIATION')
  expect(judgeScore({ lower: null, upper: null }, record(30)).undefinedReason).toBe('NO_VARIATION')
  expect(judgeScore(null, record(9)).undefinedReason).toBe('TOO_FEW_IMAGES')
})

test.each([
  ['own', 4999, 4999, 'OWN_DOCUMENTS'],
  ['own', 5000, 5000, 'OWN_DOCUMENTS'],
  ['fold', 100, 100, 'OWN_DOCUMENTS'],
  // Those of a dataset are its own where they are of the same images.
  ['dataset', 100, 100, 'OWN_DOCUMENTS'],
  ['dataset', 1000, 100, null],
  ['file', 100, 1000, null],
  ['coco', 5000, 100, null],
] as const)('document frequencies %s of %i images, of a score of %i', (source, imageCount, count, reason) => {
  const made = record(count, { hash: '0', imageCount, source })
  const reported = reportedInterval(INTERVAL, made)
  expect(reported).toEqual(reason === null ? INTERVAL : null)
  expect(judgeScore(reported, made).undefinedReason).toBe(reason)
})

test('stored ends are an interval if there are both', () => {
  expect(toInterval({ ...INTERVAL })).toEqual(INTERVAL)
  expect(toInterval({ lower: null, upper: null })).toBeNull()
})
