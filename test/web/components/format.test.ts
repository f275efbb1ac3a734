import { expect, it } from 'vitest'
import { fileSize } from '../../../web/app/format'

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [2_500_000, '2.5 MB'],
  [4.2e12, '4200.0 GB'],
])('the size of a file of %d bytes is %s', (bytes, text) => {
  expect(fileSize(bytes)).toBe(text)
})
