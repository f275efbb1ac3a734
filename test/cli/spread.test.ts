import { expect, it } from 'vitest'
import { FRACTIONS, PERCENTAGES, showSpread } from '../../src/cli/output/formats.js'

it.each([
  [0.5, 0.48, 0.52, '±.020'],
  [0.5, 0.47, 0.52, '.470–.520'],
  [0.000091, 0.00007, 0.000112, '±.000021'],
  [0.0001, 0, 0.0004, '.000–.00040'],
])('the spread of %d in [%d, %d] is %s', (value, lower, upper, text) => {
  expect(showSpread(value, { lower, upper }, FRACTIONS)).toBe(text)
})

it('is multiplied by 100 with percentages', () => {
  expect(showSpread(0.5, { lower: 0.48, upper: 0.52 }, PERCENTAGES)).toBe('±2.0')
})
