import { expect, it } from 'vitest'
import { scored } from '../../src/shared/numbers.js'

it.each([
  [0, '.000'],
  [0.25, '.250'],
  [1.0341, '1.034'],
  [-0.25, '−.250'],
  [0.001, '.001'],
  [0.00099, '< .001'],
  [3.2e-20, '< .001'],
  [2.1e-241, '< .001'],
  [-0.0004, '.000'],
])('the score %d is %s, which is 0 of no positive one', (score, text) => {
  expect(scored(score)).toBe(text)
})

it('has as many decimals as asked for', () => {
  expect([0.4, 0.04, 81.84].map((score) => scored(score, 1))).toEqual(['.4', '< .1', '81.8'])
})
