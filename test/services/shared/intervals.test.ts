import { expect, test } from 'vitest'
import { judgeInterval, toInterval } from '../../../src/services/shared/intervals.js'

const INTERVAL = { lower: 0.1, upper: 0.3 }

test.each([
  [30, { undefinedReason: null, isSmall: false }],
  [29, { undefinedReason: null, isSmall: true }],
  [10, { undefinedReason: null, isSmall: true }],
  [9, { undefinedReason: 'TOO_FEW_IMAGES', isSmall: false }],
])('of %s images', (imageCount, expected) => {
  expect(judgeInterval(imageCount, INTERVAL)).toEqual(expected)
})

test('no interval of enough images: the figure does not vary', () => {
  expect(judgeInterval(30, null).undefinedReason).toBe('NO_VARIATION')
  expect(judgeInterval(30, { lower: null, upper: null }).undefinedReason).toBe('NO_VARIATION')
  expect(judgeInterval(9, null).undefinedReason).toBe('TOO_FEW_IMAGES')
})

test('stored ends are an interval if there are both', () => {
  expect(toInterval({ ...INTERVAL })).toEqual(INTERVAL)
  expect(toInterval({ lower: null, upper: null })).toBeNull()
})
