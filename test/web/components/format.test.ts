import { expect, it } from 'vitest'
import { fileSize, withDecimals } from '../../../web/app/format'

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [2_500_000, '2.5 MB'],
  [4.2e12, '4200.0 GB'],
])('the size of a file of %d bytes is %s', (bytes, text) => {
  expect(fileSize(bytes)).toBe(text)
})

it.each([
  [0, '.000'],
  [3.2e-20, '< .001'],
  [0.00099, '< .001'],
  [0.001, '.001'],
  [-0.0004, '.000'],
  [1.25, '1.250'],
])('the score %d is %s', (value, text) => {
  expect(withDecimals(value, { lower: 0, upper: 1 }, 3)).toBe(`${text} [.000, 1.000]`)
})
