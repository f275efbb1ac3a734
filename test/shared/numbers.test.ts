import { expect, it } from 'vitest'
import { scored } from '../../src/shared/numbers.js'

it.each([
  [0, '.000'],
  [0.25, '.250'],
  [1.0341, '1.034'],
  [-0.25, '−.250'],
  [0.001, '.001'],
  [0.00099, '.00099'],
  [0.000098, '.000098'],
  [-0.000098, '−.000098'],
  [0.0000011, '.0000011'],
  [9.2e-15, '9.2e−15'],
  [2.1e-241, '2.1e−241'],
])('a score of %d is never shown as 0 where it is not: %s', (score, text) => {
  expect(scored(score)).toBe(text)
})

it('has as many decimals as asked for', () => {
  expect([0.4, 0.04, 81.84].map((score) => scored(score, 1))).toEqual(['.4', '.040', '81.8'])
})
