import { expect, it } from 'vitest'
import { canonicalJson } from '../../src/jobs/canonical-json.js'

const rows = Array.from({ length: 3000 }, (_, row) => ({
  text: `row ${row} "quoted" \u00e9`,
  id: row,
  words: Array.from({ length: row === 7 ? 500 : 2 }, (_, word) => ({ word: `w${word}`, score: word / 3 })),
}))

it.each<[string, unknown, unknown]>([
  ['values', { b: 1, a: [null, 'x', { d: true, c: 0.5 }] }, { a: [null, 'x', { c: 0.5, d: true }], b: 1 }],
  ['undefined properties', { b: undefined, a: 1, c: undefined }, { a: 1 }],
  ['undefined properties beside long lists', { b: undefined, a: rows.map(({ id }) => id) }, undefined],
  ['long lists in rows of long lists', { rows, allowMissing: false }, undefined],
  ['a long list', rows.map(({ id }) => (id % 2 ? id : null)), undefined],
  ['null', null, null],
])('writes %s as JSON with sorted keys', async (_what, value, sorted) => {
  const pieces: string[] = []
  const text = await canonicalJson(value, (piece) => pieces.push(piece))
  expect(pieces.join('')).toBe(text)
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
  if (sorted !== undefined) expect(text).toBe(JSON.stringify(sorted))
  expect(text).not.toMatch(/"(id|b)":.*"a":/)
})

it('writes equal values in the same way, whatever the order of their keys', async () => {
  const reversed = rows.map(({ words, id, text }) => ({ words, id, text }))
  const write = (value: unknown) => canonicalJson(value, () => {})
  expect(await write({ dataset: 'a', rows: reversed })).toBe(await write({ rows, dataset: 'a' }))
})
