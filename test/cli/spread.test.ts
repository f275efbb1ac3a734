import { expect, it } from 'vitest'
import { FRACTIONS, PERCENTAGES, showSpread } from '../../src/cli/output/formats.js'

const spread = (value: number, lower: number, upper: number) => ({ value, interval: { lower, upper } })

it.each([
  [0.5, 0.48, 0.52, '±.020'],
  [0.5, 0.47, 0.52, '[.470, .520]'],
  [0.000091, 0.00007, 0.000112, '±.000'],
  [0.0001, 0, 0.0014, '[.000, .001]'],
])('the spread of %d in [%d, %d] is %s', (value, lower, upper, text) => {
  const own = spread(value, lower, upper)
  expect(showSpread(own, [own], FRACTIONS)).toBe(text)
})

it('is multiplied by 100 with percentages', () => {
  const own = spread(0.5, 0.48, 0.52)
  expect(showSpread(own, [own], PERCENTAGES)).toBe('±2.0')
  expect([0.4, 0.0004, -0.02].map(PERCENTAGES.score)).toEqual(['40.0', '< 0.1', '−2.0'])
  expect([0.004, -0.004].map(PERCENTAGES.share)).toEqual(['0.4', '−0.4'])
})

it('is written as its ends where those of another figure of the column are not as far away', () => {
  const own = spread(0.5, 0.48, 0.52)
  const column = [own, { value: null, interval: null }]
  expect(showSpread(own, column, FRACTIONS)).toBe('±.020')
  expect(showSpread(own, [...column, spread(0.6, 0.57, 0.61)], FRACTIONS)).toBe('[.480, .520]')
})
