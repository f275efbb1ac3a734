import fc from 'fast-check'
import { expect, it } from 'vitest'
import { IdIndex } from '../../../src/formats/io/id-index.js'

it('numbers ids like a Map', () => {
  const id = fc.oneof(fc.nat(50).map(String), fc.string({ minLength: 1, unit: 'grapheme', maxLength: 4 }))
  fc.assert(
    fc.property(fc.array(id, { maxLength: 300 }), (ids) => {
      const index = new IdIndex()
      const expected = new Map<string, number>()
      for (const text of ids) {
        const next = expected.get(text) ?? expected.size
        expected.set(text, next)
        expect(index.add(text)).toBe(next)
        expect(index.size).toBe(expected.size)
      }
      expect(Array.from(expected.values(), (number) => index.at(number))).toEqual([...expected.keys()])
    }),
  )
})

it('grows with many ids, and long ones', () => {
  const index = new IdIndex()
  const long = 'é'.repeat(100_000)
  expect(index.add(long)).toBe(0)
  for (let i = 0; i < 50_000; i++) expect(index.add(String(i * 7))).toBe(i + 1)
  for (let i = 0; i < 50_000; i += 999) expect(index.add(String(i * 7))).toBe(i + 1)
  expect(index.add(long)).toBe(0)
  expect(index.at(0)).toBe(long)
  expect(index.at(50_000)).toBe(String(49_999 * 7))
})
