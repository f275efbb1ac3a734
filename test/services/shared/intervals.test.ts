import { expect, test } from 'vitest'
import { judgeInterval, toInterval } from '../../../src/services/shared/intervals.js'

const INTERVAL = { lower: 0.1, upper: 0.3 }

test.each([
  [INTERVAL, 30, { undefinedReason: null, isSmall: false }],
  [INTERVAL, 29, { undefinedReason: null, isSmall: true }],
  [null, 9, { undefinedReason: 'TOO_FEW_IMAGES', isSmall: false }],
  [null, 5000, { undefinedReason: 'OLDER_VERSION', isSmall: false }],
  [null, null, { undefinedReason: 'OLDER_VERSION', isSmall: false }],
])('%j of %s images', (interval, imageCount, expected) => {
  expect(judgeInterval(interval, imageCount)).toEqual(expected)
})

test('stored ends are an interval if there are both', () => {
  expect(toInterval({ ...INTERVAL })).toEqual(INTERVAL)
  expect(toInterval({ lower: null, upper: null })).toBeNull()
})
