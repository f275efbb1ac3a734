import { expect, test } from 'vitest'
import { judgeInterval, toInterval } from '../../../src/services/shared/intervals.js'

const INTERVAL = { lower: 0.1, upper: 0.3 }

test.each([
  [INTERVAL, 30, { intervalReason: null, isSmall: false }],
  [INTERVAL, 29, { intervalReason: null, isSmall: true }],
  [null, 9, { intervalReason: 'TOO_FEW_IMAGES', isSmall: false }],
  [null, 5000, { intervalReason: 'OLDER_VERSION', isSmall: false }],
  [null, null, { intervalReason: 'OLDER_VERSION', isSmall: false }],
])('%j of %s images', (interval, imageCount, expected) => {
  expect(judgeInterval(interval, imageCount)).toEqual(expected)
})

test('stored ends are an interval if there are both', () => {
  expect(toInterval({ ...INTERVAL })).toEqual(INTERVAL)
  expect(toInterval({ lower: null, upper: null })).toBeNull()
})
